/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a fuzz target over kept inputs without a fuzzer: its seeds and everything that ever crashed
 * it. Each input is a heap block of exactly its length, so that reading past its end is seen.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned inputs;

static void replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		return;
	uint8_t *data = NULL;
	size_t size = 0, got;
	static uint8_t block[64 * 1024];
	while ((got = fread(block, 1, sizeof block, file)) > 0) {
		data = realloc(data, size + got);
		if (!data)
			abort();
		memcpy(data + size, block, got);
		size += got;
	}
	fclose(file);
	uint8_t *exact = malloc(size ? size : 1);
	if (!exact)
		abort();
	if (size > 0)
		memcpy(exact, data, size);
	free(data);
	/* said before, so that the last line names the input that crashed */
	fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	inputs++;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct dirent **entries;
		int count = scandir(argv[i], &entries, NULL, alphasort);
		if (count < 0 && errno == ENOTDIR)
			replay_file(argv[i]);
		for (int e = 0; e < count; e++) {
			char path[4096];
			int len = snprintf(path, sizeof path, "%s/%s", argv[i], entries[e]->d_name);
			if (entries[e]->d_name[0] != '.' && len > 0 && len < (int)sizeof path)
				replay_file(path);
			free(entries[e]);
		}
		if (count >= 0)
			free(entries);
	}
	printf("%u inputs\n", inputs);
	return inputs > 0 ? 0 : 1;
}
