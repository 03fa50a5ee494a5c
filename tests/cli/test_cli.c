/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program as people meet it: options, exit statuses, input that is missing, broken or hostile,
 * output that cannot be written, Ctrl-C. SLOWCOPY_PROGRAM names the program.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <jansson.h>
#include <zlib.h>

#include "tests/tools/capgen.h"
#include "tests/tools/random.h"

/* Exit statuses, as the manual promises them. */
enum { DONE = 0, FOUND = 1, USAGE = 2, INPUT = 3, REPORT = 4 };

#define TIMEOUT_S 60

typedef struct Run {
	int status; /* exit status; 1000 + signal when a signal ended it */
	char *out, *err;
	size_t out_len;
} Run;

static char folder[] = "/tmp/slowcopy-cli-XXXXXX";

static void make_folder(void)
{
	cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;
	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);
		g_remove(path);
	}
	g_rmdir(folder);
}

TestSuite(cli, .init = make_folder, .fini = remove_folder, .timeout = 120);

static const char *program(void)
{
	const char *path = g_getenv("SLOWCOPY_PROGRAM");
	return path ? path : "build/release/slowcopy";
}

static char *path_of(const char *name)
{
	return g_build_filename(folder, name, NULL);
}

static char *slurp(const char *path, size_t *ret_len)
{
	char *text = NULL;
	gsize len = 0;
	cr_assert(g_file_get_contents(path, &text, &len, NULL), "%s", path);
	*ret_len = len;
	return text;
}

