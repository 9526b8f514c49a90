"""Evaluates a position with an exported network: all that a frontend in Python needs, by models/FORMAT.md.

    pip install numpy onnxruntime
    seega export --model models/zoo/sija.safetensors --out exported
    python models/examples/evaluate.py exported            # checks itself on the golden positions
"""

import json
import sys
from pathlib import Path

import numpy as np
import onnxruntime

DIRECTIONS = [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)]


def square(name):
    """File and rank of a square such as c2, both from 0."""
    return ord(name[0]) - ord("a"), int(name[1:]) - 1


def place(action, side):
    """The place of an action in the policy."""
    if action == "stop":
        return 17 * side * side
    if "-" not in action:
        file, rank = square(action)
        return side * rank + file
    (file, rank), (to_file, to_rank) = map(square, action.split("-"))
    files, ranks = to_file - file, to_rank - rank
    length = max(abs(files), abs(ranks))
    plane = 1 + DIRECTIONS.index((files // length, ranks // length)) + (8 if length == 2 else 0)
    return plane * side * side + side * rank + file


def encode(text, rules):
    """The two inputs for a position's text."""
    board, mover, phase, chain, quiet = text.split(" ")
    side = rules["size"]
    planes = np.zeros((5, side, side), np.float32)
    for rank, row in enumerate(reversed(board.split("/"))):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
            else:
                planes[0 if letter == mover else 1, rank, file] = 1
                file += 1
    planes[2, side // 2, side // 2] = 1
    captures = 0
    if chain != "-":
        name, captures = chain.split(":")[0], int(chain.split(":")[1])
        file, rank = square(name)
        planes[3, rank, file] = 1
    planes[4] = 1

    placing = phase.startswith("p")
    last_first = rules["first_mover"] == "last_placer"
    scalars = [
        placing,
        int(phase[1]) / 2 if placing else 0,
        int(quiet) / rules["quiet_limit"],
        captures / (captures + 4),
        phase == "o",
        placing and (mover == "b") == last_first,
        side == 5,
        side == 7,
        side == 9,
        rules["per_turn"] - 1,
        rules["cross"],
        last_first,
        rules["move_dirs"] == "all",
        rules["jumps"] in ("piece", "both"),
        rules["jumps"] in ("center", "both"),
        rules["capture_dirs"] == "all",
        rules["center_safe"],
        rules["chain"] == "same_piece",
        rules["chain"] == "any_piece",
        rules["chain"] == "any_move",
        rules["chain_optional"],
        1 / rules["chain_limit"] if rules["chain_limit"] else 0,
        rules["blocked"] == "loses",
        rules["blocked"] == "must_open",
        rules["lose_at"] / 3,
        rules["quiet_limit"] / (rules["quiet_limit"] + 50),
        rules["quiet_result"] == "count",
    ]
    return planes[None], np.array([scalars], np.float32)


def softmax(logits):
    weights = np.exp(logits - np.max(logits))
    return weights / weights.sum()


def evaluate(session, text, rules, legal):
    """Chances of win, draw and loss for the mover, and a probability for each legal action."""
    planes, scalars = encode(text, rules)
    policy, chances = session.run(["policy", "chances"], {"planes": planes, "scalars": scalars})
    # What is not legal has no probability, whatever its logit.
    logits = policy[0][[place(action, rules["size"]) for action in legal]]
    return softmax(chances[0]), dict(zip(legal, softmax(logits)))


def main(folder):
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    golden = json.loads((folder / "golden.json").read_text())
    assert golden["format"] == 1, "another version of the format"
    worst = 0.0
    for of_rules in golden["rules"]:
        rules = of_rules["rules"]
        for position in of_rules["positions"]:
            legal = [entry["action"] for entry in position["legal"]]
            assert [place(action, rules["size"]) for action in legal] == [entry["place"] for entry in position["legal"]]
            planes, scalars = encode(position["position"], rules)
            assert np.allclose(planes.ravel(), position["planes"]) and np.allclose(scalars[0], position["scalars"])
            (win, draw, loss), policy = evaluate(session, position["position"], rules, legal)
            expected = softmax(np.array(position["policy"])[[entry["place"] for entry in position["legal"]]])
            worst = max(
                worst,
                np.abs(np.array([win, draw, loss]) - softmax(np.array(position["chances"]))).max(),
                np.abs(np.array(list(policy.values())) - expected).max(),
            )
        best = max(policy, key=policy.get)
        print(f'{of_rules["name"]}: {position["position"]}')
        print(f"  win {win:.3f}, draw {draw:.3f}, loss {loss:.3f}; most probable: {best} ({policy[best]:.3f})")
    print(f"largest difference of a probability: {worst:.1e}")
    assert worst < 1e-4


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python evaluate.py FOLDER, one that seega export wrote")
    main(Path(sys.argv[1]))
