/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints the label of every pause in a capture, for looking at the time accounting: start and
 * length in ms, bucket, class, side that sent the packet which ended it, its frame.  spandump FILE
 * [MIN_US [STREAM]]
 */
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/analysis.h"

typedef struct Dump {
	int64_t first_ns;
	long stream;
} Dump;

static void on_span(void *user, const Span *span, int64_t start_ns, int64_t ns)
{
	const Dump *dump = user;
	if (dump->stream >= 0 && span->stream != (uint32_t)dump->stream)
		return;
	printf("%10.3f %9.3f %-18s %-6s %s frame %llu stream %u%s%s\n",
		(double)(start_ns - dump->first_ns) / 1e6, (double)ns / 1e6,
		bucket_id(span->bucket), op_class_id(span->op_class),
		span->side == SIDE_CLIENT ? "client" : "server", (unsigned long long)span->frame,
		span->stream, span->is_queued ? " queued" : "", span->is_flow ? " flow" : "");
}

int main(int argc, char **argv)
{
	static Packet batch[READER_BATCH];
	if (argc < 2)
		return 2;
	Dump dump = {0, argc > 3 ? strtol(argv[3], NULL, 10) : -1};
	AnalysisOptions options = {.span = on_span,
		.span_user = &dump,
		.span_min_ns = argc > 2 ? strtol(argv[2], NULL, 10) * 1000 + 1 : 1};
	ReaderOptions reader_options = {0};
	const char *path = argv[1];
	g_autoptr(GError) error = NULL;
	g_autoptr(Reader) reader = reader_open(&path, 1, &reader_options, &error);
	if (!reader) {
		fprintf(stderr, "%s\n", error->message);
		return 3;
	}
	g_autoptr(Analysis) analysis = analysis_new(&options);
	size_t count;
	while ((count = reader_next_batch(reader, batch)) > 0) {
		if (dump.first_ns == 0)
			dump.first_ns = batch[0].ts_ns;
		analysis_feed(analysis, batch, count);
	}
	g_autoptr(Result) result = analysis_finish(analysis, reader);
	return 0;
}
