#!/usr/bin/env python3
"""Builds the page as a folder that any host of static files can serve: page, wasm module, networks.

    python3 models/frontends/web/build.py [--out DIR] [--models DIR]

Needs cargo, and the standard library of wasm32-unknown-unknown: from rustup if it can be had there, else from Debian's
packages rustc-web and rust-web-src. What the page does, and how it is tested, is left to page/ and tests/.
"""

import argparse
import gzip
import json
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TARGET = "wasm32-unknown-unknown"
DEBIAN_RUSTC = Path("/usr/bin/rustc")
DEBIAN_SOURCE = Path("/usr/lib/rustlib/src/rust/library")


def fail(message):
    sys.exit(f"build.py: {message}")


def run(command, **options):
    try:
        return subprocess.run(command, check=True, **options)
    except FileNotFoundError:
        fail(f"{command[0]} is missing")
    except subprocess.CalledProcessError as error:
        fail(f"{' '.join(map(str, command))} failed with {error.returncode}")


def output(command):
    return run(command, stdout=subprocess.PIPE, text=True).stdout.strip()


def target_folder():
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def has_target(sysroot):
    return (Path(sysroot) / "lib" / "rustlib" / TARGET / "lib").is_dir()


def add_target():
    """Has rustup fetch the target, if it is not there and can be fetched."""
    if not has_target(output(["rustc", "--print", "sysroot"])) and shutil.which("rustup"):
        subprocess.run(["rustup", "target", "add", TARGET], cwd=ROOT, check=False)


def toolchain():
    """How cargo is called for wasm: more arguments, and more environment."""
    add_target()
    sysroot = output(["rustc", "--print", "sysroot"])
    if has_target(sysroot):
        return [], {}
    linker = Path(sysroot) / "lib" / "rustlib" / host() / "bin" / "rust-lld"
    if DEBIAN_RUSTC.exists() and DEBIAN_SOURCE.is_dir() and linker.exists():
        environment = {
            "RUSTC": str(DEBIAN_RUSTC),
            "RUSTC_BOOTSTRAP": "1",
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER": str(linker),
        }
        return ["-Zbuild-std=std,panic_abort"], environment
    fail(
        f"there is no standard library for {TARGET}. Either `rustup target add {TARGET}`, or where rustup can't "
        "download, Debian's `apt-get install rustc-web rust-web-src`"
    )


def host():
    version = output(["rustc", "-vV"])
    return re.search(r"^host: (.+)$", version, re.M).group(1)


def cargo(subcommand, *after):
    """Does something with the module's crate for wasm."""
    arguments, environment = toolchain()
    command = ["cargo", *subcommand, "--release", "--package", "seega-web", "--lib", "--target", TARGET, *arguments, *after]
    run(command, cwd=ROOT, env={**os.environ, **environment})


def compile_module():
    cargo(["build"])
    return target_folder() / TARGET / "release" / "seega_web.wasm"


def is_ready():
    """Whether the page can be built without installing anything."""
    if not (shutil.which("cargo") and shutil.which("rustc")):
        return False
    return has_target(output(["rustc", "--print", "sysroot"])) or (DEBIAN_RUSTC.exists() and DEBIAN_SOURCE.is_dir())


def make_callable(module, out):
    """Writes the module and the JavaScript that calls it."""
    run(["cargo", "run", "--release", "--quiet", "--package", "seega-bindgen", "--", module, out], cwd=ROOT)


def known_rules(path):
    """The rules on which a checkpoint's network was trained, from the header of its file."""
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
    return [known["rules"] for known in json.loads(header["__metadata__"]["seega"])["trained_on"]]


def copy_networks(models, out):
    (out / "networks").mkdir()
    networks = []
    for path in sorted(models.glob("*.safetensors")):
        shutil.copyfile(path, out / "networks" / path.name)
        networks.append({"name": path.stem, "file": f"networks/{path.name}", "rules": known_rules(path)})
    return networks


def compressed(path):
    return len(gzip.compress(path.read_bytes(), 9))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--out", type=Path, default=HERE / "dist", help="the folder that is made, in the place of an old one")
    parser.add_argument("--models", type=Path, default=ROOT / "models" / "zoo", help="the networks that go along")
    options = parser.parse_args()
    out = options.out.resolve()
    if out.exists() and any(out.iterdir()) and not (out / "engine.json").exists():
        fail(f"{out} holds something else than a built page; name another folder")
    module = compile_module()
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(HERE / "page", out)
    make_callable(module, out)
    networks = copy_networks(options.models, out)
    (out / "engine.json").write_text(json.dumps({"engine": "wasm", "networks": networks}) + "\n")
    first_load = [path for path in out.rglob("*") if path.is_file() and path.suffix != ".safetensors"]
    size = sum(map(compressed, first_load))
    print(f"{out}: {len(networks)} networks; without them {size / 1e6:.2f} MB compressed by gzip")


if __name__ == "__main__":
    main()
