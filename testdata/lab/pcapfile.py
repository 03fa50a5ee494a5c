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


BULK_BYTES = 512  # of payload: what moves a file, not what ends a session


def tcp_payload(frame):
    """Bytes of TCP payload of an Ethernet frame on the wire; None if it holds no TCP."""
    data = frame.data
    if len(data) < 54 or data[12:14] not in (b"\x08\0", b"\x86\xdd"):
        return None
    is_ipv4 = data[12] == 8
    at = 14 + ((data[14] & 15) * 4 if is_ipv4 else 40)
    if data[23 if is_ipv4 else 20] != 6 or len(data) <= at + 12:
        return None
    end = 14 + struct.unpack_from(">H", data, 16)[0] if is_ipv4 else 54 + struct.unpack_from(">H", data, 18)[0]
    return end - at - (data[at + 12] >> 4) * 4


def span_s(path, is_plain=False):
    """Seconds from the first TCP frame to the last that moves much, or to the last with payload where nothing but data passes (is_plain): how
    long a copy lasts on the wire. None without TCP."""
    sizes = [(frame.time_ns, tcp_payload(frame)) for frame in read(path)[1]]
    sizes = [(time_ns, size) for time_ns, size in sizes if size is not None]
    if not sizes:
        return None
    most = 1 if is_plain else min(BULK_BYTES, max(size for _, size in sizes))
    first = sizes[0][0]
    last = max(time_ns for time_ns, size in sizes if size >= most)
    return (last - first) / 1e9