/* In the child: what the shell would do with "<input >output 2>errors". */
static void redirect(const char *input, const char *output, const char *errors)
{
	int in = open(input, O_RDONLY);
	int out = open(output, O_WRONLY | O_CREAT, 0600);
	int err = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (in < 0 || out < 0 || err < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(99);
	close(in);
	close(out);
	close(err);
}

static pid_t start(char *const argv[], const char *input, const char *output, const char *errors)
{
	pid_t pid = fork();
	cr_assert_geq(pid, 0);
	if (pid == 0) {
		signal(SIGINT, SIG_DFL);
		signal(SIGPIPE, SIG_DFL);
		redirect(input, output, errors);
		alarm(TIMEOUT_S);
		execv(argv[0], argv);
		_exit(98);
	}
	return pid;
}

static int wait_for(pid_t pid)
{
	int status;
	while (waitpid(pid, &status, 0) < 0)
		cr_assert_eq(errno, EINTR);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* The program and @words as a shell would split them. */
__attribute__((format(printf, 1, 2))) static char **command(const char *words, ...)
{
	va_list args;
	va_start(args, words);
	g_autofree char *tail = g_strdup_vprintf(words, args);
	va_end(args);
	g_autofree char *line = g_strdup_printf("%s %s", program(), tail);
	char **argv = NULL;
	cr_assert(g_shell_parse_argv(line, NULL, &argv, NULL), "%s", line);
	return argv;
}

/* The program with the words of @words, its standard input from @input. */
static Run run_from(const char *input, const char *words)
{
	g_auto(GStrv) argv = command("%s", words);
	g_autofree char *out = path_of("out"), *err = path_of("err");
	g_remove(out);
	Run r = {.status = wait_for(start(argv, input, out, err))};
	size_t err_len;
	r.out = slurp(out, &r.out_len);
	r.err = slurp(err, &err_len);
	g_remove(out);
	cr_assert_lt(r.status, 98, "%s: status %d\n%s", words, r.status, r.err);
	return r;
}

__attribute__((format(printf, 1, 2))) static Run run(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	g_autofree char *words = g_strdup_vprintf(format, args);
	va_end(args);
	return run_from("/dev/null", words);
}

static void run_free(Run *r)
{
	g_free(r->out);
	g_free(r->err);
}

/* One line that begins with the program's name and says what is wrong. */
static void check_one_error(const Run *r, const char *word)
{
	cr_assert(g_str_has_prefix(r->err, "slowcopy: "), "%s", r->err);
	cr_assert_eq(strchr(r->err, '\n'), r->err + strlen(r->err) - 1, "one line: %s", r->err);
	cr_assert_not_null(strstr(r->err, word), "no %s in: %s", word, r->err);
}

/* An FTP session that fetches one file, a connection each for control and data. */
static void write_ftp(Capgen *capgen, uint32_t bytes)
{
	CapgenTcp control = capgen_tcp(capgen, "10.0.0.1", 40000, "10.0.0.2", 21);
	int64_t rtt = 5 * CAPGEN_MS, t = capgen_tcp_open(&control, 0, rtt);
	static const char *const lines[] = {"220 ready\r\n", "USER anonymous\r\n",
		"331 password\r\n", "PASS x\r\n", "230 welcome\r\n", "TYPE I\r\n", "200 binary\r\n",
		"PASV\r\n", "227 Entering Passive Mode (10,0,0,2,156,64)\r\n"};
	for (size_t i = 0; i < G_N_ELEMENTS(lines); i++)
		t = capgen_tcp_text(&control, t + (i % 2 ? 100 * CAPGEN_US : rtt),
			i % 2 ? CAPGEN_CLIENT : CAPGEN_SERVER, lines[i]);
	CapgenTcp data = capgen_tcp(capgen, "10.0.0.1", 40001, "10.0.0.2", 40000);
	t = capgen_tcp_open(&data, t + CAPGEN_MS, rtt);
	capgen_tcp_text(&control, t, CAPGEN_CLIENT, "RETR big.iso\r\n");
	t = capgen_tcp_text(&control, t + rtt, CAPGEN_SERVER, "150 here it comes\r\n");
	for (uint32_t sent = 0; sent < bytes; sent += 2 * 1448) {
		t = capgen_tcp_send(
			&data, t + 200 * CAPGEN_US, CAPGEN_SERVER, NULL, 2 * 1448, 12 * CAPGEN_US);
		capgen_tcp_ack(&data, t + 10 * CAPGEN_US, CAPGEN_CLIENT);
	}
	capgen_tcp_close(&data, t + CAPGEN_MS, CAPGEN_SERVER, rtt);
	capgen_tcp_text(&control, t + 2 * CAPGEN_MS, CAPGEN_SERVER, "226 done\r\n");
	capgen_tcp_ack(&control, t + 42 * CAPGEN_MS, CAPGEN_CLIENT);
}

/* A capture of a healthy copy; the caller frees its path. */
static char *make_capture(const char *name, uint32_t bytes)
{
	char *path = path_of(name);
	FILE *out = fopen(path, "wb");
	cr_assert_not_null(out);
	Capgen *capgen = capgen_new(out, 65535);
	write_ftp(capgen, bytes);
	capgen_free(capgen);
	cr_assert_eq(fclose(out), 0);
	return path;
}

static char *make_file(const char *name, const void *data, size_t len)
{
	char *path = path_of(name);
	cr_assert(g_file_set_contents(path, data, (gssize)len, NULL));
	return path;
}

/* Packets that the JSON report counts; -1 when it is no report. */
static json_int_t packets_of(const Run *r)
{
	json_t *root = json_loadb(r->out, r->out_len, JSON_REJECT_DUPLICATES, NULL);
	json_t *packets = json_object_get(json_object_get(root, "capture"), "packets");
	json_int_t count = json_is_integer(packets) ? json_integer_value(packets) : -1;
	json_decref(root);
	return count;
}

Test(cli, help_and_version)
{
	static const char *const words[] = {
		"--help", "-h", "--version", "analyze --help", "explain --help", "explain"};
	for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
		Run r = run("%s", words[i]);
		cr_assert_eq(r.status, DONE, "%s", words[i]);
		cr_assert_gt(r.out_len, 20, "%s", words[i]);
		cr_assert_str_eq(r.err, "", "%s", words[i]);
		run_free(&r);
	}
	Run r = run("--version");
	cr_assert(g_str_has_prefix(r.out, "slowcopy "));
	run_free(&r);
}

Test(cli, explain_names_the_nearest_cause_and_its_page_says_all)
{
	Run r = run("explain recive-window-smal");
	cr_assert_eq(r.status, USAGE);
	cr_assert_not_null(strstr(r.err, "did you mean 'receive-window-small'?"), "%s", r.err);
	run_free(&r);
	static const char *const parts[] = {"How it is recognised", "What must be in the capture",
		"What looks like it", "How sure it is", "What may help", "The test that settles it",
		"Source", "64 KiB"};
	r = run("explain smb2-no-large-mtu");
	cr_assert_eq(r.status, DONE);
	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
		cr_assert_not_null(strstr(r.out, parts[i]), "%s", parts[i]);
	run_free(&r);
}

Test(cli, wrong_use_is_status_2)
{
	g_autofree char *capture = make_capture("good.pcap", 100000);
	static const char *const words[] = {"analyze", "analyze --no-such-option %s", "-x %s",
		"--format=nonsense %s", "--memory=much %s", "--link-speed=fast %s", "--assume= %s",
		"--assume=rtt=50 %s", "--assume=depth=0 %s", "--assume=speed=1G %s",
		"--assume=rtt=1ms,rtt=2ms %s", "--fail-on=never %s", "--color=blue %s",
		"explain no-such-cause", "--json --csv %s", "--redact --no-redact %s",
		"--redact-map=x %s", "-o x --format=text %s", "compare", "compare %s",
		"compare - -", "compare --json --markdown %s %s", "compare --fail-on=never %s %s",
		"compare --link-speed=fast %s %s"};
	for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
		g_autoptr(GString) line = g_string_new(words[i]);
		g_string_replace(line, "%s", capture, 0);
		Run r = run("%s", line->str);
		cr_assert_eq(r.status, USAGE, "%s: status %d", words[i], r.status);
		cr_assert_str_eq(r.out, "", "%s", words[i]);
		check_one_error(&r, "slowcopy");
		run_free(&r);
	}
	Run r = run("%s", "");
	cr_assert_eq(r.status, USAGE, "without anything");
	run_free(&r);
}

