# SPDX-License-Identifier: GPL-3.0-or-later
"""SMB2 messages for generated captures, MS-SMB2 2.2: as much of each as a reader needs."""
import struct

NEGOTIATE, SESSION_SETUP, TREE_CONNECT, CREATE, CLOSE, READ, WRITE = 0, 1, 3, 5, 6, 8, 9
REPLY, SIGNED = 1, 8
MORE_PROCESSING = 0xC0000016
BINDING = 1
SERVER_GUID = bytes(range(1, 17))


def framed(message):
    return struct.pack(">I", len(message)) + message


def header(command, message_id, flags=0, status=0, session=0, tree=0, credits=1, charge=1):
    return struct.pack("<4sHHIHHIIQIIQ16s", b"\xfeSMB", 64, charge, status, command, credits, flags, 0, message_id, 0, tree,
                       session, bytes(16))


class Client:
    """Messages of one connection, numbered. Each method returns (request, answer)."""

    def __init__(self, session=0x42, tree=7):
        self.session, self.tree, self.next = session, tree, 0

    def pair(self, command, request, answer, credits=1, charge=1, status=0, session=None, tree=None):
        session = self.session if session is None else session
        tree = self.tree if tree is None else tree
        number, self.next = self.next, self.next + max(charge, 1)
        return (framed(header(command, number, 0, 0, session, tree, credits, charge) + request),
                framed(header(command, number, REPLY, status, session, tree, credits, charge) + answer))

    def negotiate(self, dialect=0x0302, capabilities=0x0d, size=1 << 20):
        ask = struct.pack("<HHHHI16sQ", 36, 4, 1, 0, capabilities, b"c" * 16, 0) + struct.pack("<4H", 0x202, 0x210, 0x300, 0x302)
        answer = struct.pack("<HHHH16sIIIIQQHHI", 65, 1, dialect, 0, SERVER_GUID, capabilities, size, size, size, 0, 0, 128, 0, 0)
        return self.pair(NEGOTIATE, ask, answer + b"\0", session=0, tree=0, charge=0)

    def session_setup(self, binding=False, last=True):
        ask = struct.pack("<HBBIIHHQ", 25, BINDING if binding else 0, 1, 1, 0, 88, 8, 0) + b"NTLMSSP\0"
        answer = struct.pack("<HHHH", 9, 0, 72, 8) + b"NTLMSSP\0"
        return self.pair(SESSION_SETUP, ask, answer, credits=512, status=0 if last else MORE_PROCESSING, tree=0)

    def tree_connect(self, path="\\\\10.0.0.1\\data"):
        name = path.encode("utf-16-le")
        return self.pair(TREE_CONNECT, struct.pack("<HHHH", 9, 0, 72, len(name)) + name,
                         struct.pack("<HBBIII", 16, 1, 0, 0, 0, 0x1f01ff))

    def create(self, name, handle, size):
        text = name.encode("utf-16-le")
        ask = struct.pack("<HBBIQQIIIIIHHII", 57, 0, 0, 2, 0, 0, 0x120089, 0, 7, 1, 0x40, 120, len(text), 0, 0) + text
        answer = struct.pack("<HBBI32sQQIIQQII", 89, 0, 0, 1, bytes(32), size, size, 0x20, 0, handle, handle, 0, 0)
        return self.pair(CREATE, ask, answer)

    def read(self, handle, offset, size):
        ask = struct.pack("<HBBIQQQIIIHHB", 49, 0x50, 0, size, offset, handle, handle, 0, 0, 0, 0, 0, 0)
        charge = (size + 65535) // 65536
        return self.pair(READ, ask, struct.pack("<HBBIII", 17, 0x50, 0, size, 0, 0) + bytes(size), charge=charge, credits=charge)

    def write(self, handle, offset, size):
        ask = struct.pack("<HHIQQQIIHHI", 49, 0x70, size, offset, handle, handle, 0, 0, 0, 0, 0) + bytes(size)
        charge = (size + 65535) // 65536
        return self.pair(WRITE, ask, struct.pack("<HHIIHH", 17, 0, size, 0, 0, 0), charge=charge, credits=charge)

    def close(self, handle):
        return self.pair(CLOSE, struct.pack("<HHIQQ", 24, 0, 0, handle, handle), struct.pack("<HH56s", 60, 0, bytes(56)))
