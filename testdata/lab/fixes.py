# SPDX-License-Identifier: GPL-3.0-or-later
"""What slowcopy says of fixes, alone and one after the other, against twins in which just those causes were mended."""
import glob
import os
import statistics

import accuracy
import jsonfile


def part_of(parts, cause):
    """Number of the injected cause that a finding's id names; None: another."""
    return next((number for number, names in enumerate(parts) if cause in names), None)


def wall_without(truth, parts, mended):
    """The twin's wall where the causes of these numbers are mended."""
    wanted = {parts[number][0] for number in mended}
    return next(twin["wall_s"] for twin in truth["twins"] if set(twin["mended"]) == wanted)


def is_inside(step):
    return step["low_s"] <= step["measured_s"] <= step["high_s"]


def middle_error(step):
    """How far the middle of the predicted time is off, as a share of what was saved."""
    saved = step["now_s"] - step["measured_s"]
    return abs((step["low_s"] + step["high_s"]) / 2 - step["measured_s"]) / saved if saved > 0 else 0


def spoken_of(report):
    """The transfer or job of the verdict."""
    name = (report.get("verdict") or {}).get("transfer")
    return next((item for kind in ("transfers", "jobs") for item in report.get(kind) or () if item["id"] == name), None)


def step_of(kind, mended, duration, transfer, parts, truth):
    """One comparison: what the copy would take, and how long the twin took. What the client waited outside the copy is in both walls."""
    now = transfer["duration_ns"] / 1e9
    return {"kind": kind, "mended": [parts[number][0] for number in mended], "now_s": now, "low_s": duration[0], "high_s": duration[1],
            "measured_s": now - (truth["wall_s"] - wall_without(truth, parts, mended))}


# Below this a cause costs nothing that could be named (docs/causes.md: least loss), and of two within a quarter of each other either may
# be told first.
LEAST_S, LEAST_SHARE = 0.1, 0.03
EQUAL_SHARE = 0.25


def visible_parts(expect, truth, vantage):
    """{number: seconds that mending this cause alone saves} of the causes that a good report names at this place."""
    parts = expect["parts"]
    saved = {number: truth["wall_s"] - wall_without(truth, parts, (number,)) for number in range(len(parts))}
    hidden = expect["unseen"].get(vantage, ())
    return {number: value for number, value in saved.items()
            if number not in hidden and value >= max(LEAST_S, LEAST_SHARE * truth["wall_s"])}


def alone_steps(report, transfer, parts, truth):
    """Each finding's saving by itself, against the twin in which that cause alone is mended."""
    now = transfer["duration_ns"] / 1e9
    seen = set()
    for finding in report["findings"]:
        number = part_of(parts, finding["cause"])
        saved = finding["saved_ns"]
        if number is None or number in seen or finding["severity"] == "info" or saved["high"] is None:
            continue
        seen.add(number)
        yield step_of("alone", (number,), (now - saved["high"] / 1e9, now - saved["low"] / 1e9), transfer, parts, truth)


def row_steps(transfer, parts, truth):
    """After each fix of the row, as long as it is one of the injected causes. A cause with several findings is mended by the last."""
    numbers = [part_of(parts, fix["cause"]) for fix in transfer["fixes"]]
    for place, fix in enumerate(transfer["fixes"]):
        if numbers[place] is None:
            return
        mended = sorted(set(numbers[:place + 1]))
        if set(mended) & set(numbers[place + 1:]):
            continue
        yield step_of("in order", tuple(mended), (fix["duration_ns"]["low"] / 1e9, fix["duration_ns"]["high"] / 1e9), transfer, parts, truth)


