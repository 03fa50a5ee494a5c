#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the reports of real captures from outside: check_reports.py [--all | CAPTURE...]

For each capture `-o` is run redacted, and --json with all names. Then: no address, file, share or
path of the JSON stands in any redacted report; the JSON is valid; the Markdown has fewer than 60
lines, the HTML fewer than 2 MB; tshark and capinfos read the evidence file without a word; every
finding's filter selects its evidence frames in the capture.
Without arguments: a sample of the captures in testdata/ and of those up to 20 kB in
SLOWCOPY_CAPTURES; with --all all of them.
Prints "ok NAME" or "not ok NAME" lines.
"""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("SLOWCOPY_PROGRAM", "build/release/slowcopy")
CAPTURES = os.environ.get("SLOWCOPY_CAPTURES", "../shared/captures")
LARGEST = 20_000
# Every so many captures of a whole list: a minute on two cores.
SAMPLE = 5
SECONDS = 120
HAS_TSHARK = bool(shutil.which("tshark") and shutil.which("capinfos"))
ROOT_WARNING = re.compile(r"^Running as user.*\n", re.MULTILINE)


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=SECONDS, check=False)


def addresses(document):
    for connection in document["connections"]:
        for end in ("client", "server"):
            yield connection[end].rsplit(":", 1)[0].strip("[]")


def names(document, path):
    """What must not be told: whole paths, their parts of four letters and more, shares."""
    yield path
    for transfer in document["transfers"]:
        for value in (transfer["file"], transfer["share"]):
            if not value:
                continue
            yield value
            yield from re.split(r"[\\/]", value)


def check_redaction(document, path, base, own_words):
    reports = {}
    for suffix in (".md", ".html", ".json", ".evidence.pcapng"):
        with open(base + suffix, "rb") as file:
            reports[suffix] = file.read()
    for address in set(addresses(document)):
        pattern = re.compile(rb"(?<![0-9A-Fa-f.:])" + re.escape(address.encode())
                             + rb"(?![0-9A-Fa-f]|[.:][0-9A-Fa-f])")
        for suffix, data in reports.items():
            if pattern.search(data):
                yield f"{suffix} holds {address}"
    for name in set(names(document, path)):
        # what slowcopy says itself is no name by itself, nor are a few letters
        words = [w for w in re.findall(r"[^\W_]+", name) if not w.isdigit()]
        if len(name) < 4 or not words or all(w.lower() in own_words or len(w) < 3
                                             for w in words):
            continue
        for suffix, data in reports.items():
            text = data.decode("utf-8", "replace").lower()
            if re.search(r"(?<![^\W_])" + re.escape(name.lower()) + r"(?![^\W_])", text):
                yield f"{suffix} holds {name!r}"


def check_sizes(base):
    with open(base + ".md", encoding="utf-8") as file:
        if sum(1 for _ in file) >= 60:
            yield "the Markdown has 60 lines or more"
    if os.path.getsize(base + ".html") >= 2_000_000:
        yield "the HTML has 2 MB or more"


def check_evidence(base):
    path = base + ".evidence.pcapng"
    for command in (("capinfos", path),
                    ("tshark", "-n", "-r", path, "-o", "tcp.check_checksum:TRUE", "-o",
                     "ip.check_checksum:TRUE", "-Y",
                     "tcp.checksum.status == 0 || ip.checksum.status == 0")):
        result = run(*command)
        errors = ROOT_WARNING.sub("", result.stderr.decode("utf-8", "replace"))
        if result.returncode or errors.strip():
            yield f"{command[0]}: {errors.strip()[:200]}"
        elif command[0] == "tshark" and result.stdout.strip():
            yield f"wrong checksum: {result.stdout.decode()[:200]}"


def check_filters(document, path):
    if len(document["inputs"]) != 1:
        return
    for finding in document["findings"]:
        if not finding["filter"]:
            continue
        result = run("tshark", "-n", "-r", path, "-Y", finding["filter"], "-T", "fields",
                     "-e", "frame.number")
        errors = ROOT_WARNING.sub("", result.stderr.decode("utf-8", "replace"))
        if result.returncode not in (0, 2) or "is neither a field" in errors:
            yield f"{finding['id']}: {finding['filter']}: {errors.strip()[:200]}"
            continue
        selected = {int(line) for line in result.stdout.split()}
        missed = [e["frame"] for e in finding["evidence"] if e["frame"] not in selected]
        if missed:
            yield f"{finding['id']}: {finding['filter']} misses frames {missed}"


def vocabulary():
    generated = os.path.join(os.path.dirname(PROGRAM), "gen", "vocabulary.c")
    with open(generated, encoding="utf-8") as file:
        return set(re.findall(r'^\t"([a-z0-9]+)",$', file.read(), re.MULTILINE))


def check(path, own_words):
    with tempfile.TemporaryDirectory(prefix="slowcopy-reports-") as folder:
        base = os.path.join(folder, "out")
        document = run(PROGRAM, "analyze", "--json", path)
        if document.returncode == 3 and not document.stdout:
            # nothing of the file could be read: one line says so, and no report is written
            lines = document.stderr.decode().splitlines()
            return [] if len(lines) == 1 else [f"unreadable, but said: {lines}"]
        if document.returncode not in (0, 3) or not document.stdout:
            return [f"--json: status {document.returncode}: {document.stderr.decode()[:200]}"]
        written = run(PROGRAM, "analyze", "-o", base, path)
        if written.returncode != document.returncode:
            return [f"-o: status {written.returncode}: {written.stderr.decode()[:200]}"]
        document = json.loads(document.stdout)
        valid = run(sys.executable, "tests/tools/validate_json.py", "docs/report.schema.json",
                    base + ".json")
        found = valid.stdout.decode().splitlines()
        found += check_redaction(document, path, base, own_words)
        found += check_sizes(base)
        if HAS_TSHARK:
            found += check_evidence(base)
            found += check_filters(document, path)
        return found


def default_captures():
    for top, largest in (("testdata", None), (CAPTURES, LARGEST)):
        if not os.path.isdir(top):
            print(f"ok reports of {top} # SKIP there is no such folder")
        for folder, _, files in sorted(os.walk(top)):
            found = [os.path.join(folder, name) for name in sorted(files)
                     if re.search(r"\.(pcap|pcapng|cap)(\.(gz|zst|lz4|xz))?$", name)]
            yield from ([path for path in found if os.path.getsize(path) <= largest]
                        if largest else found[:1])


def guarded(path, own_words):
    try:
        return check(path, own_words)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return [str(error)]


def main():
    if not HAS_TSHARK:
        print("ok evidence and filters in tshark # SKIP it is not installed")
    own_words = vocabulary()
    paths = sys.argv[1:] or list(default_captures())[::SAMPLE]
    if paths == ["--all"]:
        paths = list(default_captures())
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, found in zip(paths, pool.map(lambda p: guarded(p, own_words), paths)):
            print(f"{'not ok' if found else 'ok'} reports of {path}")
            for line in found[:10]:
                print(f"  {line}")
            bad += bool(found)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
