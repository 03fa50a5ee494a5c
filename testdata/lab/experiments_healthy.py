# SPDX-License-Identifier: GPL-3.0-or-later
"""Controls: nothing is wrong, so nothing above info may be said. N numbers are those of the catalogue's list."""
from experiments import KIB, MBIT, MIB, Expect, add, get, path, plain, put, smb_read, smb_write, smbd

FULL = {"link": (0.85, 1.0)}

add("smb3-read-100m-5ms", Expect(buckets=FULL, transfer=smb_read(12 * MIB)),
    "nothing: SMB 3.1.1 download over 100 Mbit/s, 5 ms", path(100 * MBIT, 5, queue=192 * KIB),
    smbd({"big.bin": 12 * MIB}), get(12 * MIB))

add("smb3-write-100m-5ms", Expect(buckets=FULL, transfer=smb_write(12 * MIB)),
    "nothing: SMB 3.1.1 upload over 100 Mbit/s, 5 ms", path(100 * MBIT, 5, queue=192 * KIB),
    smbd({}), put(12 * MIB))

add("smb1-read-100m-5ms",
    Expect(buckets=FULL, transfer=smb_read(12 * MIB, protocol="smb1"),
           note="SMB1 but pipelined by smbclient: smb1-negotiated may be info, smb1-chatty would be wrong (N1)"),
    "nothing: SMB1 download over 100 Mbit/s, 5 ms", path(100 * MBIT, 5, queue=192 * KIB),
    smbd({"big.bin": 12 * MIB}), get(12 * MIB, dialect="NT1"))

add("ftp-retr-100m-10ms",
    Expect(buckets=FULL, transfer={"protocol": "ftp", "direction": "read", "file": "big.bin", "bytes": 12 * MIB}),
    "nothing: FTP download over 100 Mbit/s, 10 ms", path(100 * MBIT, 10),
    ("vsftpd", {"files": {"big.bin": 12 * MIB}}), ("curl", {"args": (["big.bin"],)}))

add("tcp-deep-queue-10m",
    Expect(buckets={"link": (0.95, 1.0)}, transfer=plain(3 * MIB),
           note="N3: the sender stands at the edge of a 128 KiB window all the time, yet the link is full"),
    "10 Mbit/s with a deep queue and a receive buffer of 128 KiB", path(10 * MBIT, 10, queue=1 * MIB),
    ("tcpload", {"role": "send", "bytes": 3 * MIB}), ("tcpload", {"role": "receive", "rcvbuf": 131072}))
