#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the table of `slowcopy monitor` on a terminal and prints "ok NAME" or "not ok NAME".

tmux is the terminal that is looked at; a pseudo-terminal shows how much is written to it and whether
it is given back as it was. SLOWCOPY_PROGRAM names the program.
"""

import fcntl
import glob
import os
import pty
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

from monitor_check import PROGRAM, failures, parse_lines, report, wait_for

CAPTURES = [sorted(glob.glob(f"testdata/causes/{cause}/*/client.pcap.gz"))[0] for cause in
            ("smb-serial-requests", "zero-window", "ftp-restart", "loss-random")]
COMMAND = [PROGRAM, "monitor", *(word for path in CAPTURES for word in ("-r", path))]
LOCALE = {"LC_ALL": "C.UTF-8"}


class Screen:
    """A terminal of tmux with a shell in it."""

    def __init__(self, columns, lines, folder):
        self.socket = os.path.join(folder, f"tmux-{columns}")
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(lines),
                  "env", "PS1=READY> ", "LC_ALL=C.UTF-8", "sh")

    def tmux(self, *words):
        return subprocess.run(["tmux", "-S", self.socket, *words], capture_output=True, text=True,
                              check=False).stdout

    def type(self, *keys):
        self.tmux("send-keys", *keys)

    def text(self):
        return self.tmux("capture-pane", "-p")

    def shows(self, *words, seconds=15):
        return wait_for(lambda: all(word in self.text() for word in words), seconds)

    def run(self, *words):
        self.type("clear; " + " ".join(words), "Enter")

    def close(self):
        self.tmux("kill-server")


def check_screen(columns, lines, folder):
    name = f"the table on a terminal of {columns} by {lines}"
    screen = Screen(columns, lines, folder)
    problems = []

    def expect(what, *words, absent=()):
        if not screen.shows(*words) or any(word in screen.text() for word in absent):
            problems.append(f"{what}:\n{screen.text()}")
    try:
        screen.run(*COMMAND)
        expect("rows and causes", "END OF INPUT", "CLIENT", "SERVER", "smb-serial-requests",
               "zero-window", "loss-random", "10.77.0.2", "q quit")
        if max(len(line) for line in screen.text().splitlines()) > columns:
            problems.append("a line is too long")
        screen.type("s", "s")
        expect("sorting by time lost", "sort: time lost")
        rates = [line for line in screen.text().splitlines() if " < " in line or " > " in line]
        if not rates or "zero-window" not in rates[0]:
            problems.append("what lost most is not at the top")
        screen.type("/", "zero", "Enter")
        # the first line names the captures, whose paths name their causes
        expect("a filter", "filter: zero", "zero-window", absent=("up.bin", "big.bin "))
        screen.type("Enter")
        expect("the budget of one", "receiver full", "####", "confidence", "Esc or Enter")
        screen.type("Escape")
        expect("back from it", "filter: zero", "CLIENT")
        screen.type("p")
        expect("a pause", "PAUSED")
        screen.tmux("resize-window", "-x", "60", "-y", "12")
        expect("another size", "PAUSED", "CLIENT")
        screen.type("q")
        expect("the terminal given back", "READY>", absent=("CLIENT",))
        for death in ("TERM", "SEGV", "ABRT"):
            screen.run(*COMMAND, "--speed", "0.1")
            expect("it runs", "q quit")
            screen.type("")
            pids = subprocess.run(["pgrep", "-f", f"^{PROGRAM} monitor.*--speed 0.1"],
                                  capture_output=True, text=True, check=False).stdout.split()
            tty = screen.tmux("display-message", "-p", "#{pane_tty}").strip()
            for pid in pids:
                if os.path.exists(f"/proc/{pid}/fd/1") and os.readlink(f"/proc/{pid}/fd/1") == tty:
                    os.kill(int(pid), getattr(signal, "SIG" + death))
            expect(f"SIG{death}", "READY>", absent=("CLIENT",))
            screen.run("stty", "-a")
            expect(f"modes after SIG{death}", " icanon", " echo ", absent=("-icanon", "-echo "))
    finally:
        screen.close()
    report(name, "\n".join(problems) or None)


def check_pty():
    """What is written to a terminal, and its modes before and after."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    before = termios.tcgetattr(side)
    process = subprocess.Popen([*COMMAND, "--speed", "1"], stdin=side, stdout=side, stderr=side,
                               env=dict(os.environ, TERM="xterm", **LOCALE))
    os.set_blocking(main, False)
    written, end = 0, time.monotonic() + 5
    while time.monotonic() < end:
        try:
            written += len(os.read(main, 65536))
        except BlockingIOError:
            time.sleep(0.02)
    os.write(main, b"q")
    last, end = b"", time.monotonic() + 30
    while process.poll() is None and time.monotonic() < end:
        try:
            last += os.read(main, 65536)
        except BlockingIOError:
            time.sleep(0.02)
    time.sleep(0.1)
    try:
        last += os.read(main, 65536)
    except BlockingIOError:
        pass
    status = process.wait(10)
    report("q ends it with 0 and leaves the terminal's modes as they were",
           None if status == 0 and termios.tcgetattr(side) == before and b"\x1b[?1049l" in last
           else f"{status} {termios.tcgetattr(side) == before} {last[-200:]}")
    # twice a second, and only what changed: a whole screen is 2000 characters
    report("little is written to the terminal", None if 200 < written < 5 * 2 * 2000
           else f"{written} bytes in five seconds")
    os.close(main)
    os.close(side)


def check_hang_up():
    """A terminal window that is closed ends it."""
    main, side = pty.openpty()
    process = subprocess.Popen([*COMMAND, "--speed", "0.1"], stdin=side, stdout=side, stderr=side,
                               start_new_session=True, env=dict(os.environ, TERM="xterm", **LOCALE))
    os.close(side)
    time.sleep(1)
    os.read(main, 65536)
    os.close(main)
    try:
        process.wait(15)
        report("a terminal that is closed ends it")
    except subprocess.TimeoutExpired:
        process.kill()
        report("a terminal that is closed ends it", "it goes on")


def check_lines():
    """Without a terminal, with --json or on a dumb one: lines."""
    main, side = pty.openpty()
    for name, arguments, term in (("--json", ["--json"], "xterm"), ("TERM=dumb", [], "dumb")):
        with tempfile.TemporaryFile() as out:
            process = subprocess.Popen([*COMMAND, *arguments], stdin=side, stdout=side,
                                       stderr=out, env=dict(os.environ, TERM=term, **LOCALE))
            got = b""
            os.set_blocking(main, False)
            # what a terminal has not been read yet comes after the end, a piece at a time
            quiet = 0
            while process.poll() is None or quiet < 10:
                try:
                    got += os.read(main, 65536)
                    quiet = 0
                except BlockingIOError:
                    quiet += 1
                    time.sleep(0.02)
        try:
            events = parse_lines(got.decode().replace("\r\n", "\n"))
            report(f"lines on a terminal with {name}", None if events[-1]["event"] == "stop" else got)
        except ValueError as problem:
            report(f"lines on a terminal with {name}", str(problem))
    os.close(main)
    os.close(side)


def main():
    check_pty()
    check_hang_up()
    check_lines()
    if not shutil.which("tmux"):
        report("the table on a terminal", skip="tmux is not installed")
    else:
        with tempfile.TemporaryDirectory(prefix="slowcopy-table-") as folder:
            check_screen(80, 24, folder)
            check_screen(200, 50, folder)
    return 1 if failures() else 0


if __name__ == "__main__":
    sys.exit(main())
