#!/usr/bin/env python3
"""Checks that what only Linux has is called in src/base, in the helper (src/box), and in the files named here.

The tool is to compile on macOS, which no test here can show. What this shows is that no such call crept in elsewhere.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Files that ask the kernel itself, each with a part for other systems.
NAMED = {"src/engine/watcher.cpp"}

HEADERS = re.compile(r"#\s*include\s+<(sys/(prctl|epoll|eventfd|signalfd|inotify|sendfile|random|sysinfo|vfs)\.h|linux/[^>]+)>")
CALLS = re.compile(
    r"\b(pipe2|accept4|prctl|epoll_\w+|eventfd|signalfd|inotify_\w+|memfd_create|openat2|renameat2|close_range|getrandom|"
    r"ppoll|execvpe|splice|sendfile|gettid|SOCK_CLOEXEC|SOCK_NONBLOCK|MSG_NOSIGNAL|O_PATH|O_TMPFILE|SO_PEERCRED|"
    r"st_[amc]tim)\b")
COMMENT = re.compile(r"//[^\n]*")


def faults_in(path):
    text = COMMENT.sub("", path.read_text(encoding="utf-8"))
    for number, line in enumerate(text.splitlines(), 1):
        found = HEADERS.search(line) or CALLS.search(line)
        if found:
            yield f"{path.relative_to(ROOT)}:{number}: only Linux has `{found.group(1)}`; base/portable.h has what can be had everywhere"


def main():
    faults = []
    for path in sorted((ROOT / "src").rglob("*")):
        name = str(path.relative_to(ROOT))
        if path.suffix not in (".h", ".cpp") or name in NAMED or name.startswith(("src/base/", "src/box/")):
            continue
        faults += faults_in(path)
    print("\n".join(faults), file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
