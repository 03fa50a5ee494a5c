-- SPDX-License-Identifier: GPL-3.0-or-later
-- Tables for the lines of `slowcopy monitor` and of `slowcopy analyze --json-lines`.
-- A line that is delivered twice is one row after a merge (or with FINAL): seq counts the lines of a run.
CREATE DATABASE IF NOT EXISTS slowcopy;

CREATE TABLE IF NOT EXISTS slowcopy.lines
(
	event String,
	ts DateTime,
	sensor String,
	run UInt64,
	seq UInt64,
	transfer_id Nullable(String),
	client_host Nullable(String),
	server_host Nullable(String),
	protocol Nullable(String),
	direction Nullable(String),
	share Nullable(String),
	file Nullable(String),
	is_job Nullable(UInt8),
	bytes Nullable(UInt64),
	duration_ns Nullable(Int64),
	most_time Nullable(String),
	cause Nullable(String),
	severity Nullable(String),
	confidence Nullable(String),
	lost_ns Nullable(Int64)
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(ts)
ORDER BY (event, sensor, ts, run, seq);

CREATE TABLE IF NOT EXISTS slowcopy.captures
(
	path String,
	start DateTime,
	capture_ns Int64,
	packets UInt64,
	grade String,
	transfers UInt64,
	file_bytes UInt64,
	cause Nullable(String),
	blame Nullable(String),
	confidence String,
	severity Nullable(String),
	lost_ns Int64,
	client_host Nullable(String),
	server_host Nullable(String),
	protocol Nullable(String),
	share Nullable(String),
	file Nullable(String),
	bytes UInt64,
	duration_ns Int64,
	is_partial UInt8
)
ENGINE = ReplacingMergeTree
ORDER BY (path, start);
