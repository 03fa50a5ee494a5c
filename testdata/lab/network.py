# SPDX-License-Identifier: GPL-3.0-or-later
"""Two hosts and the path between them: network namespaces, TAP devices, the path emulator, tcpdump.

Everything is named after this process, lives in a temporary folder and is gone when the Network is closed.
No host-wide setting is changed: sysctls are those of the new namespaces, cubic is chosen by route.
"""
import json
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time

LAB = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(LAB))
BUILD = os.path.join(ROOT, "build", "lab")
BIN = os.path.join(BUILD, "bin")

CLIENT, SERVER = "10.77.0.2", "10.77.0.1"
CLIENT6, SERVER6 = "fd77::2", "fd77::1"
DEVICE = "lan0"
MAC = {"client": "02:00:0a:4d:00:02", "server": "02:00:0a:4d:00:01"}
ADDRESS = {"client": (CLIENT, CLIENT6), "server": (SERVER, SERVER6)}
HOSTNAME = {"client": "labclient", "server": "labserver"}

PROGRAMS = {  # our own, built once
    "pathem": (["pathem.c", "path.c", "frame.c", "offload.c"], ["-lm"]),
    "nsrun": (["nsrun.c"], []),
    "tcpload": (["tcpload.c"], []),
    "slowdisk.so": (["slowdisk.c"], ["-fPIC", "-shared", "-ldl"]),
    "smbserial": (["smbserial.c"], ["-I/usr/include/samba-4.0", "-lsmbclient"]),
}


def build_programs():
    """Compile the lab's C programs into build/lab/bin when their sources are newer."""
    os.makedirs(BIN, exist_ok=True)
    headers = [os.path.join(LAB, name) for name in os.listdir(LAB) if name.endswith(".h")]
    for name, (sources, flags) in PROGRAMS.items():
        target = os.path.join(BIN, name)
        paths = [os.path.join(LAB, source) for source in sources]
        newest = max(os.path.getmtime(path) for path in paths + headers)
        if os.path.exists(target) and os.path.getmtime(target) >= newest:
            continue
        subprocess.run(["cc", "-std=gnu17", "-D_GNU_SOURCE", "-O2", "-g", "-Wall", "-Wextra", "-Wshadow",
                        "-o", target] + paths + flags, check=True)


def ensure_tun():
    """A bare root file system may lack the device (misc major 10, minor 200)."""
    if not os.path.exists("/dev/net/tun"):
        os.makedirs("/dev/net", exist_ok=True)
        os.mknod("/dev/net/tun", stat.S_IFCHR | 0o600, os.makedev(10, 200))


def netns_folder_is_mounted():
    """Whether /run/netns is a mount point; `ip netns add` makes it one."""
    with open("/proc/self/mountinfo") as file:
        return any(line.split()[4] in ("/run/netns", "/var/run/netns") for line in file)


