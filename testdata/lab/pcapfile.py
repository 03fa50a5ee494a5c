# SPDX-License-Identifier: GPL-3.0-or-later
"""Classic pcap files, read and written whole. Only what the lab itself records: little endian, nanoseconds."""
import dataclasses
import gzip
import struct
import subprocess

NANOSECOND_MAGIC = 0xa1b23c4d
EN10MB, SLL2 = 1, 276  # https://www.tcpdump.org/linktypes.html


@dataclasses.dataclass
class Frame:
    """One packet: time in ns since 1970, the bytes kept, the length on the wire."""
    time_ns: int
    data: bytes
    wire_len: int


def read(path):
    """(link type, frames) of a pcap or pcap.gz file; a cut last record is left out."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        raw = file.read()
    magic, _, _, _, _, link = struct.unpack_from("<IIiIII", raw)
    if magic != NANOSECOND_MAGIC:
        raise ValueError(f"{path}: not a nanosecond pcap")
    frames, at = [], 24
    while at + 16 <= len(raw):
        seconds, nanoseconds, kept, wire_len = struct.unpack_from("<IIII", raw, at)
        if at + 16 + kept > len(raw):
            break
        frames.append(Frame(seconds * 10**9 + nanoseconds, raw[at + 16:at + 16 + kept], wire_len))
        at += 16 + kept
    return link, frames


def write(path, link, frames, snap=262144):
    """Write frames, each cut to `snap` bytes; a name ending in .gz is compressed, always to the same bytes."""
    parts = [struct.pack("<IHHiIII", NANOSECOND_MAGIC, 2, 4, 0, 0, snap, link)]
    for frame in frames:
        data = frame.data[:snap]
        parts.append(struct.pack("<IIII", frame.time_ns // 10**9, frame.time_ns % 10**9, len(data), frame.wire_len))
        parts.append(data)
    raw = b"".join(parts)
    if path.endswith(".gz"):
        raw = subprocess.run(["gzip", "-n", "-9"], input=raw, stdout=subprocess.PIPE, check=True).stdout
    with open(path, "wb") as file:
        file.write(raw)
