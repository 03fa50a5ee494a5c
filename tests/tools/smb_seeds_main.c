/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the seeds of fuzz_smb: smb_seeds FOLDER. One conversation per file, long file data
 * shortened.
 */
#include <stdio.h>
#include <string.h>

#include "tests/tools/smb_samples.h"

#define MAX_BYTES 600 /* the rest of a message is told by its length */

static SmbBuilder builder;

/* The format of tests/fuzz/fuzz_smb.c: what is said of a segment stands behind it. Returns that for
 * this one: whether a hole follows. */
static uint8_t put_sample(FILE *out, const SmbSample *sample, bool is_first, uint8_t about_previous)
{
	static const uint8_t separator[4] = {0xA5, 0x5A, 'c', 'u'};
	size_t len;

	memset(&builder, 0, sizeof builder);
	sample->build(&builder);
	len = builder.len < MAX_BYTES ? builder.len : MAX_BYTES;
	if (!is_first)
		fwrite(separator, 1, sizeof separator, out);
	fputc((sample->from_client ? 1 : 0) | about_previous, out);
	fwrite(builder.bytes, 1, len, out);
	return len < builder.len ? 4 : 0;
}

static int write_seed(const char *folder, const char *name, const SmbSample *const *samples)
{
	char path[512];
	uint8_t about = 0;
	FILE *out;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	out = fopen(path, "wb");
	if (!out) {
		perror(path);
		return 1;
	}
	for (size_t i = 0; samples[i]; i++)
		about = put_sample(out, samples[i], i == 0, about);
	return fclose(out) != 0;
}

int main(int argc, char **argv)
{
	static const SmbSample *const tables[] = {smb1_samples, smb2_samples};
	int failed = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: smb_seeds FOLDER\n");
		return 2;
	}
	for (int t = 0; t < 2; t++) {
		const SmbSample *all[128] = {NULL};
		size_t n = 0;
		for (const SmbSample *s = tables[t]; s->name; s++) {
			const SmbSample *one[] = {s, NULL};
			char name[80];
			snprintf(name, sizeof name, "smb%d-%s", t + 1, s->name);
			failed |= write_seed(argv[1], name, one);
			all[n++] = s;
		}
		failed |= write_seed(argv[1], t ? "smb2-all" : "smb1-all", all);
	}
	return failed;
}
