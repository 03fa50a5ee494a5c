#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks who includes whom: floors point down, libraries stay in one or two files.

Prints "ok RULE" or "not ok RULE" for each rule and the offending lines.
"""

import glob
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.MULTILINE)

# each floor may include itself and those named here
FLOORS = {
    "root": {"reports", "analyzer", "dissectors"},
    "reports": {"analyzer", "dissectors"},
    "analyzer": {"dissectors"},
    "dissectors": set(),
}
# inside the analyzer each may include itself and those before it; "" are the files at its top
ANALYZER = ["base", "capture", "flow", "tcp", "session", "transfer", "causes", ""]
# shared vocabulary that every part of the analyzer may include
ANALYZER_VOCABULARY = {"analyzer/options.h", "analyzer/constants.h", "analyzer/result.h"}
PURE_HEADERS = {"stdint.h", "stdbool.h", "stddef.h", "string.h"}
PACKET_PATH = ("analyzer/flow/", "analyzer/tcp/", "analyzer/session/", "analyzer/transfer/")
# keeps connections and paths, of which there are few beside packets
NOT_PER_PACKET = ("analyzer/transfer/approach", "analyzer/transfer/tracker",)
LIBRARIES = {
    "libpcap": r"pcap(/.*)?\.h|pcap-.*\.h",
    "nDPI": r"ndpi.*\.h",
    "zlib": r"zlib\.h",
    "zstd": r"zstd.*\.h",
    "lz4": r"lz4.*\.h",
    "lzma": r"lzma\.h",
    "libsmartcols": r"libsmartcols.*\.h",
    "ncurses": r"(ncursesw?/)?(n?curses|panel)\.h",
    "libseccomp": r"seccomp\.h",
    "libcap-ng": r"cap-ng\.h",
    "libsystemd": r"systemd/.*\.h",
    "OpenSSL": r"openssl/.*\.h",
}
# jansson writes JSON in reports and reads it in the analyzer: limited by file name instead
JANSSON = re.compile(r"json|html_data")
MOST_FILES_PER_LIBRARY = 2
# files are read, filters compiled and interfaces opened through it
MORE_FILES = {"libpcap": 3}


def floor_of(path):
    return path.split("/")[0] if "/" in path else "root"


def analyzer_part(path):
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else ""


def source_files():
    files = glob.glob("*.[ch]")
    for folder in ("dissectors", "analyzer", "reports"):
        files += glob.glob(f"{folder}/**/*.[ch]", recursive=True)
    return sorted(files)


def includes():
    """Every include line as (file, line, is_ours, name)."""
    for path in source_files():
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start(2)) + 1
            yield path, line, match.group(1) == '"', match.group(2)


def check_floors(all_includes):
    for path, line, is_ours, name in all_includes:
        if not is_ours or floor_of(name) == floor_of(path):
            continue
        if floor_of(name) not in FLOORS[floor_of(path)]:
            yield f"{path}:{line}: {floor_of(path)} must not include {name}"


def check_analyzer_order(all_includes):
    for path, line, is_ours, name in all_includes:
        if not is_ours or floor_of(path) != "analyzer" or floor_of(name) != "analyzer":
            continue
        if name in ANALYZER_VOCABULARY:
            continue
        here, there = analyzer_part(path), analyzer_part(name)
        if ANALYZER.index(there) > ANALYZER.index(here):
            yield f"{path}:{line}: analyzer/{here} must not include {name}"


def check_pure_dissectors(all_includes):
    for path, line, is_ours, name in all_includes:
        if floor_of(path) == "dissectors" and not is_ours and name not in PURE_HEADERS:
            yield f"{path}:{line}: dissectors include no <{name}>"


def check_packet_path(all_includes):
    for path, line, is_ours, name in all_includes:
        if path.startswith(NOT_PER_PACKET):
            continue
        if path.startswith(PACKET_PATH) and not is_ours and name.startswith(("glib", "gio")):
            yield f"{path}:{line}: no GLib on the packet path"


def check_libraries(all_includes):
    for library, pattern in LIBRARIES.items():
        users = sorted({path for path, _, is_ours, name in all_includes
                        if not is_ours and re.fullmatch(pattern, name)})
        if len(users) > MORE_FILES.get(library, MOST_FILES_PER_LIBRARY):
            yield f"{library} is included in {len(users)} files: {' '.join(users)}"
    for path, line, is_ours, name in all_includes:
        if not is_ours and name == "jansson.h" and not JANSSON.search(path):
            yield f"{path}:{line}: jansson belongs to the files that read or write JSON"


def check_paths(all_includes):
    for path, line, is_ours, name in all_includes:
        if is_ours and "/" not in name and floor_of(path) != "root":
            yield f"{path}:{line}: \"{name}\" is not a path from the root"


RULES = {
    "floors point down": check_floors,
    "parts of the analyzer are ordered": check_analyzer_order,
    "dissectors are pure": check_pure_dissectors,
    "no GLib on the packet path": check_packet_path,
    "a library stays in two files": check_libraries,
    "includes are paths from the root": check_paths,
}


def main():
    all_includes = list(includes())
    failed = False
    for rule, check in RULES.items():
        complaints = list(check(all_includes))
        for complaint in complaints:
            print(complaint)
        print(f"{'not ok' if complaints else 'ok'} {rule}")
        failed = failed or bool(complaints)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
