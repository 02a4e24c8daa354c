#!/usr/bin/env python3
"""Checks every #include of src/ against the layer table (src/layers.cmake), and who may see which foreign library.

A file may include its own folder and every folder below it in the table. src/box is the helper that runs inside the
box: it shares nothing with the tool. src/main.cpp stands above all layers.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.MULTILINE)

# Foreign headers, and the folders that may see them.
FOREIGN = [
    (re.compile(r"^toml\+\+/"), {"src/config"}),
    (re.compile(r"^yaml-cpp/"), {"src/config"}),
    (re.compile(r"^openssl/"), {"src/relay", "tests"}),
    (re.compile(r"^(gtest|gmock)/"), {"tests"}),
]


def read_table(text):
    """layer -> what it may include directly."""
    rows = re.findall(r'"([a-z]+):([a-z,]*)"', text)
    return {layer: [below for below in names.split(",") if below] for layer, names in rows}


def closure(table, layer, path=()):
    if layer in path:
        raise SystemExit(f"src/layers.cmake: a circle: {' -> '.join(path + (layer,))}")
    if layer not in table:
        raise SystemExit(f"src/layers.cmake: {path[-1]} names {layer}, which has no row")
    reached = {layer}
    for below in table[layer]:
        reached |= closure(table, below, path + (layer,))
    return reached


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def is_in(folder, folders):
    return any(folder == allowed or folder.startswith(allowed + "/") for allowed in folders)


def check_file(path, root, allowed_by_layer):
    faults = []
    text = path.read_text()
    relative = path.relative_to(root)
    folder = str(relative.parent)
    layer = relative.parts[1] if relative.parts[0] == "src" and len(relative.parts) > 2 else None
    for match in INCLUDE.finditer(text):
        quote, header = match.groups()
        place = f"{relative}:{line_of(text, match.start())}"
        for pattern, folders in FOREIGN:
            if pattern.match(header) and not is_in(folder, folders):
                faults.append(f"{place}: {header} is for {', '.join(sorted(folders))} only")
        if quote != '"' or layer is None:
            continue
        target = header.split("/")[0]
        if "/" not in header or header.startswith("."):
            faults.append(f'{place}: write the folder: "{layer}/{header}"')
        elif not (root / "src" / header).exists():
            faults.append(f"{place}: there is no src/{header}")
        elif target not in allowed_by_layer.get(layer, {layer}):
            faults.append(f"{place}: {layer} may not include {target}")
    return faults


def main(root=ROOT):
    table = read_table((root / "src/layers.cmake").read_text())
    allowed = {layer: closure(table, layer) for layer in table}
    folders = {path.name for path in (root / "src").iterdir() if path.is_dir() and any(path.glob("*.cpp"))}
    faults = [f"src/{folder}: no row in src/layers.cmake" for folder in sorted(folders - set(table) - {"box"})]
    faults += [f"src/layers.cmake: {layer} has no folder" for layer in table if layer not in folders]
    files = sorted(path for top in ("src", "tests") for end in ("*.cpp", "*.h") for path in (root / top).rglob(end))
    for path in files:
        faults += check_file(path, root, allowed)
    print("\n".join(faults) if faults else f"layers: {len(files)} files, {len(table)} layers")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT))
