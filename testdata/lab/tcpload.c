/*
 * tcpload: one end of a plain TCP transfer with the habits of good and bad programs.
 * usage: tcpload listen|connect ADDRESS PORT send|receive|ask|answer [NAME=VALUE]...
 * send:    bytes, chunk (per write), pause_us (after each chunk), burst + burst_pause_us (pause
 * after each burst), messages (wait for one byte of answer after each of so many parts) receive:
 * chunk (per read), pause_us (before each read), delay_us (before the first), messages (answer one
 * byte after bytes/messages have come) ask:     exchanges, head, body (two writes), reply (bytes
 * awaited), think_us;  answer: the other side all:     sndbuf, rcvbuf (set before connect/listen),
 * nodelay, congestion=NAME, connections (one after the other), result=FILE (JSON: wall time, bytes,
 * the kernel's own counters) SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK_MAX = 4 << 20 };

typedef struct {
	const char *name;
	int64_t value;
} Option;

static Option options[] = {
	{"bytes", 1 << 20},
	{"chunk", 65536},
	{"pause_us", 0},
	{"burst", 0},
	{"burst_pause_us", 0},
	{"messages", 0},
	{"delay_us", 0},
	{"exchanges", 40},
	{"head", 60},
	{"body", 100},
	{"reply", 20},
	{"think_us", 0},
	{"sndbuf", 0},
	{"rcvbuf", 0},
	{"nodelay", 0},
	{"connections", 1},
};
static const char *result_file, *congestion;
static char *buffer;

static int64_t option(const char *name)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (!strcmp(options[i].name, name))
			return options[i].value;
	abort();
}

static void option_set(const char *name, const char *value)
{
	if (!strcmp(name, "result"))
		result_file = value;
	if (!strcmp(name, "congestion"))
		congestion = value;
	if (!strcmp(name, "result") || !strcmp(name, "congestion"))
		return;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (!strcmp(options[i].name, name)) {
			options[i].value = strtoll(value, NULL, 10);
			return;
		}
	}
	fprintf(stderr, "tcpload: no option %s\n", name);
	exit(2);
}

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(1);
}

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void pause_us(int64_t us)
{
	if (us > 0) {
		struct timespec wait = {us / 1000000, us % 1000000 * 1000};
		nanosleep(&wait, NULL);
	}
}

static void send_all(int fd, int64_t len)
{
	while (len > 0) {
		ssize_t sent =
			send(fd, buffer, (size_t)(len < CHUNK_MAX ? len : CHUNK_MAX), MSG_NOSIGNAL);
		if (sent < 0)
			die("send");
		len -= sent;
	}
}

/* Reads exactly @len bytes; returns fewer only at the end of the stream. */
static int64_t receive_all(int fd, int64_t len)
{
	int64_t got = 0;
	while (got < len) {
		int64_t want = len - got < CHUNK_MAX ? len - got : CHUNK_MAX;
		ssize_t now = recv(fd, buffer, (size_t)want, 0);
		if (now < 0)
			die("recv");
		if (!now)
			break;
		got += now;
	}
	return got;
}

static void socket_set_up(int fd)
{
	int size, on = 1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if ((size = (int)option("sndbuf")) &&
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)))
		die("SO_SNDBUF");
	if ((size = (int)option("rcvbuf")) &&
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)))
		die("SO_RCVBUF");
	if (option("nodelay") && setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)))
		die("TCP_NODELAY");
	if (congestion && setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, congestion,
				  (socklen_t)strlen(congestion)))
		die("TCP_CONGESTION");
}

static int64_t run_send(int fd)
{
	int64_t bytes = option("bytes"), sent = 0, in_burst = 0, messages = option("messages");
	int64_t message = messages ? bytes / messages : 0;
	while (sent < bytes) {
		int64_t len = option("chunk");
		if (len > bytes - sent)
			len = bytes - sent;
		if (message && len > message - sent % message)
			len = message - sent % message;
		send_all(fd, len);
		sent += len;
		in_burst += len;
		if (message && sent % message == 0)
			receive_all(fd, 1);
		pause_us(option("pause_us"));
		if (option("burst") && in_burst >= option("burst") && sent < bytes) {
			pause_us(option("burst_pause_us"));
			in_burst = 0;
		}
	}
	return sent;
}

static int64_t run_receive(int fd)
{
	int64_t got = 0, messages = option("messages"),
		message = messages ? option("bytes") / messages : 0;
	pause_us(option("delay_us"));
	for (;;) {
		int64_t want = option("chunk");
		pause_us(option("pause_us"));
		if (message && want > message - got % message)
			want = message - got % message;
		ssize_t now = recv(fd, buffer, (size_t)want, 0);
		if (now < 0)
			die("recv");
		if (!now)
			return got;
		got += now;
		if (message && got % message == 0)
			send_all(fd, 1);
	}
}

