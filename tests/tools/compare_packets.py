#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares every packet of the public captures with tshark: numbers, times, end points, TCP fields.

compare_packets.py [-v] DUMP [CAPTURE...]
DUMP is the packetdump tool. Without CAPTURE: all of $SLOWCOPY_CAPTURES (default ../shared/captures).
Known differences are listed in docs/differences-from-tshark.md and in KNOWN below. Exit 77: skipped.
"""
import os
import shutil
import subprocess
import sys

FIELDS = ["frame.number", "frame.time_epoch", "ip.src", "ip.dst", "ipv6.src", "ipv6.dst", "tcp.srcport", "tcp.dstport",
          "tcp.seq_raw", "tcp.ack_raw", "tcp.flags", "tcp.len", "tcp.window_size_value",
          "tcp.options.timestamp.tsval", "tcp.options.timestamp.tsecr", "tcp.options.mss_val", "tcp.options.wscale.shift"]

# capture: fields that may differ; see docs/differences-from-tshark.md
KNOWN = {
    "complex.pcapng": {"presence"},
    "pcapng-example.pcapng.zst": {"time"},
    "fuzz-2006-06-26-2594.pcap": {"kind"},
    "ndt-lossy-download.pcap.gz": {"kind"},
    "reassembly.snap66.pcap": {"len"},
}


def tshark(path):
    """The last TCP layer of each frame, as tshark sees it; errors in ICMP quote packets, which are not ours."""
    command = ["tshark", "-n", "-r", path, "-T", "fields", "-E", "occurrence=l",
               "-o", "ip.defragment:FALSE", "-o", "ipv6.defragment:FALSE", "-o", "tcp.desegment_tcp_streams:FALSE"]
    for field in FIELDS + ["frame.protocols"]:
        command += ["-e", field]
    env = dict(os.environ, HOME="/nonexistent", TZ="UTC")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, text=True, errors="replace")
    packets = {}
    for line in done.stdout.split("\n"):
        if line:
            values = line.split("\t")
            packet = dict(zip(FIELDS + ["protocols"], values))
            packets[int(packet["frame.number"])] = packet
    return packets


def ours(dump, path):
    done = subprocess.run([dump, "--", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    names = ["frame", "ts", "kind", "src", "dst", "sport", "dport", "seq", "ack", "flags", "len", "kept", "window", "mss",
             "wscale", "tsval", "tsecr", "sack", "vlan"]
    packets = {}
    for line in done.stdout.split("\n"):
        if line:
            packet = dict(zip(names, line.split("\t")))
            packets[int(packet["frame"])] = packet
    return packets, done.stderr.strip()


def nanoseconds(text):
    if not text:
        return None
    seconds, _, fraction = text.partition(".")
    ns = int(seconds.lstrip("-") or 0) * 10**9 + int((fraction + "0" * 9)[:9])
    return -ns if seconds.startswith("-") else ns


def differences(mine, theirs):
    """Pairs of (field, ours, tshark's) that disagree."""
    time = nanoseconds(theirs["frame.time_epoch"])
    if time is not None and time != int(mine["ts"]):
        yield "time", mine["ts"], str(time)
    protocols = theirs["protocols"].split(":")
    is_tcp = bool(theirs["tcp.srcport"]) and not {"icmp", "icmpv6"} & set(protocols)
    if mine["kind"] == "fragment" and "tcp" in protocols:
        return  # tshark shows what is in the first one; ours is decoded when the datagram is whole
    if is_tcp != (mine["kind"] == "tcp"):
        yield "kind", mine["kind"], theirs["protocols"]
        return
    if not is_tcp:
        return
    last = max(("ip", "ipv6"), key=lambda p: len(protocols) - protocols[::-1].index(p) if p in protocols else -1)
    pairs = [("src", theirs[last + ".src"]), ("dst", theirs[last + ".dst"]), ("sport", theirs["tcp.srcport"]),
             ("dport", theirs["tcp.dstport"]), ("seq", theirs["tcp.seq_raw"]), ("ack", theirs["tcp.ack_raw"]),
             ("len", theirs["tcp.len"]), ("window", theirs["tcp.window_size_value"]),
             ("tsval", theirs["tcp.options.timestamp.tsval"] or "0"), ("tsecr", theirs["tcp.options.timestamp.tsecr"] or "0")]
    flags = int(theirs["tcp.flags"] or "0", 16)
    if flags & 2:
        pairs += [("mss", theirs["tcp.options.mss_val"] or "0"), ("wscale", theirs["tcp.options.wscale.shift"] or "0")]
    if flags & 0xff != int(mine["flags"], 16):
        yield "flags", mine["flags"], theirs["tcp.flags"]
    for name, value in pairs:
        if mine[name] != value:
            yield name, mine[name], value


def compare(dump, path, verbose):
    name = os.path.basename(path)
    expected = tshark(path)
    packets, facts = ours(dump, path)
    wrong = []
    for frame in sorted(set(expected) | set(packets)):
        if frame not in packets or frame not in expected:
            wrong.append((frame, "presence", frame in packets, frame in expected))
            continue
        wrong += [(frame, *d) for d in differences(packets[frame], expected[frame])]
    unknown = [w for w in wrong if w[1] not in KNOWN.get(name, ())]
    if unknown:
        print(f"{name}: {len(unknown)} differences in {len(expected)} frames ({facts})")
        for item in unknown[: None if verbose else 5]:
            print("   frame %s %s: ours %s, tshark %s" % item)
    return len(packets), len(unknown)


def captures():
    root = os.environ.get("SLOWCOPY_CAPTURES", "../shared/captures")
    for folder, subfolders, files in os.walk(root):
        subfolders.sort()
        if "expected" in subfolders:
            subfolders.remove("expected")
        for file in sorted(files):
            if folder != root:
                yield os.path.join(folder, file)


def main():
    arguments = sys.argv[1:]
    verbose = "-v" in arguments
    arguments = [a for a in arguments if a != "-v"]
    paths = arguments[1:] or list(captures())
    if not shutil.which("tshark") or not paths:
        print("compare_packets: skipped, no tshark or no captures")
        return 77
    frames = bad = 0
    for path in paths:
        seen, wrong = compare(arguments[0], path, verbose)
        frames += seen
        bad += wrong
    print(f"compare_packets: {len(paths)} captures, {frames} packets, {bad} unexplained differences")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
