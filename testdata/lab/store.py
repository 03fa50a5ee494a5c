# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts recorded runs into the repository: header-limited, compressed, with ORIGIN.md."""
import os
import shutil
import sys

import jsonfile
import pcapfile
from network import ROOT

TESTDATA = os.path.join(ROOT, "testdata")
FILE_MAX = 500_000  # bytes of one stored capture
DROPS_MAX = 150     # drops kept one by one in a stored truth.json


def folder_of(experiment):
    """Where a run is stored."""
    group = experiment.group_of()
    if group == "causes":
        return os.path.join(TESTDATA, "causes", experiment.folder or experiment.expect.cause, experiment.name)
    return os.path.join(TESTDATA, group, experiment.name)


def origin_text(experiment, truth, sizes):
    """ORIGIN.md: how a run was made and what is true of it."""
    versions = ", ".join(f"{name} {number}" for name, number in truth["versions"].items() if number)
    lost = sum(truth["emulator"][way]["dropped"] for way in ("up", "down"))
    lines = [f"# {experiment.name}", "",
             f"Made by `testdata/lab/lab.py run {experiment.name}` and `lab.py store {experiment.name}`: {versions}.",
             f"Client 10.77.0.2, server 10.77.0.1, path emulator between them. Captured at: {', '.join(sizes)}; "
             f"each frame cut to {experiment.keep} bytes.", "",
             f"Injected: {experiment.injected}.",
             f"True cause: {experiment.expect.cause or 'none, this run is healthy'}. The client measured "
             f"{truth['wall_s']:.3f} s for {truth['bytes']} bytes; the path dropped {lost} frames."]
    if truth["twin"]:
        lines.append(f"The same run without the cause took {truth['twin']['wall_s']:.3f} s.")
    if experiment.expect.note:
        lines.append(f"Note: {experiment.expect.note}.")
    return "\n".join(lines) + "\n"


def store(experiment, recorded):
    """Copy <recorded>/<name>/ into testdata; returns the bytes stored."""
    source, target = os.path.join(recorded, experiment.name), folder_of(experiment)
    truth = jsonfile.read(os.path.join(source, "truth.json"))
    if truth["controls"].get("disturbed"):
        print(f"{experiment.name}: not stored, disturbed: {truth['controls']['disturbed']}", file=sys.stderr)
        return 0
    shutil.rmtree(target, ignore_errors=True)
    os.makedirs(target)
    sizes = {}
    for vantage in experiment.vantages:
        link, frames = pcapfile.read(os.path.join(source, f"{vantage}.pcap"))
        path = os.path.join(target, f"{vantage}.pcap.gz")
        pcapfile.write(path, link, frames, experiment.keep)
        sizes[vantage] = os.path.getsize(path)
        if sizes[vantage] > FILE_MAX:
            print(f"{experiment.name}: {vantage} has {sizes[vantage]} bytes", file=sys.stderr)
    for way in ("up", "down"):
        drops = truth["emulator"][way]["drops"]
        truth["emulator"][way]["drops_left_out"] = max(0, len(drops) - DROPS_MAX)
        del drops[DROPS_MAX:]
    jsonfile.write(os.path.join(target, "truth.json"), truth)
    jsonfile.write(os.path.join(target, "expect.json"), jsonfile.read(os.path.join(source, "expect.json")))
    with open(os.path.join(target, "ORIGIN.md"), "w") as file:
        file.write(origin_text(experiment, truth, sizes))
    return sum(sizes.values())
