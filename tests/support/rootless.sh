#!/usr/bin/env bash
# Runs tests of real boxes as a plain user, on that user's own Podman.
#
#   rootless.sh TEST_PROGRAM FILTER
set -euo pipefail

program=$1
filter=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# The program holds all that it needs; the place that it was built in may be closed to others.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 0755 "$scratch"
cp "$program" "$scratch/test_container"
"$root/.ci/as-user" "$scratch/test_container" --gtest_filter="$filter" --gtest_brief=1
