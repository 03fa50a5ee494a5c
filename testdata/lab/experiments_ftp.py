# SPDX-License-Identifier: GPL-3.0-or-later
"""Causes in FTP. E numbers are those of the catalogue's list of experiments."""
from experiments import MBIT, Expect, add, path

add("ftp-200x3k-10ms",
    Expect("ftp-connection-per-file", also_right=("ftp-control-round-trips",), tolerated=("ftp-control-round-trips",),
           buckets={"connection-setup+round-trip+slow-start+server-processing+session-setup": (0.80, 1.0)},
           transfer={"protocol": "ftp", "direction": "read", "file": None, "files": 200, "bytes": 600_000},
           note="E47: about five round trips a file; the budget is that of the job"),
    "200 files of 3 kB, each with a data connection of its own, 10 ms, 100 Mbit/s", path(100 * MBIT, 10),
    ("vsftpd", {"files": {"f": (200, 3000)}}), ("curl", {"args": (["f[0-199]"],), "bytes": 600_000}))

MANY = {"protocol": "ftp", "direction": "read", "file": None}

add("ftp-40x3k-active-20ms",
    Expect("ftp-connection-per-file", also_right=("ftp-control-round-trips",), tolerated=("ftp-control-round-trips",),
           transfer={**MANY, "files": 40, "bytes": 120_000}, note="E47: the server opens the data connections"),
    "40 files of 3 kB in active mode, 20 ms", path(100 * MBIT, 20), ("vsftpd", {"files": {"f": (40, 3000)}}),
    ("curl", {"args": (["f[0-39]"],), "options": ["-P", "-"], "bytes": 120_000}), vantages=("client", "server"))

add("ftp-lftp-mirror-60-20ms",
    Expect("ftp-control-round-trips", also_right=("ftp-connection-per-file",), tolerated=("ftp-connection-per-file",),
           transfer={**MANY, "files": 60, "bytes": 180_000}, note="SIZE and MDTM before each file"),
    "lftp fetches 60 files of 3 kB one by one and asks size and date of each, 20 ms", path(100 * MBIT, 20),
    ("vsftpd", {"files": {"f": (60, 3000)}}), ("lftp", {"args": ("set ftp:sync-mode on; lcd LOCAL; mget f*",), "bytes": 180_000}))

add("ftp-login-slow",
    Expect("ftp-login-delay", tolerated=("session-setup-slow",),
           transfer={"protocol": "ftp", "direction": "read", "file": "big.bin", "bytes": 1_000_000},
           note="E49: the server looks up the client's name for 4 s before it greets"),
    "the greeting of the server comes 4 s late, 10 ms", path(100 * MBIT, 10),
    ("vsftpd", {"files": {"big.bin": 1_000_000}, "greet_late": 4}), ("curl", {"args": (["big.bin"],)}),
    twin={"server": ("vsftpd", {"files": {"big.bin": 1_000_000}})})

add("ftp-pasv-dead-port",
    Expect("ftp-port-pasv-failure", tolerated=("connect-retries",),
           transfer={"protocol": "ftp", "direction": "read", "file": "big.bin", "bytes": 1_000_000},
           note="E48: the passive port is filtered; after 5 s the client goes on in active mode"),
    "a firewall behind the middle drops the passive ports; the client waits 5 s, then uses active mode, 10 ms",
    path(100 * MBIT, 10, block_from_up=40000, block_to_up=40999),
    ("vsftpd", {"files": {"big.bin": 1_000_000}}), ("script", {"args": ("ftpplay.py", "10.77.0.1", "pasv_then_port"), "bytes": 1_000_000}),
    vantages=("client", "middle"))

add("ftp-active-syn-lost",
    Expect("ftp-active-setup-delay", also_right=("connect-retries",), tolerated=("connect-retries",),
           transfer={"protocol": "ftp", "direction": "read", "file": "big.bin", "bytes": 1_000_000},
           note="the server's SYNs to the client are lost twice, so RETR waits 2 s"),
    "active mode; the first two SYNs of the data connection are lost, 10 ms", path(100 * MBIT, 10, pass_syn_down=1, drop_syn_down=2),
    ("vsftpd", {"files": {"big.bin": 1_000_000}}), ("curl", {"args": (["big.bin"],), "options": ["-P", "-"]}),
    twin={"path": path(100 * MBIT, 10)})

