# SPDX-License-Identifier: GPL-3.0-or-later
"""Controls: nothing is wrong, so nothing above info may be said. N numbers are those of the catalogue's list."""
from experiments import KIB, LARGE_WINDOWS, MBIT, MIB, Expect, add, get, path, plain, put, smb_read, smb_write, smbd
from network import SERVER

FULL = {"link": (0.85, 1.0)}

add("smb3-read-100m-5ms", Expect(buckets=FULL, transfer=smb_read(8 * MIB)),
    "nothing: SMB 3.1.1 download over 100 Mbit/s, 5 ms", path(100 * MBIT, 5, queue=192 * KIB),
    smbd({"big.bin": 8 * MIB}), get(8 * MIB), keep_all=True)

add("smb3-write-100m-5ms", Expect(buckets=FULL, transfer=smb_write(8 * MIB)),
    "nothing: SMB 3.1.1 upload over 100 Mbit/s, 5 ms", path(100 * MBIT, 5, queue=192 * KIB),
    smbd({}), put(8 * MIB), keep_all=True)

add("smb1-read-100m-5ms",
    Expect(buckets=FULL, transfer=smb_read(8 * MIB, protocol="smb1"),
           note="SMB1 but pipelined by smbclient: smb1-negotiated may be info, smb1-chatty would be wrong (N1)"),
    "nothing: SMB1 download over 100 Mbit/s, 5 ms", path(100 * MBIT, 5, queue=192 * KIB),
    smbd({"big.bin": 8 * MIB}), get(8 * MIB, dialect="NT1"))

add("ftp-retr-100m-10ms",
    Expect(buckets=FULL, transfer={"protocol": "ftp", "direction": "read", "file": "big.bin", "bytes": 8 * MIB}),
    "nothing: FTP download over 100 Mbit/s, 10 ms", path(100 * MBIT, 10),
    ("vsftpd", {"files": {"big.bin": 8 * MIB}}), ("curl", {"args": (["big.bin"],)}), keep_all=True)

add("tcp-deep-queue-10m",
    Expect(buckets={"link": (0.95, 1.0)}, transfer=plain(3 * MIB),
           note="N3: the sender stands at the edge of a 128 KiB window all the time, yet the link is full"),
    "10 Mbit/s with a deep queue and a receive buffer of 128 KiB", path(10 * MBIT, 10, queue=1 * MIB),
    ("tcpload", {"role": "send", "bytes": 3 * MIB}), ("tcpload", {"role": "receive", "rcvbuf": 131072}))

FTP_READ = {"protocol": "ftp", "direction": "read", "file": "big.bin"}


def healthy(name, injected, way, server, client, transfer, buckets=None, note="", **more):
    """A control; info alone may be said."""
    add(name, Expect(buckets=FULL if buckets is None else buckets, transfer=transfer, note=note), injected, way, server, client,
        **more)


# N1: Samba's defaults fill 200 Mbit/s at 10 ms with every dialect
for dialect, words, where in (("NT1", "SMB1", ("middle",)), ("SMB2_02", "SMB 2.0.2", ("client",)),
                              ("SMB2_10", "SMB 2.1", ("server",)), ("SMB3_00", "SMB 3.0", ("middle",)),
                              ("SMB3_11", "SMB 3.1.1", ("client", "server"))):
    tag = dialect.lower().replace("_", "")
    protocol = "smb1" if dialect == "NT1" else "smb2"
    healthy(f"n1-{tag}-get-200m-10ms", f"nothing: {words} download over 200 Mbit/s, 10 ms", path(200 * MBIT, 10, queue=384 * KIB),
            smbd({"big.bin": 8 * MIB}), get(8 * MIB, dialect=dialect), smb_read(8 * MIB, protocol=protocol),
            note="N1: link-limited but for the slow start", buckets={"link": (0.75, 1.0)}, vantages=where, stored=dialect != "SMB3_00")
healthy("n1-nt1-put-200m-10ms", "nothing: SMB1 upload over 200 Mbit/s, 10 ms", path(200 * MBIT, 10, queue=384 * KIB), smbd({}),
        put(8 * MIB, dialect="NT1"), smb_write(8 * MIB, protocol="smb1"), note="N1", buckets={"link": (0.75, 1.0)},
        vantages=("server",))

healthy("n2-lan-gigabit-get", "nothing: SMB 3.1.1 over a LAN of 1 Gbit/s, 0.2 ms", path(1000 * MBIT, 0.2, queue=512 * KIB),
        smbd({"big.bin": 10 * MIB}), get(10 * MIB), smb_read(10 * MIB), buckets={}, busy=True, sysctl=LARGE_WINDOWS, vantages=("client", "middle"),
        note="N2: no word of jumbo frames or of the start's overshoot; 10 MiB last an eighth of a second, so the shares are left open")

