# SPDX-License-Identifier: GPL-3.0-or-later
"""Two and three causes at once, with the twins in which each subset of them is mended. They measure what fixes save one after the other.

`build` makes the fields of a run from which causes are mended; `parts` are the ids that name each cause, in the order of its arguments.
"""
from experiments import KIB, MBIT, MIB, Expect, add, get, path, plain, put, serial, smb_read, smb_write, smbd

SERIAL = ("smb-serial-requests", "smb-small-requests")
WINDOW = ("receive-window-small", "autotuning-restricted")
SMALL = {"socket options": "TCP_NODELAY SO_RCVBUF=16384"}
TINY = {"socket options": "TCP_NODELAY SO_RCVBUF=8192"}


def together(name, injected, parts, build, transfer, tolerated=(), unseen=None, **more):
    """One row with several causes; any of them is a right verdict (which of them is first is judged by the twins' walls).

    unseen: {place: numbers of causes whose packets never get there}."""
    every = tuple(cause for part in parts for cause in part)
    expect = Expect(parts[0][0], also_right=every[1:], tolerated=every + tuple(tolerated), transfer=transfer, parts=parts, unseen=unseen or {})
    add(name, expect, injected, **build(*(False for _ in parts)), group="together", build=build, **more)


def disk(files, us, is_mended, **more):
    """smbd whose reads of the share's files take so long, or not."""
    return smbd(files, disk=None if is_mended else {"READ_US": us, "PATH": "/data/"}, **more)


def read_by(is_serial, size, block=64 * KIB, conf=None, **more):
    """One block at a time, or as smbclient does it."""
    return serial("read", "big.bin", block=block, bytes=size, conf=conf, **more) if is_serial else get(size, conf=conf)


def ftp_read(name, size):
    return {"protocol": "ftp", "direction": "read", "file": name, "bytes": size}


together("two-loss-serial-20ms",
         "1 % of the segments lost at random and one 64 KiB read at a time, 20 ms, 50 Mbit/s",
         (("loss-random", "loss-congestive"), SERIAL),
         lambda loss, requests: {"path": path(50 * MBIT, 20, loss_down=0 if loss else 0.01), "server": smbd({"big.bin": 3 * MIB}),
                                 "client": read_by(not requests, 3 * MIB)},
         smb_read(3 * MIB), seed=21)

for loss_share, tag in ((0.005, ""), (0.02, "-2pc")):
    together(f"two-window-loss{tag}-20ms",
             f"SO_RCVBUF=8192 on the server and {loss_share:.1%} of the segments lost at random, upload, 20 ms, 100 Mbit/s",
             (WINDOW, ("loss-random", "loss-congestive")),
             lambda window, loss, share=loss_share: {"path": path(100 * MBIT, 20, loss_up=0 if loss else share),
                                                     "server": smbd({}, conf={} if window else TINY), "client": put(2 * MIB)},
             smb_write(2 * MIB), tolerated=("tail-loss", "rto-stall", "fast-retransmit"), seed=22)

together("two-window-serial-20ms",
         "SO_RCVBUF=16384 at the client and one 64 KiB read at a time, 20 ms, 100 Mbit/s",
         (WINDOW, SERIAL),
         lambda window, requests: {"path": path(100 * MBIT, 20), "server": smbd({"big.bin": 3 * MIB}),
                                   "client": read_by(not requests, 3 * MIB, conf={} if window else SMALL)},
         smb_read(3 * MIB))

together("two-window-disk-10ms",
         "SO_RCVBUF=16384 at the client and 80 ms for each read of 256 KiB from the server's disk, one at a time, 10 ms, 100 Mbit/s",
         (WINDOW, ("server-slow-read",)),
         lambda window, read: {"path": path(100 * MBIT, 10), "server": disk({"big.bin": 4 * MIB}, 80_000, read),
                               "client": read_by(True, 4 * MIB, 256 * KIB, conf={} if window else SMALL)},
         smb_read(4 * MIB), tolerated=SERIAL)

together("two-window-think-10ms",
         "SO_RCVBUF=16384 on the server and a client that thinks 80 ms after each 256 KiB it writes, 10 ms, 100 Mbit/s",
         (WINDOW, ("client-think",)),
         lambda window, think: {"path": path(100 * MBIT, 10), "server": smbd({}, conf={} if window else SMALL),
                                "client": serial("write", "up.bin", block=256 * KIB, bytes=4 * MIB, think_us=0 if think else 80_000)},
         smb_write(4 * MIB), tolerated=SERIAL)

together("two-login-window-20ms",
         "the FTP server greets 3 s late, and tcp_rmem is limited to 32 kB at the client, download, 20 ms, 100 Mbit/s",
         (("ftp-login-delay", "session-setup-slow"), WINDOW),
         lambda login, window: {"path": path(100 * MBIT, 20), "client": ("curl", {"args": (["big.bin"],)}),
                                "server": ("vsftpd", {"files": {"big.bin": 3 * MIB}, "greet_late": 0.01 if login else 3}),
                                "sysctl": {} if window else {"client": {"tcp_rmem": "4096 32768 32768"}}},
         ftp_read("big.bin", 3 * MIB))

