#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where reports go, from outside: terminals of any width and kind, pipes that close, disks that are
full. Prints "ok NAME" or "not ok NAME" lines.
"""
import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

PROGRAM = os.path.abspath(os.environ.get("SLOWCOPY_PROGRAM", "build/release/slowcopy"))
SLOW = "testdata/causes/smb-serial-requests/smb3-serial-64k-10ms/client.pcap.gz"
MANY = "testdata/causes/small-files-metadata/smb1-mget-60x4k-20ms/client.pcap.gz"
CAPTURES = (SLOW, MANY, "testdata/healthy/smb3-read-100m-5ms/client.pcap.gz",
            "testdata/healthy/ftp-parallel-files/client.pcap.gz", "testdata/artefacts/half-a-transfer/capture.pcap.gz",
            "testdata/causes/loss-random/smb1-put-loss-1pc/client.pcap.gz")
TIMEOUT_S = 60
ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "LC_ALL", "LANG", "TERM")}
ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def on_terminal(columns, *arguments, **environment):
    """What the program prints on a terminal that wide."""
    pid, descriptor = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.execve(PROGRAM, [PROGRAM, *arguments],
                  {**ENVIRONMENT, "TERM": "xterm", "LC_ALL": "C.UTF-8", **environment})
    output = b""
    while True:
        try:
            data = os.read(descriptor, 1 << 16)
        except OSError:
            break
        if not data:
            break
        output += data
    os.close(descriptor)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status != 0:
        raise ValueError(f"status {status}: {output[-300:]}")
    return output.decode().replace("\r\n", "\n")


def run(*arguments, **environment):
    return subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=TIMEOUT_S, check=False,
                          env={**ENVIRONMENT, "LC_ALL": "C.UTF-8", **environment})


def check_first_screen():
    for capture in CAPTURES:
        lines = on_terminal(80, capture, NO_COLOR="1").splitlines()
        if len(lines) > 24:
            yield f"{capture}: {len(lines)} lines"
        wide = [line for line in lines if len(line) > 80]
        if wide:
            yield f"{capture}: wider than 80: {wide[0]}"
        if not any(line.startswith("VERDICT") for line in lines):
            yield f"{capture}: no verdict"


def check_narrow():
    for capture in CAPTURES:
        for line in on_terminal(40, capture, NO_COLOR="1").splitlines():
            # a command is copied, not read: the terminal breaks it
            if len(line) > 40 and not line.startswith("slowcopy "):
                yield f"{capture}: wider than 40: {line}"


def check_colour():
    coloured = on_terminal(80, SLOW)
    plain = on_terminal(80, SLOW, NO_COLOR="1")
    if not ESCAPE.search(coloured):
        yield "no colour on a terminal"
    if ESCAPE.sub("", coloured) != plain:
        yield "colour says more than words"
    for name, text in (("NO_COLOR", plain), ("TERM=dumb", on_terminal(80, SLOW, TERM="dumb")),
                       ("--color=never", on_terminal(80, "--color=never", SLOW)),
                       ("a pipe", run(SLOW, TERM="xterm").stdout.decode()),
                       ("-v into a pipe", run("-v", SLOW, TERM="xterm").stdout.decode())):
        if "\x1b" in text:
            yield f"{name}: escape sequences"
    if "\x1b" not in run("--color=always", SLOW).stdout.decode():
        yield "--color=always: no colour"


def check_ascii():
    for arguments in ((), ("-v",), ("-q",)):
        for capture in CAPTURES:
            text = run(*arguments, capture, LC_ALL="C").stdout
            if any(byte >= 0x80 for byte in text):
                yield f"{arguments} {capture}: not ASCII where the locale is not UTF-8"
    compared = run("compare", "-v", SLOW, MANY, LC_ALL="C").stdout
    if any(byte >= 0x80 for byte in compared):
        yield "compare is not ASCII where the locale is not UTF-8"


def check_pipes():
    for arguments in (f"-v {MANY}", f"--json {MANY}", f"--html {MANY}", f"--csv {SLOW}", f"compare {SLOW} {MANY}"):
        result = subprocess.run(["bash", "-o", "pipefail", "-c", f"{PROGRAM} {arguments} | head -1"],
                                capture_output=True, timeout=TIMEOUT_S, check=False)
        if result.returncode or result.stderr or result.stdout.count(b"\n") != 1:
            yield f"{arguments} | head -1: {result.returncode} {result.stderr[:200]}"


def check_same_twice():
    with tempfile.TemporaryDirectory(prefix="slowcopy-twice-") as folder:
        for capture in CAPTURES:
            for name, seed in (("a", "1"), ("b", "2")):
                os.makedirs(os.path.join(folder, name), exist_ok=True)
                base = os.path.join(folder, name, "report")
                # the same words, since reports quote the command
                subprocess.run([PROGRAM, "-o", "report", os.path.abspath(capture)], check=True,
                               cwd=os.path.dirname(base), timeout=TIMEOUT_S,
                               env={**ENVIRONMENT, "SLOWCOPY_HASH_SEED": seed})
            for file in sorted(os.listdir(os.path.join(folder, "a"))):
                with open(os.path.join(folder, "a", file), "rb") as a, \
                        open(os.path.join(folder, "b", file), "rb") as b:
                    if a.read() != b.read():
                        yield f"{capture}: {file} is not the same twice"


def check_full_disk():
    """A disk of 64 KiB: which files fit is there whole, for the others one clear line, status 4."""
    script = f"""mount -t tmpfs -o size=64k none "$1" && cp {SLOW} "$1/c.pcap.gz" && cd "$1" &&
        {PROGRAM} -o report c.pcap.gz; echo "status $?"; ls -A; cat report.md | wc -c"""
    with tempfile.TemporaryDirectory(prefix="slowcopy-full-") as folder:
        probe = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "mount", "-t",
                                "tmpfs", "none", folder], capture_output=True, check=False)
        if probe.returncode:
            print("ok a full disk # SKIP this machine lets nobody mount a small disk")
            return
        size = os.path.getsize(SLOW) // 1024 + 16
        script = script.replace("size=64k", f"size={size}k")
        result = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "bash", "-c",
                                 script, "x", folder], capture_output=True, timeout=TIMEOUT_S, check=False)
        text, errors = result.stdout.decode(), result.stderr.decode()
        if "status 4" not in text:
            yield f"full disk: {text} {errors}"
        if len(errors.splitlines()) != 1 or "No space left on device" not in errors:
            yield f"full disk: says {errors!r}"
        names = [line for line in text.splitlines() if line.startswith("report")]
        if "report.html" in names or any(not re.fullmatch(r"report\.(md|json|evidence\.pcapng)", n)
                                         for n in names):
            yield f"full disk: leaves {names}"


def check_no_half_report():
    """Killed while it writes, it leaves the old file or the new one."""
    with tempfile.TemporaryDirectory(prefix="slowcopy-kill-") as folder:
        base = os.path.join(folder, "report")
        subprocess.run([PROGRAM, "-o", base, SLOW], check=True, timeout=TIMEOUT_S)
        whole = {}
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), "rb") as file:
                whole[name] = file.read()
        for after_ms in range(0, 60, 6):
            process = subprocess.Popen([PROGRAM, "-o", base, SLOW])
            try:
                process.wait(after_ms / 1000)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            for name, data in whole.items():
                with open(os.path.join(folder, name), "rb") as file:
                    if file.read() != data:
                        yield f"{name} is half a report after {after_ms} ms"
            for name in os.listdir(folder):
                # what a killed program was writing has another name
                if name not in whole:
                    os.remove(os.path.join(folder, name))


CHECKS = {
    "the first screen fits 24 lines of 80 columns": check_first_screen,
    "40 columns are enough": check_narrow,
    "colour only where it helps": check_colour,
    "ASCII where the locale is not UTF-8": check_ascii,
    "a reader that has seen enough": check_pipes,
    "the same bytes twice": check_same_twice,
    "a full disk": check_full_disk,
    "no half report": check_no_half_report,
}


def main():
    if not os.path.exists(SLOW) or not shutil.which("bash"):
        print("ok reports on terminals and disks # SKIP no testdata")
        return 0
    failed = 0
    for name, check in CHECKS.items():
        found = list(check())
        print(f"{'not ok' if found else 'ok'} {name}")
        for line in found[:8]:
            print(f"    {line}")
        failed += bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