Test(cli, a_good_capture)
{
	g_autofree char *capture = make_capture("good.pcap", 1000000);
	Run text = run("analyze %s", capture), same = run("%s", capture);
	cr_assert_eq(text.status, DONE);
	cr_assert_str_eq(text.err, "");
	cr_assert_not_null(strstr(text.out, "VERDICT"));
	cr_assert_str_eq(text.out, same.out, "analyze is the default command");
	cr_assert_null(strchr(text.out, '\033'), "no escape sequences into a file");
	Run json = run("analyze --json %s", capture);
	cr_assert_eq(json.status, DONE);
	cr_assert_gt(packets_of(&json), 1000);
	Run again = run("analyze --json %s", capture);
	cr_assert_str_eq(json.out, again.out, "byte-identical");
	Run quiet = run("-q %s", capture);
	cr_assert_eq(quiet.status, DONE);
	cr_assert_lt(quiet.out_len, text.out_len);
	Run color = run("--color=always %s", capture);
	cr_assert_not_null(strchr(color.out, '\033'));
	Run *all[] = {&text, &same, &json, &again, &quiet, &color};
	for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
		run_free(all[i]);
}

static double outlook_s(const Run *r, const char *bound)
{
	json_t *root = json_loads(r->out, 0, NULL);
	json_t *transfers = json_object_get(root, "transfers");
	json_t *outlook = json_object_get(json_array_get(transfers, 0), "outlook");
	json_t *ns = json_object_get(json_object_get(outlook, "duration_ns"), bound);
	double ret = json_is_integer(ns) ? (double)json_integer_value(ns) / 1e9 : -1;
	json_decref(root);
	return ret;
}

