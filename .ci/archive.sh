# shellcheck shell=bash
# Sourced: how this machine gets at the package archive, for trees that are built outside of it.

archive_options() {
  apt-config dump 2>/dev/null |
    grep -E '^Acquire::(Check-Valid-Until|Check-Date|(http|https)::(Proxy|Verify-Peer|CaInfo)[^ ]*) ' || true
}
