/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prometheus text: see metrics.h. Series are kept by their label text, so that the file is made by
 * sorting and printing.
 */
#include "reports/metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "reports/wording.h"

typedef enum Family {
	FAMILY_TRANSFERS,
	FAMILY_BYTES,
	FAMILY_SECONDS,
	FAMILY_FINDINGS,
	FAMILY_LOST,
	FAMILY_STALLS,
	FAMILY_LIMITS,
	FAMILY_SERVER_BYTES,
	FAMILY_SERVER_SECONDS,
	FAMILY_COUNT
} Family;

static const struct {
	const char *name, *help;
} families[FAMILY_COUNT] = {
	[FAMILY_TRANSFERS] = {"slowcopy_transfers_total", "Files whose transfer has ended."},
	[FAMILY_BYTES] = {"slowcopy_transfer_bytes_total", "File data moved by them."},
	[FAMILY_SECONDS] = {"slowcopy_transfer_seconds_total", "Time they took."},
	[FAMILY_FINDINGS] = {"slowcopy_findings_total", "Causes of slowness found."},
	[FAMILY_LOST] = {"slowcopy_lost_seconds_total", "Time lost to a cause."},
	[FAMILY_STALLS] = {"slowcopy_stalls_total", "Pauses of a second or more."},
	[FAMILY_LIMITS] = {"slowcopy_limits_total", "Things given up for want of room."},
	[FAMILY_SERVER_BYTES] = {"slowcopy_server_bytes_total", "File data moved, by server."},
	[FAMILY_SERVER_SECONDS] = {"slowcopy_server_seconds_total",
		"Time of transfers, by server."},
};

struct Metrics {
	GHashTable *series[FAMILY_COUNT]; /* label text to double * */
	GHashTable *servers;              /* names with series of their own */
};

Metrics *metrics_new(void)
{
	Metrics *metrics = g_new0(Metrics, 1);
	for (int i = 0; i < FAMILY_COUNT; i++)
		metrics->series[i] = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	metrics->servers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return metrics;
}

static double *series_of(Metrics *metrics, Family family, const char *labels)
{
	double *value = g_hash_table_lookup(metrics->series[family], labels);
	if (!value) {
		value = g_new0(double, 1);
		g_hash_table_insert(metrics->series[family], g_strdup(labels), value);
	}
	return value;
}

static void add_server(
	Metrics *metrics, const ReportOptions *options, const ResultTransfer *t, double seconds)
{
	UnitText room;
	const char *name = wording_host(options, t->server.addr, &room);
	if (!g_hash_table_contains(metrics->servers, name)) {
		if (g_hash_table_size(metrics->servers) < METRICS_SERVERS)
			g_hash_table_add(metrics->servers, g_strdup(name));
		else
			name = "other";
	}
	g_autofree char *labels = g_strdup_printf("server=\"%s\"", name);
	*series_of(metrics, FAMILY_SERVER_BYTES, labels) += (double)t->bytes;
	*series_of(metrics, FAMILY_SERVER_SECONDS, labels) += seconds;
}

void metrics_add(Metrics *metrics, const ReportOptions *options, const Result *result)
{
	for (size_t i = 0; i < result->transfer_count; i++) {
		const ResultTransfer *t = &result->transfers[i];
		double seconds = (double)t->duration_ns / 1e9;
		g_autofree char *labels = g_strdup_printf("protocol=\"%s\",direction=\"%s\"",
			t->protocol, t->is_write ? "write" : "read");
		*series_of(metrics, FAMILY_TRANSFERS, labels) += 1;
		*series_of(metrics, FAMILY_BYTES, labels) += (double)t->bytes;
		*series_of(metrics, FAMILY_SECONDS, labels) += seconds;
		add_server(metrics, options, t, seconds);
	}
	for (size_t i = 0; i < result->finding_count; i++) {
		const ResultFinding *f = &result->findings[i];
		g_autofree char *labels = g_strdup_printf(
			"cause=\"%s\",severity=\"%s\"", f->cause, wording_severity(f->severity));
		g_autofree char *cause = g_strdup_printf("cause=\"%s\"", f->cause);
		*series_of(metrics, FAMILY_FINDINGS, labels) += 1;
		if (f->severity > SEVERITY_INFO)
			*series_of(metrics, FAMILY_LOST, cause) += (double)f->lost_ns / 1e9;
	}
	*series_of(metrics, FAMILY_STALLS, "") += (double)result->stall_count;
	for (size_t i = 0; i < result->limit_count; i++) {
		g_autofree char *labels = g_strdup_printf("limit=\"%s\"", result->limits[i].limit);
		double *value = series_of(metrics, FAMILY_LIMITS, labels);
		*value = MAX(*value, (double)result->limits[i].count);
	}
}

