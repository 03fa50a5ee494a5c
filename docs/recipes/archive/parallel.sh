#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# An archive of captures on all cores: one line of JSON for each capture, in any order.
# What was done stands in captures.log; run again after an interruption it goes on from there.
# Usage: parallel.sh FOLDER >>captures.ndjson
find "$1" -type f \( -name '*.pcap*' -o -name '*.cap*' \) -print0 | sort -z |
	parallel -0 --joblog captures.log --resume --noswap "${SLOWCOPY:-slowcopy}" analyze --json-lines -- {}
