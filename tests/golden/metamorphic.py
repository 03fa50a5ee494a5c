#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What must not change the answer: the same packets in another file format, at another time, with other addresses, inside a
VLAN, recorded twice, cut behind the headers, with sequence numbers that wrap, or in two files.

Stored captures are changed so, and verdict and budget must stay what they were.
"""

import argparse
import concurrent.futures
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "testdata", "lab"))

import accuracy  # noqa: E402
import pcapfile  # noqa: E402
from pcapfile import Frame  # noqa: E402

# One of each kind of blame: windows, losses, the client's way of asking, the server, the client, a healthy copy, FTP.
CAPTURES = ("causes/receive-window-small/smb3-put-rcvbuf-16k/client", "causes/loss-random/smb3-get-loss-1pc/client",
            "causes/smb-serial-requests/smb3-serial-64k-10ms/middle", "causes/server-slow-read/smb3-server-slow-read/server",
            "causes/client-think/smb3-client-think/client", "causes/ftp-connection-per-file/ftp-200x3k-10ms/middle",
            "healthy/smb3-read-100m-5ms/middle")
# 160 bytes of a frame hold an SMB2 header but no file handles, 96 hold TCP and less than half of that header: command, status and two
# bytes of the message id.
# Formats that editcap writes with times of a microsecond or better and with both lengths of a frame; those that round times to a
# millisecond, or forget how long a frame was, change what was captured.
CONVERSIONS = ("pcapng", "nsecpcap", "netmon2", "snoop", "lanalyzer", "ngsniffer", "ngwsniffer_2_0", "modpcap", "nokiapcap", "rh6_1pcap",
               "suse6_3pcap", "nettl")
# Shares of wall time may move by this much: copies and snap lengths cost a few packets' knowledge.
TOLERANCE = 0.02
ETHERNET, IPV4, TCP = 14, 0x0800, 6


def is_tcp(data):
    return len(data) >= 54 and data[12:14] == b"\x08\x00" and data[14] == 0x45 and data[23] == TCP


def edited(frames, edit):
    return [Frame(f.time_ns, edit(bytearray(f.data)) if is_tcp(f.data) else f.data, f.wire_len) for f in frames]


def with_addresses(data):
    """The client gets the server's address and the other way round, so that the lower one is another's."""
    data[26:30], data[30:34] = data[30:34], data[26:30]
    return bytes(data)


def with_sequence(shift):
    """Sequence numbers of each side moved by `shift`, acknowledgements and SACK blocks with them."""
    def edit(data):
        tcp = 34
        flags = data[tcp + 13]
        seq, ack = struct.unpack(">II", data[tcp + 4:tcp + 12])
        struct.pack_into(">I", data, tcp + 4, (seq + shift) & 0xffffffff)
        if flags & 0x10:
            struct.pack_into(">I", data, tcp + 8, (ack + shift) & 0xffffffff)
        at, end = tcp + 20, tcp + (data[tcp + 12] >> 4) * 4
        while at < end and at < len(data) and data[at] != 0:
            if data[at] == 1:
                at += 1
                continue
            if at + 1 >= len(data) or data[at + 1] < 2:
                break
            if data[at] == 5:
                for edge in range(at + 2, at + data[at + 1], 4):
                    if edge + 4 <= len(data):
                        value, = struct.unpack_from(">I", data, edge)
                        struct.pack_into(">I", data, edge, (value + shift) & 0xffffffff)
            at += data[at + 1]
        return bytes(data)
    return edit


def first_sequence(frames):
    return next(struct.unpack(">I", f.data[38:42])[0] for f in frames if is_tcp(f.data) and f.data[47] & 2)


def vlan(frames):
    return [Frame(f.time_ns, f.data[:12] + b"\x81\x00\x00\x2a" + f.data[12:], f.wire_len + 4) for f in frames]


def doubled(frames):
    return [copy for f in frames for copy in (f, Frame(f.time_ns + 3000, f.data, f.wire_len))]


def changes(folder, link, frames):
    """(path of the unchanged capture, [(name, paths)] of the changed ones), written to `folder`."""
    def save(name, changed, snap=262144):
        path = os.path.join(folder, name + ".pcap")
        pcapfile.write(path, link, changed, snap)
        return [path]
    plain = save("plain", frames)
    half = len(frames) // 2
    made = [("another time", save("time", [Frame(f.time_ns + 123456789123456789, f.data, f.wire_len) for f in frames])),
            ("addresses swapped", save("addresses", edited(frames, with_addresses))),
            ("vlan tag", save("vlan", vlan(frames))),
            ("every frame twice", save("twice", doubled(frames))),
            ("wrapping sequence numbers", save("wrap", edited(frames, with_sequence(
                (2**32 - 20000 - first_sequence(frames)) & 0xffffffff)))),
            ("two files", save("part1", frames[:half]) + save("part2", frames[half:])),
            ("snap length 192", save("snap", frames, 192)),
            ("snap length 160", save("headers", frames, 160)),
            ("snap length 96", save("short", frames, 96))]
    if shutil.which("editcap"):
        for kind in CONVERSIONS:
            path = os.path.join(folder, "converted." + kind)
            subprocess.run(["editcap", "-F", kind, plain[0], path], check=True, stderr=subprocess.DEVNULL)
            made.append((f"converted to {kind}", [path]))
    else:
        print("ok conversions # SKIP editcap is not installed")
    subprocess.run(["gzip", "-k", plain[0]], check=True)
    made.append(("gzip", [plain[0] + ".gz"]))
    return plain, made


def answer(program, paths):
    """(cause, bytes and shares of the longest unit)."""
    done = subprocess.run([program, "analyze", "--json", *paths], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    report = json.loads(done.stdout)
    cause = report["verdict"]["cause"]
    units = report["transfers"] + report["jobs"]
    unit = max(units, key=lambda u: (u["bytes"] or 0, u["duration_ns"])) if units else {}
    return cause, unit.get("bytes"), accuracy.shares_of(unit)


def judge(program, capture):
    """[(name, problem or None)] of all changes of one capture."""
    with tempfile.TemporaryDirectory() as folder:
        link, frames = pcapfile.read(os.path.join(ROOT, "testdata", capture + ".pcap.gz"))
        plain, made = changes(folder, link, frames)
        cause, size, shares = answer(program, plain)
        found = []
        for name, paths in made:
            other_cause, other_size, other = answer(program, paths)
            moved = max((abs(shares.get(b, 0) - other.get(b, 0)), b) for b in {*shares, *other})
            problem = None
            if other_cause != cause:
                problem = f"verdict {other_cause}, was {cause}"
            elif other_size != size:
                problem = f"{other_size} bytes, were {size}"
            elif moved[0] > TOLERANCE:
                problem = f"{moved[1]} moved by {moved[0]:.1%}"
            found.append((f"{capture.split('/')[-2]}: {name}", problem))
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/slowcopy")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    options = parser.parse_args()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for found in pool.map(lambda capture: judge(options.program, capture), CAPTURES):
            for name, problem in found:
                print(f"{'not ok' if problem else 'ok'} {name}{': ' + problem if problem else ''}")
                failed += problem is not None
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
