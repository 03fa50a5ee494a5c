-- SPDX-License-Identifier: GPL-3.0-or-later
-- What people ask. Run one, or all: clickhouse-client --multiquery <queries.sql

-- Slowest shares this week: the median rate of files of 10 MB and more.
SELECT share, count() AS files, sum(bytes) AS moved,
	round(quantile(0.5)(bytes / duration_ns * 1000), 1) AS mb_per_s
FROM slowcopy.lines FINAL
WHERE event = 'transfer' AND NOT is_job AND ts > now() - 7 * 86400 AND bytes >= 10000000 AND share IS NOT NULL
GROUP BY share
ORDER BY mb_per_s
LIMIT 20;

-- Which cause costs most hours.
SELECT cause, round(sum(lost_ns) / 3.6e12, 3) AS hours, count() AS findings, uniq(client_host) AS clients
FROM slowcopy.lines FINAL
WHERE event = 'finding' AND severity != 'info'
GROUP BY cause
ORDER BY hours DESC
LIMIT 20;

-- For whom: client and server with the most time lost, and to what.
SELECT client_host, server_host, round(sum(lost_ns) / 6e10, 1) AS minutes, topK(3)(cause) AS causes
FROM slowcopy.lines FINAL
WHERE event = 'finding' AND severity != 'info'
GROUP BY client_host, server_host
ORDER BY minutes DESC
LIMIT 20;

-- What transfers waited for, by hour of the day.
SELECT toHour(ts) AS hour, most_time, count() AS transfers, round(sum(duration_ns) / 6e10, 1) AS minutes
FROM slowcopy.lines FINAL
WHERE event = 'transfer' AND NOT is_job
GROUP BY hour, most_time
ORDER BY hour, minutes DESC;

-- Sensors that lost lines on the way: seq has gaps.
SELECT sensor, run, max(seq) - count() AS missing
FROM slowcopy.lines FINAL
GROUP BY sensor, run
HAVING missing > 0;

-- An archive of captures: how many suffer from what.
SELECT cause, count() AS captures, round(sum(lost_ns) / 6e10, 1) AS minutes
FROM slowcopy.captures FINAL
GROUP BY cause
ORDER BY captures DESC;
