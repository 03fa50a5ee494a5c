# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one experiment: network, server, captures, client, twin; writes captures, truth.json and expect.json."""
import dataclasses
import itertools
import os
import shutil
import sys
import time

import jsonfile
import pcapfile
from clients import run_client
from network import BIN, LAB, Network
from servers import START, versions

ATTEMPTS = 3
REPEATS = 3   # of a run with several causes and of each of its twins: the one in the middle counts
# Beyond these a run says more about the machine than about the path; see README.md.
LATE_P99_US_MAX = 600
CLOCK_STEP_US_MAX = 2000


def disturbed(controls):
    """Why a run cannot be trusted, or None."""
    if controls["capture_dropped"] or controls["tap_dropped"] or controls["write_failed"]:
        return "frames lost by the laboratory"
    if controls["late_p99_us"] > LATE_P99_US_MAX:
        return f"emulator late by {controls['late_p99_us']} us"
    if abs(controls["clock_step_us"]) > CLOCK_STEP_US_MAX:
        return "clock step"
    return None


def measure(experiment, folder=None):
    """One run; the captures go to a folder if one is given. Returns the client's result with controls and drops."""
    network = Network(path=experiment.path, sysctl=experiment.sysctl, links=experiment.links, ipv6=experiment.ipv6,
                      congestion=experiment.congestion, seed=experiment.seed, snap=experiment.snap,
                      busy=experiment.busy, resolver=experiment.resolver, route=experiment.route)
    with network as net:
        kind, parameters = experiment.server
        START[kind](net, **parameters)
        for host, *program in experiment.before:
            net.start(host, *(part.replace("BIN/", BIN + "/").replace("LAB/", LAB + "/") for part in program))
        if experiment.before:
            time.sleep(0.5)  # they say nothing when they are ready
        if folder:
            for host in ("client", "server"):
                if host in experiment.vantages:
                    net.capture_start(host)
        wall, mono = time.time(), time.monotonic()
        result = run_client(net, experiment.client)
        step = (time.time() - wall) - (time.monotonic() - mono)
        capture_dropped = net.capture_stop() if folder else 0
        report = net.emulator_stop()
        result["controls"] = {"capture_dropped": capture_dropped, "tap_dropped": report["tap_dropped"],
                              "write_failed": report["write_failed"], "late_p50_us": report["late_p50_us"],
                              "late_p99_us": report["late_p99_us"], "late_max_us": report["late_max_us"],
                              "clock_step_us": round(step * 1e6, 1)}
        result["span_s"] = pcapfile.span_s(os.path.join(net.folder, "middle.pcap"), is_plain(experiment))
        result["path"] = {way: report[way] for way in ("up", "down")}
        if folder:
            os.makedirs(folder, exist_ok=True)
            for vantage in experiment.vantages:
                shutil.copyfile(os.path.join(net.folder, f"{vantage}.pcap"), os.path.join(folder, f"{vantage}.pcap"))
    return result


def measure_undisturbed(experiment, folder=None):
    """Repeat a run until its controls say it was not disturbed; the last attempt stands with a warning."""
    for attempt in range(ATTEMPTS):
        result = measure(experiment, folder)
        why = disturbed(result["controls"])
        if not why:
            break
        print(f"  {experiment.name}: {why}, attempt {attempt + 1}", file=sys.stderr)
    result["controls"]["disturbed"] = why
    return result


