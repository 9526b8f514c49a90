"""A network's inputs, held against models/examples/evaluate.py, which makes them from texts in Python alone."""

import importlib.util
import sys
import types

import numpy as np
import pytest

import seega
from conftest import ROOT, random_game, rules_of


@pytest.fixture(scope="module")
def example():
    """The example as a module. It imports onnxruntime, of which nothing is needed here."""
    sys.modules.setdefault("onnxruntime", types.ModuleType("onnxruntime"))
    spec = importlib.util.spec_from_file_location("example", ROOT / "models" / "examples" / "evaluate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_inputs_are_those_of_the_example(example, vector_games):
    sizes, chains, openings = set(), 0, 0
    for game in vector_games:
        rules = rules_of(game["rules"])
        for ply in game["plies"][::5]:
            position = seega.Position.from_text(ply["position"], rules)
            planes, scalars = example.encode(ply["position"], game["rules"])
            assert position.planes().dtype == position.scalars().dtype == np.float32
            assert np.array_equal(position.planes(), planes[0])
            assert np.allclose(position.scalars(), scalars[0], rtol=1e-6, atol=0)
            places = [example.place(action, rules.size) for action in position.legal_actions()]
            assert sorted(places) == np.flatnonzero(position.legal_mask()).tolist()
            sizes.add(rules.size)
            chains += position.chain is not None
            openings += " o " in position.text
    assert sizes == {5, 7, 9} and chains > 100 and openings > 10, "the games have all that matters"


def test_a_game_that_is_over_has_inputs_too():
    last = random_game(seega.Rules("szidzsa"), seed=0)[-1]
    assert last.planes().shape == (5, 7, 7) and last.scalars().shape == (27,)
    own = {f"{'abcdefg'[file]}{rank + 1}" for rank, file in np.argwhere(last.planes()[0])}
    assert own == set(last.stones(last.mover))
