# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares what slowcopy says of a recorded run with what is true of it."""
import glob
import json
import os
import statistics
import subprocess

import jsonfile
from network import ROOT

TESTDATA = os.path.join(ROOT, "testdata")
SINGLE = ("causes", "healthy", "artefacts")  # with one cause or none; runs with several are judged by fixes.py, too
GROUPS = (*SINGLE, "together")
TIMEOUT_S = 120


def find_slowcopy(given=None):
    """The program to judge, or None."""
    places = [given] if given else [os.path.join(ROOT, "slowcopy"), os.path.join(ROOT, "build/release/slowcopy")]
    return next((path for path in places if path and os.access(path, os.X_OK)), None)


def report_of(slowcopy, capture, options=()):
    """slowcopy's JSON report of one capture; {"failed": text} if there is none."""
    try:
        done = subprocess.run([slowcopy, "analyze", "--json", *options, capture], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=TIMEOUT_S)
        return json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError) as error:
        return {"failed": str(error)[:80]}


def main_transfer(report, wanted):
    """The transfer or job an expectation speaks of: by file and direction, then by size, then the longest."""
    found = [(bool(wanted.get("files")) == is_job, item)
             for is_job, kind in ((False, "transfers"), (True, "jobs")) for item in report.get(kind) or []]

    def likeness(entry):
        is_kind, item = entry
        name = wanted.get("file")
        return (bool(name) and str(item.get("file") or "").replace("\\", "/").endswith(name), is_kind,
                item.get("direction") == wanted.get("direction"),
                -abs((item.get("bytes") or 0) - (wanted.get("bytes") or 0)), item.get("duration_ns") or 0)
    return max(found, key=likeness)[1] if found else None


def shares_of(transfer):
    """{bucket: share of wall time}."""
    wall = (transfer or {}).get("duration_ns") or 0
    return {entry["bucket"]: entry["ns"] / wall for entry in transfer.get("budget", [])} if wall else {}


def bucket_misses(expect, vantage, shares):
    """Expected buckets whose share is out of range: [(bucket, share, low, high)]."""
    ranges = {**expect.get("buckets", {}), **expect.get("vantage", {}).get(vantage, {})}
    misses = []
    for bucket, (low, high) in ranges.items():
        share = sum(shares.get(name, 0) for name in bucket.split("+"))
        if not low - 0.005 <= share <= high + 0.005:
            misses.append((bucket, share, low, high))
    return misses


def window_seconds(folder, row):
    """(kernel, ours): seconds the sender's kernel says the receive window held it, and what the budget says; None without."""
    path = os.path.join(folder, "truth.json")
    kernel = (jsonfile.read(path).get("kernel") or {}) if os.path.exists(path) else {}
    senders = [side for side in kernel.values() if isinstance(side, dict) and side.get("busy_s")]
    if not senders or not row["duration_s"]:
        return None
    ours = sum(row["shares"].get(name, 0) for name in ("receive-window", "slow-reader", "zero-window"))
    return max(side.get("rwnd_limited_s") or 0 for side in senders), ours * row["duration_s"]


def judge(slowcopy, capture, expect):
    """One row: what was expected, what was given, and how they compare."""
    vantage = os.path.basename(capture).split(".")[0]
    report = report_of(slowcopy, capture, expect.get("options") or ())
    row = {"run": os.path.basename(os.path.dirname(capture)), "vantage": vantage, "expected": expect["cause"],
           "given": None, "result": "failed", "false": [], "misses": [], "shares": {}, "saved": None, "rtt_share": 0, "duration_s": 0, "window": None,
           "measured_s": expect.get("saved_measured_s"), "error": report.get("failed")}
    if "failed" in report:
        return row
    accepted = {expect["cause"], *expect.get("also_right", ())}
    row["given"] = (report.get("verdict") or {}).get("cause")
    if row["given"] in accepted:
        row["result"] = "right"
    else:
        row["result"] = "missed" if row["given"] is None else "wrong"
    findings = report.get("findings") or []
    allowed = accepted | set(expect.get("tolerated", ())) | set(expect.get("required", ()))
    row["false"] = sorted({finding["cause"] for finding in findings
                           if finding["severity"] != "info" and finding["cause"] not in allowed})
    row["absent"] = sorted(set(expect.get("required", ())) - {finding["cause"] for finding in findings})
    transfer = main_transfer(report, expect.get("transfer") or {})
    row["shares"] = shares_of(transfer or {})
    row["rtt_share"] = ((transfer or {}).get("rtt_ns") or 0) / max((transfer or {}).get("duration_ns") or 1, 1)
    row["duration_s"] = ((transfer or {}).get("duration_ns") or 0) / 1e9
    row["window"] = window_seconds(os.path.dirname(capture), row)
    row["misses"] = bucket_misses(expect, vantage, row["shares"])
    for finding in findings:
        saved = finding.get("saved_ns")
        if finding["cause"] in accepted and saved and not row["saved"]:
            row["saved"] = [saved["low"] / 1e9, saved["high"] / 1e9]
    return row


def stored_runs(groups=GROUPS):
    """Folders of the stored set, in order."""
    folders = [os.path.dirname(path) for group in groups
               for path in glob.glob(os.path.join(TESTDATA, group, "**", "expect.json"), recursive=True)]
    return sorted(folders)


