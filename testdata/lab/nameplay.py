#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Name lookups: nameplay.py ask NAME BROADCAST asks for a NetBIOS name by broadcast, three times at most, 750 ms apart, as
Windows does; nameplay.py serve ADDRESS NAME answers DNS queries for NAME with ADDRESS (and no other kind of record)."""
import json
import socket
import struct
import sys
import time


def encode_netbios(name):
    """RFC 1001 14.1, suffix 0x20 (file server)."""
    padded = name.upper().ljust(15).encode() + b"\x20"
    return bytes(part for byte in padded for part in (0x41 + (byte >> 4), 0x41 + (byte & 15)))


def ask(name, broadcast):
    """Prints how long it took until an answer came."""
    begin = time.monotonic()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as query:
        query.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        query.settimeout(0.75)
        for number in range(3):
            query.sendto(struct.pack(">HHHHHH", 0x4c00, 0x0110, 1, 0, 0, 0) + b"\x20" + encode_netbios(name) +
                         b"\0" + struct.pack(">HH", 0x20, 1), (broadcast, 137))
            try:
                query.recv(1500)
                break
            except TimeoutError:
                continue
        else:
            sys.exit("no answer")
    print(json.dumps({"wall_s": time.monotonic() - begin, "bytes": 0}))


def serve(address, name):
    """A DNS server for one name (RFC 1035 4.1)."""
    wanted = b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind((address, 53))
        while True:
            query, client = server.recvfrom(1500)
            end = query.index(b"\0", 12) + 5
            is_known = query[12:end - 4] == wanted and query[end - 4:end - 2] == b"\0\1"
            answer = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4" + socket.inet_aton(address) if is_known else b""
            server.sendto(query[:2] + struct.pack(">HHHHH", 0x8580, 1, bool(answer), 0, 0) + query[12:end] + answer, client)


if __name__ == "__main__":
    {"ask": ask, "serve": serve}[sys.argv[1]](*sys.argv[2:])
