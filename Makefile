# The commands that README names.
# --workspace everywhere: one profile and one set of features, so that Burn is compiled once.

CARGO ?= cargo
PROGRAM = target/release/corevar

.PHONY: build demo test test-python wheel test-torch test-overflow kill fuzz fuzz-targets fuzz-build fuzz-coverage soak audit deny miri memcheck browser check package \
	bench bench-predict paper choosing

build:
	$(CARGO) build --release --workspace

## Built-in data, both estimators, the table and the report.
demo: build
	$(PROGRAM) demo

## Every test. The report is opened in Chromium where there is one; real MNIST is read where COREVAR_TEST_DATA says. Exported models
## are run in Python.
test: build test-python
	COREVAR_PYTHON=$(CURDIR)/.venv/bin/python $(CARGO) test --release --workspace

.venv/test: crates/cli/tests/python/requirements.txt python/requirements-test.txt
	python3 -m venv .venv
	.venv/bin/pip install --quiet $(addprefix --requirement ,$^)
	touch $@

## corevar.torch and corevar.mlflow with PyTorch, Lightning and MLflow, on one process and on two; the examples of docs/pytorch.md;
## and what `export --safetensors` writes. PyPI has PyTorch for Linux with CUDA only (5 GB); TORCH_INDEX=URL names an index with
## builds for CPUs.
TORCH_INDEX =
TORCH_TESTS = $(addprefix python/tests/test_,torch.py pytorch_docs.py torch_loop.py lightning.py mlflow.py metrics.py)
test-torch: wheel .venv-torch/ready
	.venv-torch/bin/pip install --quiet --force-reinstall --no-deps $(WHEELS)/corevar-*.whl
	.venv-torch/bin/pytest -q -p no:cacheprovider $(TORCH_TESTS)
	COREVAR_TORCH_PYTHON=$(CURDIR)/.venv-torch/bin/python \
		$(CARGO) test --release --workspace --test cli -- export::pytorch --nocapture

.venv-torch/ready: python/requirements-torch.txt
	python3 -m venv .venv-torch
	.venv-torch/bin/pip install --quiet $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) --requirement $<
	touch $@

## The Python package as a wheel in target/wheels, for Python 3.10 and later. What it shares with the program is compiled once.
WHEELS = target/wheels
wheel: build .venv/test
	python3 scripts/python_features.py
	rm -f $(WHEELS)/corevar-*.whl
	.venv/bin/maturin build --quiet --release --offline --out $(WHEELS)

## The wheel, installed into .venv, and its tests: examples in docstrings, scikit-learn's checks, glum as an oracle.
test-python: wheel
	.venv/bin/pip install --quiet --force-reinstall --no-deps $(WHEELS)/corevar-*.whl
	.venv/bin/pytest -p no:cacheprovider python/tests $(PYTEST)
	.venv/bin/python python/tests/examples.py

## Data and their readers with arithmetic that panics where it overflows. Without Burn: only our crates are compiled again.
test-overflow:
	$(CARGO) test --release --package corevar-data --package corevar-fuzz --no-default-features --features corevar-data/parquet \
		--config profile.release.package.corevar-data.overflow-checks=true

## Kills training runs and sweeps at random moments, 100 each, and compares what they end with, to the bit.
kill: build
	COREVAR_KILLS=100 $(CARGO) test --release --workspace --test cli -- killed --nocapture --test-threads=1

## Ten minutes of damaged files for one reader, `make fuzz READER=models`; without READER for each in turn.
fuzz:
	COREVAR_FUZZ_SECONDS=600 $(CARGO) test --release --workspace --test readers -- $(READER) --nocapture --test-threads=1

## The same readers under libFuzzer, which looks for new paths: each target in turn, FUZZ_SECONDS each. Needs cargo-fuzz and a
## nightly toolchain. `make fuzz-run-csv` runs one target. What it finds is in fuzz/artifacts.
TARGETS = csv npy parquet pictures safetensors snapshot toml json arguments
FUZZ_SECONDS = 600
# Of one case: memory that is used in MB (what is only asked for is limited in fuzz/src/lib.rs), seconds, bytes.
FUZZ_LIMITS = -rss_limit_mb=1024 -malloc_limit_mb=512 -timeout=10 -max_len=65536
# Safe code needs no sanitizer; the unsafe code of crates/conv is the business of miri and memcheck.
FUZZ_FLAGS = --release --sanitizer none
CORPUS = crates/fuzz/corpus
GOLDEN = crates/data/tests/golden
SEEDS_csv = $(CORPUS)/text_tables
SEEDS_npy = $(CORPUS)/matrices $(GOLDEN)/tables
SEEDS_parquet = $(CORPUS)/parquet_tables $(GOLDEN)/tables
SEEDS_pictures = $(CORPUS)/pictures $(GOLDEN)/pictures
SEEDS_safetensors = $(CORPUS)/models
SEEDS_snapshot = $(CORPUS)/states
SEEDS_toml = $(CORPUS)/configs $(CORPUS)/settings $(CORPUS)/experiments crates/paper/experiments
SEEDS_json = $(CORPUS)/results $(CORPUS)/evidence $(CORPUS)/metrics $(CORPUS)/run_records $(CORPUS)/reproductions
SEEDS_arguments = $(CORPUS)/arguments

fuzz-targets: $(TARGETS:%=fuzz-run-%)

fuzz-build:
	$(CARGO) +nightly fuzz build $(FUZZ_FLAGS)

