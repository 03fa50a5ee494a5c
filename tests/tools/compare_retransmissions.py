#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares what kind of packet each TCP packet of the public captures is, with tshark's tcp.analysis flags, side by side.

compare_retransmissions.py [--update] DUMP [CAPTURE...]
DUMP is the segmentdump tool. Without CAPTURE: all of $SLOWCOPY_CAPTURES (default ../shared/captures). Prints tables, or writes
them between the marks in docs/differences-from-tshark.md. Each packet that differs is given a reason that the packets prove;
exit 1 when one has none. Exit 77: skipped.
"""
import argparse
import bisect
import collections
import glob
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOCUMENT = os.path.join(ROOT, "docs", "differences-from-tshark.md")
BEGIN, END = "<!-- begin: compare_retransmissions.py -->\n", "<!-- end: compare_retransmissions.py -->\n"
FLAGS = ["retransmission", "fast_retransmission", "spurious_retransmission", "out_of_order", "lost_segment", "keep_alive",
         "zero_window", "window_full", "duplicate_ack"]
FIELDS = ["frame.number", "frame.time_epoch", "tcp.stream", "tcp.srcport", "tcp.flags", "tcp.seq_raw", "tcp.ack_raw", "tcp.len", "ip.id",
          "tcp.window_size", "tcp.window_size_scalefactor", "tcp.options.sack.count"]
# captures too large to be worth a minute of tshark
LARGEST = 50_000_000
FRAMES_NAMED = 4
# a record is late for its neighbours when one of them is
NEIGHBOURS = 20
SYN, FIN, ACK = 2, 1, 16


class Packet:
    """One packet, as both see it, and what went before it in its stream."""

    def __init__(self, values):
        self.frame = int(values[0])
        self.time = values[1]
        self.stream, self.port = values[2], values[3]
        self.flags = int(values[4] or "0", 16)
        self.seq, self.ack, self.len = (int(v or 0) for v in values[5:8])
        self.window, self.is_unscaled = int(values[9] or 0), values[10] == "-1"
        self.has_sack = bool(values[11])
        self.tshark = {name for name, value in zip(FLAGS, values[len(FIELDS):]) if value}
        self.kind, self.repair, self.marks = "absent", "-", set()
        self.is_late = self.near_late = False
        self.came_before = False   # bytes of it passed before
        self.was_confirmed = False  # bytes of it were acknowledged before
        self.is_outstanding = True  # the other side has sent more than this acknowledges
        self.is_first = False       # of its side's data
        self.edge_is_beyond = False  # the other side once allowed more than the last window says
        self.bare_ran_ahead = False  # a packet of its side without data has its end as sequence number

    def ours(self):
        """The flags that our view of the packet amounts to."""
        found = {name for mark, name in (("hole", "lost_segment"), ("zero-window", "zero_window"), ("full", "window_full"),
                                         ("duplicate-ack", "duplicate_ack"), ("keep-alive", "keep_alive")) if mark in self.marks}
        if self.kind in ("repeated", "upstream"):
            found.add("retransmission")
            if "old" in self.marks:
                found.add("spurious_retransmission")
            elif self.repair == "fast":
                found.add("fast_retransmission")
        if self.kind == "reordered":
            found.add("out_of_order")
        return found


def read_tshark(path):
    command = ["tshark", "-n", "-r", path, "-T", "fields", "-E", "occurrence=l", "-o", "tcp.desegment_tcp_streams:FALSE"]
    for field in FIELDS + ["tcp.analysis." + flag for flag in FLAGS]:
        command += ["-e", field]
    env = dict(os.environ, HOME="/nonexistent", TZ="UTC")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, text=True, errors="replace", check=False)
    lines = [line.split("\t") for line in done.stdout.split("\n")]
    return {int(v[0]): Packet(v) for v in lines if len(v) == len(FIELDS) + len(FLAGS) and v[2]}


def read_ours(dump, path, packets):
    done = subprocess.run([dump, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    for line in done.stdout.split("\n"):
        values = line.split("\t")
        if len(values) == 5 and int(values[0]) in packets:
            packet = packets[int(values[0])]
            packet.kind, packet.repair, packet.marks = values[1], values[2], set(values[4].split())


def nanoseconds(text):
    seconds, _, fraction = text.partition(".")
    return int(seconds) * 10**9 + int(fraction.ljust(9, "0")[:9])


def ahead(a, b):
    """How far sequence number a is ahead of b, negative when behind."""
    return ((a - b + (1 << 31)) & 0xffffffff) - (1 << 31)


class Way:
    """One direction of a stream, as far as it was read."""

    def __init__(self):
        self.sent = []        # (sequence number, its end)
        self.end = None       # highest end of what was sent
        self.acked = None     # highest acknowledgement of it
        self.edge = None      # rightmost edge allowed to it
        self.bare = set()     # sequence numbers of packets without data


def find_history(packets):
    """Reads the packets in the order of recording."""
    newest, streams, ways = {}, {}, collections.defaultdict(Way)
    for packet in packets.values():
        way = ways[packet.stream, packet.port]
        ports = streams.setdefault(packet.stream, [])
        if packet.port not in ports:
            ports.append(packet.port)
        others = [port for port in ports if port != packet.port]
        other = ways[packet.stream, others[0]] if others else Way()
        moment = nanoseconds(packet.time)
        packet.is_late = moment < newest.get(packet.stream, moment)
        newest[packet.stream] = max(moment, newest.get(packet.stream, moment))
        end = packet.seq + packet.len & 0xffffffff
        if packet.len:
            packet.is_first = way.end is None
            packet.came_before = any(ahead(packet.seq, e) < 0 < ahead(end, s) for s, e in way.sent[-1000:])
            packet.was_confirmed = way.acked is not None and ahead(way.acked, packet.seq) > 0
            packet.bare_ran_ahead = bool(way.bare & {end, (end + 1) & 0xffffffff}) or \
                any(0 < ahead(b, packet.seq) < 1 << 20 for b in way.bare)
            packet.edge_is_beyond = way.edge is not None and ahead(way.edge, end) != 0
            way.sent.append((packet.seq, end))
            if way.end is None or ahead(end, way.end) > 0:
                way.end = end
        elif not packet.flags & SYN:
            way.bare.add(packet.seq)
        if packet.flags & ACK:
            packet.is_outstanding = other.end is not None and ahead(other.end, packet.ack) > 0
            if other.acked is None or ahead(packet.ack, other.acked) > 0:
                other.acked = packet.ack
            edge = packet.ack + packet.window & 0xffffffff
            if other.edge is None or ahead(edge, other.edge) > 0:
                other.edge = edge
    late = [packet.frame for packet in packets.values() if packet.is_late]
    for packet in packets.values():
        at = bisect.bisect(late, packet.frame - NEIGHBOURS)
        packet.near_late = at < len(late) and late[at] <= packet.frame + NEIGHBOURS


COPY = "the same packet recorded twice: same IP ID, acknowledgement, time stamps and checksum"
ORDER = "records stand out of order in the file; read by their times nothing is missing or late"


def common_reason(packet):
    """What explains a difference whatever the flag."""
    if packet.kind == "absent":
        return "malformed for us: headers that contradict each other"
    if packet.kind == "copy":
        return COPY
    if packet.flags & SYN and not packet.len:
        return "a SYN sent again: a further attempt to connect, counted as such"
    return None


def reason_repeated(packet, flag):
    """Differences about packets that come again or late."""
    is_ours = flag in packet.ours()
    if packet.flags & FIN and not packet.len:
        return "a FIN without data: nothing was sent again"
    if packet.kind == "probe":
        return "a byte into a closed window: a probe"
    if packet.repair == "closed-window":
        return "the receiver had closed its window over these bytes: they come again, but nothing was lost"
    if "keep_alive" in packet.tshark | packet.ours():
        return "one byte that was never confirmed is sent again: no keep-alive" if packet.kind != "keep-alive" else None
    if flag == "spurious_retransmission":
        return "all of it was confirmed when it was sent" if is_ours else \
            "what confirmed it was recorded before it, the packet itself passed once"
    if packet.kind == "reordered":
        if packet.was_confirmed:
            return "confirmed before it was recorded: only the capture put it behind"
        return "it fills a hole sooner than its sender could know of it, or its time stamp or IP ID is older than that of what overtook it"
    if flag == "fast_retransmission":
        if is_ours:
            return "a repair set off by what the receiver reported (duplicate acknowledgements, SACK), in its round trips; tshark wants two " \
                "duplicates and 20 ms"
        return "nothing was heard for as long as a timer takes" if packet.kind in ("repeated", "upstream") else None
    if packet.kind == "new" and packet.near_late:
        return ORDER
    if packet.is_first:
        return "nothing of its side passed before it"
    if packet.came_before:
        return "the same bytes passed before: sent again, however soon"
    if packet.kind == "upstream":
        return "it fills a hole later than a round trip: lost before the place of capture and repaired"
    if packet.bare_ran_ahead:
        return "only a packet without data ran ahead of it: no byte was missing"
    return None


def reason_lost(packet):
    if packet.near_late:
        return ORDER
    if not packet.len:
        return "a packet without data: what is missing shows in the acknowledgements or at the next data"
    if packet.was_confirmed or packet.is_first:
        return "an acknowledgement had shown before that these bytes passed unseen"
    if packet.bare_ran_ahead:
        return "tshark says it of the packet without data before it"
    if "lost_segment" in packet.ours():
        return "tshark says it of the packet without data before it"
    return "an acknowledgement shows that these bytes passed unseen"


def reason_duplicate(packet):
    if "duplicate_ack" in packet.ours():
        if packet.has_sack:
            return "it reports bytes above a hole (SACK) although its window differs (RFC 6675 2)"
        if packet.window == 0:
            return "the receiver refuses data that came into its closed window: RFC 5681 2 holds"
        return "the same acknowledgement came before, with data"
    if packet.len or packet.flags & (SYN | FIN):
        return "it carries data or a FIN (RFC 5681 2)"
    if not packet.is_outstanding:
        return "nothing was outstanding that it could report (RFC 5681 2)"
    if packet.near_late:
        return ORDER
    return "the acknowledgement or the window before it differs"


def reason_full(packet):
    if packet.flags & FIN:
        return "tshark never says it of a FIN"
    if packet.is_unscaled:
        return "the handshake is missing: the scale of the window is inferred from what was sent"
    return "a smaller window with the same acknowledgement was overtaken on its way: the right edge never moves back (RFC 9293 3.8.6), " \
        "and the sender went on"


def reason(packet, flag):
    """Why one of both says @flag of @packet; None when nothing proves it."""
    known = common_reason(packet)
    if known:
        return known
    if flag == "lost_segment":
        return reason_lost(packet)
    if flag == "duplicate_ack":
        return reason_duplicate(packet)
    if flag == "window_full":
        return reason_full(packet)
    return reason_repeated(packet, flag)


def captures():
    folder = os.environ.get("SLOWCOPY_CAPTURES", os.path.join(ROOT, "..", "shared", "captures"))
    return sorted(path for path in glob.glob(os.path.join(folder, "*", "*"))
                  if os.path.basename(os.path.dirname(path)) != "expected" and os.path.getsize(path) <= LARGEST)


def compare(dump, paths):
    """Counts of each flag, and the packets that differ by (flag, who, reason) and capture."""
    counts = {flag: collections.Counter() for flag in FLAGS}
    differs = collections.defaultdict(lambda: collections.defaultdict(list))
    for path in paths:
        packets = read_tshark(path)
        read_ours(dump, path, packets)
        find_history(packets)
        for packet in packets.values():
            ours = packet.ours()
            for flag in ours | packet.tshark:
                who = "both" if flag in ours & packet.tshark else "ours" if flag in ours else "tshark"
                counts[flag][who] += 1
                if who != "both":
                    differs[flag, who, reason(packet, flag)][os.path.basename(path)].append(packet.frame)
    return counts, differs


def frames_text(by_capture):
    parts = []
    for name, frames in sorted(by_capture.items(), key=lambda item: (-len(item[1]), item[0])):
        named = ", ".join(map(str, frames[:FRAMES_NAMED]))
        parts.append(f"`{name}` {named}{f' … ({len(frames)})' if len(frames) > FRAMES_NAMED else ''}")
    return "; ".join(parts)


def tables(counts, differs):
    lines = ["| tcp.analysis flag | tshark | slowcopy | the same packets | only tshark | only slowcopy |", "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for flag in FLAGS:
        c = counts[flag]
        lines.append(f"| {flag} | {c['both'] + c['tshark']} | {c['both'] + c['ours']} | {c['both']} | {c['tshark']} | {c['ours']} |")
    lines += ["", "| flag | said by | packets | why | which |", "| --- | --- | ---: | --- | --- |"]
    for (flag, who, why), found in sorted(differs.items(), key=lambda item: (FLAGS.index(item[0][0]), item[0][1], str(item[0][2]))):
        total = sum(map(len, found.values()))
        lines.append(f"| {flag} | {'tshark' if who == 'tshark' else 'slowcopy'} | {total} | {why or 'not explained'} | {frames_text(found)} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write the tables into the document")
    parser.add_argument("dump")
    parser.add_argument("captures", nargs="*")
    options = parser.parse_args()
    paths = options.captures or captures()
    if not shutil.which("tshark") or not paths:
        print("skipped: tshark or the public captures are missing")
        return 77
    counts, differs = compare(options.dump, paths)
    text = tables(counts, differs)
    if options.update:
        with open(DOCUMENT, encoding="utf-8") as file:
            document = file.read()
        before, _, rest = document.partition(BEGIN)
        _, _, after = rest.partition(END)
        with open(DOCUMENT, "w", encoding="utf-8") as file:
            file.write(before + BEGIN + text + END + after)
    else:
        print(text, end="")
    return 1 if any(key[2] is None for key in differs) else 0


if __name__ == "__main__":
    sys.exit(main())
