#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The laboratory: captures from real programs with one known cause each, and the truth beside them. See README.md."""
import argparse
import dataclasses
import fnmatch
import os
import signal
import sys
import traceback

import experiments
from network import BUILD, build_programs, ensure_tun


def chosen(names, everything=False):
    """Experiments whose names match; patterns are allowed."""
    table = experiments.load_all()
    if everything:
        return list(table.values())
    found = [row for row in table.values() if any(fnmatch.fnmatch(row.name, name) for name in names)]
    for name in names:
        if not any(fnmatch.fnmatch(row.name, name) for row in found):
            sys.exit(f"lab: no experiment is called {name}; see: lab.py list")
    return found


def command_list(_):
    """Print the table of experiments."""
    for row in experiments.load_all().values():
        print(f"{row.group_of():9} {row.expect.cause or '-':26} {row.name:34} {row.injected}")


def command_run(options):
    """Run experiments and print what happened."""
    if os.geteuid():
        sys.exit("lab: network namespaces and TAP devices need root")
    from runner import run_experiment
    build_programs()
    ensure_tun()
    os.nice(-5)  # the servers of a run must not wait for whatever else this machine does
    failed = []
    for row in chosen(options.names, options.all):
        try:
            truth = run_experiment(row, options.output)
        except Exception as error:  # one failed row must not end a night's run
            failed.append(row.name)
            print(f"{row.name:34} FAILED: {error}", flush=True)
            if options.debug:
                traceback.print_exc()
            continue
        twin = f"twin {truth['twin']['wall_s']:.3f} s" if truth["twin"] else ""
        lost = sum(truth["emulator"][way]["dropped"] for way in ("up", "down"))
        print(f"{row.name:34} {truth['cause'] or '-':24} {truth['wall_s']:8.3f} s {truth['bytes']:9} B "
              f"{lost:5} dropped  late p99 {truth['controls']['late_p99_us']:.0f} us  {twin}", flush=True)
    judge_recorded(options)
    if failed:
        sys.exit(f"lab: failed: {' '.join(failed)}")


def command_repeat(options):
    """Run the twins of experiments (without one: the experiments) several times and print how much their walls differ by themselves."""
    if os.geteuid():
        sys.exit("lab: network namespaces and TAP devices need root")
    import statistics
    from runner import measure_undisturbed
    build_programs()
    ensure_tun()
    os.nice(-5)
    spreads = []
    for row in chosen(options.names):
        twin = row.twin_experiment() if row.twin else row
        walls = []
        for number in range(options.times):
            walls.append(measure_undisturbed(dataclasses.replace(twin, seed=twin.seed + number))["wall_s"])
        middle = statistics.median(walls)
        deviation = statistics.stdev(walls)
        spreads.append((middle, deviation))
        print(f"{twin.name:40} {len(walls)} runs  median {middle:.3f} s  {min(walls):.3f}-{max(walls):.3f}  "
              f"standard deviation {deviation * 1e3:6.1f} ms = {deviation / middle:.1%}", flush=True)
    print(f"median of the standard deviations: {statistics.median(d for _, d in spreads) * 1e3:.1f} ms, "
          f"{statistics.median(d / m for m, d in spreads):.1%}; largest {max(d / m for m, d in spreads):.1%}")


def command_spans(options):
    """Run the twins of stored runs again, and write into their truth how long run and twin last on the wire."""
    if os.geteuid():
        sys.exit("lab: network namespaces and TAP devices need root")
    import jsonfile
    import pcapfile
    from runner import expect_of, is_plain, measure_middle
    from store import folder_of
    build_programs()
    ensure_tun()
    os.nice(-5)
    for row in chosen(options.names):
        folder = folder_of(row)
        if not row.twin or row.before or not os.path.exists(os.path.join(folder, "truth.json")):
            continue
        truth = jsonfile.read(os.path.join(folder, "truth.json"))
        places = [os.path.join(folder, f"{place}.pcap.gz") for place in ("middle", "client", "server")]
        truth["span_s"] = round(pcapfile.span_s(next(path for path in places if os.path.exists(path)), is_plain(row)), 6)
        try:
            twin = measure_middle(row.twin_experiment())
        except RuntimeError as error:
            print(f"{row.name:34} FAILED: {error}", flush=True)
            continue
        # this machine may be quicker or slower today: of today's twin only what its client's clock holds beside the packets is taken
        truth["twin"]["span_s"] = round(truth["twin"]["wall_s"] - (twin["wall_s"] - twin["span_s"]), 6)
        before = jsonfile.read(os.path.join(folder, "expect.json"))
        after = expect_of(row, truth)
        jsonfile.write(os.path.join(folder, "truth.json"), truth)
        jsonfile.write(os.path.join(folder, "expect.json"), {**before, "saved_s": after["saved_s"],
                                                             "saved_measured_s": after["saved_measured_s"]})
        print(f"{row.name:34} twin's wall {truth['twin']['wall_s']:.3f} s, now {twin['wall_s']:.3f} s ({twin['walls_s']})   saved by walls "
              f"{truth['wall_s'] - truth['twin']['wall_s']:.3f} s, by packets {truth['span_s'] - truth['twin']['span_s']:.3f} s", flush=True)


