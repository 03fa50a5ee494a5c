# SPDX-License-Identifier: GPL-3.0-or-later
"""What an experiment is, and the table of all of them (rows are in experiments_*.py).

An expectation is written here, from what was injected, before any program looks at the capture.
"""
import dataclasses

MS, US = 1000, 1            # delays are in microseconds, one way
MBIT = 1_000_000            # rates in bit/s on the wire
KIB, MIB = 1 << 10, 1 << 20
ALL = ("client", "middle", "server")


@dataclasses.dataclass
class Expect:
    """What a good report says.

    cause: id, or None for a healthy run. also_right: other ids that are as good an answer.
    tolerated: ids that may appear as findings above info. buckets: shares of the main transfer's wall time;
    "a+b" is the sum of two buckets. vantage: buckets that differ at one vantage point. transfer: the main transfer.
    """
    cause: str = None
    also_right: tuple = ()
    tolerated: tuple = ()
    buckets: dict = dataclasses.field(default_factory=dict)
    vantage: dict = dataclasses.field(default_factory=dict)
    transfer: dict = dataclasses.field(default_factory=dict)
    required: tuple = ()
    parts: tuple = ()        # of several causes at once: the ids that name each
    unseen: dict = dataclasses.field(default_factory=dict)  # of them: numbers of those a place of capture cannot see
    note: str = ""


@dataclasses.dataclass
class Experiment:
    """One row: hosts, path, server, client, what is true of it, and the twin without the cause."""
    name: str
    expect: Expect
    injected: str
    path: dict
    server: tuple
    client: tuple
    group: str = ""          # causes, healthy, stories, artefacts, together; empty: causes if there is a cause
    folder: str = ""         # below causes/, when it is not the cause's id
    sysctl: dict = dataclasses.field(default_factory=dict)
    links: dict = dataclasses.field(default_factory=dict)
    congestion: str = "cubic"
    ipv6: bool = False
    seed: int = 1
    snap: int = 256          # bytes kept while recording
    keep: int = 256          # bytes kept of each frame in the stored set
    headers_only: bool = False  # stored frames that do not begin an SMB message end with the TCP header
    keep_all: bool = False   # store all vantage points however large they are
    busy: bool = False       # much traffic: tcpdump needs its block ring
    vantages: tuple = ALL
    before: tuple = ()       # (host, program, ...) started before the client; BIN/ stands for our programs
    route: tuple = ()        # more words for the hosts' routes
    resolver: str = ""       # /etc/resolv.conf of both hosts
    twin: dict = None        # fields to replace; None: no twin
    build: object = None     # of several causes at once: fields of the run in which some are mended, by one flag a cause
    cost_max_s: float = None  # repeat the run until the cause costs less than this
    stored: bool = True

    def group_of(self):
        """Folder of the stored set."""
        return self.group or ("causes" if self.expect.cause else "healthy")

    def twin_experiment(self):
        """The same run with the cause removed."""
        return dataclasses.replace(self, name=self.name + "+twin", twin=None, **self.twin)

    def mended(self, parts):
        """The same run with some of several causes (by number) removed."""
        flags = (number in parts for number in range(len(self.expect.parts)))
        return dataclasses.replace(self, name=self.name + "".join(f"+{number + 1}" for number in parts), **self.build(*flags))


TABLE = {}


def add(name, expect, injected, path, server, client, **more):
    """Add one row to the table."""
    if name in TABLE:
        raise ValueError(f"two experiments are called {name}")
    TABLE[name] = Experiment(name, expect, injected, path, server, client, **more)


# Where the link is fast, the receiver's slow growth of its window must not become the bottleneck by chance: Linux
# sometimes stays near 100 KB for a whole short transfer.
LARGE_WINDOWS = {"both": {"tcp_rmem": "4096 2097152 33554432", "tcp_wmem": "4096 1048576 33554432"}}


def path(rate=None, rtt_ms=0.0, queue=None, **more):
    """Options of the emulator for a symmetric path; queue in bytes (default: two bandwidth-delay products)."""
    options = {"delay": rtt_ms * MS / 2}
    if rate:
        options["rate"] = int(rate)
        options["queue"] = int(queue or max(64 * KIB, 2 * rate * rtt_ms / 8000))
    return {**options, **more}


def smbd(files, **more):
    """smbd with these files."""
    return ("smbd", {"files": files, **more})


def get(size, name="big.bin", **more):
    """smbclient reads one file to nowhere."""
    return ("smbclient", {"args": ([f"get {name} /dev/null"],), "bytes": size, **more})


def put(size, name="up.bin", **more):
    """smbclient writes one file."""
    return ("smbclient", {"args": ([f"put {name} {name}"],), "bytes": size, "files": {name: size}, **more})


def serial(what, file, **more):
    """Our serial SMB client."""
    return ("smbserial", {"args": (what, file), **more})


def smb_read(size, name="big.bin", protocol="smb2"):
    """The main transfer of an SMB download, as the report should name it."""
    return {"protocol": protocol, "direction": "read", "file": name, "bytes": size}


def smb_write(size, name="up.bin", protocol="smb2"):
    """The main transfer of an SMB upload."""
    return {"protocol": protocol, "direction": "write", "file": name, "bytes": size}


def plain(size, direction="read"):
    """The main transfer of a connection whose protocol is unknown."""
    return {"protocol": "other", "direction": direction, "file": None, "bytes": size}


def load_all():
    """Fill the table from all experiments_*.py."""
    if not TABLE:
        import experiments_ftp  # noqa: F401
        import experiments_healthy  # noqa: F401
        import experiments_smb  # noqa: F401
        import experiments_stories  # noqa: F401
        import experiments_tcp  # noqa: F401
        import experiments_together  # noqa: F401
    return TABLE
