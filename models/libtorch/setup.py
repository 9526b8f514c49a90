#!/usr/bin/env python3
"""Makes `.libtorch` in the project's root: the libtorch that `tch` links against.

Without LIBTORCH in the environment, the pinned wheels of wheels.txt are fetched from PyPI and the few files that a
CPU build needs are unpacked into `.libtorch-VERSION/`; `.libtorch` links there. With LIBTORCH, `.libtorch` links to
that folder, so that the run path in .cargo/config.toml leads to it too. A second call finds the work done.

Leaving out libtorch_cuda.so is what keeps CUDA away: torch-sys links it when it finds it.
"""

import fcntl
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
WHEELS = Path(__file__).resolve().parent / "wheels.txt"
LINK = ROOT / ".libtorch"
TORCH = re.search(r"^torch==(\S+)", WHEELS.read_text(), re.MULTILINE).group(1)
STAMP = "wheels.sha256"

# (file in a wheel, where it goes in the prefix)
LIBRARIES = [
    ("torch/lib/libtorch_cpu.so", "lib/libtorch_cpu.so"),
    ("torch/lib/libc10.so", "lib/libc10.so"),
    ("torch/lib/libgomp.so.1", "lib/libgomp.so.1"),
    ("nvidia/cu13/lib/libcudart.so.13", "lib/libcudart.so.13"),
    ("nvidia/cu13/lib/libcupti.so.13", "lib/libcupti.so.13"),
]
# (link in the prefix's lib folder, what it stands for)
LINKS = [("libtorch.so", "libtorch_cpu.so"), ("libgomp.so", "libgomp.so.1")]
TREES = [("torch/include/", "include/"), (f"torch-{TORCH}.dist-info/licenses/", "licenses/")]


def fail(what, mend):
    sys.exit(f"setup: {what}\n       {mend}")


def check_tools():
    """Names every missing tool at once, each with what installs it (Debian's names)."""
    missing = []
    if shutil.which("cargo") is None:
        missing.append("cargo (Rust): install it from https://rustup.rs")
    if not any(shutil.which(name) for name in ("c++", "g++", "clang++")):
        missing.append("a C++ compiler: apt-get install g++")
    if missing:
        fail("missing on this machine: " + "; ".join(missing), "Install it and run the command again.")


def torch_version(prefix):
    """The version that a libtorch's headers state, or None where they don't."""
    header = prefix / "include/torch/headeronly/version.h"
    try:
        numbers = dict(re.findall(r"#define TORCH_VERSION_(MAJOR|MINOR|PATCH) (\d+)", header.read_text()))
        return f"{numbers['MAJOR']}.{numbers['MINOR']}.{numbers['PATCH']}"
    except (OSError, KeyError):
        return None


def point_link_at(target):
    """Lets `.libtorch` lead to `target`, in one step, so that a stop in between leaves the old one."""
    if LINK.is_symlink() and os.readlink(LINK) == str(target):
        return
    if LINK.exists() and not LINK.is_symlink():
        fail(f"{LINK} is a folder, not the link that this script makes.", f"Move it away: mv {LINK} {LINK}.old")
    fresh = LINK.with_name(".libtorch-link")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(target)
    fresh.replace(LINK)
    print(f"setup: .libtorch -> {target}")


def use_own(path):
    """A libtorch of the user's own."""
    prefix = Path(path)
    if not prefix.is_absolute():
        fail(f"LIBTORCH={path} is not an absolute path.", f"export LIBTORCH={(Path.cwd() / path).resolve()}")
    if LINK.is_symlink() and Path(os.path.abspath(prefix)) == LINK:
        # It names the link itself, as an editor's settings may: that leads where it led.
        return use_fetched()
    for part in ("include", "lib"):
        if not (prefix / part).is_dir():
            fail(f"LIBTORCH={path} holds no folder {part}/.",
                 "Let it name an unpacked libtorch, or `unset LIBTORCH` to have one fetched.")
    found = torch_version(prefix)
    if found != TORCH and not os.environ.get("LIBTORCH_BYPASS_VERSION_CHECK"):
        fail(f"LIBTORCH={path} is version {found or 'unknown'}; this project's tch needs {TORCH}.",
             "Give that version, `unset LIBTORCH` to have it fetched, or set LIBTORCH_BYPASS_VERSION_CHECK=1 to try.")
    point_link_at(prefix)