static int64_t run_ask(int fd)
{
	int64_t bytes = 0;
	for (int64_t i = 0; i < option("exchanges"); i++) {
		send_all(fd, option("head"));
		send_all(fd, option("body"));
		bytes += option("head") + option("body");
		receive_all(fd, option("reply"));
		pause_us(option("think_us"));
	}
	return bytes;
}

static int64_t run_answer(int fd)
{
	int64_t bytes = 0, request = option("head") + option("body");
	while (receive_all(fd, request) == request) {
		send_all(fd, option("reply"));
		bytes += request;
	}
	return bytes;
}

static void result_write(FILE *out, int fd, double wall, int64_t bytes)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);
	memset(&info, 0, sizeof(info));
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len))
		die("TCP_INFO");
	fprintf(out,
		"{\"wall_s\": %.6f, \"bytes\": %" PRId64
		", \"tcp_info\": {\"busy_s\": %.6f, \"rwnd_limited_s\": %.6f"
		", \"sndbuf_limited_s\": %.6f, \"total_retrans\": %u, \"lost\": %u, \"rtt_us\": "
		"%u, \"min_rtt_us\": %u"
		", \"snd_cwnd\": %u, \"snd_mss\": %u, \"reord_seen\": %u, \"dsack_dups\": %u}}\n",
		wall, bytes, (double)info.tcpi_busy_time / 1e6,
		(double)info.tcpi_rwnd_limited / 1e6, (double)info.tcpi_sndbuf_limited / 1e6,
		info.tcpi_total_retrans, info.tcpi_lost, info.tcpi_rtt, info.tcpi_min_rtt,
		info.tcpi_snd_cwnd, info.tcpi_snd_mss, info.tcpi_reord_seen, info.tcpi_dsack_dups);
}

static void connection_run(int fd, const char *role, double start, FILE *out)
{
	int64_t bytes;
	if (!strcmp(role, "send"))
		bytes = run_send(fd);
	else if (!strcmp(role, "receive"))
		bytes = run_receive(fd);
	else if (!strcmp(role, "ask"))
		bytes = run_ask(fd);
	else
		bytes = run_answer(fd);
	shutdown(fd, SHUT_WR);
	receive_all(fd, 1); /* until the other side has everything and closes */
	if (out)
		result_write(out, fd, seconds() - start, bytes);
	close(fd);
}

static struct addrinfo *address_find(const char *host, const char *port)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV},
			*found;
	int error = getaddrinfo(host, port, &hints, &found);
	if (error) {
		fprintf(stderr, "tcpload: %s: %s\n", host, gai_strerror(error));
		exit(2);
	}
	return found;
}

int main(int argc, char **argv)
{
	if (argc < 5) {
		fprintf(stderr, "usage: tcpload listen|connect ADDRESS PORT "
				"send|receive|ask|answer [NAME=VALUE]...\n");
		return 2;
	}
	for (int i = 5; i < argc; i++) {
		char *value = strchr(argv[i], '=');
		if (!value)
			return 2;
		*value++ = 0;
		option_set(argv[i], value);
	}
	struct addrinfo *address = address_find(argv[2], argv[3]);
	bool is_listener = !strcmp(argv[1], "listen");
	FILE *out = result_file ? fopen(result_file, "w") : NULL;
	buffer = malloc(CHUNK_MAX);
	static const char text[] = "slowcopy laboratory payload. ";
	for (size_t i = 0; buffer && i < CHUNK_MAX; i++)
		buffer[i] = text[i % (sizeof(text) - 1)];

	int listener = -1;
	if (is_listener) {
		listener = socket(address->ai_family, SOCK_STREAM, 0);
		socket_set_up(listener);
		if (bind(listener, address->ai_addr, address->ai_addrlen) || listen(listener, 64))
			die("listen");
	}
	for (int64_t i = 0; i < option("connections"); i++) {
		double start = seconds();
		int fd;
		if (is_listener) {
			fd = accept(listener, NULL, NULL);
			if (fd < 0)
				die("accept");
			socket_set_up(fd);
			start = seconds();
		} else {
			fd = socket(address->ai_family, SOCK_STREAM, 0);
			socket_set_up(fd);
			if (connect(fd, address->ai_addr, address->ai_addrlen))
				die("connect");
		}
		connection_run(fd, argv[4], start, out);
	}
	if (out && fclose(out))
		die(result_file);
	return 0;
}