Test(cli, assume)
{
	g_autofree char *capture = make_capture("good.pcap", 1000000);
	Run text = run("--assume rate=1M %s", capture);
	cr_assert_eq(text.status, DONE);
	cr_assert_not_null(strstr(text.out, "WHAT IF    link 1.0 Mbit/s: "), "%s", text.out);
	Run tables = run("-v --assume rate=1M,rtt=20ms %s", capture);
	cr_assert_not_null(strstr(tables.out, "WHAT IF (round trip 20 ms, link 1.0 Mbit/s)"));
	/* a megabyte at 1 Mbit/s takes 8 s, headers not counted */
	Run slow = run("--json --assume rate=1M %s", capture);
	cr_assert_geq(outlook_s(&slow, "high"), 8.0, "%s", text.out);
	cr_assert_leq(outlook_s(&slow, "low"), 9.5);
	cr_assert_not_null(strstr(slow.out, "\"assume\": \"rate=1M\""));
	cr_assert_not_null(strstr(slow.out, "\"rate_bytes_per_s\": 125000"));
	Run plain = run("--json %s", capture);
	cr_assert_eq(outlook_s(&plain, "low"), -1);
	cr_assert_not_null(strstr(plain.out, "\"assumed\": null"));
	Run bad = run("--assume rtt=soon %s", capture);
	cr_assert_eq(bad.status, USAGE);
	cr_assert_not_null(strstr(bad.err, "--assume"));
	cr_assert_not_null(strstr(bad.err, "such as 50ms"), "%s", bad.err);
	Run *all[] = {&text, &tables, &slow, &plain, &bad};
	for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
		run_free(all[i]);
}

Test(cli, standard_input)
{
	g_autofree char *capture = make_capture("good.pcap", 1000000);
	g_autofree char *line = g_strdup_printf("%s --json %s", program(), capture);
	Run file = run("--json %s", capture), redirected = run_from(capture, "--json -");
	cr_assert_eq(redirected.status, DONE, "%s", redirected.err);
	cr_assert_eq(packets_of(&redirected), packets_of(&file));
	/* a pipe cannot seek */
	g_autofree char *piped =
		g_strdup_printf("sh -c 'cat %s | %s --json -'", capture, program());
	char *out;
	int status;
	cr_assert(g_spawn_command_line_sync(piped, &out, NULL, &status, NULL));
	cr_assert_eq(status, 0);
	cr_assert_str_eq(out, redirected.out);
	g_free(out);
	run_free(&file);
	run_free(&redirected);
}

Test(cli, what_cannot_be_read_is_status_3)
{
	Random random = random_start();
	uint8_t noise[20000];
	for (size_t i = 0; i < sizeof noise; i++)
		noise[i] = (uint8_t)random_next(&random);
	g_autofree char *empty = make_file("empty.pcap", "", 0);
	g_autofree char *garbage = make_file("garbage.pcap", noise, sizeof noise);
	g_autofree char *tiny = make_file("tiny.pcap", "\xd4\xc3\xb2", 3);
	g_autofree char *text = make_file("notes.txt", "not a capture\n", 14);
	g_autofree char *missing = path_of("missing.pcap");
	const char *const paths[] = {missing, empty, garbage, tiny, text, "/dev/null"};
	for (size_t i = 0; i < G_N_ELEMENTS(paths); i++) {
		Run r = run("%s", paths[i]);
		cr_assert_eq(r.status, INPUT, "%s: status %d %s", paths[i], r.status, r.err);
		check_one_error(&r, paths[i]);
		cr_assert_str_eq(r.out, "", "%s", paths[i]);
		run_free(&r);
	}
	/* root reads everything: the test says nothing then */
	g_autofree char *secret = make_capture("secret.pcap", 10000);
	cr_assert_eq(chmod(secret, 0), 0);
	if (access(secret, R_OK) != 0) {
		Run r = run("%s", secret);
		cr_assert_eq(r.status, INPUT);
		check_one_error(&r, secret);
		run_free(&r);
	}
	Run r = run_from("/dev/null", "-");
	cr_assert_eq(r.status, INPUT, "empty standard input: %d", r.status);
	run_free(&r);
}

Test(cli, a_good_and_a_missing_input)
{
	g_autofree char *capture = make_capture("good.pcap", 100000);
	g_autofree char *missing = path_of("missing.pcap");
	Run alone = run("--json %s", capture), both = run("--json %s %s", capture, missing);
	cr_assert_eq(both.status, INPUT);
	cr_assert_eq(packets_of(&both), packets_of(&alone), "what could be read is reported");
	check_one_error(&both, missing);
	run_free(&alone);
	run_free(&both);
}

