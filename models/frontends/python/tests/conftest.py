"""What tests share: the repository's data, a network, and games."""

import gzip
import json
import random
from pathlib import Path

import pytest

import seega

ROOT = Path(__file__).resolve().parents[4]
ZOO = ROOT / "models" / "zoo"

# A position of sija in which White captures: b2 and c4 by d4-c3.
CAPTURING = "bwwbw/bwbwb/bw1bb/wbwww/wwbbb w m - 0"
# A position of sija in which White wins by d3-c3, which captures b3 and leaves Black two stones.
WINNING = "4b/5/wb1w1/5/w3b w m - 0"


@pytest.fixture(scope="session")
def sija():
    return seega.Rules("sija")


@pytest.fixture(scope="session")
def network():
    return seega.Network(ZOO / "sija.safetensors")


@pytest.fixture(scope="session")
def vector_games():
    """The games of the reference implementations (tests/data/vectors): all presets, sizes, and mixtures of options."""
    games = []
    for name in ("games", "edges"):
        with gzip.open(ROOT / "tests" / "data" / "vectors" / f"{name}.jsonl.gz", "rt") as lines:
            games += [json.loads(line) for line in lines]
    return games


def rules_of(fields):
    """Rules of their fields as game records have them."""
    values = {name: "none" if value is None else value for name, value in fields.items()}
    return seega.Rules.from_toml("\n".join(f"{name} = {json.dumps(value)}" for name, value in values.items()))


def random_game(rules, seed):
    """The positions of a random game from the start to the end."""
    chance = random.Random(seed)
    positions = [seega.Position(rules)]
    while positions[-1].outcome is None:
        positions.append(positions[-1].play(chance.choice(positions[-1].legal_actions())))
    return positions