def judge(slowcopy, capture):
    """{run, at, verdict, runner_up, order: as predicted, and as the twins say, steps}; "failed" if there is no report."""
    folder = os.path.dirname(capture)
    expect = jsonfile.read(os.path.join(folder, "expect.json"))
    parts = expect["parts"]
    truth = jsonfile.read(os.path.join(folder, "truth.json"))
    report = accuracy.report_of(slowcopy, capture)
    row = {"run": os.path.basename(folder), "at": os.path.basename(capture).split(".")[0], "failed": report.get("failed"), "steps": [],
           "first": None, "second": None, "is_first_right": False, "is_first_largest": False, "is_second_right": False, "is_whole": False, "other": []}
    visible = visible_parts(expect, truth, row["at"])
    transfer = spoken_of(report)
    if row["failed"] or not transfer:
        row["failed"] = row["failed"] or "no verdict"
        return row
    causes = [finding["cause"] for finding in report["findings"] if finding["severity"] != "info"]
    numbers = [part_of(parts, cause) for cause in causes]
    row["first"], row["second"] = (causes + [None, None])[:2]
    row["is_first_right"] = bool(numbers) and numbers[0] in visible
    row["is_first_largest"] = row["is_first_right"] and visible[numbers[0]] >= max(visible.values()) * (1 - EQUAL_SHARE)
    row["is_second_right"] = len(visible) < 2 or len(numbers) > 1 and numbers[1] in visible and numbers[1] != numbers[0]
    row["other"] = [cause for cause, number in zip(causes, numbers) if number is None]
    row["fixes"] = [fix["cause"] for fix in transfer["fixes"]]
    row["steps"] = list(alone_steps(report, transfer, parts, truth)) + list(row_steps(transfer, parts, truth))
    row["is_whole"] = any(set(step["mended"]) >= {parts[number][0] for number in visible} for step in row["steps"])
    return row


def rows_of(folder, slowcopy):
    """One row per capture of a run with several causes."""
    return [judge(slowcopy, capture) for capture in sorted(glob.glob(os.path.join(folder, "*.pcap*")))]


def stored_runs():
    return [folder for folder in accuracy.stored_runs(("together",))]


def totals(rows):
    """Numbers over all comparisons."""
    steps = [step for row in rows for step in row["steps"]]
    numbers = {"captures": len(rows), "first_right": sum(row["is_first_right"] for row in rows),
               "first_largest": sum(row["is_first_largest"] for row in rows), "second_right": sum(row["is_second_right"] for row in rows), "whole": sum(row["is_whole"] for row in rows)}
    # the first of a row says the same as its finding alone
    for kind, chosen in (("alone", [step for step in steps if step["kind"] == "alone"]),
                         ("together", [step for step in steps if step["kind"] == "in order" and len(step["mended"]) > 1])):
        numbers[kind] = {"compared": len(chosen), "inside": sum(map(is_inside, chosen)),
                         "error": statistics.median(map(middle_error, chosen)) if chosen else None,
                         "half_width": statistics.median((step["high_s"] - step["low_s"]) / 2 / step["measured_s"] for step in chosen)}
    return numbers


def totals_text(numbers):
    """The totals in words."""
    lines = [f"captures with several causes: {numbers['captures']}   verdict is one of them: {numbers['first_right']}   "
             f"the one that saves most: {numbers['first_largest']}   runner-up is another: {numbers['second_right']}   "
             f"all are among the fixes: {numbers['whole']}"]
    for kind, words in (("alone", "one fix"), ("together", "several fixes, in order")):
        entry = numbers[kind]
        lines.append(f"{words}: {entry['inside']} of {entry['compared']} twins inside   median error of the middle: {entry['error']:.1%} of "
                     f"what was saved   median half of the width: {entry['half_width']:.0%} of the time that was left")
    return "\n".join(lines)


def print_table(slowcopy, folders):
    """Markdown for docs/accuracy.md."""
    rows = [row for folder in folders for row in rows_of(folder, slowcopy)]
    print("| run | at | verdict, runner-up | mended | now s | predicted s | measured s |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for row in rows:
        for step in row["steps"]:
            if step["kind"] == "in order" and len(step["mended"]) == 1:
                continue  # the same as the first alone
            print(f"| {row['run']} | {row['at']} | {row['first']}{'' if row['is_first_right'] else ' (wrong)'}, "
                  f"{row['second'] or 'none'}{'' if row['is_second_right'] else ' (wrong)'} | {' + '.join(step['mended'])} | "
                  f"{step['now_s']:.2f} | {step['low_s']:.2f}-{step['high_s']:.2f} | {step['measured_s']:.2f}"
                  f"{'' if is_inside(step) else ' (outside)'} |")
        if row["other"] or row["failed"] or not row["is_whole"]:
            print(f"| {row['run']} | {row['at']} | {row['failed'] or ''} beside: {' '.join(row['other'])} | fixes {row.get('fixes')}"
                  f"{'' if row['is_whole'] else ' not all injected causes'} | | | |")
    print("\n" + "\n".join("* " + line for line in totals_text(totals(rows)).splitlines()))
