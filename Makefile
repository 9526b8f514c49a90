# `make test` and `make train` do all their set-up themselves; a second call sets nothing up again.
# They need Rust, a C++ compiler, Python 3 with pip, and make.

CARGO ?= cargo

.PHONY: test test-light test-web test-python train build web setup lint check-long

# Every test of the workspace, in the profile of the built command, so that libtorch's bindings are compiled once; and those of
# the page and the Python package where their tools are here already.
test: setup
	$(CARGO) test --release --workspace
	@python3 models/frontends/web/test.py --if-ready
	@python3 models/frontends/python/test.py --if-ready

# The page in a browser, from end to end. Installs its own tools: npm's packages, the wasm target, Chromium.
test-web:
	@python3 models/frontends/web/test.py

# The wheel in a virtual environment. Installs its own tools: maturin, numpy, pettingzoo, pytest.
test-python:
	@python3 models/frontends/python/test.py

# What plays, measures and solves, built and tested without libtorch.
test-light:
	$(CARGO) test --release -p seega -p seega-models -p seega-players --no-default-features

# Trains the quickstart's player, within ten minutes on two cores after the build. Started again it goes on.
train: build
	target/release/seega train --config experiments/configs/quickstart.toml

build: setup
	$(CARGO) build --release --workspace

# The page as a folder for any host of static files: models/frontends/web/dist.
web:
	@python3 models/frontends/web/build.py

# Checks that take too long for every day: many kills of a run, memory over a hundred thousand games, endgame tables against the
# slow solver on every position of four stones.
check-long: setup
	SEEGA_KILLS=20 $(CARGO) test --release -p seega --test train
	SEEGA_GAMES=100000 $(CARGO) test --release -p seega-selfplay --test memory
	SEEGA_STONES=4 $(CARGO) test --release -p seega-exact --test slow

# Format and lints, as they must be before a commit.
lint: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings
	$(CARGO) clippy --release -p seega --all-targets --no-default-features -- -D warnings
	$(CARGO) clippy --release -p seega --no-default-features --features onnx -- -D warnings

setup:
	@command -v python3 >/dev/null || { echo "setup: python3 is missing: apt-get install python3 python3-pip" >&2; exit 1; }
	@python3 models/libtorch/setup.py