Test(cli, json_lines_has_a_line_for_each_capture)
{
	g_autofree char *first = make_capture("one.pcap", 300000),
			*second = make_capture("two.pcap", 400000),
			*broken = make_file("broken.pcap", "this is none", 12);
	g_autofree char *words =
		g_strdup_printf("analyze --json-lines %s %s %s", first, broken, second);
	Run r = run_from("/dev/null", words);
	cr_expect_eq(r.status, 3, "%s", r.err);
	cr_expect(strstr(r.err, "broken.pcap"));
	g_auto(GStrv) lines = g_strsplit(r.out, "\n", -1);
	cr_assert_eq(g_strv_length(lines), 3, "two lines, and the last newline");
	const char *const paths[] = {first, second};
	for (int i = 0; i < 2; i++) {
		json_error_t error;
		json_t *line = json_loads(lines[i], 0, &error);
		cr_assert_not_null(line, "%s", error.text);
		cr_expect_str_eq(json_string_value(json_object_get(line, "path")), paths[i]);
		cr_expect_str_eq(
			json_string_value(json_object_get(line, "schema")), "slowcopy.capture/1");
		cr_expect_geq(json_integer_value(json_object_get(line, "file_bytes")),
			i ? 400000 : 300000);
		const json_t *report = json_object_get(line, "report");
		cr_expect_str_eq(
			json_string_value(json_object_get(report, "schema")), "slowcopy.report/1");
		json_decref(line);
	}
	run_free(&r);
}

Test(cli, a_cut_capture_is_reported_as_far_as_it_goes)
{
	g_autofree char *capture = make_capture("good.pcap", 200000);
	size_t len;
	g_autofree char *bytes = slurp(capture, &len);
	Run whole = run("--json %s", capture);
	json_int_t all = packets_of(&whole);
	run_free(&whole);
	/* in a record's header, in its data, near both ends */
	const size_t cuts[] = {24 + 5, 24 + 16 + 10, len / 3, len / 2, len - 1};
	for (size_t i = 0; i < G_N_ELEMENTS(cuts); i++) {
		g_autofree char *cut = make_file("cut.pcap", bytes, cuts[i]);
		Run r = run("--json %s", cut);
		cr_assert_eq(r.status, INPUT, "cut at %zu: status %d", cuts[i], r.status);
		check_one_error(&r, cut);
		json_int_t packets = packets_of(&r);
		cr_assert(packets >= 0 && packets < all, "cut at %zu: %lld packets", cuts[i],
			(long long)packets);
		cr_assert_geq(packets, (json_int_t)(cuts[i] / 1600), "cut at %zu", cuts[i]);
		run_free(&r);
	}
}

/* Findings of the JSON report of a stored capture cut at @len bytes; all of them say so when it is.
 */
static void check_doubt(const uint8_t *bytes, size_t len, bool is_cut)
{
	g_autofree char *path = make_file("doubt.pcap", bytes, len);
	Run r = run("--json %s", path);
	json_t *report = json_loadb(r.out, r.out_len, 0, NULL);
	json_t *findings = json_object_get(report, "findings"), *finding;
	cr_assert_gt(json_array_size(findings), 0);
	size_t i;
	json_array_foreach(findings, i, finding)
	{
		const char *doubt = json_string_value(json_object_get(finding, "doubt"));
		const char *confidence = json_string_value(json_object_get(finding, "confidence"));
		cr_assert_eq(doubt && strstr(doubt, "damaged"), is_cut, "%s", doubt);
		if (is_cut)
			cr_assert_str_neq(confidence, "high");
	}
	json_decref(report);
	run_free(&r);
}

Test(cli, a_copy_that_a_damaged_capture_does_not_hold_to_its_end_is_judged_with_doubt)
{
	const char *stored =
		"testdata/causes/smb-serial-requests/smb3-serial-64k-10ms/client.pcap.gz";
	gzFile file = gzopen(stored, "rb");
	cr_assert(file);
	g_autofree uint8_t *bytes = g_malloc(2 << 20);
	int len = gzread(file, bytes, 2 << 20);
	cr_assert_eq(gzclose(file), Z_OK);
	cr_assert_gt(len, 400001);
	check_doubt(bytes, (size_t)len, false);
	check_doubt(bytes, 400001, true);
}

