#!/usr/bin/env python3
"""Builds the page and tests it in a browser, end to end.

    python3 models/frontends/web/test.py [--if-ready]

Installs what it needs: npm's packages below tests/, the wasm target, Chromium by apt-get where that may be done.
With --if-ready nothing is installed from outside: what is missing is told, and the tests are skipped.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import build

TESTS = Path(__file__).resolve().parent / "tests"
CHROMIUM = ["chromium", "chromium-browser", "google-chrome"]


def chromium():
    named = os.environ.get("CHROMIUM")
    return named or next(filter(None, map(shutil.which, CHROMIUM)), None)


def missing():
    """What is not here, each in words."""
    found = []
    if not (shutil.which("node") and shutil.which("npm")):
        found.append("Node.js with npm")
    if not chromium():
        found.append("Chromium")
    if not build.is_ready():
        found.append("the wasm target")
    if not (TESTS / "node_modules").is_dir():
        found.append("the tests' npm packages")
    return found


def apt_get(*packages):
    """Installs Debian's packages; False where that can't be done."""
    if not shutil.which("apt-get") or os.geteuid() != 0:
        return False
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    build.run(["apt-get", "update", "-qq"], env=quiet)
    build.run(["apt-get", "install", "-qq", "--no-install-recommends", *packages], env=quiet)
    return True


def install():
    if not (shutil.which("node") and shutil.which("npm")):
        build.fail("Node.js 20 or later with npm is missing: apt-get install nodejs npm")
    if not chromium():
        if not apt_get("chromium", "fonts-dejavu-core"):
            build.fail("Chromium is missing: install it (apt-get install chromium), or name one by CHROMIUM=PATH")
    build.add_target()
    if not build.is_ready():
        apt_get("rustc-web", "rust-web-src")
    build.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=TESTS)


def main():
    if sys.argv[1:] == ["--if-ready"]:
        if lacking := missing():
            print(f"skipped: the page's tests, for {', '.join(lacking)} (make test-web installs what they need)")
            return
    elif sys.argv[1:]:
        build.fail("the one option is --if-ready")
    else:
        install()
    # What is for browsers alone no other lint sees.
    build.cargo(["clippy", "--no-deps"], "--", "-D", "warnings")
    build.run([sys.executable, str(build.HERE / "build.py")])
    # The command serves the page too; with libtorch where that is set up, so that nothing is built twice.
    features = [] if (build.ROOT / ".libtorch").exists() else ["--no-default-features"]
    build.run(["cargo", "build", "--release", "--package", "seega", *features], cwd=build.ROOT)
    build.run(["npm", "test", "--silent"], cwd=TESTS)


if __name__ == "__main__":
    main()
