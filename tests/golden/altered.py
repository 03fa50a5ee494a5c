#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded captures altered so that they show what the laboratory cannot make: a router's TTL, two devices in turn, overlay addresses,
pause frames, fragments. The cause must be told of the altered capture and not of the original."""
import argparse
import os
import struct
import sys
import subprocess
import tempfile
import json

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "testdata", "lab"))
import pcapfile  # noqa: E402

CAPTURE = os.path.join(ROOT, "testdata", "healthy", "smb3-read-100m-5ms", "client.pcap.gz")
SERVER = bytes((10, 77, 0, 1))
ETHERNET = 14
PAUSE = bytes.fromhex("0180c2000001") + bytes.fromhex("020000000009") + bytes.fromhex("88080001ffff") + bytes(42)


def with_bytes(frame, at, value):
    """The frame with other bytes at a place."""
    return pcapfile.Frame(frame.time_ns, frame.data[:at] + value + frame.data[at + len(value):], frame.wire_len)


def is_from_server(frame):
    """An IPv4 frame that the server sent."""
    return frame.data[12:14] == b"\x08\0" and frame.data[26:30] == SERVER


def routed(frames):
    """The server's packets have crossed a router."""
    return [with_bytes(f, 22, bytes((f.data[22] - 1,))) if is_from_server(f) else f for f in frames]


def two_devices(frames):
    """The server's packets are handed on by two devices in turn."""
    count, result = 0, []
    for frame in frames:
        if is_from_server(frame):
            count += 1
            frame = with_bytes(frame, 6, bytes((2, 0, 0, 0, 9, count % 2)))
        result.append(frame)
    return result


def overlay(frames):
    """Both addresses lie in 100.64.0.0/10."""
    def moved(frame):
        for at in (26, 30):
            frame = with_bytes(frame, at, b"\x64\x64")
        return frame
    return [moved(f) if f.data[12:14] == b"\x08\0" else f for f in frames]


def paused(frames):
    """A pause frame before every twentieth frame."""
    result = []
    for i, frame in enumerate(frames):
        if i % 20 == 0:
            result.append(pcapfile.Frame(frame.time_ns, PAUSE, len(PAUSE)))
        result.append(frame)
    return result


def fragmented(frames):
    """Every full packet of the server travels in two fragments, the second a few bytes long."""
    result = []
    for number, frame in enumerate(frames):
        total = struct.unpack_from(">H", frame.data, 16)[0] if is_from_server(frame) else 0
        if total < 1400:
            result.append(frame)
            continue
        first = (total - 20) // 8 * 8 - 8
        ident = struct.pack(">H", number % 65535 + 1)
        head = frame.data[:ETHERNET + 20]
        for offset, size, more in ((0, first, 0x2000), (first, total - 20 - first, 0)):
            header = head[:16] + struct.pack(">H", size + 20) + ident + struct.pack(">H", more | offset // 8) + head[22:]
            kept = frame.data[ETHERNET + 20 + offset:ETHERNET + 20 + offset + size]
            result.append(pcapfile.Frame(frame.time_ns, header + kept, ETHERNET + 20 + size))
    return result


ALTERED = (("path-detour", routed), ("path-detour", two_devices), ("path-detour", overlay), ("ethernet-pause", paused),
           ("ip-fragmentation", fragmented))


def causes(program, capture):
    """Ids of all findings."""
    answer = subprocess.run([program, "analyze", "--json", capture], stdout=subprocess.PIPE, check=True)
    report = json.loads(answer.stdout)
    if report["internal_errors"]:
        raise ValueError(f"{capture}: internal errors")
    return {finding["cause"] for finding in report["findings"]}


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("-j", help="not used: there is little to do")
    arguments = parser.parse_args()
    link, frames = pcapfile.read(CAPTURE)
    status, before = 0, causes(arguments.program, CAPTURE)
    with tempfile.TemporaryDirectory() as folder:
        for cause, alter in ALTERED:
            path = os.path.join(folder, f"{alter.__name__}.pcap")
            pcapfile.write(path, link, alter(frames))
            told = causes(arguments.program, path)
            good = cause in told and cause not in before
            print(f"{'ok' if good else 'not ok'} {alter.__name__}: {cause}{'' if good else f', told {sorted(told)}'}")
            status |= not good
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
