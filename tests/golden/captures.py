#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What must hold for every capture, whatever is in it: a report in time, valid by its schema, every
budget exact, every packet in one place, the same bytes when asked again.

Captures are those of testdata and, where there are any, of the folder SLOWCOPY_CAPTURES.
"""

import argparse
import concurrent.futures
import glob
import json
import os
import subprocess
import sys

import jsonschema

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCHEMA = os.path.join(ROOT, "docs", "report.schema.json")
SUFFIXES = ("pcap", "pcapng", "cap", "pcap.gz", "pcapng.gz", "cap.gz", "pcap.zst", "pcap.lz4", "pcap.xz", "snoop")
TIMEOUT_S = 300
# analysed, and read in part
GOOD_STATUS = (0, 3)

sys.path.insert(0, os.path.join(ROOT, "tests", "tools"))
import validate_json  # noqa: E402


def captures():
    folders = [os.path.join(ROOT, "testdata")]
    public = os.environ.get("SLOWCOPY_CAPTURES", os.path.join(ROOT, "..", "shared", "captures"))
    if os.path.isdir(public):
        folders.append(public)
    else:
        print(f"ok public captures # SKIP no folder {public}")
    return sorted({path for folder in folders for suffix in SUFFIXES
                   for path in glob.glob(os.path.join(folder, "**", "*." + suffix), recursive=True)})


def report(program, path, seed):
    env = {**os.environ, "SLOWCOPY_HASH_SEED": seed}
    return subprocess.run([program, "analyze", "--json", path], env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)


def unaccounted(document):
    """Packets of the capture that are neither a connection's nor ignored."""
    packets = document["capture"]["packets"]
    for connection in document["connections"]:
        packets -= connection["client_to_server"]["packets"] + connection["server_to_client"]["packets"]
    return packets - sum(document["capture"]["ignored"].values())


def problems(program, validator, path):
    """What is wrong with the report of one capture."""
    try:
        first = report(program, path, "1")
        if first.returncode not in GOOD_STATUS:
            return [f"exit status {first.returncode}: {first.stderr.decode(errors='replace')[-2000:]}"]
        if not first.stdout and first.returncode == 3:
            return []  # nothing of it could be read
        document = json.loads(first.stdout, object_pairs_hook=validate_json.pairs,
                              parse_constant=validate_json.refuse)
        found = [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
                 for error in validator.iter_errors(document)]
        found += validate_json.problems_of(document)
        if b"internal error" in first.stderr:
            found.append(first.stderr.decode())
        if not document["limits_reached"] and unaccounted(document) != 0:
            found.append(f"{unaccounted(document)} packets are nowhere")
        # another seed lays out tables otherwise: nothing may depend on it
        if report(program, path, "2").stdout != first.stdout:
            found.append("two runs differ")
        return found
    except subprocess.TimeoutExpired:
        return [f"not finished after {TIMEOUT_S} s"]
    except ValueError as error:
        return [str(error)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/slowcopy")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    options = parser.parse_args()
    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    validator = jsonschema.validators.validator_for(schema)(schema)
    paths = captures()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, found in zip(paths, pool.map(lambda p: problems(options.program, validator, p), paths)):
            print(f"{'not ok' if found else 'ok'} {os.path.relpath(path, ROOT)}")
            for problem in found[:5]:
                print(f"    {problem}")
            failed += bool(found)
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