add("ftp-restart-without-rest",
    Expect("ftp-restart", transfer={"protocol": "ftp", "direction": "read", "file": "big.bin", "bytes": 4_000_000},
           note="the download is aborted after 3 MB and begins again from the start"),
    "the client aborts after 3 of 4 MB and fetches the file again without REST, 10 ms, 50 Mbit/s", path(50 * MBIT, 10),
    ("vsftpd", {"files": {"big.bin": 4_000_000}}), ("script", {"args": ("ftpplay.py", "10.77.0.1", "abort_and_again"), "bytes": 7_000_000}),
    twin={"client": ("script", {"args": ("ftpplay.py", "10.77.0.1", "plain"), "bytes": 4_000_000})})

add("ftp-ascii-mode",
    Expect("ftp-ascii-mode", also_right=(None,), tolerated=(),
           transfer={"protocol": "ftp", "direction": "read", "file": "big.bin", "bytes": 4_000_000},
           note="E46: a fact; on this path it costs a few per cent only"),
    "TYPE A download of a text of 4 MB, the server converts line ends, 10 ms, 100 Mbit/s", path(100 * MBIT, 10),
    ("vsftpd", {"files": {"big.bin": 4_000_000}, "conf": {"ascii_download_enable": "YES"}}),
    ("script", {"args": ("ftpplay.py", "10.77.0.1", "ascii"), "bytes": 4_000_000}),
    twin={"client": ("script", {"args": ("ftpplay.py", "10.77.0.1", "plain"), "bytes": 4_000_000})}, vantages=("client", "server"))

add("ftp-server-slow-disk",
    Expect("server-slow-read", also_right=("ftp-server-stalled",), buckets={"sender-stalled+server-processing": (0.50, 0.95)},
           transfer={"protocol": "ftp", "direction": "read", "file": "big.bin", "bytes": 4_000_000},
           note="E40 with vsftpd: each read of its 64 KiB buffer takes 20 ms"),
    "each read of the FTP server's disk takes 20 ms, 1 ms, 100 Mbit/s", path(100 * MBIT, 1),
    ("vsftpd", {"files": {"big.bin": 4_000_000}, "disk": {"READ_US": 20000, "PATH": "big.bin"}}), ("curl", {"args": (["big.bin"],)}),
    twin={"server": ("vsftpd", {"files": {"big.bin": 4_000_000}})})

add("ftp-client-slow-reader",
    Expect("slow-reader", also_right=("zero-window",), tolerated=("zero-window",), buckets={"slow-reader+zero-window": (0.60, 1.0)},
           transfer={"protocol": "ftp", "direction": "read", "file": "big.bin", "bytes": 4_000_000},
           note="the client's program takes 32 KiB every 20 ms"),
    "the FTP client reads 32 KiB every 20 ms with a receive buffer of 128 KiB, 10 ms, 100 Mbit/s", path(100 * MBIT, 10),
    ("vsftpd", {"files": {"big.bin": 4_000_000}}), ("script", {"args": ("ftpplay.py", "10.77.0.1", "slow"), "bytes": 4_000_000}),
    twin={"client": ("script", {"args": ("ftpplay.py", "10.77.0.1", "plain"), "bytes": 4_000_000})})

add("ftp-dns-lost-queries",
    Expect("name-resolution-delay", transfer={"protocol": "ftp", "direction": "read", "file": "big.bin", "bytes": 1_000_000},
           note="the resolver asks again after 2 s"),
    "the first two DNS queries (A and AAAA) for the FTP server are lost, 10 ms", path(100 * MBIT, 10, drop_udp_up=2),
    ("vsftpd", {"files": {"big.bin": 1_000_000}}), ("curl", {"args": (["big.bin"],), "host": "files.lab.example"}),
    before=(("server", "python3", "LAB/nameplay.py", "serve", "10.77.0.1", "files.lab.example"),),
    resolver="nameserver 10.77.0.1\noptions timeout:2\n", twin={"path": path(100 * MBIT, 10)}, vantages=("client", "server"))
