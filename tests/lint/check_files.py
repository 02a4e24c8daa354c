#!/usr/bin/env python3
"""Checks what every file of the repository must keep: size, no path of one machine, nothing left to be done later."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_LINES = {"src": 400, "tests": 450}
SOURCES = {".cpp", ".h", ".py", ".sh", ".cmake"}
# Texts that are kept as they came, and lists that grow by their nature.
KEPT_AS_THEY_ARE = re.compile(r"^(tests/(corpus|fuzz/corpus|messages|plans)/|examples/|schemas/)|\.(jsonl|json|pem|bin|gz)$|^LICENSE$")
FORBIDDEN = [
    (re.compile(r"\b(TODO|FIXME|XXX|HACK)\b"), "something is left to be done"),
    (re.compile(r"(?<![\w{}.$~/-])/(home|Users)/(?!(agent|user|you|me|someone|somebody)\b)[a-z][\w-]*/"), "a path of one machine"),
    (re.compile(r"(?<![\w}.$~-])/work/(main|shared|tools)\b"), "a path of one machine"),
    (re.compile(r"/tmp/[\w-]*-build\b"), "a path of one machine"),
]


def tracked(root):
    names = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                           check=True, capture_output=True).stdout.decode()
    return sorted(name for name in names.split("\0") if name and (root / name).is_file())


def check(root, name):
    try:
        text = (root / name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return [] if KEPT_AS_THEY_ARE.search(name) else [f"{name}: not UTF-8"]
    if KEPT_AS_THEY_ARE.search(name) or name == "tests/lint/check_files.py":
        return []
    faults = []
    lines = text.split("\n")
    count = len(lines) - (lines[-1] == "")
    most = MOST_LINES.get(name.split("/")[0], 400)
    if pathlib.Path(name).suffix in SOURCES and count > most:
        faults.append(f"{name}: {count} lines, more than {most}: it lacks a table, or holds two things")
    if text and not text.endswith("\n"):
        faults.append(f"{name}:{count}: no newline at the end")
    for number, line in enumerate(lines, 1):
        for pattern, what in FORBIDDEN:
            if pattern.search(line):
                faults.append(f"{name}:{number}: {what}: {line.strip()[:80]}")
    return faults


def main(root=ROOT):
    names = tracked(root)
    faults = [fault for name in names for fault in check(root, name)]
    print("\n".join(faults) if faults else f"files: {len(names)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
