# SPDX-License-Identifier: GPL-3.0-or-later
"""A small SMB2 client (MS-SMB2) for what no ready client does on request: flushes, write-through, locks, oplocks,
change notification, echoes. Anonymous sessions, no signing, dialects 2.0.2, 2.1 and 3.0.2."""
import os
import socket
import struct

NEGOTIATE, SESSION_SETUP, TREE_CONNECT, CREATE, CLOSE, FLUSH, READ, WRITE, LOCK, IOCTL, CANCEL, ECHO, QUERY_DIRECTORY, \
    CHANGE_NOTIFY, OPLOCK_BREAK = 0, 1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 18
ASYNC, RELATED = 2, 4
PENDING, MORE_PROCESSING, LOCK_NOT_GRANTED = 0x103, 0xC0000016, 0xC0000055
NOT_FOUND, CANCELLED, NO_MORE_FILES, FS_DRIVER_REQUIRED = 0xC0000034, 0xC0000120, 0x80000006, 0xC000019C
OPLOCK_NONE, OPLOCK_BATCH, OPLOCK_LEASE = 0, 9, 0xff
RESUME_KEY, COPY_CHUNKS, DFS_REFERRALS, INTERFACES = 0x00140078, 0x001440F2, 0x00060194, 0x001401FC  # MS-SMB2 2.2.31
LARGE_MTU, MULTI_CHANNEL = 4, 8  # MS-SMB2 2.2.3
WRITE_THROUGH = 1
BREAK_MESSAGE_ID = (1 << 64) - 1


class Smb2Error(Exception):
    """An answer with a status we did not ask for."""