healthy("n4-slow-start-overshoot", "one burst of losses when slow start overruns a queue of 260 KiB, 100 Mbit/s, 20 ms",
        path(100 * MBIT, 20, queue=260 * KIB), smbd({"big.bin": 10 * MIB}), get(10 * MIB), smb_read(10 * MIB),
        note="N4: the losses of the start are no cause", buckets={"link": (0.75, 1.0)})

healthy("n8-idle-with-echoes", "an SMB session idles 6 s between two reads and sends echoes", path(100 * MBIT, 5), smbd({"big.bin": 4 * MIB}),
        ("script", {"args": ("smb2play.py", SERVER, "idle", "size=1048576", "count=4"), "bytes": 8 * MIB}), smb_read(4 * MIB), buckets={},
        note="N8: the pause is nobody's fault", vantages=("client", "server"))

healthy("n9-change-notify-pending", "a CHANGE_NOTIFY stays unanswered while files are read", path(100 * MBIT, 1), smbd({"big.bin": 4 * MIB}),
        ("script", {"args": ("smb2play.py", SERVER, "notify"), "bytes": 8 * MIB}), smb_read(4 * MIB), buckets={},
        note="N9: a notification is not a slow answer", vantages=("middle",))

healthy("n10-both-ports", "the client tries 445 and 139 at the same time and drops 139", path(100 * MBIT, 12), smbd({"big.bin": 8 * MIB}, ports=(445, 139)),
        get(8 * MIB, port=None), smb_read(8 * MIB), note="N10: the reset of port 139 is normal", vantages=("client", "server"))

healthy("n12-8mib-reads", "reads of 8 MiB over 200 Mbit/s, 10 ms", path(200 * MBIT, 10, queue=384 * KIB),
        smbd({"big.bin": 10 * MIB}, conf={"smb2 max read": "8388608"}), get(10 * MIB), smb_read(10 * MIB), buckets={"link": (0.75, 1.0)},
        note="N12: an answer of 8 MiB takes a third of a second on the wire, and its server none", vantages=("client", "middle"))

healthy("n13-reordering", "1 % of the segments come 1.5 ms late", path(100 * MBIT, 10, reorder_down=0.01, reorder_delay_down=1500),
        smbd({"big.bin": 8 * MIB}), get(8 * MIB), smb_read(8 * MIB), note="N13 and E17: nothing is lost", buckets={"link": (0.75, 1.0)})

healthy("n14-lan-64k-window", "receive buffer of 64 KiB on a LAN of 0.3 ms, 100 Mbit/s", path(100 * MBIT, 0.3, queue=128 * KIB),
        ("tcpload", {"role": "send", "bytes": 8 * MIB}), ("tcpload", {"role": "receive", "rcvbuf": 65536}), plain(8 * MIB),
        note="N14: a small window is enough here")

healthy("n15-adsl-both-ways", "10 Mbit/s up, 50 Mbit/s down, a put and a get", path(None, 20, rate_up=10 * MBIT, queue_up=64 * KIB,
        rate_down=50 * MBIT, queue_down=256 * KIB), smbd({"big.bin": 6 * MIB}),
        ("smbclient", {"args": (["put up.bin up.bin", "get big.bin /dev/null"],), "bytes": 10 * MIB, "files": {"up.bin": 4 * MIB}}),
        smb_write(4 * MIB), note="N15: both directions fill their link", vantages=("client", "server"))

add("n16-paced-upload",
    Expect("client-think", buckets={"client-think+sender-stalled": (0.60, 1.0)}, transfer=plain(4 * MIB, "write"),
           note="N16: the program limits itself; no cause of the network may be named"),
    "the client writes 64 KiB every 40 ms by its own choice, 10 ms, 100 Mbit/s", path(100 * MBIT, 10), ("tcpload", {"role": "receive"}),
    ("tcpload", {"role": "send", "bytes": 4 * MIB, "pause_us": 40_000}), twin={"client": ("tcpload", {"role": "send", "bytes": 4 * MIB})})