Test(cli, damaged_bytes_neither_crash_nor_hang)
{
	g_autofree char *capture = make_capture("good.pcap", 60000);
	size_t len;
	g_autofree char *bytes = slurp(capture, &len);
	Random random = random_start();
	for (unsigned round = 0; round < 60; round++) {
		g_autofree char *damaged = g_memdup2(bytes, len);
		for (unsigned n = 0; n < 1u << round % 8; n++)
			damaged[random_below(&random, round % 2 ? len : 400)] =
				(char)random_next(&random);
		g_autofree char *path = make_file("damaged.pcap", damaged, len);
		Run r = run("--json %s", path);
		cr_assert(r.status == DONE || r.status == INPUT, "round %u: status %d\n%s", round,
			r.status, r.err);
		cr_assert(r.status == INPUT || packets_of(&r) >= 0, "round %u", round);
		cr_assert_null(strstr(r.err, "internal error"), "round %u: %s", round, r.err);
		run_free(&r);
	}
}

Test(cli, output_that_cannot_be_written)
{
	g_autofree char *capture = make_capture("good.pcap", 100000);
	g_autofree char *err = path_of("err");
	static const char *const words[] = {"--json", "--format=text", "-q"};
	for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
		g_auto(GStrv) argv = command("%s %s", words[i], capture);
		cr_assert_eq(wait_for(start(argv, "/dev/null", "/dev/full", err)), REPORT,
			"full disk: %s", words[i]);
		size_t len;
		Run r = {.err = slurp(err, &len)};
		check_one_error(&r, "");
		run_free(&r);
	}
}

/* Starts the program with its output going into a pipe that nobody reads. */
static int run_into_closed_pipe(char *const argv[], const char *errors)
{
	int ends[2];
	cr_assert_eq(pipe(ends), 0);
	pid_t pid = fork();
	cr_assert_geq(pid, 0);
	if (pid == 0) {
		close(ends[0]);
		int err = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		if (dup2(ends[1], 1) < 0 || dup2(err, 2) < 0)
			_exit(99);
		signal(SIGPIPE, SIG_DFL);
		alarm(TIMEOUT_S);
		execv(argv[0], argv);
		_exit(98);
	}
	close(ends[0]);
	close(ends[1]);
	return wait_for(pid);
}

Test(cli, a_closed_pipe_ends_quietly)
{
	g_autofree char *capture = make_capture("good.pcap", 100000);
	g_autofree char *err = path_of("err");
	static const char *const words[] = {"--json", "-v", "-q"};
	for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
		g_auto(GStrv) argv = command("%s %s", words[i], capture);
		cr_assert_eq(run_into_closed_pipe(argv, err), DONE, "%s", words[i]);
		size_t len;
		g_autofree char *text = slurp(err, &len);
		cr_assert_str_eq(text, "", "%s", words[i]);
	}
}

Test(cli, ctrl_c_prints_the_report_so_far)
{
	g_autofree char *capture = make_capture("good.pcap", 3000000);
	g_autofree char *fifo = path_of("fifo"), *out = path_of("out"), *err = path_of("err");
	size_t len;
	g_autofree char *bytes = slurp(capture, &len);
	Run whole = run("--json %s", capture);
	json_int_t all = packets_of(&whole);
	run_free(&whole);
	static const int signals[] = {SIGINT, SIGTERM};
	for (size_t i = 0; i < G_N_ELEMENTS(signals); i++) {
		cr_assert_eq(mkfifo(fifo, 0600), 0);
		/* opened both ways: the program's end opens without waiting, and never sees the end
		 */
		int feed = open(fifo, O_RDWR);
		g_auto(GStrv) argv = command("--json -");
		pid_t pid = start(argv, fifo, out, err);
		size_t half = len / 2;
		cr_assert_eq(write(feed, bytes, half), (ssize_t)half);
		/* the last bytes left the pipe's 64 KiB when it has taken as many more; then it
		 * waits */
		g_usleep(500000);
		kill(pid, signals[i]);
		Run r = {.status = wait_for(pid)};
		close(feed);
		size_t err_len;
		r.out = slurp(out, &r.out_len);
		r.err = slurp(err, &err_len);
		cr_assert_eq(r.status, INPUT, "status %d: %s", r.status, r.err);
		json_int_t packets = packets_of(&r);
		cr_assert(packets > 0 && packets < all, "%lld of %lld packets", (long long)packets,
			(long long)all);
		run_free(&r);
		g_remove(fifo);
		g_remove(out);
	}
}