together("two-smb1-disk-20ms",
         "SMB1, one 60 KiB read at a time, and 40 ms for each read of the server's disk, 20 ms, 100 Mbit/s",
         (("server-slow-read",), ("smb1-chatty", "smb-serial-requests", "smb-small-requests", "smb1-small-buffer")),
         lambda read, requests: {"path": path(100 * MBIT, 20), "server": disk({"big.bin": 3 * MIB}, 40_000, read),
                                 "client": get(3 * MIB, dialect="NT1") if requests else
                                 serial("read", "big.bin", block=61440, dialect="NT1", bytes=3 * MIB)},
         smb_read(3 * MIB, protocol="smb1"), tolerated=("smb1-negotiated",))

together("two-ftp-files-slow-start-40ms",
         "twelve files of 120 kB, each with a data connection of its own that begins with ten segments, 40 ms, 100 Mbit/s",
         (("ftp-connection-per-file", "ftp-control-round-trips"), ("slow-start-short",)),
         lambda files, start: {"path": path(100 * MBIT, 40), "route": ("initcwnd", "100", "initrwnd", "100") if start else (),
                               "server": ("vsftpd", {"files": {"f": (12, 120_000), "all": 1_440_000}}),
                               "client": ("curl", {"args": (["all"] if files else ["f[0-11]"],), "bytes": 1_440_000})},
         {"protocol": "ftp", "direction": "read", "file": None, "files": 12, "bytes": 1_440_000})

together("two-open-small-files-10ms",
         "each open takes the server 40 ms and more, and 40 files of 4 kB are read one after the other, 10 ms, 100 Mbit/s",
         (("server-slow-metadata",), ("small-files-metadata",)),
         lambda opens, files: {"path": path(100 * MBIT, 10),
                               "server": smbd({"f": (40, 4096), "one": 163_840}, disk=None if opens else {"OPEN_US": 40_000, "PATH": "/data/"}),
                               "client": ("smbclient", {"args": (["mget one" if files else "mget f*"],), "bytes": 163_840})},
         {"protocol": "smb2", "direction": "read", "file": None, "files": 40, "bytes": 163_840})

together("two-ftp-window-disk-20ms",
         "tcp_rmem is limited to 32 kB at the client, and each read of 64 KiB from the FTP server's disk takes 30 ms, 20 ms, 100 Mbit/s",
         (WINDOW, ("server-slow-read", "ftp-server-stalled")),
         lambda window, read: {"path": path(100 * MBIT, 20), "client": ("curl", {"args": (["big.bin"],)}),
                               "server": ("vsftpd", {"files": {"big.bin": 3 * MIB},
                                                     "disk": None if read else {"READ_US": 30_000, "PATH": "big.bin"}}),
                               "sysctl": {} if window else {"client": {"tcp_rmem": "4096 32768 32768"}}},
         ftp_read("big.bin", 3 * MIB))

together("two-syn-window-20ms",
         "the first two SYNs are lost, and SO_RCVBUF=16384 at the client, 20 ms, 100 Mbit/s",
         (("connect-retries",), WINDOW),
         lambda connect, window: {"path": path(100 * MBIT, 20, **({} if connect else {"drop_syn_up": 2})),
                                  "server": ("tcpload", {"role": "send", "bytes": 2 * MIB}),
                                  "client": ("tcpload", {"role": "receive", **({} if window else {"rcvbuf": 16384})})},
         plain(2 * MIB), unseen={"server": (0,)})

together("two-names-disk-10ms",
         "the first two DNS queries are lost, and each read of the FTP server's disk takes 40 ms, 10 ms, 100 Mbit/s",
         (("name-resolution-delay",), ("server-slow-read", "ftp-server-stalled")),
         lambda names, read: {"path": path(100 * MBIT, 10, **({} if names else {"drop_udp_up": 2})),
                              "server": ("vsftpd", {"files": {"big.bin": 3_000_000},
                                                    "disk": None if read else {"READ_US": 40_000, "PATH": "big.bin"}}),
                              "client": ("curl", {"args": (["big.bin"],), "host": "files.lab.example"}),
                              "before": (("server", "python3", "LAB/nameplay.py", "serve", "10.77.0.1", "files.lab.example"),),
                              "resolver": "nameserver 10.77.0.1\noptions timeout:2\n"},
         ftp_read("big.bin", 3_000_000), unseen={"server": (0,)}, vantages=("client", "server"))

together("three-loss-serial-disk-20ms",
         "1 % of the segments lost at random, one 64 KiB read at a time, and 30 ms for each read of the server's disk, 20 ms, 50 Mbit/s",
         (("loss-random", "loss-congestive"), SERIAL, ("server-slow-read",)),
         lambda loss, requests, read: {"path": path(50 * MBIT, 20, loss_down=0 if loss else 0.01),
                                       "server": disk({"big.bin": 2 * MIB}, 30_000, read), "client": read_by(not requests, 2 * MIB)},
         smb_read(2 * MIB), seed=23)

together("three-window-serial-think-20ms",
         "SO_RCVBUF=16384 at the client, one 64 KiB read at a time, and 40 ms of thinking after each, 20 ms, 100 Mbit/s",
         (WINDOW, SERIAL, ("client-think",)),
         lambda window, requests, think: {"path": path(100 * MBIT, 20), "server": smbd({"big.bin": 2 * MIB}),
                                          "client": serial("read", "big.bin", block=64 * KIB if not requests else 1 * MIB, bytes=2 * MIB,
                                                           think_us=0 if think else 40_000 if not requests else 640_000,
                                                           conf={} if window else SMALL)},
         smb_read(2 * MIB))
