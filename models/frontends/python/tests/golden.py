"""Makes tests/data/golden.json, what a few positions are to networks of the zoo, from what `seega export` writes:

    seega export --model models/zoo/sija.safetensors --out exported/sija --also siga/7:chain=none --also …
    seega export --model models/zoo/siga.safetensors --out exported/siga --also …
    python models/frontends/python/tests/golden.py exported/sija exported/siga

Of each export it keeps a few positions of each rule set, and of the policy the legal places: a hundredth of the export.
Outputs are libtorch's. The test can also take whole exports (test_golden.py).
"""

import json
import sys
from pathlib import Path

GOLDEN = Path(__file__).parent / "data" / "golden.json"
KEPT = 2


def read_export(folder):
    """The positions of an export, as the test takes them."""
    export = json.loads((Path(folder) / "golden.json").read_text())
    assert export["format"] == 1, "another version of the format"
    positions = [
        {
            "rules": of_rules["name"],
            "position": found["position"],
            "planes": [int(number) for number in found["planes"]],
            "scalars": found["scalars"],
            "places": {entry["action"]: entry["place"] for entry in found["legal"]},
            "logits": [found["policy"][entry["place"]] for entry in found["legal"]],
            "chances": found["chances"],
            "margin": found["margin"],
        }
        for of_rules in export["rules"]
        for found in of_rules["positions"]
    ]
    return {"checkpoint_sha256": export["checkpoint_sha256"], "positions": positions}


def few(positions):
    """Of each rule set some, evenly from its first to its last."""
    kept = []
    for name in dict.fromkeys(position["rules"] for position in positions):
        of_rules = [position for position in positions if position["rules"] == name]
        kept += of_rules[:: -(-len(of_rules) // KEPT)]
    return kept


def main(folders):
    golden = {}
    for folder in folders:
        export = read_export(folder)
        golden[Path(folder).name] = export | {"positions": few(export["positions"])}
    GOLDEN.write_text(json.dumps(golden, separators=(",", ":")).replace('{"rules"', '\n{"rules"') + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python golden.py FOLDER…, ones that seega export wrote, named by networks of the zoo")
    main(sys.argv[1:])