def run(*command, check=True):
    """Run a short command quietly and return its standard output."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


class Network:
    """client -- path -- server. Use as a context manager.

    path: options of pathem. sysctl: {"client": {...}, "server": {...}} below net.ipv4.
    links: {"client": {"mtu": 9000, "gso_max_segs": 1}}. snap: bytes kept of each frame (0 = all).
    """

    def __init__(self, path=None, sysctl=None, links=None, congestion="cubic", ipv6=False, seed=1, snap=256,
                 busy=False, resolver="", route=()):
        self.path, self.sysctl, self.links = dict(path or {}), sysctl or {}, links or {}
        self.congestion, self.ipv6, self.seed, self.snap, self.busy = congestion, ipv6, seed, snap, busy
        self.route = list(route)  # more words for the route to the other host
        self.resolver = resolver  # what the hosts find in /etc/resolv.conf
        self.folder = tempfile.mkdtemp(prefix="slowcopy-lab-")
        os.chmod(self.folder, 0o755)
        self.tag = f"sclab{os.getpid()}"
        self.namespaces, self.processes, self.dumps = [], [], []
        self.netns_was_mounted = netns_folder_is_mounted()
        self.emulator, self.report, self.drops_before = None, {}, 0

    # -- life ---------------------------------------------------------------------------------------------

    def __enter__(self):
        try:
            self._make_hosts()
            self._start_emulator()
            for host in ("client", "server"):
                self._configure(host)
            self.drops_before = self._all_device_drops()
            return self
        except BaseException:
            self.close()
            raise

    def __exit__(self, *_):
        self.close()

    def close(self):
        """End every process of this network and remove its namespaces and files."""
        for process in reversed(self.processes):
            end_process(process)
        self.processes = []
        if self.emulator:
            end_process(self.emulator)
            self.emulator = None
        for name in self.namespaces:
            run("ip", "netns", "del", name, check=False)
        self.namespaces = []
        if not self.netns_was_mounted and not os.listdir("/run/netns"):
            run("umount", "/run/netns", check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- set-up -------------------------------------------------------------------------------------------

    def netns(self, host):
        """Name of the namespace of "client", "path" or "server"."""
        return f"{self.tag}{host}"

    def _make_hosts(self):
        for host in ("client", "path", "server"):
            name = self.netns(host)
            run("ip", "netns", "del", name, check=False)
            run("ip", "netns", "add", name)
            self.namespaces.append(name)
            etc = os.path.join(self.folder, f"etc-{host}")
            os.makedirs(etc)
            with open(os.path.join(etc, "hosts"), "w") as out:
                out.write(f"127.0.0.1 localhost\n{SERVER} labserver\n{CLIENT} labclient\n"
                          f"{SERVER6} labserver6\n{CLIENT6} labclient6\n")
            with open(os.path.join(etc, "resolv.conf"), "w") as out:
                out.write(self.resolver)
            with open(os.path.join(etc, "passwd"), "w") as out:
                out.write("root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n"
                          "ftp:x:990:990::/:/bin/false\nlabuser:x:1000:1000::/:/bin/sh\n")
            with open(os.path.join(etc, "group"), "w") as out:
                out.write("root:x:0:\nnogroup:x:65534:\nnobody:x:65534:\nftp:x:990:\nlabuser:x:1000:\n")

    def _start_emulator(self):
        arguments = [f"client=/run/netns/{self.netns('client')}:{DEVICE}",
                     f"server=/run/netns/{self.netns('server')}:{DEVICE}",
                     f"pcap={self.folder}/middle.pcap", f"report={self.folder}/path.json",
                     f"seed={self.seed}", f"snap={self.snap or 262144}"]
        arguments += [f"{name}={value}" for name, value in self.path.items()]
        command = self.inside("path", os.path.join(BIN, "pathem"), *arguments)
        self.emulator = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
        if self.emulator.stdout.readline().strip() != "ready":
            raise RuntimeError("the path emulator did not start")

    def _configure(self, host):
        other = "server" if host == "client" else "client"
        link = {"mtu": 1500, "txqueuelen": 20000, **self.links.get(host, {})}
        settings = {"tcp_no_metrics_save": 1, **self.sysctl.get("both", {}), **self.sysctl.get(host, {})}
        write = 'for pair in "$@"; do echo "${pair#*=}" > "/proc/sys/net/${pair%%=*}" || exit 1; done'
        run(*self.inside(host, "sh"), "-c", write, "sh", f"ipv6/conf/all/disable_ipv6={int(not self.ipv6)}",
            f"ipv6/conf/default/disable_ipv6={int(not self.ipv6)}", "ipv6/conf/default/accept_dad=0",
            "ipv6/conf/default/router_solicitations=0", *(f"ipv4/{key}={value}" for key, value in settings.items()))
        run(*self.inside(host, "ip"), "link", "set", "lo", "up")
        run(*self.inside(host, "ip"), "link", "set", DEVICE, "addrgenmode", "none", "address", MAC[host], *map(str, sum(link.items(), ())))
        run(*self.inside(host, "ip"), "address", "add", f"{ADDRESS[host][0]}/24", "brd", "+", "dev", DEVICE)
        run(*self.inside(host, "ip"), "link", "set", DEVICE, "up")
        route = (["congctl", self.congestion] if self.congestion else []) + self.route
        run(*self.inside(host, "ip"), "route", "replace", "10.77.0.0/24", "dev", DEVICE, "src", ADDRESS[host][0], *route)
        run(*self.inside(host, "ip"), "neighbour", "replace", ADDRESS[other][0], "lladdr", MAC[other], "dev", DEVICE,
            "nud", "permanent")
        if self.ipv6:
            run(*self.inside(host, "ip"), "address", "add", f"{ADDRESS[host][1]}/64", "dev", DEVICE, "nodad", "noprefixroute")
            run(*self.inside(host, "ip"), "route", "replace", "fd77::/64", "dev", DEVICE, *route)
            run(*self.inside(host, "ip"), "neighbour", "replace", ADDRESS[other][1], "lladdr", MAC[other], "dev", DEVICE,
                "nud", "permanent")

    # -- programs -----------------------------------------------------------------------------------------

    def inside(self, host, *program):
        """The command line that runs a program in a host's network and nothing else of it."""
        return [os.path.join(BIN, "nsrun"), f"/run/netns/{self.netns(host)}", "-", "-", *program]

    def command(self, host, *program):
        """The command line that runs a program on a host under that host's name."""
        return [os.path.join(BIN, "nsrun"), f"/run/netns/{self.netns(host)}", HOSTNAME[host],
                os.path.join(self.folder, f"etc-{host}"), *program]

    def start(self, host, *program, env=None, **options):
        """Start a server or another program that runs until close(); output goes to <folder>/log."""
        log = open(os.path.join(self.folder, "log"), "ab")
        process = subprocess.Popen(self.command(host, *program), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                   env={**os.environ, **(env or {})}, start_new_session=True, **options)
        self.processes.append(process)
        return process

    def call(self, host, *program, env=None, timeout=240, check=True, text_in=None):
        """Run a program to its end; returns (seconds, output)."""
        begin = time.monotonic()
        process = subprocess.Popen(self.command(host, *program), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, env={**os.environ, **(env or {})}, text=True,
                                   start_new_session=True)
        self.processes.append(process)
        try:
            output, _ = process.communicate(text_in, timeout=timeout)
        finally:
            end_process(process)
            self.processes.remove(process)
        wall = time.monotonic() - begin
        if check and process.returncode:
            raise RuntimeError(f"{program[0]}: exit {process.returncode}: {output[-2000:]}")
        return wall, output

    def wait_listening(self, port, host="server", seconds=8):
        """Wait until something listens on a TCP port of a host, without connecting to it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if f":{port} " in run(*self.inside(host, "ss", "-Hltn")):
                return
            time.sleep(0.05)
        raise RuntimeError(f"nothing listens on port {port}: {self.log()}")

    def log(self):
        """What the servers printed."""
        try:
            with open(os.path.join(self.folder, "log"), errors="replace") as file:
                return file.read()[-2000:]
        except OSError:
            return ""

    # -- captures -----------------------------------------------------------------------------------------

    def capture_start(self, host, device=DEVICE, name=None):
        """Start tcpdump on a host. A busy network needs the block ring, a quiet one is written at once."""
        file = os.path.join(self.folder, f"{name or host}.pcap")
        errors = open(file + ".log", "w+")
        quick = [] if self.busy else ["--immediate-mode"]
        process = subprocess.Popen(
            self.inside(host, "tcpdump", "-i", device, "-n", "-B", "65536", "-Z", "root",
                        "--time-stamp-precision=nano", "-s", str(self.snap), *quick, "-w", file),
            stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True)
        self.processes.append(process)
        self.dumps.append((process, errors))
        end = time.monotonic() + 5
        while "listening on" not in open(file + ".log").read():
            if time.monotonic() > end:
                raise RuntimeError("tcpdump did not start")
            time.sleep(0.02)

    def capture_stop(self):
        """Stop all tcpdumps and return how many frames their kernels dropped."""
        time.sleep(1.3 if self.busy else 0.4)  # the ring's last block is lost on SIGINT otherwise
        dropped = 0
        for process, errors in self.dumps:
            process.send_signal(signal.SIGINT)
            process.wait(10)
            errors.seek(0)
            for line in errors.read().splitlines():
                if "dropped by" in line:
                    dropped += int(line.split()[0])
            errors.close()
            self.processes.remove(process)
        self.dumps = []
        return dropped

    def emulator_stop(self):
        """End the emulator (the link goes down) and return its report."""
        tap_dropped = self._all_device_drops() - self.drops_before
        end_process(self.emulator)
        self.emulator = None
        with open(os.path.join(self.folder, "path.json")) as file:
            self.report = json.load(file)
        self.report["tap_dropped"] = tap_dropped
        return self.report

    def _all_device_drops(self):
        """Frames that the TAP devices lost because the emulator was too slow to take them."""
        links = [json.loads(run(*self.inside(host, "ip"), "-s", "-j", "link", "show", DEVICE))[0]
                 for host in ("client", "server")]
        return sum(link["stats64"]["tx"]["dropped"] for link in links)


def end_process(process, patience=5):
    """SIGTERM, then SIGKILL, to the session of a process we started."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
        except (ProcessLookupError, PermissionError):
            pass
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            continue
        if sign == signal.SIGTERM:
            continue_children(process.pid)
        return


def continue_children(group):
    """Kill what is left of a process group whose leader has gone."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
