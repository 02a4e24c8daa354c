#!/usr/bin/env bash
# The main job, shown: real Claude Code in a sealed box with recorded answers. `make demo` has built what it needs.
set -euo pipefail

sanduk=${SANDUK:?the program to run}
cd "$(dirname "$0")/../.."
profile=examples/quickstart/profile.toml
report=examples/quickstart/work/REPORT.md

echo "== What will be done: sanduk plan $profile"
"$sanduk" plan "$profile"

echo
echo "== Doing it: sanduk apply $profile"
rm -f "$report"
# Answers on standard output, the account of the run on standard error: here both are wanted.
"$sanduk" apply "$profile" 2>&1

echo
echo "== What the agent wrote: $report"
cat "$report"

echo
echo "== What is left of the box (nothing)"
docker ps -a --filter label=sanduk.run
docker network ls --filter label=sanduk.run
