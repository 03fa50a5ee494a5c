#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs test programs and check commands, prints what failed and, as its last line, the sum.

A test program is one built with Criterion; each of its tests counts. A command (NAME=COMMAND)
counts as one test, unless it prints lines "ok NAME" and "not ok NAME" itself. A report of a
sanitizer counts as a failure even where the program goes on to succeed: Criterion does not notice
leaks found in its child processes.
"""

import argparse
import concurrent.futures
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time


class Outcome:
    def __init__(self, name):
        self.name = name
        self.passed = 0
        self.failed = []
        self.skipped = []
        self.output = ""
        self.seconds = 0.0


def environment(log_prefix):
    env = dict(os.environ)
    # leaks and undefined behaviour become files, wherever in a tree of processes they happen
    env["ASAN_OPTIONS"] = f"log_path={log_prefix}:detect_leaks=1:strict_string_checks=1"
    env["UBSAN_OPTIONS"] = "print_stacktrace=1"
    env["LC_ALL"] = "C.UTF-8"
    env["TZ"] = "UTC"
    return env


def run(command, env, timeout):
    """Exit status and output; the whole process group is ended when the time is over."""
    try:
        process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                   start_new_session=True, shell=isinstance(command, str))
    except OSError as error:
        return 127, str(error)
    try:
        output, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return None, output.decode(errors="replace")
    return process.returncode, output.decode(errors="replace")


TAP = re.compile(r"^(ok|not ok)\b(?:\s+-)?\s+(.*?)\s*(#\s*SKIP.*)?$", re.IGNORECASE)


def count_tap(text, outcome):
    for line in text.splitlines():
        match = TAP.match(line)
        if not match:
            continue
        name = match.group(2)
        if match.group(3):
            outcome.skipped.append(name)
        elif match.group(1) == "ok":
            outcome.passed += 1
        else:
            outcome.failed.append(name)


def run_one(name, command, is_program, timeout, work):
    outcome = Outcome(name)
    log_prefix = os.path.join(work, name + ".sanitizer")
    tap = os.path.join(work, name + ".tap")
    started = time.monotonic()
    if is_program:
        arguments = [command, f"--tap={tap}", "-j1", f"--timeout={timeout}"]
    else:
        arguments = command
    status, outcome.output = run(arguments, environment(log_prefix), timeout)
    outcome.seconds = time.monotonic() - started

    if is_program and os.path.exists(tap):
        with open(tap, encoding="utf-8", errors="replace") as file:
            count_tap(file.read(), outcome)
    elif not is_program:
        count_tap(outcome.output, outcome)
        if not outcome.passed and not outcome.failed and status == 0:
            outcome.passed = 1
    if status is None:
        outcome.failed.append(f"not finished after {timeout} s")
    elif status != 0 and not outcome.failed:
        outcome.failed.append(f"exit status {status}")
    elif is_program and not outcome.passed and not outcome.failed and not outcome.skipped:
        outcome.failed.append("ran no test")
    # a test that stopped in the middle leaks; that is no failure of its own
    has_failed = bool(outcome.failed)
    for path in sorted(glob.glob(log_prefix + ".*")):
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        if has_failed and "LeakSanitizer" in text:
            continue
        outcome.output += text
        outcome.failed.append("report of a sanitizer")
    return outcome


def show(outcome):
    state = "FAIL" if outcome.failed else "ok"
    skipped = f", {len(outcome.skipped)} skipped" if outcome.skipped else ""
    print(f"{state:>4}  {outcome.name}: {outcome.passed} passed{skipped}  ({outcome.seconds:.1f} s)")
    if outcome.failed:
        print("\n".join(line for line in outcome.output.rstrip().splitlines()
                        if not line.startswith("ok ")))
        for name in outcome.failed:
            print(f"      failed: {outcome.name}: {name}")
    for name in outcome.skipped:
        print(f"      skipped: {name}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=600, help="seconds for one program")
    parser.add_argument("--command", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()

    work = tempfile.mkdtemp(prefix="slowcopy-tests-")
    jobs = [(os.path.basename(p), os.path.abspath(p), True) for p in options.programs]
    jobs += [(*c.split("=", 1), False) for c in options.command]
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = [pool.submit(run_one, *job, options.timeout, work) for job in jobs]
        for future in concurrent.futures.as_completed(futures):
            outcome = future.result()
            show(outcome)
            passed += outcome.passed
            failed += len(outcome.failed)
    shutil.rmtree(work, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
