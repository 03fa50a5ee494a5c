# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures for tests, made from a few lines of Python: classic pcap in nanoseconds, Ethernet, IPv4, TCP and UDP. What
is seen is seen at the client: it acknowledges at once, the server one round trip later."""
import struct

CLIENT, SERVER = 0, 1
SYN, ACK, PSH, FIN, RST = 0x02, 0x10, 0x08, 0x01, 0x04
EPOCH_NS = 1_700_000_000 * 10**9


class Capture:
    """Frames by time."""

    def __init__(self, snap=262144):
        self.snap, self.frames = snap, []

    def frame(self, t_ns, source, target, protocol, body):
        head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(body), 0, 0x4000, 64, protocol, 0, source, target)
        self.frames.append((t_ns, len(self.frames), b"\2\0\0\0\0\2\2\0\0\0\0\1\x08\0" + head + body))

    def udp(self, t_ns, source, source_port, target, target_port, payload):
        self.frame(t_ns, address(source), address(target), 17,
                   struct.pack(">HHHH", source_port, target_port, 8 + len(payload), 0) + payload)

    def write(self, path):
        with open(path, "wb") as out:
            out.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, self.snap, 1))
            for t_ns, _, data in sorted(self.frames):
                at = EPOCH_NS + t_ns
                out.write(struct.pack("<IIII", at // 10**9, at % 10**9, min(len(data), self.snap), len(data)))
                out.write(data[:self.snap])


def address(text):
    return bytes(map(int, text.split(".")))


class Tcp:
    """One connection. Sends nothing by itself but acknowledgements."""

    def __init__(self, capture, client, client_port, server, server_port, rtt_ns, mss=1460):
        self.capture, self.ends = capture, (address(client), address(server))
        self.ports, self.rtt_ns, self.mss = (client_port, server_port), rtt_ns, mss
        self.next, self.windows = [1000, 5000], [65535, 65535]

    def segment(self, t_ns, side, flags, payload=b"", seq=None, options=b""):
        other = 1 - side
        head = struct.pack(">HHIIBBHHH", self.ports[side], self.ports[other], self.next[side] if seq is None else seq,
                           self.next[other] if flags & ACK else 0, (20 + len(options)) // 4 << 4, flags, self.windows[side], 0, 0)
        self.capture.frame(t_ns, self.ends[side], self.ends[other], 6, head + options + payload)

    def open(self, t_ns):
        """Handshake; returns when it is over. Windows are scaled by 256."""
        options = struct.pack(">BBHBBBB", 2, 4, self.mss, 1, 3, 3, 8)
        self.segment(t_ns, CLIENT, SYN, options=options)
        self.next[CLIENT] += 1
        self.segment(t_ns + self.rtt_ns, SERVER, SYN | ACK, options=options)
        self.next[SERVER] += 1
        self.segment(t_ns + self.rtt_ns + 1000, CLIENT, ACK)
        return t_ns + self.rtt_ns + 2000

    def send(self, t_ns, side, data, gap_ns=0, acknowledge=True):
        """Data in segments of the MSS, `gap_ns` apart; returns the time of the last one."""
        at = t_ns
        for start in range(0, len(data), self.mss):
            part = data[start:start + self.mss]
            last = start + self.mss >= len(data)
            at = t_ns + start // self.mss * gap_ns
            self.segment(at, side, ACK | (PSH if last else 0), part)
            self.next[side] += len(part)
        if acknowledge:
            self.segment(at + (self.rtt_ns if side == CLIENT else 1000), 1 - side, ACK)
        return at

    def close(self, t_ns):
        for side, at in ((CLIENT, t_ns), (SERVER, t_ns + self.rtt_ns)):
            self.segment(at, side, FIN | ACK)
            self.next[side] += 1
        self.segment(t_ns + self.rtt_ns + 1000, CLIENT, ACK)