class Smb2:
    """One connection with one session and one tree. File ids are 16 bytes, as the server gave them."""

    def __init__(self, host, port=445, dialects=(0x0210,), share="data", capabilities=LARGE_MTU, ask=64):
        self.socket = socket.create_connection((host, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.settimeout(30)  # a server that never answers ends the scene
        self.message_id, self.session, self.tree, self.credits = 0, 0, 0, 1
        self.breaks = []        # file ids of oplock breaks that nobody has answered yet; of leases: their keys
        self.async_ids = {}     # message id: id of what is pending
        self.answers = {}       # message id: (status, command, body)
        self.large, self.ask = False, ask
        self._negotiate(dialects, capabilities)
        self._session_setup()
        self._tree_connect(f"\\\\{host}\\{share}")

    # -- messages -----------------------------------------------------------------------------------------

    def send(self, command, body, payload=0):
        """Send one request; payload is the larger of what it carries and what it asks for. Returns its id."""
        charge = 1 + max(payload - 1, 0) // 65536 if self.large else 0
        header = struct.pack("<4sHHIHHIIQIIQ16s", b"\xfeSMB", 64, charge, 0, command, max(self.ask, charge), 0, 0, self.message_id,
                             0xfeff, self.tree, self.session, bytes(16))
        self.socket.sendall(struct.pack(">I", len(header) + len(body)) + header + body)
        message_id = self.message_id
        self.message_id += max(1, charge)
        self.credits -= max(1, charge)
        return message_id

    def _receive(self, size):
        parts = []
        while size:
            part = self.socket.recv(min(size, 1 << 20))
            if not part:
                raise Smb2Error("connection closed")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def receive(self):
        """Take what the server sent in one piece; returns the id of the last message in it."""
        length = struct.unpack(">I", self._receive(4))[0]
        message, result = self._receive(length), None
        while message:
            following = struct.unpack_from("<I", message, 20)[0]
            result = self._take(message[:following] if following else message)
            message = message[following:] if following else b""
        return result

    def _take(self, message):
        status, command, granted, _, _, message_id = struct.unpack_from("<IHHIIQ", message, 8)
        self.session = struct.unpack_from("<Q", message, 40)[0] or self.session
        if message_id == BREAK_MESSAGE_ID:
            self.breaks.append(message[64 + 8:64 + 24])  # of a lease this is the key
            return message_id
        self.credits += granted
        if status == PENDING:
            self.async_ids[message_id] = struct.unpack_from("<Q", message, 32)[0]
            return None
        self.answers[message_id] = (status, message)
        return message_id

    def wait(self, message_id, allowed=(0,)):
        """Wait for the answer to a request; returns (status, message)."""
        while message_id not in self.answers:
            self.receive()
        status, message = self.answers.pop(message_id)
        if status not in allowed:
            raise Smb2Error(f"status {status:#x}")
        return status, message

    def call(self, command, body, payload=0, allowed=(0,)):
        """One request and its answer."""
        return self.wait(self.send(command, body, payload), allowed)

    # -- session ------------------------------------------------------------------------------------------

    def _negotiate(self, dialects, announced):
        body = struct.pack("<HHHHI16sQ", 36, len(dialects), 1, 0, announced, os.urandom(16), 0)
        body += struct.pack(f"<{len(dialects)}H", *dialects)
        _, message = self.call(NEGOTIATE, body)
        capabilities = struct.unpack_from("<I", message, 64 + 24)[0]
        self.large = bool(capabilities & 4)

    def _session_setup(self):
        flags = 0x00088207  # unicode, NTLM, always sign, extended security, request target
        hello = struct.pack("<8sII8s8s", b"NTLMSSP\0", 1, flags, bytes(8), bytes(8))
        anonymous = struct.pack("<8sI", b"NTLMSSP\0", 3)
        anonymous += struct.pack("<HHI", 1, 1, 64) + struct.pack("<HHI", 0, 0, 65) * 5
        anonymous += struct.pack("<I", flags | 0x800) + b"\0"
        for token, allowed in ((hello, (MORE_PROCESSING,)), (anonymous, (0,))):
            body = struct.pack("<HBBIIHHQ", 25, 0, 1, 0, 0, 64 + 24, len(token), 0) + token
            self.call(SESSION_SETUP, body, allowed=allowed)

    def _tree_connect(self, path):
        name = path.encode("utf-16-le")
        _, message = self.call(TREE_CONNECT, struct.pack("<HHHH", 9, 0, 64 + 8, len(name)) + name)
        self.tree = struct.unpack_from("<I", message, 36)[0]

    # -- files --------------------------------------------------------------------------------------------

    def create_body(self, name, oplock=OPLOCK_NONE, disposition=3, access=0x0012019F, options=0x40, contexts=()):
        """Body of a CREATE; contexts: (four letters, data)."""
        encoded = name.encode("utf-16-le")
        padded = encoded + bytes(-len(encoded) % 8) if contexts else encoded or b"\0"
        tail = b""
        for i, (tag, data) in enumerate(contexts):
            entry = struct.pack("<HHHHI", 16, 4, 0, 24, len(data)) + tag + bytes(4) + data
            entry += bytes(-(4 + len(entry)) % 8)
            tail += struct.pack("<I", 4 + len(entry) if i + 1 < len(contexts) else 0) + entry
        return struct.pack("<HBBIQQIIIIIHHII", 57, 0, oplock, 2, 0, 0, access, 0x80, 7, disposition, options, 64 + 56,
                           len(encoded), 64 + 56 + len(padded) if contexts else 0, len(tail)) + padded + tail

    def create_send(self, name, **how):
        """Start to open (disposition 1) or open or make (3) a file."""
        return self.send(CREATE, self.create_body(name, **how))

    def create(self, name, allowed=(0,), **how):
        """Open a file; returns its id, or None when it was allowed to fail."""
        status, message = self.wait(self.create_send(name, **how), allowed)
        return None if status else message[64 + 64:64 + 80]

    def close(self, file):
        """CLOSE."""
        self.call(CLOSE, struct.pack("<HHI16s", 24, 0, 0, file))

    def read_send(self, file, offset, size):
        """Send a READ; returns its id."""
        return self.send(READ, struct.pack("<HBBIQ16sIIIHHB", 49, 0x50, 0, size, offset, file, 0, 0, 0, 0, 0, 0), size)

    def read(self, file, offset, size):
        """READ; returns the data."""
        _, message = self.wait(self.read_send(file, offset, size))
        at, length = struct.unpack_from("<xxBxI", message, 64)
        return message[at:at + length]

    def write(self, file, offset, data, flags=0):
        """WRITE; flags: WRITE_THROUGH."""
        body = struct.pack("<HHIQ16sIIHHI", 49, 64 + 48, len(data), offset, file, 0, 0, 0, 0, flags) + data
        self.call(WRITE, body, len(data))

    def flush(self, file):
        """FLUSH."""
        self.call(FLUSH, struct.pack("<HHI16s", 24, 0, 0, file))

    def lock(self, file, offset, size, flags=0x12, allowed=(0,)):
        """LOCK: exclusive and fail at once (0x12), or 4 to unlock. Returns the status."""
        body = struct.pack("<HHI16sQQII", 48, 1, 0, file, offset, size, flags, 0)
        return self.call(LOCK, body, allowed=allowed)[0]

    def echo(self):
        """ECHO."""
        self.call(ECHO, struct.pack("<HH", 4, 0))

    def change_notify_send(self, directory):
        """CHANGE_NOTIFY; the answer comes when something changes. Returns the message id."""
        return self.send(CHANGE_NOTIFY, struct.pack("<HHI16sII", 32, 0, 4096, directory, 0x17, 0))

    def break_acknowledge(self, file):
        """OPLOCK_BREAK acknowledgement: down to none."""
        self.call(OPLOCK_BREAK, struct.pack("<HBBI16s", 24, 0, 0, 0, file))

    def lease_acknowledge(self, key, state):
        """Lease break acknowledgement: down to a state (1 read, 2 handle, 4 write)."""
        self.call(OPLOCK_BREAK, struct.pack("<HHI16sIQ", 36, 0, 0, key, state, 0))

    def cancel(self, message_id):
        """CANCEL of what the server said is pending."""
        while message_id not in self.async_ids:
            self.receive()
        header = struct.pack("<4sHHIHHIIQQQ16s", b"\xfeSMB", 64, 0, 0, CANCEL, 0, ASYNC, 0, message_id,
                             self.async_ids[message_id], self.session, bytes(16))
        body = struct.pack("<HH", 4, 0)
        self.socket.sendall(struct.pack(">I", len(header) + len(body)) + header + body)

    def ioctl(self, file, code, data, room=65536, allowed=(0,)):
        """IOCTL; returns the output buffer."""
        body = struct.pack("<HHI16sIIIIIIII", 57, 0, code, file, 64 + 56, len(data), 0, 0, 0, room, 1, 0) + (data or b"\0")
        status, message = self.call(IOCTL, body, max(len(data), room), allowed)
        if status:
            return b""
        at, length = struct.unpack_from("<II", message, 64 + 32)
        return message[at:at + length]

    def list(self, directory, room=65536):
        """QUERY_DIRECTORY until there is nothing more."""
        name = "*".encode("utf-16-le")
        while True:
            body = struct.pack("<HBBI16sHHI", 33, 37, 0, 0, directory, 64 + 32, len(name), room) + name
            if self.call(QUERY_DIRECTORY, body, room, allowed=(0, NO_MORE_FILES))[0]:
                return

    def compound(self, requests):
        """Related requests in one message: [(command, body)]; waits for all answers."""
        parts, ids = b"", []
        for i, (command, body) in enumerate(requests):
            last = i + 1 == len(requests)
            body += b"" if last else bytes(-len(body) % 8)
            parts += struct.pack("<4sHHIHHIIQIIQ16s", b"\xfeSMB", 64, 1 if self.large else 0, 0, command, 8, RELATED if i else 0,
                                 0 if last else 64 + len(body), self.message_id, 0xfeff, self.tree, self.session,
                                 bytes(16)) + body
            ids.append(self.message_id)
            self.message_id += 1
        self.socket.sendall(struct.pack(">I", len(parts)) + parts)
        for message_id in ids:
            self.wait(message_id)
