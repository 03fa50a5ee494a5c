/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the seeds of fuzz_ftp and fuzz_stream: dialogues made by hand and by the builder of SMB
 * messages. usage: sessionseeds FOLDER (tests/fuzz/corpus)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tools/smb_builder.h"
#include "tests/tools/smb_samples.h"

typedef struct Seed {
	uint8_t bytes[64 * 1024];
	size_t len;
} Seed;

static void seed_write(const char *folder, const char *target, const char *name, const Seed *seed)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s/%s", folder, target, name);
	FILE *file = fopen(path, "wb");
	if (!file || fwrite(seed->bytes, 1, seed->len, file) != seed->len || fclose(file) != 0) {
		fprintf(stderr, "%s: cannot be written\n", path);
		exit(1);
	}
}

static void add(Seed *seed, const void *data, size_t len)
{
	if (len > sizeof seed->bytes - seed->len)
		return;
	memcpy(seed->bytes + seed->len, data, len);
	seed->len += len;
}

/* segments as fuzz_stream reads them */
static void add_segments(Seed *seed, bool from_client, unsigned event, const void *data, size_t len)
{
	const uint8_t *bytes = data;
	while (len > 0) {
		uint8_t n = len > 255 ? 255 : (uint8_t)len;
		uint8_t head[2] = {(uint8_t)((from_client ? 0 : 1) | event << 1 | 32), n};
		add(seed, head, sizeof head);
		add(seed, bytes, n);
		bytes += n;
		len -= n;
		event = 0;
	}
}

static const char *const ftp_dialogues[][16] = {
	{"220 FTP\r\n", "USER a\r\n", "331 x\r\n", "PASS b\r\n", "230 y\r\n", "TYPE I\r\n",
		"200 z\r\n", "PASV\r\n", "227 (10,0,0,1,4,1)\r\n", "RETR f\r\n",
		"150 f (9 bytes)\r\n226 ok\r\n", "QUIT\r\n", "221 bye\r\n", NULL},
	{"220-a\r\n b\r\n220 c\r\n", "EPRT |2|::1|1025|\r\nSTOR x\r\nABOR\r\n",
		"200 a\r\n150 b\r\n426 c\r\n226 d\r\n", "EPSV\r\nLIST\r\nREST 9\r\nSIZE f\r\n",
		"229 (|||1025|)\r\n550 no\r\n350 z\r\n213 7\r\n", NULL},
	{"220 x\r\n", "AUTH TLS\r\n", "234 go\r\n", "\x16\x03\x01\x01\x01x",
		"\x17\x03\x03\x01\x01y", NULL},
};

static void write_ftp(const char *folder)
{
	for (size_t i = 0; i < sizeof ftp_dialogues / sizeof *ftp_dialogues; i++) {
		static Seed plain, stream;
		plain = (Seed){.len = 0};
		stream = (Seed){.len = 0};
		add(&plain, "\x01", 1);
		add(&stream, "\x02", 1);
		for (size_t k = 0; ftp_dialogues[i][k]; k++) {
			const char *text = ftp_dialogues[i][k];
			add(&plain, text, strlen(text) + 1);
			add_segments(&stream, k % 2 == 1, 0, text, strlen(text));
		}
		char name[32];
		snprintf(name, sizeof name, "dialogue-%zu", i);
		seed_write(folder, "ftp", name, &plain);
		snprintf(name, sizeof name, "ftp-%zu", i);
		seed_write(folder, "stream", name, &stream);
	}
}

static void write_samples(const char *folder, const SmbSample *samples, const char *name)
{
	static SmbBuilder builder;
	for (unsigned event = 0; event < 5; event++) {
		static Seed seed;
		seed = (Seed){.len = 0};
		add(&seed, event % 2 ? "\x01" : "\x00", 1);
		for (const SmbSample *sample = samples; sample->name; sample++) {
			memset(&builder, 0, sizeof builder);
			sample->build(&builder);
			if (builder.len < 1200)
				add_segments(&seed, sample->from_client, event, builder.bytes,
					builder.len);
			if (seed.len > 6000)
				break;
		}
		char path[64];
		snprintf(path, sizeof path, "%s-%u", name, event);
		seed_write(folder, "stream", path, &seed);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: sessionseeds FOLDER\n");
		return 2;
	}
	write_ftp(argv[1]);
	write_samples(argv[1], smb2_samples, "smb2");
	return 0;
}
