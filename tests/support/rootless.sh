#!/usr/bin/env bash
# Runs tests of real boxes as a plain user, on that user's own Podman.
#
#   rootless.sh TEST_PROGRAM TOOL FILTER
set -euo pipefail

program=$1
tool=$2
filter=$3
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# The programs hold all that they need; the place that they were built in may be closed to others.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 0755 "$scratch"
cp "$program" "$scratch/test_container"
cp "$tool" "$scratch/sanduk"
export SANDUK_TEST_TOOL=$scratch/sanduk
"$root/.ci/as-user" "$scratch/test_container" --gtest_filter="$filter" --gtest_brief=1