for user, option, words in (("labuser", "sign", "signed"), ("labuser", "encrypt", "encrypted")):
    for dialect, tag in (("SMB3_11", "smb311"), ("SMB3_00", "smb300")) if option == "encrypt" else (
            ("SMB3_11", "smb311"), ("SMB2_02", "smb202"), ("SMB2_10", "smb210"), ("NT1", "nt1")):
        healthy(f"{'n17-' if option == 'encrypt' else ''}{words}-{tag}-get", f"nothing: {words} session, {tag}, 100 Mbit/s, 5 ms",
                path(100 * MBIT, 5, queue=192 * KIB), smbd({"big.bin": 8 * MIB}),
                get(8 * MIB, dialect=dialect, user=user, options=(f"--client-protection={option}",)),
                smb_read(8 * MIB, name="big.bin" if option == "sign" else None, protocol="smb1" if dialect == "NT1" else "smb2"),
                note="N17" if option == "encrypt" else "signing costs nothing here", headers_only=option == "encrypt", vantages=("client",) if tag != "smb311" else ("middle",))

healthy("ipv6-smb3-get", "nothing: SMB 3.1.1 over IPv6, 100 Mbit/s, 5 ms", path(100 * MBIT, 5, queue=192 * KIB), smbd({"big.bin": 8 * MIB}),
        get(8 * MIB), smb_read(8 * MIB), ipv6=True, vantages=("middle",))

healthy("netbios-139-smb1-get", "nothing: SMB1 over the NetBIOS session service (139), 100 Mbit/s, 5 ms", path(100 * MBIT, 5, queue=192 * KIB),
        smbd({"big.bin": 8 * MIB}, ports=(139,)), get(8 * MIB, dialect="NT1", port=139), smb_read(8 * MIB, protocol="smb1"), vantages=("middle",))

healthy("netbios-139-smb3-get", "nothing: SMB 3.1.1 over the NetBIOS session service (139), 100 Mbit/s, 5 ms",
        path(100 * MBIT, 5, queue=192 * KIB), smbd({"big.bin": 8 * MIB}, ports=(139,)), get(8 * MIB, port=139), smb_read(8 * MIB),
        note="reads of 64 KiB but many of them in flight: smb2-no-large-mtu is a note here (E34)", vantages=("client",))

healthy("wan-50ms-get", "nothing: SMB 3.1.1 over a WAN of 20 Mbit/s, 50 ms", path(20 * MBIT, 50, queue=256 * KIB), smbd({"big.bin": 8 * MIB}),
        get(8 * MIB), smb_read(8 * MIB))

