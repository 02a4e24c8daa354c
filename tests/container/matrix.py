#!/usr/bin/env python3
"""Writes what the tests of real agents printed into src/agents/README.md, between its marks.

  matrix.py LOG...    logs of test_container, or of ctest; later lines win
"""
import pathlib
import re
import sys

PAGE = pathlib.Path(__file__).parents[2] / "src/agents/README.md"
HEADS = {
    "matrix": ["agent", "protocol", "engine", "streamed", "turns", "agent: in / cached / out", "relay: calls",
               "relay: in / cached / out", "seconds"],
    "fault": ["agent", "what fails", "exit code", "reason", "seconds", "what the user sees"],
}
KEYS = {"matrix": 3, "fault": 2}  # as many columns name a row


def rows(kind, text):
    found = {}
    for line in re.findall(rf"{kind} \|(.*)\|", text):
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == len(HEADS[kind]):
            found[tuple(cells[:KEYS[kind]])] = cells
    return [found[key] for key in sorted(found)]


def table(kind, text):
    lines = ["| " + " | ".join(HEADS[kind]) + " |", "|" + " --- |" * len(HEADS[kind])]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows(kind, text)])


def main():
    text = "\n".join(pathlib.Path(name).read_text(errors="replace") for name in sys.argv[1:])
    page = PAGE.read_text()
    for kind in HEADS:
        if not rows(kind, text):
            sys.exit(f"matrix.py: no line of `{kind}` in {', '.join(sys.argv[1:])}")
        begin, end = f"<!-- {kind} -->\n", f"<!-- end of {kind} -->"
        before, rest = page.split(begin)
        page = before + begin + "\n" + table(kind, text) + "\n\n" + end + rest.split(end)[1]
    PAGE.write_text(page)


main()