Test(cli, fail_on)
{
	static const char *const slow =
		"testdata/causes/receive-window-small/smb3-put-rcvbuf-16k/client.pcap.gz";
	if (!g_file_test(slow, G_FILE_TEST_EXISTS))
		cr_skip_test("no testdata");
	Run info = run("--fail-on=info %s", slow), plain = run("%s", slow);
	cr_assert_eq(info.status, FOUND, "status %d", info.status);
	cr_assert_eq(plain.status, DONE);
	cr_assert_str_eq(info.out, plain.out);
	g_autofree char *healthy = make_capture("good.pcap", 3000000);
	Run critical = run("--fail-on=critical %s", healthy);
	cr_assert_eq(critical.status, DONE);
	run_free(&info);
	run_free(&plain);
	run_free(&critical);
}

/* Captures and saved reports, in any mixture. */
Test(cli, compare)
{
	g_autofree char *small = make_capture("small.pcap", 1000000),
			*large = make_capture("large.pcap", 3000000), *saved = path_of("a.json"),
			*absent = path_of("absent.pcap"), *cut = path_of("cut.pcap");
	Run json = run("--json %s", small);
	cr_assert(g_file_set_contents(saved, json.out, -1, NULL));
	Run text = run("compare %s %s", small, large);
	cr_assert_eq(text.status, DONE, "%s", text.err);
	cr_assert_not_null(strstr(text.out, "RESULT"));
	cr_assert_null(strchr(text.out, '\033'));
	cr_assert_str_eq(text.err, "");
	Run again = run("compare %s %s", small, large);
	cr_assert_str_eq(again.out, text.out, "the same bytes twice");
	Run from_saved = run("compare -q %s %s", saved, large),
	    quiet = run("compare -q %s %s", small, large);
	cr_assert_eq(from_saved.status, DONE, "%s", from_saved.err);
	cr_assert_str_eq(from_saved.out, quiet.out);
	Run self = run("compare %s %s", small, saved);
	cr_assert_not_null(strstr(self.out, "B took as long as A"), "%s", self.out);
	Run missing = run("compare %s %s", small, absent);
	cr_assert_eq(missing.status, INPUT);
	cr_assert_str_eq(missing.out, "");
	/* one that ends early is compared as far as it goes, and the status says so */
	size_t len;
	g_autofree char *bytes = slurp(large, &len);
	cr_assert(g_file_set_contents(cut, bytes, (gssize)len - 7, NULL));
	Run part = run("compare %s %s", small, cut);
	cr_assert_eq(part.status, INPUT);
	cr_assert_not_null(strstr(part.out, "only in part"), "%s", part.out);
	g_auto(GStrv) argv = command("compare %s %s", small, large);
	g_autofree char *err = path_of("err");
	cr_assert_eq(wait_for(start(argv, "/dev/null", "/dev/full", err)), REPORT);
	Run *const all[] = {&json, &text, &again, &from_saved, &quiet, &self, &missing, &part};
	for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
		run_free(all[i]);
}

Test(cli, compare_fail_on)
{
	static const char *const slow =
		"testdata/causes/receive-window-small/smb3-put-rcvbuf-16k/client.pcap.gz";
	if (!g_file_test(slow, G_FILE_TEST_EXISTS))
		cr_skip_test("no testdata");
	g_autofree char *healthy = make_capture("good.pcap", 3000000);
	Run new = run("compare --fail-on=minor %s %s", healthy, slow),
	    gone = run("compare --fail-on=minor %s %s", slow, healthy),
	    kept = run("compare --fail-on=minor %s %s", slow, slow);
	cr_assert_eq(new.status, FOUND, "status %d: %s", new.status, new.err);
	cr_assert_eq(gone.status, DONE);
	cr_assert_eq(kept.status, DONE);
	run_free(&new);
	run_free(&gone);
	run_free(&kept);
}
