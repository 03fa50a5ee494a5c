#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two captures of one transfer, at the client and at the server, merged into one file: every packet is there twice, a one-way delay apart.

The copies are no losses and no repetitions: the primary cause must be the one that the places tell of by themselves.
"""

import argparse
import concurrent.futures
import glob
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "testdata", "lab"))

import pcapfile  # noqa: E402

# Only both places together prove that the option is removed between them.
SEEN_BY_BOTH = {"smb3-get-window-scale-stripped-50ms": "window-scale-stripped"}


def cause_of(program, path):
    done = subprocess.run([program, "analyze", "--json", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return json.loads(done.stdout)["verdict"]["cause"]


def judge(program, folder):
    """(run, problem or None)"""
    run = os.path.basename(folder)
    places = [os.path.join(folder, f"{place}.pcap.gz") for place in ("client", "server")]
    captures = [pcapfile.read(place) for place in places]
    frames = sorted((f for _, part in captures for f in part), key=lambda f: f.time_ns)
    with tempfile.NamedTemporaryFile(suffix=".pcap") as merged:
        pcapfile.write(merged.name, captures[0][0], frames)
        found = cause_of(program, merged.name)
    allowed = {SEEN_BY_BOTH[run]} if run in SEEN_BY_BOTH else {cause_of(program, place) for place in places}
    problem = None if found in allowed else f"{found}, not {' or '.join(str(a) for a in sorted(allowed, key=str))}"
    return run, problem


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=os.path.join(ROOT, "build/release/slowcopy"))
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    folders = [os.path.dirname(path) for path in sorted(glob.glob(os.path.join(ROOT, "testdata", "**", "client.pcap.gz"), recursive=True))]
    folders = [folder for folder in folders if os.path.exists(os.path.join(folder, "server.pcap.gz"))]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for run, problem in pool.map(lambda folder: judge(program, folder), folders):
            failed += problem is not None
            print(f"not ok {run}: {problem}" if problem else f"ok {run}")
    return 1 if failed or not folders else 0


if __name__ == "__main__":
    sys.exit(main())