for timestamps in (True, False):
    healthy(f"slow-link-6m-3ms{'' if timestamps else '-no-timestamps'}",
            "nothing: 6 Mbit/s over 3 ms, so full segments are further apart than a quarter round trip"
            + ("" if timestamps else "; no timestamps show how long they stood in the queue"),
            path(6 * MBIT, 3), smbd({"big.bin": 3 * MIB // 2}), get(3 * MIB // 2), smb_read(3 * MIB // 2), vantages=("client",),
            sysctl={} if timestamps else {"both": {"tcp_timestamps": 0}}, headers_only=True,
            note="seen at the receiver: nothing but the pace of the packets tells the link from a server that stops")
healthy("no-timestamps-get", "nothing: TCP timestamps off at the client, 100 Mbit/s, 10 ms", path(100 * MBIT, 10), smbd({"big.bin": 8 * MIB}),
        get(8 * MIB), smb_read(8 * MIB), sysctl={"client": {"tcp_timestamps": 0}}, note="E19", vantages=("client", "server"))

healthy("ftp-stor-100m-10ms", "nothing: FTP upload over 100 Mbit/s, 10 ms", path(100 * MBIT, 10), ("vsftpd", {}),
        ("curl", {"args": (["up/"],), "options": ["-T", "LOCAL/up.bin"], "files": {"up.bin": 8 * MIB}}),
        {"protocol": "ftp", "direction": "write", "file": "up.bin", "bytes": 8 * MIB})

healthy("ftp-active-retr", "nothing: FTP download in active mode over 100 Mbit/s, 5 ms", path(100 * MBIT, 5, queue=192 * KIB),
        ("vsftpd", {"files": {"big.bin": 8 * MIB}}), ("curl", {"args": (["big.bin"],), "options": ["-P", "-"]}), {**FTP_READ, "bytes": 8 * MIB},
        vantages=("server",))

healthy("ftp-parallel-files", "nothing: curl fetches four files at the same time, 100 Mbit/s, 10 ms", path(100 * MBIT, 10, queue=512 * KIB),
        ("vsftpd", {"files": {"f": (4, 2 * MIB)}}), ("curl", {"args": (["f[0-3]"],), "options": ["-Z"]}),
        {**FTP_READ, "file": "f0", "bytes": 2 * MIB}, buckets={}, note="each connection gets its share of the link",
        vantages=("client", "middle"))

healthy("iperf3-download", "nothing: iperf3 over 100 Mbit/s, 5 ms", path(100 * MBIT, 5, queue=192 * KIB), ("iperf3", {}),
        ("iperf3", {"args": (["-R", "-n", "8M"],)}), plain(8 * MIB), headers_only=True)

healthy("iperf3-udp-overload", "nothing: iperf3 sends 30 Mbit/s of UDP over 20 Mbit/s, 10 ms, the rest is lost in the queue", path(20 * MBIT, 10, queue=32 * KIB),
        ("iperf3", {}), ("iperf3", {"args": (["-R", "-u", "-b", "30M", "-l", "1400", "-t", "1"],)}), {}, buckets={},
        note="the numbers of the datagrams tell the loss", keep=64, vantages=("client", "server"))

healthy("iperf3-many-connections", "nothing: 16 iperf3 connections share 100 Mbit/s, 10 ms", path(100 * MBIT, 10, queue=512 * KIB), ("iperf3", {}),
        ("iperf3", {"args": (["-R", "-P", "16", "-n", "8M"],)}), plain(512 * KIB), buckets={}, note="each gets its share", headers_only=True, vantages=("client", "middle"))

healthy("bbr-get-100m-20ms", "nothing: the server sends with BBR, 100 Mbit/s, 20 ms", path(100 * MBIT, 20), smbd({"big.bin": 10 * MIB}),
        get(10 * MIB), smb_read(10 * MIB), congestion="bbr", buckets={"link": (0.75, 1.0)}, vantages=("client", "server"))

healthy("loss-3-of-6000", "three segments of six thousand are lost, 100 Mbit/s, 10 ms", path(100 * MBIT, 10, drop_byte_down="2000000:1,5000000:1,7500000:1"),
        smbd({"big.bin": 8 * MIB}), get(8 * MIB), smb_read(8 * MIB), note="too little to matter", buckets={"link": (0.75, 1.0)}, vantages=("middle",))

for way, client, transfer in (("get", get(8 * MIB), smb_read(8 * MIB)), ("put", put(8 * MIB), smb_write(8 * MIB))):
    healthy(f"n5-offload-{way}", f"nothing: segmentation and checksum offload on at both hosts, SMB 3.1.1 {way}, 100 Mbit/s, 5 ms",
            path(100 * MBIT, 5, queue=256 * KIB, offload=1), smbd({"big.bin": 8 * MIB}), client, transfer,
            note="N5 and N7: frames of up to 64 KiB without checksums at the sending host, wire-size frames elsewhere")

healthy("jumbo-frames-get", "nothing: frames of 9000 bytes at both hosts, 200 Mbit/s, 2 ms", path(200 * MBIT, 2, queue=256 * KIB),
        smbd({"big.bin": 10 * MIB}), get(10 * MIB), smb_read(10 * MIB), links={"client": {"mtu": 9000}, "server": {"mtu": 9000}},
        vantages=("client", "middle"))

add("jumbo-hosts-1500-route",
    Expect(buckets={}, transfer=smb_read(10 * MIB), tolerated=("jumbo-frames-missing",),
           note="E24: both SYNs offer 8960, data uses 1448; on 10 MiB the gain is below a tenth of a second, so no finding is due"),
    "hosts with MTU 9000 whose routes are locked to 1500, 1 Gbit/s, 0.3 ms", path(1000 * MBIT, 0.3, queue=512 * KIB),
    smbd({"big.bin": 10 * MIB}), get(10 * MIB), links={"client": {"mtu": 9000}, "server": {"mtu": 9000}},
    route=("mtu", "lock", "1500", "advmss", "8960"), sysctl=LARGE_WINDOWS, busy=True, vantages=("middle",))

healthy("ipv6-ftp-retr", "nothing: FTP download over IPv6 (EPSV), 100 Mbit/s, 5 ms", path(100 * MBIT, 5, queue=192 * KIB),
        ("vsftpd", {"files": {"big.bin": 8 * MIB}}), ("curl", {"args": (["big.bin"],)}), {**FTP_READ, "bytes": 8 * MIB}, ipv6=True,
        vantages=("client",))

# A server that has every answer at once: with 64 and more reads outstanding each waits behind the others for tens of
# milliseconds, and none of that is the server's.
healthy("n18-64-reads-deep-20ms", "nothing: 64 KiB reads, 64 and more outstanding, 100 Mbit/s, 20 ms", path(100 * MBIT, 20, queue=768 * KIB),
        smbd({"big.bin": 8 * MIB}, conf={"smb2 max read": "65536"}), get(8 * MIB), smb_read(8 * MIB), buckets={"link": (0.7, 1.0)},
        sysctl=LARGE_WINDOWS, headers_only=True, keep=192, vantages=("client", "server"),
        note="waiting behind earlier answers is not the server's work")