def measure_middle(experiment, folder=None):
    """The undisturbed run whose wall is in the middle of several, with other random numbers each; "walls_s" has all."""
    results = []
    for attempt in range(2 * REPEATS):
        part = f"{folder}-{attempt}" if folder else None
        result = measure_undisturbed(dataclasses.replace(experiment, seed=experiment.seed + 100 * attempt), part)
        if not result["controls"]["disturbed"]:
            results.append((result["wall_s"], attempt, result))
        if len(results) == REPEATS:
            break
    results.sort()
    if len(results) < REPEATS:
        raise RuntimeError(f"{experiment.name}: disturbed again and again")
    _, chosen, result = results[REPEATS // 2]
    for attempt in range(2 * REPEATS) if folder else ():
        if attempt == chosen:
            shutil.move(f"{folder}-{attempt}", folder)
        else:
            shutil.rmtree(f"{folder}-{attempt}", ignore_errors=True)
    return {**result, "walls_s": [round(wall, 6) for wall, _, _ in results], "seed": experiment.seed + 100 * chosen}


def subsets(count):
    """Numbers of the causes that are mended in each twin: one alone, then two, then more."""
    return [chosen for size in range(1, count + 1) for chosen in itertools.combinations(range(count), size)]


def run_together(experiment, folder):
    """A run with several causes, and a twin for each subset of them that is mended. Returns the truth."""
    result = measure_middle(experiment, folder)
    truth = truth_of(dataclasses.replace(experiment, seed=result["seed"]), result, None)
    truth["walls_s"] = result["walls_s"]
    truth["twins"] = []
    for chosen in subsets(len(experiment.expect.parts)):
        twin = measure_middle(experiment.mended(chosen))
        truth["twins"].append({"mended": [experiment.expect.parts[number][0] for number in chosen],
                               "wall_s": round(twin["wall_s"], 6), "walls_s": twin["walls_s"], "bytes": twin["bytes"]})
    # what saves most by itself stands first: the order is part of the truth
    truth["twins"].sort(key=lambda twin: (len(twin["mended"]), twin["wall_s"]))
    return truth


def rate(result):
    """Bytes per second, or None."""
    return round(result["bytes"] / result["wall_s"]) if result["wall_s"] > 0 and result["bytes"] else None


def describe(step):
    """A server's or client's parameters as they may stand in truth.json."""
    kind, parameters = step
    return {"kind": kind, **{key: value for key, value in parameters.items()}}


def truth_of(experiment, result, twin):
    """The truth beside the capture."""
    truth = {"name": experiment.name, "cause": experiment.expect.cause, "injected": experiment.injected,
             "path": experiment.path, "server": describe(experiment.server), "client": describe(experiment.client),
             "sysctl": experiment.sysctl, "links": experiment.links, "congestion": experiment.congestion,
             "ipv6": experiment.ipv6, "seed": experiment.seed, "wall_s": round(result["wall_s"], 6),
             "span_s": result.get("span_s"), "bytes": result["bytes"], "bytes_per_s": rate(result), "kernel": result.get("kernel"),
             "steps": result.get("steps"), "emulator": result["path"], "controls": result["controls"],
             "versions": versions(), "twin": None}
    if twin:
        truth["twin"] = {"name": experiment.name + "+twin", "wall_s": round(twin["wall_s"], 6), "span_s": twin.get("span_s"),
                         "bytes": twin["bytes"], "bytes_per_s": rate(twin), "steps": twin.get("steps"),
                         "kernel": twin.get("kernel"), "controls": twin["controls"]}
    if result.get("session_keys"):
        truth["session_keys"] = result["session_keys"]
    return truth


def is_plain(experiment):
    """Whether nothing but the data passes."""
    return experiment.expect.transfer.get("protocol") == "other"


def saved_by_twin(experiment, truth):
    """Seconds that the copy took less without the cause: by what the client measured where its clock runs around one file alone, else by the
    packets. The clock of others also holds what no packet shows: programs that start, logins, reading on after the last packet; or it
    begins after the login, where a job does not."""
    twin = truth["twin"]
    is_file = experiment.expect.transfer.get("protocol", "").startswith("smb") and not experiment.expect.transfer.get("files")
    spans = truth.get("span_s"), twin.get("span_s")
    if is_file or experiment.before or None in spans:
        return truth["wall_s"] - twin["wall_s"]
    return spans[0] - spans[1]


def expect_of(experiment, truth):
    """The expectation beside the capture; the saving is the twin's, plus or minus a fifth."""
    expect = dataclasses.asdict(experiment.expect)
    expect["saved_s"] = None
    if truth["twin"] and experiment.expect.cause:
        saved = saved_by_twin(experiment, truth)
        expect["saved_s"] = [round(0.8 * saved, 4), round(1.2 * saved, 4)]
        expect["saved_measured_s"] = round(saved, 4)
    return expect


def run_with_twin(experiment, folder):
    """A run with one cause, and its twin. Returns the truth."""
    for _ in range(ATTEMPTS):
        result = measure_undisturbed(experiment, folder)
        twin = measure_undisturbed(experiment.twin_experiment()) if experiment.twin else None
        if experiment.cost_max_s is None or result["wall_s"] - twin["wall_s"] < experiment.cost_max_s:
            break
    return truth_of(experiment, result, twin)


def run_experiment(experiment, out):
    """Run an experiment and its twin and write <out>/<name>/. Returns the truth."""
    folder = os.path.join(out, experiment.name)
    shutil.rmtree(folder, ignore_errors=True)
    if experiment.build:
        truth = run_together(experiment, folder)
    else:
        truth = run_with_twin(experiment, folder)
    for name, content in (("truth.json", truth), ("expect.json", expect_of(experiment, truth))):
        jsonfile.write(os.path.join(folder, name), content)
    return truth