static gint by_name(gconstpointer a, gconstpointer b)
{
	return strcmp(a, b);
}

static void write_family(GString *text, Family family, GHashTable *series)
{
	g_autoptr(GList) names = g_list_sort(g_hash_table_get_keys(series), by_name);
	if (!names)
		return;
	g_string_append_printf(text, "# HELP %s %s\n# TYPE %s counter\n", families[family].name,
		families[family].help, families[family].name);
	for (const GList *l = names; l; l = l->next) {
		char number[G_ASCII_DTOSTR_BUF_SIZE];
		const char *labels = l->data;
		g_ascii_formatd(number, sizeof(number), "%.17g",
			*(const double *)g_hash_table_lookup(series, labels));
		g_string_append_printf(text, labels[0] ? "%s{%s} %s\n" : "%s%s %s\n",
			families[family].name, labels, number);
	}
}

static void write_number(
	GString *text, const char *name, const char *type, const char *help, uint64_t value)
{
	g_string_append_printf(text, "# HELP %s %s\n# TYPE %s %s\n%s %" G_GUINT64_FORMAT "\n", name,
		help, name, type, name, value);
}

static bool replace_file(const char *path, const GString *text)
{
	g_autofree char *beside = g_strconcat(path, ".new", NULL);
	int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return false;
	size_t done = 0;
	while (done < text->len) {
		ssize_t n = write(fd, text->str + done, text->len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	int why = errno;
	bool is_whole = done == text->len;
	if (close(fd) != 0 && is_whole) {
		is_whole = false;
		why = errno;
	}
	if (is_whole && rename(beside, path) == 0)
		return true;
	why = is_whole ? errno : why;
	unlink(beside);
	errno = why;
	return false;
}

bool metrics_write(
	const Metrics *metrics, const char *path, const MetricsTotals *totals, GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);
	write_number(text, "slowcopy_packets_total", "counter", "Packets seen.", totals->packets);
	write_number(text, "slowcopy_packet_bytes_total", "counter", "Their bytes on the wire.",
		totals->bytes);
	write_number(text, "slowcopy_connections", "gauge", "Connections known now.",
		totals->connections);
	write_number(text, "slowcopy_dropped_packets_total", "counter",
		"Packets that the kernel dropped before they were seen.", totals->dropped_kernel);
	write_number(text, "slowcopy_interface_dropped_packets_total", "counter",
		"Packets that the network card or its driver dropped.", totals->dropped_interface);
	write_number(text, "slowcopy_lines_lost_total", "counter",
		"Event lines that could not be written.", totals->lines_lost);
	write_number(text, "slowcopy_ring_lost_packets_total", "counter",
		"Packets that could not be written to the ring.", totals->ring_lost);
	write_number(text, "slowcopy_commands_missed_total", "counter",
		"Findings whose command was not run, since too many waited.",
		totals->commands_missed);
	write_number(text, "slowcopy_updated_seconds", "gauge", "When this file was written.",
		(uint64_t)(totals->now_ns / INT64_C(1000000000)));
	for (int i = 0; i < FAMILY_COUNT; i++)
		write_family(text, (Family)i, metrics->series[i]);
	if (replace_file(path, text))
		return true;
	g_set_error(error, REPORT_ERROR, REPORT_ERROR_WRITE, "%s: %s", path, g_strerror(errno));
	return false;
}

void metrics_free(Metrics *metrics)
{
	if (!metrics)
		return;
	for (int i = 0; i < FAMILY_COUNT; i++)
		g_hash_table_unref(metrics->series[i]);
	g_hash_table_unref(metrics->servers);
	g_free(metrics);
}
