"""Networks: batches, searches, and what is refused."""

import threading

import numpy as np
import pytest

import seega
from conftest import CAPTURING, WINNING, ZOO, random_game


def test_it_tells_what_it_is(network, sija):
    assert network.trained_on == [("sija", sija)]
    assert (network.channels, network.blocks) == (32, 4) and network.step > 0


def test_a_policy_is_of_legal_actions(network, sija):
    # More positions than one batch of the forward pass has.
    positions = [position for seed in range(5) for position in random_game(sija, seed)[:-1]]
    assert len(positions) > 256
    policy, chances, margin = network.evaluate(positions)
    assert (policy.dtype, chances.dtype, margin.dtype) == (np.float32,) * 3
    assert policy.shape == (len(positions), 426)
    assert chances.shape == (len(positions), 3) and margin.shape == (len(positions),)
    legal = np.array([position.legal_mask() for position in positions])
    assert (policy[legal] > 0).all() and (policy[~legal] == 0).all()
    assert np.allclose(policy.sum(axis=1), 1, atol=1e-5) and np.allclose(chances.sum(axis=1), 1, atol=1e-5)
    assert (np.abs(margin) <= 1).all() and chances.std(axis=0).min() > 0.01
    # Alone each has the same numbers, to the last bit.
    for index in range(0, len(positions), 37):
        alone = network.evaluate(iter([positions[index]]))
        assert all(np.array_equal(one[0], of_all[index]) for one, of_all in zip(alone, (policy, chances, margin)))


def test_colours_do_not_occur(network, sija):
    position = seega.Position.from_text(CAPTURING, sija)
    swapped = seega.Position.from_text(CAPTURING.translate(str.maketrans("wb", "bw")), sija)
    assert swapped.mover == "b" and np.array_equal(position.planes(), swapped.planes())
    for one, other in zip(network.evaluate([position]), network.evaluate([swapped])):
        assert np.array_equal(one, other)


def test_what_cannot_be_evaluated_is_refused(network, sija):
    start, over = seega.Position(sija), random_game(sija, seed=0)[-1]
    elsewhere = seega.Position(seega.Rules("sija/7"))
    for positions, told in [
        ([], "there is no position"),
        ([start, over], "the game is over in "),
        ([start, elsewhere], "the network was not trained on these rules (size = 7, "),
    ]:
        with pytest.raises(ValueError) as refused:
            network.evaluate(positions)
        assert told in str(refused.value)
    with pytest.raises(ValueError, match="a batch holds one board size"):
        network.evaluate([start, elsewhere], force=True)
    assert network.evaluate([elsewhere], force=True)[0].shape == (1, 834)
    for wrong in (start, [start, "start"], None):
        with pytest.raises(TypeError):
            network.evaluate(wrong)


def test_a_search_finds_a_win_in_one(network, sija):
    position = seega.Position.from_text(WINNING, sija)
    found = network.search(position, simulations=64)
    assert found.best == "d3-c3"
    assert found.value == 1 and found.chances == (1, 0, 0)
    best = found.actions[0]
    assert (best.action, best.proven, best.line, best.value) == ("d3-c3", ("win", 0), ["d3-c3"], 1)
    # The same for Black, whose win is not White's.
    text = WINNING.translate(str.maketrans("wb", "bw"))
    mirrored = network.search(seega.Position.from_text(text, sija))
    assert (mirrored.best, mirrored.value) == ("d3-c3", 1)


def test_a_search_tells_of_every_action(network, sija):
    position = seega.Position.from_text(CAPTURING, sija)
    found = network.search(position, simulations=200)
    assert found.simulations == 200 and sum(found.chances) == pytest.approx(1, abs=1e-5)
    assert {action.action for action in found.actions} == set(position.legal_actions())
    assert sum(action.policy for action in found.actions) == pytest.approx(1, abs=1e-5)
    assert 190 <= sum(action.visits for action in found.actions) <= 200
    policy, _, _ = network.evaluate([position])
    for action in found.actions:
        assert action.line[0] == action.action
        assert action.value == pytest.approx(action.chances[0] - action.chances[2])
        after = position
        for ply in action.line:
            after = after.play(ply)
    # A search may see the board turned, so the probabilities are near, not equal.
    priors = [action.prior for action in found.actions]
    places = [seega.action_index(action.action, 5) for action in found.actions]
    assert np.corrcoef(priors, policy[0][places])[0, 1] > 0.9


def test_a_search_is_repeatable_and_what_the_player_plays(network, sija):
    player = seega.Player(f"net:{ZOO / 'sija.safetensors'}@32", sija)
    for position in random_game(sija, seed=3)[:-1:10]:
        one, other = network.search(position, 32), network.search(position, 32)
        assert repr(one) == repr(other) and repr(one.actions) == repr(other.actions)
        assert one.best == player.choose(position, seed=0)


def test_what_cannot_be_searched_is_refused(network, sija):
    start = seega.Position(sija)
    with pytest.raises(ValueError, match="the game is over"):
        network.search(random_game(sija, seed=0)[-1])
    for simulations in (0, -1, 1_000_001, 2**80):
        with pytest.raises(ValueError, match="simulations must be a whole number from 1 to 1000000"):
            network.search(start, simulations)
    siga = seega.Position(seega.Rules("siga"))
    with pytest.raises(ValueError, match="but on: sija .*; force=True uses it all the same"):
        network.search(siga)
    assert network.search(siga, 16, force=True).best in siga.legal_actions()
    with pytest.raises(TypeError):
        network.search("start")


def test_what_is_no_network_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere.safetensors"):
        seega.Network(tmp_path / "nowhere.safetensors")
    whole = (ZOO / "sija.safetensors").read_bytes()
    cut = tmp_path / "cut.safetensors"
    for length in (0, 7, 100, 5000, len(whole) - 1):
        cut.write_bytes(whole[:length])
        with pytest.raises(ValueError, match="cut.safetensors: "):
            seega.Network(str(cut))


def test_threads_share_a_network(network, sija):
    positions = random_game(sija, seed=4)[:-1]
    expected = network.evaluate(positions), network.search(positions[0], 100).value
    wrong = []

    def work():
        for _ in range(5):
            arrays, value = network.evaluate(positions), network.search(positions[0], 100).value
            if value != expected[1] or not all(map(np.array_equal, arrays, expected[0])):
                wrong.append(value)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
