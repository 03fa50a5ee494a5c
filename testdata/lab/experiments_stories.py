# SPDX-License-Identifier: GPL-3.0-or-later
"""What people told of slow copies, played again: each story is a run with its cause, or a control."""
from experiments import KIB, LARGE_WINDOWS, MBIT, MIB, Expect, add, get, path, plain, put, serial, smb_read, smb_write, smbd

GIGABIT = 1000 * MBIT
FTP_READ = {"protocol": "ftp", "direction": "read", "file": "big.bin"}

add("story-smb1-gigabit-10mb",
    Expect("smb1-chatty", also_right=("smb-serial-requests", "smb-small-requests", "smb1-small-buffer"),
           tolerated=("smb-serial-requests", "smb-small-requests", "smb1-small-buffer"), buckets={"round-trip": (0.60, 1.0)},
           transfer=smb_read(12 * MIB, protocol="smb1"),
           note="a gigabit SMB1 copy at 10 MB/s; SMB 3.1.1 by the same hosts cures it, jumbo frames would not"),
    "SMB1 reads of 32 KiB, one at a time, 1 Gbit/s, 3 ms", path(GIGABIT, 3, queue=1 * MIB), smbd({"big.bin": 12 * MIB}),
    serial("read", "big.bin", block=32768, dialect="NT1", bytes=12 * MIB), twin={"client": get(12 * MIB)}, vantages=("client", "server"))

add("story-read-55-write-1",
    Expect("receive-window-small", also_right=("direction-asymmetry",), tolerated=("direction-asymmetry",),
           buckets={"receive-window": (0.80, 1.0)}, transfer=smb_write(2 * MIB),
           note="reads at 55 MB/s, writes at 1 MB/s: the server's receive buffer is 8 KiB"),
    "smb.conf socket options SO_RCVBUF=8192 on the server; one capture holds a put of 2 MiB and a get of 12 MiB, 8 ms, 500 Mbit/s",
    path(500 * MBIT, 8, queue=1 * MIB), smbd({"big.bin": 12 * MIB}, conf={"socket options": "TCP_NODELAY SO_RCVBUF=8192"}),
    ("smbclient", {"args": (["put up.bin up.bin", "get big.bin /dev/null"],), "bytes": 14 * MIB, "files": {"up.bin": 2 * MIB}}),
    twin={"server": smbd({"big.bin": 12 * MIB})}, vantages=("client", "middle"))

add("story-file-manager-10mb",
    Expect("smb-small-requests", also_right=("smb-serial-requests",), tolerated=("smb-serial-requests",),
           buckets={"round-trip": (0.60, 1.0)}, transfer=smb_read(12 * MIB),
           note="a desktop file manager at 10 MB/s where FTP fills the link between the same hosts (story-ftp-same-hosts)"),
    "reads of 32 KiB, one at a time, SMB 3.1.1, 500 Mbit/s, 3 ms", path(500 * MBIT, 3, queue=1 * MIB), smbd({"big.bin": 12 * MIB}),
    serial("read", "big.bin", block=32768, bytes=12 * MIB), twin={"client": get(12 * MIB)}, vantages=("middle",))

add("story-ftp-same-hosts", Expect(transfer={**FTP_READ, "bytes": 14 * MIB}, note="the FTP side of story-file-manager-10mb"),
    "nothing: FTP download over 500 Mbit/s, 3 ms", path(500 * MBIT, 3, queue=1 * MIB), ("vsftpd", {"files": {"big.bin": 14 * MIB}}),
    ("curl", {"args": (["big.bin"],)}), busy=True, sysctl=LARGE_WINDOWS, vantages=("middle",))

