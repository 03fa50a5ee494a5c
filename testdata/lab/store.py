# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts recorded runs into the repository: header-limited, compressed, with ORIGIN.md."""
import os
import shutil
import sys

import jsonfile
import pcapfile
from network import ROOT
from runner import expect_of

TESTDATA = os.path.join(ROOT, "testdata")
FILE_MAX = 500_000  # bytes of one stored capture
RUN_MAX = 306_000   # bytes of all captures of a run; beyond that one vantage point is stored
TOGETHER_MAX = 62_000  # the same of runs with several causes
DROPS_MAX = 150     # drops kept one by one in a stored truth.json


def folder_of(experiment):
    """Where a run is stored."""
    group = experiment.group_of()
    if group == "causes":
        return os.path.join(TESTDATA, "causes", experiment.folder or experiment.expect.cause, experiment.name)
    return os.path.join(TESTDATA, group, experiment.name)


def headers_end(data):
    """Where the TCP header of an Ethernet frame ends; None if there is none."""
    if len(data) < 54 or data[12:14] not in (b"\x08\0", b"\x86\xdd"):
        return None
    is_ipv4 = data[12] == 8
    at = 14 + ((data[14] & 15) * 4 if is_ipv4 else 40)
    return at + (data[at + 12] >> 4) * 4 if data[23 if is_ipv4 else 20] == 6 and len(data) > at + 12 else None


def without_payload(frames):
    """Frames that do not begin an SMB message end with their TCP header: random payload does not compress."""
    result = []
    for frame in frames:
        end = headers_end(frame.data)
        if end and frame.data[end + 5:end + 8] != b"SMB":
            frame = pcapfile.Frame(frame.time_ns, frame.data[:end], frame.wire_len)
        result.append(frame)
    return result


def vantage_alone(experiment):
    """The vantage point that stands for a large run; spread evenly over the runs by their names."""
    return experiment.vantages[sum(experiment.name.encode()) % len(experiment.vantages)]


def causes_text(experiment):
    """What was injected, by the ids of causes."""
    if experiment.expect.parts:
        return " and ".join(names[0] for names in experiment.expect.parts)
    return experiment.expect.cause or "none, this run is healthy"


def origin_text(experiment, truth, sizes):
    """ORIGIN.md: how a run was made and what is true of it."""
    versions = ", ".join(f"{name} {number}" for name, number in truth["versions"].items() if number)
    lost = sum(truth["emulator"][way]["dropped"] for way in ("up", "down"))
    lines = [f"# {experiment.name}", "",
             f"Made by `testdata/lab/lab.py run {experiment.name}` and `lab.py store {experiment.name}`: {versions}.",
             f"Client 10.77.0.2, server 10.77.0.1, path emulator between them. Captured at: {', '.join(sizes)}; "
             f"each frame cut to {experiment.keep} bytes"
             f"{', SMB and TCP headers only' if experiment.headers_only else ''}.", "",
             f"Injected: {experiment.injected}.",
             f"True cause: {causes_text(experiment)}. The client measured "
             f"{truth['wall_s']:.3f} s for {truth['bytes']} bytes; the path dropped {lost} frames."]
    for twin in truth.get("twins", ()):
        lines.append(f"Without {' and '.join(twin['mended'])} it took {twin['wall_s']:.3f} s, in the middle of {len(twin['walls_s'])} runs.")
    if truth["twin"]:
        lines.append(f"The same run without the cause took {truth['twin']['wall_s']:.3f} s.")
    if experiment.expect.note:
        lines.append(f"Note: {experiment.expect.note}.")
    return "\n".join(lines) + "\n"


def store(experiment, recorded):
    """Copy <recorded>/<name>/ into testdata; returns the bytes stored."""
    source, target = os.path.join(recorded, experiment.name), folder_of(experiment)
    truth = {**jsonfile.read(os.path.join(source, "truth.json")), "cause": experiment.expect.cause}
    if truth["controls"].get("disturbed"):
        print(f"{experiment.name}: not stored, disturbed: {truth['controls']['disturbed']}", file=sys.stderr)
        return 0
    shutil.rmtree(target, ignore_errors=True)
    os.makedirs(target)
    sizes = {}
    for vantage in experiment.vantages:
        link, frames = pcapfile.read(os.path.join(source, f"{vantage}.pcap"))
        if experiment.headers_only:
            frames = without_payload(frames)
        path = os.path.join(target, f"{vantage}.pcap.gz")
        pcapfile.write(path, link, frames, experiment.keep)
        sizes[vantage] = os.path.getsize(path)
        if sizes[vantage] > FILE_MAX:
            print(f"{experiment.name}: {vantage} has {sizes[vantage]} bytes", file=sys.stderr)
    if sum(sizes.values()) > (TOGETHER_MAX if experiment.build else RUN_MAX) and not experiment.keep_all:
        for vantage in set(sizes) - {vantage_alone(experiment)}:
            os.unlink(os.path.join(target, f"{vantage}.pcap.gz"))
            del sizes[vantage]
    for way in ("up", "down"):
        drops = truth["emulator"][way]["drops"]
        truth["emulator"][way]["drops_left_out"] = max(0, len(drops) - DROPS_MAX)
        del drops[DROPS_MAX:]
    jsonfile.write(os.path.join(target, "truth.json"), truth)
    jsonfile.write(os.path.join(target, "expect.json"), expect_of(experiment, truth))
    with open(os.path.join(target, "ORIGIN.md"), "w") as file:
        file.write(origin_text(experiment, truth, sizes))
    return sum(sizes.values())
