#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What must hold for `compare` on real captures: the document is valid by its schema, buckets add up
to the difference, A against B is B against A turned round, a saved report is as good as its capture,
and what is redacted holds no name or address of either side.

Compared are captures of one experiment taken at two places, and neighbouring experiments.
"""

import argparse
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import jsonschema

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCHEMA = os.path.join(ROOT, "docs", "compare.schema.json")
TIMEOUT_S = 120
# Every so many pairs: half a minute on two cores.
SAMPLE = 7


def pairs():
    captures = sorted(glob.glob(os.path.join(ROOT, "testdata", "**", "*.pcap.gz"), recursive=True))
    return list(zip(captures, captures[1:]))[::SAMPLE]


def run(program, *arguments):
    result = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                            timeout=TIMEOUT_S, check=False)
    if result.returncode not in (0, 3):
        raise ValueError(f"{arguments}: status {result.returncode}: {result.stderr.decode()[:300]}")
    return result.stdout


def sums(document):
    for transfer in document["transfers"]:
        if transfer["difference_ns"] is None:
            continue
        total = sum(b["b_ns"] - b["a_ns"] for b in transfer["buckets"])
        if total != transfer["difference_ns"]:
            yield f"{transfer['a']}: buckets differ by {total}, times by {transfer['difference_ns']}"
    total = sum(b["b_ns"] - b["a_ns"] for b in document["buckets"])
    if document["difference"]["ns"] is not None and total != document["difference"]["ns"]:
        yield f"buckets differ by {total}, times by {document['difference']['ns']}"


def turned(document, back):
    if document["difference"]["ns"] is None or document["compared"]["a"] != back["compared"]["b"]:
        return
    if document["difference"]["ns"] != -back["difference"]["ns"]:
        yield "the other way round it is another difference"
    for here, there in (("new", "gone"), ("gone", "new")):
        if {c["cause"] for c in document["causes"][here]} != {c["cause"] for c in back["causes"][there]}:
            yield f"the other way round {here} is not {there}"


def leaks(markdown, reports):
    for report in reports:
        for connection in report["connections"]:
            for end in ("client", "server"):
                address = connection[end].rsplit(":", 1)[0].strip("[]")
                if re.search(rf"(?<![\w.:]){re.escape(address)}(?![\w.:])", markdown):
                    yield f"redacted, but holds {address}"
        for path in report["inputs"]:
            if path["path"] in markdown:
                yield f"redacted, but holds {path['path']}"


def problems(program, validator, a, b):
    try:
        with tempfile.TemporaryDirectory(prefix="slowcopy-compare-") as folder:
            saved = []
            for name, path in (("a", a), ("b", b)):
                saved.append(os.path.join(folder, name + ".json"))
                with open(saved[-1], "wb") as file:
                    file.write(run(program, "analyze", "--json", path))
            reports = []
            for path in saved:
                with open(path, encoding="utf-8") as file:
                    reports.append(json.load(file))
            first = run(program, "compare", "--json", a, b)
            document = json.loads(first)
            again = json.loads(run(program, "compare", "--json", *saved))
            back = json.loads(run(program, "compare", "--json", saved[1], saved[0]))
            markdown = run(program, "compare", "--markdown", *saved).decode()
            with open(saved[0], "wb") as file:
                file.write(run(program, "analyze", "--json", "--redact", a))
            markdown += run(program, "compare", "--markdown", *saved).decode()
            with open(saved[1], "wb") as file:
                file.write(run(program, "analyze", "--json", "--redact", b))
            markdown += run(program, "compare", "--markdown", *saved).decode()
        found = [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}"
                 for e in validator.iter_errors(document)]
        found += sums(document)
        found += turned(document, back)
        found += leaks(markdown, reports)
        again["inputs"] = document["inputs"]
        if again != document:
            found.append("saved reports compare otherwise than captures")
        return found
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return [str(error)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/slowcopy")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    options = parser.parse_args()
    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    wanted = pairs()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda p: problems(options.program, validator, *p), wanted)
        for (a, b), found in zip(wanted, results):
            print(f"{'not ok' if found else 'ok'} {os.path.relpath(a, ROOT)} and "
                  f"{os.path.relpath(b, ROOT)}")
            for problem in found[:5]:
                print(f"    {problem}")
            failed += bool(found)
    return 1 if failed or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
