#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Causes that a verdict does not show: notes, a caveat, and what the laboratory cannot record. Each has a
capture of which it must be told and near misses of which it must not."""

import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "tools"))
from minipcap import ACK, CLIENT, SERVER, SYN, Capture, Tcp  # noqa: E402
from minismb import Client  # noqa: E402

MS, US = 10**6, 10**3
# cause, the capture that shows it, near misses: the same setting without its effect, the same effect without its setting
RECORDED = (
    ("ecn-broken", "causes/ecn-broken/tcp-ecn-all-marked/client", ("causes/ecn-congestion/tcp-ecn-marks/client",)),
    ("offload-defect", "causes/offload-defect/smb3-offload-defect/server",
     ("healthy/n5-offload-get/server", "causes/pmtud-black-hole/smb3-get-black-hole-probing/server")),
    ("smb1-mpx-limit", "causes/smb1-mpx-limit/smb1-max-mux-4-60ms/client",
     ("healthy/n1-nt1-get-200m-10ms/middle", "causes/smb1-chatty/smb1-serial-10ms/client")),
    ("smb2-credits-not-asked", "causes/smb2-credits-not-asked/smb2-credits-not-asked-60ms/client",
     ("causes/smb2-credit-starvation/smb3-credits-16-30ms/middle", "causes/smb-serial-requests/smb3-serial-64k-10ms/client")),
    ("multichannel-unused", "healthy/smb3-multichannel-unused/client",
     ("healthy/smb3-multichannel-not-offered/client", "healthy/smb3-read-100m-5ms/client")),
    ("timestamps-disabled", "causes/timestamps-disabled/tcp-delay-spikes-no-timestamps/server",
     ("healthy/no-timestamps-get/client", "causes/spurious-retransmission/tcp-delay-spikes/client")),
)


def analyze(program, path):
    """The report, and the ids of all that it tells: findings and caveats."""
    report = json.loads(subprocess.run([program, "analyze", "--json", path], stdout=subprocess.PIPE, check=True).stdout)
    for transfer in report["transfers"]:
        if sum(row["ns"] for row in transfer["budget"]) != transfer["duration_ns"]:
            raise ValueError(f"{transfer['id']}: its budget does not add up")
    told = {f["cause"] for f in report["findings"]} | {c["id"] for c in report["capture"]["caveats"]}
    told |= {"round trips" for t in report["transfers"] for row in t["budget"]
             if row["bucket"] == "round-trip" and row["ns"] > 0.9 * t["duration_ns"]}
    return report, told | {f"{f['cause']}: in proportion" for f in report["findings"] if "in proportion" in f["sentence"]}


def gigabit(path, announced):
    """440 MB over a full gigabit of 0.2 ms in frames of 1500 bytes; the hosts announce this segment size."""
    capture = Capture(snap=62)  # up to the options of the handshake
    tcp = Tcp(capture, "10.0.0.2", 40000, "10.0.0.1", 5001, 200 * US, mss=announced)
    t = tcp.open(0)
    tcp.mss, count = 1460, 300_000
    wire_ns = (1500 + 38) * 8  # IEEE 802.3: 38 bytes of framing, one bit a nanosecond
    payload, at = bytes(1460), t
    for i in range(count):
        at = t + i * wire_ns
        tcp.segment(at, SERVER, ACK, payload)
        tcp.next[SERVER] += len(payload)
        if i % 2:
            tcp.segment(at + US, CLIENT, ACK)
    tcp.close(at + MS)
    capture.write(path)


def talk(tcp, t, pairs):
    """Requests and answers one after the other; (request, answer, ns at the server). Returns when the last is there."""
    for ask, answer, server_ns in pairs:
        tcp.send(t, CLIENT, ask)
        t += tcp.rtt_ns + server_ns
        for start in range(0, len(answer), 2 * tcp.mss):  # an acknowledgement for two segments
            t = tcp.send(t, SERVER, answer[start:start + 2 * tcp.mss], gap_ns=12 * US) + 12 * US
    return t


def copy(smb, server_ns=100 * US):
    """64 reads of 64 KiB, one after the other."""
    pairs = [smb.tree_connect(), smb.create("big.bin", 5, 4 << 20)]
    pairs += [smb.read(5, i << 16, 65536) for i in range(64)] + [smb.close(5)]
    return [(*pair, server_ns) for pair in pairs]


def log_in(smb, server_ns=100 * US):
    return [(*pair, server_ns) for pair in (smb.negotiate(), smb.session_setup(last=False), smb.session_setup())]


def answered_for(path, handshake_ns):
    """A copy over 40 ms; the handshake is answered after this time."""
    capture, smb = Capture(), Client()
    tcp = Tcp(capture, "10.0.0.2", 40000, "10.0.0.1", 445, handshake_ns)
    t = tcp.open(0)
    tcp.rtt_ns = 40 * MS
    tcp.close(talk(tcp, t, log_in(smb) + copy(smb)))
    capture.write(path)


def referral(smb):
    """A DFS referral, MS-SMB2 2.2.31 and 2.2.32, MS-DFSC 2.2.2 and 2.2.4.3."""
    code, nobody = 0x00060194, b"\xff" * 16
    name, target = ("\\nas\\data\0".encode("utf-16-le"), "\\nas2\\data\0".encode("utf-16-le"))
    question = struct.pack("<H", 4) + name
    entry = struct.pack("<HHHHIHHH16s", 3, 34, 0, 0, 300, 34, 34, 34, bytes(16))
    reply = struct.pack("<HHI", len(name) - 2, 1, 0) + entry + target
    return smb.pair(11, struct.pack("<HHI16sIIIIIIII", 57, 0, code, nobody, 120, len(question), 0, 0, 0, 4096, 1, 0) + question,
                    struct.pack("<HHI16sIIIIII", 49, 0, code, nobody, 112, 0, 112, len(reply), 0, 0) + reply)


def referred(path, late_ns):
    """A copy over 20 ms; the server takes so long to say where the share is."""
    capture, smb = Capture(), Client()
    tcp = Tcp(capture, "10.0.0.2", 40000, "10.0.0.1", 445, 20 * MS)
    pairs = log_in(smb) + [(*smb.tree_connect("\\\\10.0.0.1\\IPC$"), 100 * US), (*referral(smb), late_ns)] + copy(smb)
    tcp.close(talk(tcp, tcp.open(0), pairs))
    capture.write(path)


def uploaded(path, closing):
    """24 files of 64 to 384 KiB written over 2 ms; what the server needs for each CLOSE by the bytes written to the file."""
    capture, smb = Capture(), Client()
    tcp = Tcp(capture, "10.0.0.2", 40000, "10.0.0.1", 445, 2 * MS)
    t = talk(tcp, tcp.open(0), log_in(smb) + [(*smb.tree_connect(), 100 * US)])
    for number in range(24):
        blocks = 1 + number % 6
        pairs = [smb.create(f"file{number}", number + 1, 0)] + [smb.write(number + 1, i << 16, 65536) for i in range(blocks)]
        t = talk(tcp, t, [(*pair, 100 * US) for pair in pairs] + [(*smb.close(number + 1), closing(blocks << 16))])
    tcp.close(t)
    capture.write(path)


def by_bytes(written):
    """20 MB/s to the disk."""
    return written * 50


def always(_):
    """The mean of the above, whatever was written."""
    return (7 << 15) * 50


def at_once(_):
    return 100 * US


def spaced(path, block):
    """3 MB in blocks of so many segments, 2 ms a segment in the mean, over 1 ms: one a block is a link of 6 Mbit/s, more are a
    sender that stops."""
    capture = Capture(snap=66)
    tcp = Tcp(capture, "10.0.0.2", 40000, "10.0.0.1", 5001, MS)
    t = tcp.open(0)
    tcp.send(t, CLIENT, b"file, please")
    t += MS
    for _ in range(2000 // block):
        tcp.send(t, SERVER, bytes(block * tcp.mss), gap_ns=12 * US)
        t += 2 * MS * block
    tcp.close(t)
    capture.write(path)


def in_pieces(path, trips):
    """60 answers over 37 ms: what is less than a segment waits until what is less than one before it is acknowledged (RFC 896); or, with
    more round trips, whole segments, as many each time."""
    capture = Capture(snap=66)
    tcp = Tcp(capture, "10.0.0.2", 40000, "10.0.0.1", 8080, 37 * MS)
    t = tcp.open(0)
    for _ in range(60):
        tcp.send(t, CLIENT, b"q" * 80)
        t += tcp.rtt_ns
        for _ in range(trips):
            tcp.send(t, SERVER, bytes((200 if trips == 1 else 0) + 3 * tcp.mss), gap_ns=12 * US)
            t += tcp.rtt_ns + 100 * US
        if trips == 1:
            tcp.send(t, SERVER, bytes(1000))
        t += MS
    tcp.close(t)
    capture.write(path)


def unhurried(path, pause_ns):
    """64 writes of 1,000 bytes, one after the other, into a window that reads 254 bytes: without the handshake nobody knows its scale."""
    capture, smb = Capture(), Client()
    tcp = Tcp(capture, "10.0.0.2", 40000, "10.0.0.1", 445, MS)
    tcp.windows[SERVER] = 254
    t = talk(tcp, 0, [(*pair, 100 * US) for pair in (smb.tree_connect(), smb.create("up.bin", 5, 0))])
    for i in range(64):
        t = talk(tcp, t + pause_ns, [(*smb.write(5, i * 1000, 1000), 100 * US)])
    tcp.close(talk(tcp, t, [(*smb.close(5), 100 * US)]))
    capture.write(path)


def knocking(path, tries):
    """One SYN after 0, 1, 3 and 7 s; with fewer tries the last one is answered. A copy beside it, so that there is something else to tell."""
    capture, smb = Capture(), Client()
    tcp = Tcp(capture, "10.0.0.2", 40000, "10.0.0.1", 445, MS)
    tcp.close(talk(tcp, tcp.open(0), log_in(smb) + copy(smb)))
    other = Tcp(capture, "10.0.0.2", 40001, "10.0.0.9", 80, MS)
    for i in range(tries if tries > 2 else tries - 1):
        other.segment((2**i - 1) * 1000 * MS, CLIENT, SYN, options=struct.pack(">BBH", 2, 4, 1460))
    if tries <= 2:
        other.open((2**(tries - 1) - 1) * 1000 * MS)
    capture.write(path)


GENERATED = (
    ("connect-unanswered", knocking, 4, (2, 1)),
    ("client-think", unhurried, 20 * MS, (0,)),
    ("server-slow-read", spaced, 100, (1,)),
    ("send-buffer-small", in_pieces, 40, (1,)),
    ("round trips", in_pieces, 1, (40,)),
    ("jumbo-frames-missing", gigabit, 8960, (1460,)),
    ("middlebox-terminated-handshake", answered_for, MS, (40 * MS,)),
    ("session-setup-slow", referred, 1500 * MS, (MS,)),
    ("server-slow-write", uploaded, by_bytes, (at_once,)),
    ("server-slow-write: in proportion", uploaded, by_bytes, (always,)),
)


def cases(folder):
    """(cause, name, path, must it be told)."""
    for cause, shown, near in RECORDED:
        for name in (shown, *near):
            yield cause, name, os.path.join(ROOT, "testdata", name + ".pcap.gz"), name == shown
    for cause, make, shown, near in GENERATED:
        for value in (shown, *near):
            path = os.path.join(folder, f"{cause.split(':')[0]}-{getattr(value, '__name__', value)}.pcap")
            make(path, value)
            yield cause, os.path.basename(path), path, value == shown
            os.unlink(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/slowcopy")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="taken like the other scripts take it; one is enough")
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for cause, name, path, is_due in cases(folder):
            report, told = analyze(options.program, path)
            good = (cause in told) == is_due and not report["internal_errors"]
            print(f"{'ok' if good else 'not ok'} {name}: {cause}{'' if is_due else ' silent'}{'' if good else f', told {sorted(told)}'}")
            failed += not good
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
