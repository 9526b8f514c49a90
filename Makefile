# `make test` and `make train` do all their set-up themselves; a second call sets nothing up again.
# They need Rust, a C++ compiler, Python 3 with pip, and make.

CARGO ?= cargo

.PHONY: test train build setup lint

# Every test of the workspace, in the profile of the built command, so that libtorch's bindings are compiled once.
test: setup
	$(CARGO) test --release --workspace

train: build
	@echo "Everything is set up and built: target/release/seega"
	@echo "This version has no training yet; README.md says what works today."

build: setup
	$(CARGO) build --release --workspace

# Format and lints, as they must be before a commit.
lint: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings

setup:
	@command -v python3 >/dev/null || { echo "setup: python3 is missing: apt-get install python3 python3-pip" >&2; exit 1; }
	@python3 models/libtorch/setup.py
