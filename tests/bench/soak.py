#!/usr/bin/env python3
"""What a relay holds after many requests and streams, and what one request costs it in system calls.

    tests/bench/soak.py --sanduk build/release/sanduk --sse build/bench/bench_sse [--requests 100000] [--streams 1000]

Prints memory, descriptors and threads after every fifth of the requests and after every round of streams, measured when
the relay is idle again, and ends with 1 where the last figure has grown by more than a tenth over the second one. The
first fifth is not compared: pools and arenas fill in it.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from macro import Bench


def held(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    number = lambda name: int(re.search(rf"{name}:\s+(\d+)", status).group(1))
    return {"resident KiB": number("VmRSS"), "descriptors": len(os.listdir(f"/proc/{pid}/fd")), "threads": number("Threads")}


def settled(pid):
    time.sleep(1)
    return held(pid)


def show(what, figures):
    print(f"{what:34}" + "".join(f"{name} {value:8}   " for name, value in figures.items()), flush=True)


def grew(rounds):
    return [name for name in rounds[1] if rounds[-1][name] > rounds[1][name] * 1.1 + 4]


def system_calls(bench, pid):
    if not shutil.which("strace"):
        return "no strace here"
    trace = subprocess.Popen(["strace", "-f", "-c", "-p", str(pid)], stderr=subprocess.PIPE, text=True)
    time.sleep(0.5)
    found = bench.requests("sanduk", "plain", 4096, 4, 2)
    trace.send_signal(2)
    table = trace.communicate()[1]
    made = found["rps"] * 2
    counts = {row[-1]: int(row[3]) for row in (line.split() for line in table.splitlines())
              if len(row) >= 5 and row[3].isdigit() and row[-1] != "total"}
    often = sorted(counts.items(), key=lambda item: -item[1])[:6]
    return (f"{sum(counts.values()) / made:.1f} (" +
            ", ".join(f"{name} {count / made:.1f}" for name, count in often if count / made >= 0.05) + ")")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sanduk", required=True, type=os.path.abspath)
    parser.add_argument("--sse", required=True, type=os.path.abspath)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--streams", type=int, default=1000)
    options = parser.parse_args()
    bench = Bench(options)
    faults = []
    try:
        bench.make_certificate()
        bench.start_provider()
        time.sleep(0.5)
        bench.start_sanduk()
        for upstream in ["plain", "tls"]:
            bench.check("sanduk", upstream)
            pid = bench.processes("sanduk", upstream)[0]
            show(f"{upstream}: before", held(pid))
            rounds, made = [], 0
            for turn in range(5):
                fifth = 0
                while fifth < options.requests / 5:
                    fifth += int(bench.requests("sanduk", upstream, 4096, 16, 1)["rps"])
                made += fifth
                rounds.append(settled(pid))
                show(f"{upstream}: after {made} requests", rounds[-1])
            faults += [f"{upstream}: {name}" for name in grew(rounds)]
        pid = bench.processes("sanduk", "sse")[0]
        rounds = []
        for turn in range(4):
            bench.stream("sanduk", options.streams)
            rounds.append(settled(pid))
            show(f"after {options.streams * (turn + 1)} streams", rounds[-1])
        faults += [f"streams: {name}" for name in grew(rounds)]
        print("system calls a request (plain, 4 KB):", system_calls(bench, bench.processes("sanduk", "plain")[0]))
    finally:
        bench.stop()
    if faults:
        sys.exit("grew: " + ", ".join(faults))


main()
