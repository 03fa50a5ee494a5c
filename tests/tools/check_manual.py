#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that the manuals are complete: every option that --help names is in slowcopy(1), which names
none that does not exist, and the keys of the schemas are listed in slowcopy-json(5) as they are.
With --update it writes that list anew.

Prints "ok RULE" or "not ok RULE" lines.
"""
import glob
import json
import os
import re
import subprocess
import sys

PROGRAM = os.environ.get("SLOWCOPY_PROGRAM", "build/release/slowcopy")
# explained by every --help
COMMON = {"--help", "--version"}


def manual(name):
    with open(os.path.join("docs/man", name), encoding="utf-8") as file:
        return file.read().replace("\\-", "-").replace("\\fR", "").replace("\\fI", "").replace("\\fB", "")


def help_text(*arguments):
    return subprocess.run([PROGRAM, *arguments, "--help"], stdout=subprocess.PIPE, check=False,
                          stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"}).stdout.decode()


def commands():
    return re.findall(r"^  ([a-z][a-z-]*) ", help_text().split("Commands:")[1], re.MULTILINE)


def check_options(text):
    known = set(COMMON)
    for command in commands():
        if command not in text:
            yield f"slowcopy(1) lacks the command {command}"
        options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", help_text(command)))
        known |= options
        for option in sorted(options - COMMON):
            if not re.search(re.escape(option) + r"(?![a-z-])", text):
                yield f"slowcopy(1) lacks {command} {option}"
    # an option is defined where a line begins with it
    for option in re.findall(r"^\.B[IR]* [^\n]*?(--[a-z][a-z-]+)", text, re.MULTILINE):
        if option not in known:
            yield f"slowcopy(1) names {option}, which does not exist"


def type_of(schema):
    """In words: "integer or null", "list of DIRECTION"."""
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join("null" if value is None else str(value) for value in schema["enum"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " or ".join(type_of(part) for part in schema[key])
    kind = schema.get("type", "any")
    if kind == "array":
        return "list of " + type_of(schema.get("items", {}))
    return " or ".join(kind) if isinstance(kind, list) else kind


def rows(schema, path=""):
    """(path, type, description) of every key of an object, those of objects inside it behind it."""
    for key, part in schema.get("properties", {}).items():
        yield path + key, type_of(part), part.get("description", "")
        inner, mark = part, "."
        while inner.get("type") == "array":
            inner, mark = inner.get("items", {}), "[]."
        yield from rows(inner, path + key + mark)


def escape(text):
    return text.replace("\\", "\\\\").replace("-", "\\-").replace("'", "\\(aq").replace(".", "\\&.")


def key_list():
    """The section ALL KEYS, as it has to be."""
    lines = [".SH ALL KEYS", "As in the schemas; a type in small letters that is none of JSON has a list of its own."]
    for path in sorted(glob.glob("docs/*.schema.json"), reverse=True):
        with open(path, encoding="utf-8") as file:
            schema = json.load(file)
        parts = [(schema["title"], schema)]
        parts += [(name, part) for name, part in schema.get("$defs", {}).items() if "properties" in part]
        for title, part in parts:
            lines += [f".SS {escape(title)}", ".nf"]
            for key, kind, words in rows(part):
                lines.append(f"\\fB{escape(key)}\\fR  {escape(kind)}" + (f"  ({escape(words)})" if words else ""))
            lines.append(".fi")
    return "\n".join(lines) + "\n"


def with_keys(text):
    start, end = text.index(".SH ALL KEYS\n"), text.index(".SH SEE ALSO\n")
    return text[:start] + key_list() + text[end:]


def check_keys():
    with open("docs/man/slowcopy-json.5", encoding="utf-8") as file:
        text = file.read()
    if with_keys(text) != text:
        yield "slowcopy-json(5) does not list the keys of the schemas: tests/tools/check_manual.py --update"


def main():
    if sys.argv[1:] == ["--update"]:
        with open("docs/man/slowcopy-json.5", encoding="utf-8") as file:
            text = file.read()
        with open("docs/man/slowcopy-json.5", "w", encoding="utf-8") as file:
            file.write(with_keys(text))
        return 0
    failed = 0
    for rule, found in (("every option is in the manual", list(check_options(manual("slowcopy.1")))),
                        ("every key is in the manual", list(check_keys()))):
        print(f"{'not ok' if found else 'ok'} {rule}")
        for line in found:
            print(f"  {line}")
        failed += bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
