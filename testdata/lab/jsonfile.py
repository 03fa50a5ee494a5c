# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON files for people: what fits on a line stands on a line."""
import json

WIDTH = 110


def text(value, indent=0):
    """JSON text of a value whose first line starts at column `indent`."""
    flat = json.dumps(value, default=list)
    if len(flat) + indent <= WIDTH or not isinstance(value, (dict, list, tuple)):
        return flat
    pad = " " * (indent + 1)
    if isinstance(value, dict):
        inner = [f"{pad}{json.dumps(key)}: {text(item, indent + 1)}" for key, item in value.items()]
        return "{\n" + ",\n".join(inner) + "\n" + " " * indent + "}"
    return "[\n" + ",\n".join(pad + text(item, indent + 1) for item in value) + "\n" + " " * indent + "]"


def write(path, value):
    """Write one value to a file."""
    with open(path, "w") as file:
        file.write(text(value) + "\n")


def read(path):
    """Read a file."""
    with open(path) as file:
        return json.load(file)
