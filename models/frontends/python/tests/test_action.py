"""Actions as places in the policy, held against the tables of models/FORMAT.md."""

import numpy as np
import pytest

import seega


@pytest.mark.parametrize(("size", "count"), [(5, 426), (7, 834), (9, 1378)])
def test_places_and_actions_are_one_to_one(size, count):
    assert seega.action_count(size) == count
    actions = {}
    for place in range(count):
        try:
            action = seega.action_from_index(place, size)
        except ValueError as refused:
            assert "leads off the" in str(refused)
            continue
        assert seega.action_index(action, size) == place
        actions[action] = place
    # Steps and jumps that stay on the board, by direction, and the placements and stop.
    straight, diagonal = size * (size - 1), (size - 1) ** 2
    jumps = size * (size - 2), (size - 2) ** 2
    assert len(actions) == size**2 + 4 * (straight + diagonal + sum(jumps)) + 1


def test_the_worked_example():
    places = {"b3-c4": 136, "b5-c4": 171, "c5-c4": 97, "stop": 425, "c2": 7, "a1-c3": 325, "c5-c3": 297}
    assert {action: seega.action_index(action, 5) for action in places} == places


def test_what_has_no_place_is_refused():
    for action in ("a1-d1", "a1-b3", "a1-a1", "f1", "e5-f5", "e5-e6", "e4-e6", "e1-g1", "nonsense"):
        with pytest.raises(ValueError, match="is no action"):
            seega.action_index(action, 5)
    for place in (-1, 426, 2**70, -(2**70)):
        with pytest.raises(ValueError, match="a whole number from 0 to 425"):
            seega.action_from_index(place, 5)
    for size in (-1, 0, 6, 261, 2**70):
        for call in (seega.action_count, lambda size: seega.action_index("a1", size)):
            with pytest.raises(ValueError, match="5, 7 or 9"):
                call(size)
    with pytest.raises(TypeError):
        seega.action_count(5.0)


def test_numbers_of_numpy_will_do():
    assert seega.action_from_index(np.int64(425), np.uint8(5)) == "stop"