for window, cause in (("8K", "receive-window-small"), ("64K", None)):
    add(f"story-iperf-window-{window.lower()}",
        Expect(cause, also_right=("send-buffer-small",) if cause else (), tolerated=("send-buffer-small",) if cause else (),
               transfer=plain(8 * MIB), note="an 8 KB window against one of 64 KB on a LAN"),
        f"iperf3 -w {window}, 1 ms, 200 Mbit/s", path(200 * MBIT, 1, queue=256 * KIB), ("iperf3", {}),
        ("iperf3", {"args": (["-R", "-n", "8M", "-w", window],)}), headers_only=True, vantages=("client", "server"),
        twin={"client": ("iperf3", {"args": (["-R", "-n", "8M", "-w", "64K"],)})} if cause else None)

add("story-nic-at-100m",
    Expect("link-speed-low", also_right=(None,), buckets={"link": (0.85, 1.0)}, transfer=smb_read(12 * MIB),
           note="gigabit hosts whose cable allows 100 Mbit/s; a full link is a right verdict where nothing tells what to expect"),
    "100 Mbit/s, 0.3 ms", path(100 * MBIT, 0.3, queue=128 * KIB), smbd({"big.bin": 12 * MIB}), get(12 * MIB), vantages=("client", "middle"),
    twin={"path": path(GIGABIT, 0.3, queue=512 * KIB)})

add("story-driver-halves-sending",
    Expect("direction-asymmetry", also_right=(None,), buckets={"link": (0.80, 1.0)}, transfer=smb_write(8 * MIB),
           note="the client's driver sends at half of the rate at which it receives; both directions fill what they have"),
    "50 Mbit/s up, 100 Mbit/s down, a put and a get of 8 MiB, 2 ms",
    path(None, 2, rate_up=50 * MBIT, queue_up=128 * KIB, rate_down=100 * MBIT, queue_down=128 * KIB), smbd({"big.bin": 8 * MIB}),
    ("smbclient", {"args": (["put up.bin up.bin", "get big.bin /dev/null"],), "bytes": 16 * MIB, "files": {"up.bin": 8 * MIB}}),
    vantages=("client", "middle"))

for kib in (1, 2, 4, 8, 16, 32):
    size = (1 if kib < 4 else 2 if kib < 16 else 4) * MIB
    add(f"story-netbios-blocks-{kib}k",
        Expect("smb1-chatty", also_right=("smb-small-requests", "smb-serial-requests", "smb1-small-buffer"),
               tolerated=("smb-small-requests", "smb-serial-requests", "smb1-small-buffer") + (("server-slow-read",) if kib < 4 else ()),
               buckets={"round-trip": (0.45, 1.0)}, transfer=smb_read(size, protocol="smb1"),
               note="NetBIOS session throughput by block size" + ("; the server's work for each of a thousand requests shows as well"
                                                                 if kib < 4 else "")),
        f"SMB1 over port 139, reads of {kib} KiB, one at a time, 2 ms, 200 Mbit/s", path(200 * MBIT, 2, queue=256 * KIB),
        smbd({"big.bin": size}, ports=(139,)), serial("read", "big.bin", block=kib * KIB, dialect="NT1", port=139, bytes=size),
        vantages=("client",))

# Full packets, so that a program that has the key can read them; the same transfer unencrypted beside it.
for cipher, tag in (("AES-128-GCM", "aes128gcm"), ("AES-128-CCM", "aes128ccm"), (None, "plain")):
    conf = {"client smb3 encryption algorithms": cipher, "debug encryption": "yes"} if cipher else {}
    add(f"keys-smb311-{tag}",
        Expect(transfer=smb_read(64_000, name=None if cipher else "big.bin"), buckets={},
               note="whole packets; truth.json holds the session's keys" if cipher else "the unencrypted twin of keys-smb311-aes128gcm"),
        f"nothing: {cipher or 'no encryption'}, 64 kB each way, 5 ms", path(100 * MBIT, 5, queue=192 * KIB), smbd({"big.bin": 64_000}),
        ("smbclient", {"args": (["get big.bin /dev/null", "put up.bin up.bin"],), "bytes": 128_000, "files": {"up.bin": 64_000}, "conf": conf,
                       "user": "labuser", "counters": False, "options": ("--client-protection=encrypt",) if cipher else ()}),
        snap=0, keep=65535, vantages=("middle",))