def download(folder):
    """Fetches the wheels of wheels.txt, checked by their hashes, and gives their paths."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        fail(f"no wheel is pinned for {sys.platform} on {platform.machine()}.",
             f"Unpack libtorch {TORCH} yourself and set LIBTORCH to its folder.")
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode != 0:
        fail("Python has no pip.", "apt-get install python3-pip")
    print(f"setup: fetching libtorch {TORCH} from PyPI (540 MB, once)", flush=True)
    # The libraries are the same for every Python, so one interpreter's wheel serves all.
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes",
               "--only-binary=:all:", "--implementation=cp", "--python-version=3.11", "--abi=cp311", "--abi=none",
               "--platform=manylinux_2_28_x86_64", "--platform=manylinux_2_25_x86_64",
               "--platform=manylinux2014_x86_64", f"--requirement={WHEELS}", f"--dest={folder}"]
    if subprocess.run(command).returncode != 0:
        fail("pip could not fetch the wheels (its message is above).",
             f"Check the network and run the command again, or set LIBTORCH to an unpacked libtorch {TORCH}.")
    return sorted(Path(folder).glob("*.whl"))


def unpack(wheels, prefix):
    """Takes from the wheels what LIBRARIES and TREES name."""
    wanted = dict(LIBRARIES)
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                goal = wanted.pop(name, None)
                for tree, place in TREES:
                    if name.startswith(tree) and not name.endswith("/"):
                        goal = place + name[len(tree):]
                if goal is not None:
                    path = prefix / goal
                    path.parent.mkdir(parents=True, exist_ok=True)
                    with archive.open(name) as source, open(path, "wb") as copy:
                        shutil.copyfileobj(source, copy, 1 << 20)
    if wanted:
        fail(f"the wheels hold no {', '.join(wanted)}.", f"{WHEELS.name} and setup.py do not fit together.")
    for link, target in LINKS:
        (prefix / "lib" / link).symlink_to(target)


def use_fetched():
    """The pinned libtorch, fetched unless it is there already."""
    prefix = ROOT / f".libtorch-{TORCH}"
    pins = hashlib.sha256(repr((WHEELS.read_text(), LIBRARIES, LINKS, TREES)).encode()).hexdigest()
    stamp = prefix / STAMP
    files = [place for _, place in LIBRARIES] + [f"lib/{link}" for link, _ in LINKS]
    complete = all((prefix / place).is_file() for place in files) and torch_version(prefix) == TORCH
    if not (complete and stamp.is_file() and stamp.read_text() == pins):
        if prefix.is_symlink():
            fail(f"{prefix} is a link, not the folder that this script makes.", f"Move it away: mv {prefix} {prefix}.old")
        for leftover in ROOT.glob(".libtorch-partial-*"):
            shutil.rmtree(leftover)
        with tempfile.TemporaryDirectory(prefix=".libtorch-partial-", dir=ROOT) as work:
            try:
                fresh = Path(work) / "prefix"
                unpack(download(Path(work) / "wheels"), fresh)
                (fresh / STAMP).write_text(pins)
                if prefix.exists():
                    shutil.rmtree(prefix)
                fresh.rename(prefix)
            except zipfile.BadZipFile as error:
                fail(f"a wheel is damaged: {error}", "Run the command again.")
            except OSError as error:
                fail(f"unpacking libtorch failed: {error}", "It needs 2 GB of free disk; run the command again.")
    point_link_at(prefix.name)


def main():
    check_tools()
    # One set-up at a time; a second one waits and then finds the work done.
    with open(ROOT / ".libtorch-lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        own = os.environ.get("LIBTORCH")
        if own:
            use_own(own)
        elif own == "":
            fail("LIBTORCH is set but empty.", "unset LIBTORCH, or let it name an unpacked libtorch.")
        else:
            use_fetched()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("setup: stopped; run the command again to go on.")