fuzz-run-%: fuzz-build
	mkdir -p fuzz/corpus/$*
	$(CARGO) +nightly fuzz run $(FUZZ_FLAGS) $* fuzz/corpus/$* $(SEEDS_$*) -- $(FUZZ_LIMITS) -max_total_time=$(FUZZ_SECONDS)

## Which lines of corevar-data the cases of `make fuzz-run-csv` reach: `make fuzz-coverage TARGET=csv` (or npy, parquet, pictures).
## Needs the component llvm-tools.
TARGET = csv
fuzz-coverage:
	$(CARGO) +nightly fuzz coverage --no-default-features --sanitizer none $(TARGET) fuzz/corpus/$(TARGET) $(SEEDS_$(TARGET))
	$$(dirname $$(find $$(rustc +nightly --print sysroot) -name llvm-cov)) > /dev/null; \
	$$(find $$(rustc +nightly --print sysroot) -name llvm-cov) report \
		target/x86_64-unknown-linux-gnu/coverage/x86_64-unknown-linux-gnu/release/$(TARGET) \
		-instr-profile=fuzz/coverage/$(TARGET)/coverage.profdata --ignore-filename-regex='registry|rustc'

## 10000 steps of training: memory is flat after the first 500.
soak:
	COREVAR_SOAK_STEPS=10000 $(CARGO) test --release --workspace --test soak -- --nocapture

## Licences, sources and known vulnerabilities of all dependencies. Needs cargo-deny; the vulnerabilities need the network.
audit:
	cargo deny check

## Licences, sources and bans alone. cargo-deny is built if it is missing; unoptimised, because optimising takes longer than it saves.
deny:
	@command -v cargo-deny > /dev/null || $(CARGO) install --quiet --locked --debug cargo-deny
	$(CARGO) deny check bans licenses sources

## The unsafe code of crates/conv: its portable path under Miri. Needs a nightly toolchain with miri.
miri:
	MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-ignore-leaks -Zmiri-tree-borrows" \
		$(CARGO) +nightly miri test --package corevar-conv --lib --target-dir target/miri -- kernel::tests

## The same with and without vector instructions under Valgrind.
memcheck:
	CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="valgrind --quiet --error-exitcode=9" \
		$(CARGO) test --release --workspace --lib -- kernel::tests

## Chromium for the tests of the report, by Debian's package manager.
browser:
	@command -v chromium > /dev/null || command -v chromium-browser > /dev/null || command -v google-chrome > /dev/null \
		|| (apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium > /dev/null)

## Formatting, lints and documentation, as errors.
check:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --workspace --no-deps

## Every crate could be published. `make package VERIFY=` also builds each from its package, which compiles Burn once more.
VERIFY = --no-verify
package:
	$(CARGO) package --workspace $(VERIFY)

## Every experiment of the paper in its quick size, and then in full with five runs: hours, less what experiments/results has
## records of. DATA names a folder with original files of CelebA, AwA2 or MNIST, taken for the full size. Some of them, also where
## their records are of other settings: make paper EXPERIMENTS="stickmen nonlinear" OVERWRITE=1; one size alone: SIZES=full.
EXPERIMENTS = all
SIZES = quick full
paper: build
	set -e; for size in $(SIZES); do for name in $(EXPERIMENTS); do \
		$(PROGRAM) reproduce $$name --$$size $(if $(DATA),$$(test $$size = quick || echo --data $(DATA))) \
			$(if $(OVERWRITE),--overwrite) --out experiments/results --markdown RESULTS.md; \
	done; done

## Beside PyTorch, scikit-learn and Pillow, in turns, on this machine: bench/*results.json.
bench: build .venv/bench
	$(CARGO) build --release --workspace --examples
	.venv/bin/python bench/run.py
	.venv/bin/python bench/linear_data.py target/bench
	.venv/bin/python bench/linear_fit.py target/bench target/release/examples/bench_linear > bench/linear_results.json
	.venv/bin/python bench/images.py

## `predict` beside pandas with onnxruntime and beside a PyTorch DataLoader: bench/predict_results.json.
bench-predict: build .venv/bench
	.venv/bin/python bench/predict.py

.venv/bench: bench/requirements.txt
	python3 -m venv .venv
	.venv/bin/pip install --quiet --requirement bench/requirements.txt
	touch $@

## What CoRe gives where instruments change: docs/instruments-results.md, in minutes. DATA names a folder that holds gas-drift.
instruments: build
	python3 scripts/instruments.py $(PROGRAM) docs/instruments-results.md $(if $(DATA),$(DATA)/gas-drift)

## How the rules that choose λ compare, on drawn and real data: the tables of docs/choosing.md. DATA names a folder with the real data.
## Less of it: DRAWS=1 of each family; ROWS=0.5 of the usual rows of drawn pictures and digits; ONLY=families or held-back. What is
## judged is kept in target/choosing/records, and a stopped run goes on; without that folder it begins anew.
DRAWS = 3
ROWS = 1
choosing:
	$(CARGO) build --release --workspace --examples
	$(if $(DATA),python3 scripts/choosing_data.py $(DATA) target/choosing)
	target/release/examples/choosing docs/choosing.md target/choosing/records --draws $(DRAWS) --rows $(ROWS) \
		$(if $(ONLY),--only $(ONLY)) $(if $(DATA),--real target/choosing --mnist $(DATA)/mnist)
