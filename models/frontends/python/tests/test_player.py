"""Players by their spelling."""

import pytest

import seega
from conftest import WINNING, ZOO, random_game


@pytest.mark.parametrize("spelling", ["alphabeta:2", "mcts:200", f"net:{ZOO / 'sija.safetensors'}@16"])
def test_players_take_a_win_in_one(spelling, sija):
    player = seega.Player(spelling, sija)
    assert player.choose(seega.Position.from_text(WINNING, sija), seed=1) == "d3-c3"


@pytest.mark.parametrize("spelling", ["random", "greedy", f"policy:{ZOO / 'siga.safetensors'}"])
def test_players_play_games_to_the_end(spelling):
    rules = seega.Rules("siga")
    player, position = seega.Player(spelling, rules), seega.Position(rules)
    plies = 0
    while position.outcome is None:
        position = position.play(player.choose(position, seed=plies))
        plies += 1
    assert plies > 24


def test_chance_follows_from_the_seed(sija):
    player, position = seega.Player("random", sija), seega.Position(sija)
    choices = [player.choose(position, seed) for seed in range(50)]
    assert choices == [player.choose(position, seed=seed) for seed in range(50)]
    assert len(set(choices)) > 10
    assert player.choose(position, 2**64 - 1) in position.legal_actions()


def test_what_is_no_player_is_refused(sija, tmp_path):
    for spelling, told in [
        ("elephant", "\"elephant\" is no player; players are random, "),
        ("alphabeta:0", "is no player"),
        (f"exact:{tmp_path}", "holds no tables of these rules"),
        (f"net:{ZOO / 'siga.safetensors'}", "but on: siga (5×5); force=True"),
    ]:
        with pytest.raises(ValueError) as refused:
            seega.Player(spelling, sija)
        assert told in str(refused.value)
    with pytest.raises(FileNotFoundError):
        seega.Player(f"policy:{tmp_path / 'none'}", sija)
    forced = seega.Player(f"policy:{ZOO / 'siga.safetensors'}", sija, force=True)
    assert forced.choose(seega.Position(sija), 0) in seega.Position(sija).legal_actions()


def test_what_a_player_cannot_choose_in_is_refused(sija):
    player = seega.Player("random", sija)
    for position, told in [
        (random_game(sija, seed=0)[-1], "the game is over"),
        (seega.Position(seega.Rules("siga/7")), "of the rules siga/7; the player was made for sija"),
    ]:
        with pytest.raises(ValueError) as refused:
            player.choose(position, seed=0)
        assert told in str(refused.value)
    for seed in (-1, 2**64):
        with pytest.raises(ValueError, match="seed must be"):
            player.choose(seega.Position(sija), seed)
    with pytest.raises(TypeError):
        player.choose(seega.Position(sija))
