#!/usr/bin/env python3
"""Builds the wheel and tests it: the package as its users have it, in a virtual environment of its own.

    python3 models/frontends/python/test.py [PYTEST ARGUMENTS]
    python3 models/frontends/python/test.py --if-ready

It needs Rust, a C compiler, Python 3.10 or later with pip, and on the first call the network. What it makes is in
`target/python/`. A second call installs only what has changed. With --if-ready nothing is fetched: where something would
have to be, that is told, and the tests are skipped.
"""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
WORK = ROOT / "target" / "python"
REQUIREMENTS = HERE / "tests" / "requirements.txt"
STAMP = WORK / "requirements"


def fail(what, mend):
    sys.exit(f"test: {what}\n      {mend}")


def run(command, mend, **more):
    """Runs a command; where it fails, its own message is above ours."""
    if subprocess.run([str(part) for part in command], **more).returncode != 0:
        fail(f"{Path(command[0]).name} failed (its message is above).", mend)


def works(command):
    try:
        return subprocess.run([str(part) for part in command], capture_output=True).returncode == 0
    except OSError:
        return False


def check_tools():
    """Names every missing tool at once, each with what installs it (Debian's names)."""
    missing = []
    if sys.version_info < (3, 10):
        missing.append(f"Python 3.10 or later: this one is {sys.version.split()[0]}")
    if shutil.which(os.environ.get("CARGO", "cargo")) is None:
        missing.append("cargo (Rust): install it from https://rustup.rs")
    if not any(shutil.which(name) for name in ("cc", "gcc", "clang")):
        missing.append("a C compiler: apt-get install gcc")
    if missing:
        fail("missing on this machine: " + "; ".join(missing), "Install it and run the command again.")


def environment():
    """The virtual environment's Python, and the command that installs into it.

    Debian's Python has no ensurepip without python3-venv; then its own pip installs into an environment without one.
    """
    place = WORK / "venv"
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not works([python, "-c", "import sys"]):
        shutil.rmtree(place, ignore_errors=True)
        venv.create(place, symlinks=os.name != "nt")
    inner, outer = [python, "-m", "pip"], [sys.executable, "-m", "pip", "--python", python]
    if works([*inner, "--version"]) or works([python, "-m", "ensurepip"]):
        return python, inner
    if works([*outer, "--version"]):
        return python, outer
    fail("Python has neither ensurepip nor a pip of version 22.3 or later.",
         "apt-get install python3-venv, or python3-pip, and run the command again.")


def needed():
    """What the installed packages depend on."""
    return f"{sys.version}\n{REQUIREMENTS.read_text()}"


def is_ready():
    """Whether all packages are installed."""
    return STAMP.is_file() and STAMP.read_text() == needed()


def main():
    arguments = sys.argv[1:]
    if arguments == ["--if-ready"]:
        if not is_ready():
            print("skipped: the Python package's tests, for their packages (make test-python installs them)")
            return
        arguments = []
    check_tools()
    WORK.mkdir(parents=True, exist_ok=True)
    python, pip = environment()
    quiet = ["--quiet", "--disable-pip-version-check"]
    if not is_ready():
        print("test: fetching maturin, numpy, pettingzoo and pytest from PyPI", flush=True)
        run([*pip, "install", *quiet, "--requirement", REQUIREMENTS],
            "Check the network and run the command again.")
        STAMP.write_text(needed())

    wheels = WORK / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    # The wheel is for this machine alone, so it need not fit the oldest Linux.
    run([python, "-m", "maturin", "build", "--release", "--locked", "--quiet", "--compatibility", "linux",
         "--auditwheel", "skip", "--interpreter", python, "--manifest-path", HERE / "Cargo.toml", "--out", wheels],
        "The wheel could not be built.", cwd=ROOT)
    (wheel,) = wheels.glob("*.whl")
    run([*pip, "install", *quiet, "--no-deps", "--force-reinstall", wheel], "The wheel could not be installed.")

    # From a folder without sources, so that the installed package is what is tested.
    tests = [python, "-B", "-m", "pytest", "--rootdir", HERE, "--config-file", HERE / "pyproject.toml",
             "--override-ini", f"cache_dir={WORK / 'pytest'}", HERE / "tests"]
    sys.exit(subprocess.run([*map(str, tests), *arguments], cwd=WORK).returncode)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("test: stopped; run the command again to go on.")
