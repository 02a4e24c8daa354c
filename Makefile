# sanduk. `make help` lists the targets; CMakePresets.json holds what they build.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

ENGINE ?= docker
JOBS ?= $(shell nproc)
BIN := build/dev/sanduk
CTEST := ctest --output-on-failure --no-tests=error -j2
CXX_FILES = $(shell find src tests -name '*.cpp' -o -name '*.h')

# Quotes and dollars in a task arrive as they were written.
override TASK := $(value TASK)
override WORK := $(value WORK)
export TASK WORK

# A preset is configured once; afterwards the build itself notices a changed CMake file.
build/%/build.ninja: | setup
	cmake --preset $* --log-level=NOTICE

.PHONY: help setup engine engines base-image build build-all demo run test test-fast generate lint format asan tsan tidy fuzz bench soak test-live release clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what is missing (Debian packages; root or sudo)
	@.ci/setup

engine: setup ## start a container engine if none answers
	@.ci/engine start $(ENGINE)

# The engines that the tests run on. Where one cannot be had, `make test ENGINES=docker` leaves the others out.
ENGINES ?= docker podman podman-rootless

engines: setup
	@for engine in $(ENGINES); do .ci/engine start $$engine; .ci/base-image $$engine; done
	@.ci/model-server || echo "no llama-server to be had, so its tests are skipped" >&2

base-image: engine ## have the base image of the agent images: pulled, or built from Debian packages
	@.ci/base-image $(ENGINE)

build: build/dev/build.ninja ## build the tool: build/dev/sanduk
	@cmake --build --preset dev -j$(JOBS) --target sanduk

build-all: build/dev/build.ninja
	@cmake --build --preset dev -j$(JOBS)

demo: build base-image ## run Claude Code in a sealed box against recorded answers: no key, no network
	@SANDUK=$(CURDIR)/$(BIN) tests/support/demo.sh

run: build base-image ## run an agent on a work tree: make run TASK="Review this." WORK=path ARGS="--model M"
	@: $${TASK:?is what the agent is to do: make run TASK="Review this repository." WORK=path}
	@$(BIN) run "$$TASK" --workdir "$${WORK:-.}" $(ARGS)

test: build-all engines ## build and run all tests, those in containers included
	@cd build/dev && $(CTEST) --output-junit tests.xml

test-fast: build-all ## run the tests that need neither an engine nor patience
	@cd build/dev && $(CTEST) --label-exclude '^(container|slow)$$'

generate: build ## write what comes from the tables anew: schemas/ and its reference page
	@for name in profile plan policy; do $(BIN) schema $$name > schemas/$$name.schema.json.new; mv schemas/$$name.schema.json.new schemas/$$name.schema.json; done
	@$(BIN) schema reference > schemas/README.md.new; mv schemas/README.md.new schemas/README.md

lint: setup ## check format, scripts, layers and generated files
	@clang-format --dry-run --Werror $(CXX_FILES)
	@shellcheck --severity=style .ci/* $$(find tests resources -name '*.sh')
	@for check in $$(find tests/lint -name 'check_*.py' | sort); do python3 "$$check"; done

format: setup ## rewrite the sources in the format that lint checks
	@clang-format -i $(CXX_FILES)

asan: setup ## build and test with the address and undefined-behaviour sanitizers
	@cmake --workflow --preset asan

tsan: setup ## build and test with the thread sanitizer
	@cmake --workflow --preset tsan

tidy: setup ## build under clang-tidy
	@cmake --workflow --preset tidy

fuzz: setup ## build the fuzz targets
	@cmake --workflow --preset fuzz

bench: setup ## measure the relay beside nginx and haproxy, and piece by piece
	@.ci/setup nginx-light haproxy wrk
	@cmake --preset bench --log-level=NOTICE && cmake --build --preset bench
	@build/bench/tests/bench_relay --benchmark_min_time=0.2
	@tests/bench/macro.py --sanduk build/bench/sanduk --sse build/bench/tests/bench_sse $(ARGS)

soak: setup ## what the relay holds after 100,000 requests and 4,000 streams, and its system calls a request
	@.ci/setup nginx-light wrk
	@cmake --preset bench --log-level=NOTICE && cmake --build --preset bench
	@tests/bench/soak.py --sanduk build/bench/sanduk --sse build/bench/tests/bench_sse $(ARGS)

test-live: build ## ask the real providers with bad keys, and what LLAMA_SERVER names; never run by default
	@SANDUK=$(CURDIR)/$(BIN) tests/live/run.sh

release: setup ## build for use: build/release/sanduk
	@cmake --workflow --preset release

clean: ## remove what was built
	@rm -rf build
