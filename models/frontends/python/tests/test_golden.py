"""Inputs and evaluations, held against what `seega export` wrote of networks of the zoo: libtorch's outputs.

SEEGA_EXPORTS may name folders of whole exports, separated by `:`; else a few positions of two are taken (golden.py).
"""

import hashlib
import json
import os

import numpy as np
import pytest

import seega
from conftest import ZOO
from golden import GOLDEN, read_export


def softmax(logits):
    weights = np.exp(np.array(logits) - max(logits))
    return weights / weights.sum()


def exports():
    folders = os.environ.get("SEEGA_EXPORTS")
    if folders:
        return [read_export(folder) for folder in folders.split(":")]
    return list(json.loads(GOLDEN.read_text()).values())


@pytest.mark.parametrize("export", exports(), ids=lambda export: export["checkpoint_sha256"][:8])
def test_inputs_and_outputs_are_those_of_the_export(export):
    sums = {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in ZOO.glob("*.safetensors")}
    path = sums.get(export["checkpoint_sha256"])
    assert path, "the zoo has another network by now: make tests/data/golden.json anew (tests/golden.py)"
    network = seega.Network(path)
    by_size = {}
    for golden in export["positions"]:
        rules = seega.Rules(golden["rules"])
        position = seega.Position.from_text(golden["position"], rules)
        assert np.array_equal(position.planes().ravel(), np.array(golden["planes"], np.float32))
        assert np.array_equal(position.scalars(), np.array(golden["scalars"], np.float32))
        places = {action: seega.action_index(action, rules.size) for action in position.legal_actions()}
        assert places == golden["places"]
        by_size.setdefault(rules.size, []).append((position, golden))
    assert set(by_size) == {5, 7, 9}
    for pairs in by_size.values():
        # Of most of these rules the network knows nothing, which is of no matter here.
        policy, chances, margin = network.evaluate([position for position, _ in pairs], force=True)
        for index, (_, golden) in enumerate(pairs):
            found = policy[index][list(golden["places"].values())]
            assert np.allclose(found, softmax(golden["logits"]), rtol=0, atol=2e-5)
            assert np.allclose(chances[index], softmax(golden["chances"]), rtol=0, atol=2e-5)
            assert np.isclose(margin[index], golden["margin"], rtol=0, atol=2e-5)