def rows_of(folder, slowcopy):
    """One row per capture of a run's folder."""
    expect = jsonfile.read(os.path.join(folder, "expect.json"))
    captures = sorted(path for pattern in ("*.pcap", "*.pcap.gz", "*.pcapng", "*.pcapng.gz")
                      for path in glob.glob(os.path.join(folder, pattern)))
    return [judge(slowcopy, capture, expect) for capture in captures]


def row_text(row):
    """One line of the table."""
    top = sorted(row["shares"].items(), key=lambda item: -item[1])[:2]
    buckets = " ".join(f"{name} {share:.0%}" for name, share in top if share >= 0.01)
    mark = "!" if row["misses"] else " "
    saved = f"{row['saved'][0]:.2f}-{row['saved'][1]:.2f}" if row["saved"] else "-"
    measured = f"{row['measured_s']:.2f}" if row["measured_s"] is not None else "-"
    window = f"{row['window'][0]:.2f}/{row['window'][1]:.2f}" if row["window"] else "-"
    false = f"  also: {' '.join(row['false'])}" if row["false"] else ""
    return (f"{row['run']:32} {row['vantage']:7} {row['expected'] or '-':24} {row['given'] or '-':24} {row['result']:6} "
            f"{mark}{buckets:44} {saved:>11} {measured:>6} {window:>11}{false}")


HEAD = (f"{'run':32} {'vantage':7} {'cause expected':24} {'cause given':24} {'result':6}  {'dominant buckets':44} "
        f"{'saved s':>11} {'twin':>6} {'rwnd k/ours':>11}")


def totals(rows):
    """The numbers below the table."""
    with_cause = [row for row in rows if row["expected"]]
    healthy = [row for row in rows if not row["expected"]]
    count = {result: sum(row["result"] == result for row in with_cause)
             for result in ("right", "wrong", "missed", "failed")}
    measured = [(row["saved"], row["measured_s"]) for row in with_cause if row["saved"] and row["measured_s"]]
    errors = [abs(sum(saved) / 2 - truth) / truth for saved, truth in measured if truth > 0]
    inside = sum(saved[0] <= truth <= saved[1] for saved, truth in measured)
    return {"captures_with_cause": len(with_cause), **count, "healthy": len(healthy),
            "healthy_false_verdicts": sum(row["given"] is not None for row in healthy),
            "healthy_false_findings": sum(len(row["false"]) for row in healthy),
            "other_findings_beside_the_cause": sum(len(row["false"]) for row in with_cause),
            "bucket_ranges_missed": sum(bool(row["misses"]) for row in rows),
            "savings_compared": len(measured), "saving_median_error": statistics.median(errors) if errors else None,
            "twin_inside_range": inside}


def totals_text(numbers):
    """The totals in words."""
    share = numbers["right"] / numbers["captures_with_cause"] if numbers["captures_with_cause"] else 0
    error = numbers["saving_median_error"]
    return "\n".join((
        f"captures with a cause: {numbers['captures_with_cause']}   top-1 right: {numbers['right']} ({share:.1%})   "
        f"wrong: {numbers['wrong']}   missed: {numbers['missed']}   failed: {numbers['failed']}",
        f"healthy captures: {numbers['healthy']}   false verdicts: {numbers['healthy_false_verdicts']}   "
        f"false findings above info: {numbers['healthy_false_findings']}",
        f"other findings above info beside the true cause: {numbers['other_findings_beside_the_cause']}",
        f"captures with a bucket out of its range: {numbers['bucket_ranges_missed']}",
        f"savings compared with a twin: {numbers['savings_compared']}   median error of the middle: "
        f"{'-' if error is None else format(error, '.0%')}   twin inside the range: {numbers['twin_inside_range']}"))


def markdown(rows, numbers):
    """The table for docs/accuracy.md."""
    lines = ["| run | at | expected | given | result | dominant buckets | saved s | twin s | beside it |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for row in rows:
        top = sorted(row["shares"].items(), key=lambda item: -item[1])[:2]
        saved = f"{row['saved'][0]:.2f}-{row['saved'][1]:.2f}" if row["saved"] else ""
        twin = f"{row['measured_s']:.2f}" if row["measured_s"] is not None else ""
        lines.append(f"| {row['run']} | {row['vantage']} | {row['expected'] or 'healthy'} | {row['given'] or 'none'} | "
                     f"{row['result']} | {', '.join(f'{name} {share:.0%}' for name, share in top)}"
                     f"{' (out of range)' if row['misses'] else ''} | {saved} | {twin} | {' '.join(row['false'])} |")
    return "\n".join(lines) + "\n\n" + "\n".join("* " + line for line in totals_text(numbers).splitlines()) + "\n"


def print_accuracy(slowcopy, as_markdown=False, names=(), verbose=False):
    """Judge the stored set and print table and totals; returns the totals."""
    rows = []
    for folder in stored_runs(SINGLE):
        if names and not any(name in folder for name in names):
            continue
        rows += rows_of(folder, slowcopy)
    numbers = totals(rows)
    if as_markdown:
        print(markdown(rows, numbers), end="")
        return numbers
    print(HEAD)
    for row in rows:
        print(row_text(row))
        if verbose:
            for bucket, share, low, high in row["misses"]:
                print(f"    {bucket}: {share:.1%}, expected {low:.0%} to {high:.0%}")
            if row.get("absent"):
                print(f"    finding wanted and not there: {' '.join(row['absent'])}")
            if row["error"]:
                print(f"    {row['error']}")
    print()
    print(totals_text(numbers))
    return numbers
