"""The environment: PettingZoo's own tests, and that it is the game."""

import copy
import pickle
import random
import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

import seega
from conftest import WINNING
from seega.pettingzoo import PLAYERS, drawn, env, raw_env

# What api_test says of every environment with masks, also of PettingZoo's own.
EXPECTED = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Action mask numpy array is all zeros (no legal actions).",
}


@pytest.mark.parametrize("make", [env, raw_env])
@pytest.mark.parametrize("rules", ["sija", "siga/7", "szidzsa/9:quiet_limit=3", "kawu:blocked=loses"])
def test_it_passes_the_test_of_the_interface(make, rules):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        api_test(make(rules=rules, render_mode="ansi"), num_cycles=1000)
    assert {str(warning.message) for warning in told} <= EXPECTED


@pytest.mark.parametrize("rules", ["sija", "siga-cross/7"])
def test_it_passes_the_test_of_seeds(rules):
    seed_test(lambda: env(rules=rules), num_cycles=300)


def play(game, seed):
    """Plays a random game and yields, before each ply, the player selected and the action it is going to make."""
    chance = random.Random(seed)
    for agent in game.agent_iter():
        observation, _, over, _, _ = game.last()
        if over:
            return
        action = chance.choice(np.flatnonzero(observation["action_mask"]))
        yield agent, action
        game.step(action)


@pytest.mark.parametrize("rules", ["sija", "siga/7", "seega:blocked=loses"])
def test_it_is_the_game(rules):
    game = env(rules=rules)
    winners = set()
    in_a_row = 0
    for seed in range(6):
        game.reset(seed=seed)
        position, last = seega.Position(seega.Rules(rules)), None
        for agent, action in play(game, seed):
            assert agent == PLAYERS[position.mover]
            observation = game.observe(agent)
            planes, scalars = position.planes(), position.scalars()
            assert np.array_equal(observation["observation"][:5], planes)
            assert np.array_equal(observation["observation"][5:, 0, 0], scalars)
            assert np.array_equal(observation["observation"][5:, -1, -1], scalars)
            assert np.array_equal(observation["action_mask"], position.legal_mask())
            (other,) = set(PLAYERS.values()) - {agent}
            seen = game.observe(other)
            assert np.array_equal(seen["observation"][[1, 0, 2, 3, 4]], planes) and not seen["action_mask"].any()
            in_a_row += agent == last
            position, last = position.play(seega.action_from_index(action, position.rules.size)), agent
        winner, _ = position.outcome
        winners.add(winner)
        assert game.terminations == {"player_0": True, "player_1": True}
        assert game.truncations == {"player_0": False, "player_1": False}
        assert game.rewards == {player: 0 if winner is None else 1 if player == PLAYERS[winner] else -1
                                for player in PLAYERS.values()}
        assert not any(game.observe(player)["action_mask"].any() for player in PLAYERS.values())
    # Of six games with six placing turns of two stones a side.
    assert {"w", "b"} <= winners and in_a_row >= 6 * 12


def test_an_illegal_action_loses():
    game = env()
    game.reset()
    game.step(seega.action_index("a1", 5))
    game.step(seega.action_index("a1", 5))
    assert game.terminations == {"player_0": True, "player_1": True}
    assert game.rewards == {"player_0": -1, "player_1": 0}


def test_without_wrappers_an_illegal_action_is_refused():
    game = raw_env()
    game.reset()
    game.step(seega.action_index("a1", 5))
    before = game.position
    for action, told in [(seega.action_index("a1", 5), "the square is taken"), (426, "from 0 to 425"), (-1, "from 0")]:
        with pytest.raises(ValueError, match=told):
            game.step(action)
    assert game.position == before and game.agent_selection == "player_0"


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))])
def test_a_copy_goes_on_by_itself(copied):
    game = env(rules="siga")
    game.reset()
    for ply, (_, action) in enumerate(play(game, seed=5)):
        if ply == 30:
            other = copied(game)
            assert other.agent_selection == game.agent_selection
            other.step(action)
            assert other.unwrapped.position == game.unwrapped.position.play(seega.action_from_index(action, 5))
            assert other.unwrapped.position != game.unwrapped.position
            break
    else:
        pytest.fail("the game was over too soon")
    assert len(list(play(other, seed=6))) > 0 and all(other.terminations.values())
    assert not any(game.terminations.values())


def test_it_is_drawn(sija):
    game = env(render_mode="ansi")
    game.reset()
    game.step(seega.action_index("b1", 5))
    *empty, first, files, status = game.render().split("\n")
    assert empty == [f"{rank}  · · · · ·" for rank in (5, 4, 3, 2)]
    assert (first, files, status) == ("1  · ○ · · ·", "   a b c d e", "White ○ moves")
    over = drawn(seega.Position.from_text(WINNING, sija).play("d3-c3"))
    assert over.split("\n")[2] == "3  ○ · ○ · ·" and over.endswith("White ○ wins (stones)")
    assert drawn(seega.Position.from_text(WINNING.replace("0", "49"), sija).play("a1-a2")).endswith("draw (quiet)")


def test_what_there_is_not_is_refused():
    with pytest.raises(ValueError, match="render_mode is None or 'ansi', not 'human'"):
        env(render_mode="human")
    with pytest.raises(ValueError, match="no preset is called"):
        env(rules="chess")
    assert env(rules=seega.Rules("siga/9")).action_space("player_0").n == 1378