def judge_recorded(options):
    """When there is a slowcopy, say what it makes of the runs just recorded."""
    import accuracy
    slowcopy = accuracy.find_slowcopy(options.slowcopy)
    if not slowcopy:
        return
    rows = []
    for row in chosen(options.names, options.all):
        folder = os.path.join(options.output, row.name)
        if os.path.exists(os.path.join(folder, "expect.json")):
            rows += accuracy.rows_of(folder, slowcopy)
    print("\n" + accuracy.HEAD)
    for row in rows:
        print(accuracy.row_text(row))
    print("\n" + accuracy.totals_text(accuracy.totals(rows)))


def command_accuracy(options):
    """Judge slowcopy by the stored set."""
    import accuracy
    slowcopy = accuracy.find_slowcopy(options.slowcopy)
    if not slowcopy:
        sys.exit("lab: no slowcopy program; build it or name it with --slowcopy")
    accuracy.print_accuracy(slowcopy, options.markdown, options.names, options.verbose)


def command_whatif(options):
    """Compare what --assume says with runs in which it is true."""
    import accuracy
    import whatif
    slowcopy = accuracy.find_slowcopy(options.slowcopy)
    if not slowcopy:
        sys.exit("lab: no slowcopy program; build it or name it with --slowcopy")
    whatif.print_table(slowcopy)


def command_fixes(options):
    """Compare what fixes would do, alone and in order, with twins."""
    import accuracy
    import fixes
    slowcopy = accuracy.find_slowcopy(options.slowcopy)
    if not slowcopy:
        sys.exit("lab: no slowcopy program; build it or name it with --slowcopy")
    folders = [os.path.join(options.output, row.name) for row in chosen(("*",)) if row.build] if options.output else fixes.stored_runs()
    fixes.print_table(slowcopy, [folder for folder in folders if os.path.exists(os.path.join(folder, "truth.json"))])


def command_store(options):
    """Put recorded runs into testdata."""
    from store import store
    for row in chosen(options.names, options.all):
        if row.stored and (options.names or os.path.exists(os.path.join(options.output, row.name, "truth.json"))):
            print(f"{row.name:34} {store(row, options.output):9} bytes")


def command_artefacts(options):
    """Make the damaged captures from the stored ones."""
    import artefacts
    for name in options.names or artefacts.TABLE:
        print(f"{name:34} {artefacts.make(name):9} bytes")


def main():
    """Command line."""
    parser = argparse.ArgumentParser(prog="lab.py", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="print the table of experiments").set_defaults(call=command_list)
    run = commands.add_parser("run", help="run experiments (root)")
    run.add_argument("names", nargs="*", metavar="NAME", help="name or pattern")
    run.add_argument("--all", action="store_true")
    run.add_argument("-o", "--output", default=BUILD, metavar="DIR")
    run.add_argument("--slowcopy", metavar="PROGRAM")
    run.add_argument("--debug", action="store_true", help="print tracebacks")
    run.set_defaults(call=command_run)
    again = commands.add_parser("repeat", help="run twins several times and print how much their walls differ (root)")
    again.add_argument("names", nargs="+", metavar="NAME", help="name or pattern")
    again.add_argument("--times", type=int, default=8, metavar="N", help="runs of each, 8")
    again.set_defaults(call=command_repeat)
    spans = commands.add_parser("spans", help="run the twins of stored runs again for how long they last on the wire (root)")
    spans.add_argument("names", nargs="+", metavar="NAME", help="name or pattern")
    spans.set_defaults(call=command_spans)
    keep = commands.add_parser("store", help="put recorded runs into testdata")
    keep.add_argument("names", nargs="*", metavar="NAME", help="name or pattern")
    keep.add_argument("--all", action="store_true")
    keep.add_argument("-o", "--output", default=BUILD, metavar="DIR", help="where `run` wrote")
    keep.set_defaults(call=command_store)
    damage = commands.add_parser("artefacts", help="make the damaged captures of testdata/artefacts from the stored ones")
    damage.add_argument("names", nargs="*", metavar="NAME")
    damage.set_defaults(call=command_artefacts)
    judge = commands.add_parser("accuracy", help="judge slowcopy by the stored set")
    judge.add_argument("names", nargs="*", metavar="PART", help="only folders whose path holds this")
    judge.add_argument("--slowcopy", metavar="PROGRAM")
    judge.add_argument("--markdown", action="store_true")
    judge.add_argument("-v", "--verbose", action="store_true", help="also print what is out of range")
    judge.set_defaults(call=command_accuracy)
    suppose = commands.add_parser("whatif", help="compare what --assume says with runs in which it is true")
    suppose.add_argument("--slowcopy", metavar="PROGRAM")
    suppose.set_defaults(call=command_whatif)
    row = commands.add_parser("fixes", help="compare what fixes would do one after the other with twins")
    row.add_argument("-o", "--output", metavar="DIR", help="where `run` wrote; without it the stored set")
    row.add_argument("--slowcopy", metavar="PROGRAM")
    row.set_defaults(call=command_fixes)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that networks are closed on the way out
    try:
        options.call(options)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
