/*
 * pathem: a path between two hosts, in user space. Two TAP devices, one in the client's and one in
 * the server's network namespace; every frame of one comes out of the other after delay and
 * impairment. The middle capture (nanosecond pcap) is written here, at half of the delay, with the
 * emulated time of each frame; a mirror device may be given for a live look. See README.md for the
 * options, path.h for the model.
 *
 * usage: pathem client=NETNS_FILE:DEVICE server=NETNS_FILE:DEVICE [pcap=FILE] [report=FILE]
 * [mirror=DEVICE] [seed=N] [snap=BYTES] [offload=1] [OPTION=VALUE | OPTION_up=VALUE |
 * OPTION_down=VALUE]... "up" is client to server. offload=1: the hosts leave segmentation and
 * checksums to us, as to a network card; offload=2: to one that loses what it should cut. Prints
 * "ready" when the devices exist; SIGTERM ends it and writes the report. SPDX-License-Identifier:
 * GPL-3.0-or-later
 */
#include "offload.h"
#include "path.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum {
	UP = 0,
	DOWN = 1,
	/* The last part of a wait is spun: a timer alone is late by the wake-up of the CPU (tens of
	   us). */
	SPIN_NS = 15000,
	IDLE_NS = 50000000,
	/* Frames taken from one device before the clock is looked at again. */
	READ_BATCH = 64,
	LATENESS_BINS = 40, /* powers of two of a nanosecond */
};

typedef struct {
	uint64_t due_ns, order;
	enum { EVENT_MIRROR, EVENT_DELIVER } kind;
	int direction;
	unsigned copies;
	bool is_free_order;
	uint64_t extra_ns;
	size_t len;
	uint8_t *data;
} Event;

/** Emulator: everything of one run. */
typedef struct {
	Path path[2];
	int device[2]; /* device[UP] is the client's: frames read there go up */
	int mirror;
	bool has_offload, loses_large; /* loses_large: a card that loses what it should cut */
	Event *heap;
	size_t heap_len, heap_size;
	uint64_t order, start_ns, realtime_offset_ns;
	FILE *pcap;
	size_t snap;
	uint64_t write_failed, delivered, lateness[LATENESS_BINS], max_lateness_ns;
} Emulator;

static volatile sig_atomic_t is_stopping;

static void stop(int signal_number)
{
	(void)signal_number;
	is_stopping = 1;
}

static uint64_t clock_ns(clockid_t id)
{
	struct timespec now;
	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Opens a TAP device, inside the namespace of @netns_file if that is not NULL. */
static int tap_open(const char *netns_file, const char *name, bool has_offload)
{
	if (netns_file) {
		int netns = open(netns_file, O_RDONLY | O_CLOEXEC);
		if (netns < 0 || setns(netns, CLONE_NEWNET))
			die(netns_file);
		close(netns);
	}
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		die("/dev/net/tun");
	struct ifreq request = {
		.ifr_flags = (short)(IFF_TAP | IFF_NO_PI | (has_offload ? IFF_VNET_HDR : 0))};
	strncpy(request.ifr_name, name, IFNAMSIZ - 1);
	if (ioctl(fd, TUNSETIFF, &request))
		die(name);
	if (has_offload && ioctl(fd, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6))
		die("TUNSETOFFLOAD");
	return fd;
}

static void pcap_write32(FILE *out, uint32_t value)
{
	fwrite(&value, sizeof(value), 1, out);
}

/* https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-04.html section 4, nanosecond magic,
 * Ethernet. */
static FILE *pcap_open(const char *file, size_t snap)
{
	static const uint32_t magic = 0xa1b23c4d, version = 2 | 4 << 16, ethernet = 1;
	FILE *out = fopen(file, "wb");
	if (!out)
		die(file);
	const uint32_t header[] = {magic, version, 0, 0, (uint32_t)snap, ethernet};
	fwrite(header, sizeof(header), 1, out);
	return out;
}

static void pcap_add(Emulator *emulator, const Event *event)
{
	if (!emulator->pcap)
		return;
	uint64_t time = event->due_ns + emulator->realtime_offset_ns;
	size_t captured = event->len < emulator->snap ? event->len : emulator->snap;
	pcap_write32(emulator->pcap, (uint32_t)(time / 1000000000));
	pcap_write32(emulator->pcap, (uint32_t)(time % 1000000000));
	pcap_write32(emulator->pcap, (uint32_t)captured);
	pcap_write32(emulator->pcap, (uint32_t)event->len);
	fwrite(event->data, captured, 1, emulator->pcap);
}

static bool event_before(const Event *a, const Event *b)
{
	return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

static void heap_push(Emulator *emulator, Event event)
{
	event.order = emulator->order++;
	if (emulator->heap_len == emulator->heap_size) {
		emulator->heap_size = emulator->heap_size ? emulator->heap_size * 2 : 1024;
		emulator->heap = realloc(emulator->heap, emulator->heap_size * sizeof(Event));
		if (!emulator->heap)
			die("heap");
	}
	size_t at = emulator->heap_len++;
	while (at && event_before(&event, &emulator->heap[(at - 1) / 2])) {
		emulator->heap[at] = emulator->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	emulator->heap[at] = event;
}

static Event heap_pop(Emulator *emulator)
{
	Event top = emulator->heap[0], last = emulator->heap[--emulator->heap_len];
	size_t at = 0, child;
	while ((child = 2 * at + 1) < emulator->heap_len) {
		if (child + 1 < emulator->heap_len &&
			event_before(&emulator->heap[child + 1], &emulator->heap[child]))
			child++;
		if (!event_before(&emulator->heap[child], &last))
			break;
		emulator->heap[at] = emulator->heap[child];
		at = child;
	}
	emulator->heap[at] = last;
	return top;
}

/* Sends the frame through the direction's queue; @after is what still lies before it (half of the
 * delay or all). */
static bool impair(Emulator *emulator, Event *event, uint64_t now_ns)
{
	PathVerdict verdict;
	path_pass(&emulator->path[event->direction], event->data, event->len, now_ns, &verdict);
	if (verdict.drop_reason) {
		free(event->data);
		return false;
	}
	event->copies = verdict.copies;
	event->extra_ns = verdict.extra_ns;
	event->is_free_order = verdict.is_free_order;
	event->due_ns = verdict.depart_ns;
	return true;
}

static void frame_arrive(
	Emulator *emulator, int direction, const uint8_t *data, size_t len, uint64_t now_ns)
{
	Path *path = &emulator->path[direction];
	Event event = {.kind = EVENT_MIRROR,
		.direction = direction,
		.len = len,
		.data = malloc(len),
		.due_ns = now_ns,
		.copies = 1};
	if (!event.data)
		die("frame");
	memcpy(event.data, data, len);
	if (path->config.mirror_after > 0 && !impair(emulator, &event, now_ns))
		return;
	event.due_ns += path_half_delay_ns(path);
	heap_push(emulator, event);
}

static void event_mirror(Emulator *emulator, Event event)
{
	Path *path = &emulator->path[event.direction];
	pcap_add(emulator, &event);
	if (emulator->mirror >= 0 && write(emulator->mirror, event.data, event.len) < 0)
		emulator->write_failed++;
	if (path->config.mirror_after <= 0 && !impair(emulator, &event, event.due_ns))
		return;
	event.kind = EVENT_DELIVER;
	event.due_ns += path_half_delay_ns(path) + path_jitter_ns(path) + event.extra_ns;
	if (!event.is_free_order) { /* jitter keeps the order */
		if (event.due_ns < path->last_due_ns)
			event.due_ns = path->last_due_ns;
		path->last_due_ns = event.due_ns;
	}
	heap_push(emulator, event);
}

/* One frame into a host; with offload each has the kernel's note in front, and ours says "nothing
 * special". */
static ssize_t device_write(const Emulator *emulator, int device, const uint8_t *data, size_t len)
{
	static const struct virtio_net_hdr nothing;
	if (!emulator->has_offload)
		return write(device, data, len);
	struct iovec parts[2] = {
		{.iov_base = (void *)(uintptr_t)&nothing, .iov_len = sizeof(nothing)},
		{.iov_base = (void *)(uintptr_t)data, .iov_len = len}};
	return writev(device, parts, 2);
}

static void event_deliver(Emulator *emulator, Event event)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC),
		 late = now > event.due_ns ? now - event.due_ns : 0;
	int bin = late ? 63 - __builtin_clzll(late) : 0;
	emulator->lateness[bin < LATENESS_BINS ? bin : LATENESS_BINS - 1]++;
	if (late > emulator->max_lateness_ns)
		emulator->max_lateness_ns = late;
	for (unsigned i = 0; i < event.copies; i++) {
		if (device_write(emulator, emulator->device[!event.direction], event.data,
			    event.len) >= 0)
			emulator->delivered++;
		else if (errno != EIO) /* EIO: the device is not up yet */
			emulator->write_failed++;
	}
	free(event.data);
}

static void events_run(Emulator *emulator)
{
	while (emulator->heap_len && emulator->heap[0].due_ns <= clock_ns(CLOCK_MONOTONIC)) {
		Event event = heap_pop(emulator);
		if (event.kind == EVENT_MIRROR)
			event_mirror(emulator, event);
		else
			event_deliver(emulator, event);
	}
}

typedef struct {
	Emulator *emulator;
	int direction;
} Arrival;

static void offload_frame(void *user, const uint8_t *data, size_t len)
{
	const Arrival *arrival = user;
	frame_arrive(arrival->emulator, arrival->direction, data, len, clock_ns(CLOCK_MONOTONIC));
}

static void device_read(Emulator *emulator, int direction)
{
	static uint8_t buffer[FRAME_MAX + sizeof(struct virtio_net_hdr)];
	for (int i = 0; i < READ_BATCH; i++) {
		ssize_t len = read(emulator->device[direction], buffer, sizeof(buffer));
		if (len <= 0)
			return;
		if (emulator->has_offload) {
			struct virtio_net_hdr header;
			Arrival arrival = {emulator, direction};
			if ((size_t)len <= sizeof(header))
				continue;
			memcpy(&header, buffer, sizeof(header));
			if (emulator->loses_large && header.gso_size)
				continue;
			offload_split(&header, buffer + sizeof(header),
				(size_t)len - sizeof(header), offload_frame, &arrival);
			continue;
		}
		frame_arrive(emulator, direction, buffer, (size_t)len, clock_ns(CLOCK_MONOTONIC));
	}
}

static void emulator_run(Emulator *emulator)
{
	while (!is_stopping) {
		events_run(emulator);
		uint64_t now = clock_ns(CLOCK_MONOTONIC), wait = IDLE_NS;
		if (emulator->heap_len) {
			uint64_t due = emulator->heap[0].due_ns;
			wait = due > now + SPIN_NS ? due - now - SPIN_NS : 0;
		}
		if (wait > IDLE_NS)
			wait = IDLE_NS;
		struct timespec timeout = {.tv_nsec = (long)wait};
		struct pollfd devices[2] = {{.fd = emulator->device[UP], .events = POLLIN},
			{.fd = emulator->device[DOWN], .events = POLLIN}};
		if (ppoll(devices, 2, &timeout, NULL) <= 0)
			continue;
		for (int direction = UP; direction <= DOWN; direction++)
			if (devices[direction].revents)
				device_read(emulator, direction);
	}
}

/* The upper edge of the bin that holds the @share-th frame, in microseconds. */
static double lateness_percentile_us(const Emulator *emulator, double share)
{
	uint64_t total = 0, sum = 0;
	for (int i = 0; i < LATENESS_BINS; i++)
		total += emulator->lateness[i];
	for (int i = 0; i < LATENESS_BINS; i++) {
		sum += emulator->lateness[i];
		if (total && (double)sum >= share * (double)total)
			return (double)(2ull << i) / 1e3;
	}
	return 0;
}

static void report_write(const Emulator *emulator, const char *file)
{
	FILE *out = fopen(file, "w");
	if (!out)
		die(file);
	int64_t step = (int64_t)(clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC) -
				 emulator->realtime_offset_ns);
	fprintf(out,
		"{\"delivered\": %" PRIu64 ", \"write_failed\": %" PRIu64 ", \"late_p50_us\": %.1f"
		", \"late_p99_us\": %.1f, \"late_max_us\": %.1f, \"clock_step_us\": %.1f, \"up\": ",
		emulator->delivered, emulator->write_failed, lateness_percentile_us(emulator, 0.5),
		lateness_percentile_us(emulator, 0.99), (double)emulator->max_lateness_ns / 1e3,
		(double)step / 1e3);
	path_report(&emulator->path[UP], emulator->start_ns, out);
	fputs(", \"down\": ", out);
	path_report(&emulator->path[DOWN], emulator->start_ns, out);
	fputs("}\n", out);
	if (fclose(out))
		die(file);
}

/* OPTION_up, OPTION_down, or OPTION for both. */
static void option_set(Emulator *emulator, char *name, const char *value)
{
	char *suffix = strrchr(name, '_');
	int from = UP, to = DOWN;
	if (suffix && !strcmp(suffix, "_up"))
		to = UP;
	else if (suffix && !strcmp(suffix, "_down"))
		from = DOWN;
	if (from == to)
		*suffix = 0;
	for (int direction = from; direction <= to; direction++) {
		if (!path_set(&emulator->path[direction], name, value)) {
			fprintf(stderr, "pathem: bad option %s=%s\n", name, value);
			exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	static Emulator emulator = {.mirror = -1, .snap = 262144};
	const char *pcap = NULL, *report = NULL, *mirror = NULL;
	char *device[2] = {NULL, NULL};
	uint64_t seed = 1;
	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], "seed=", 5))
			seed = strtoull(argv[i] + 5, NULL, 10);
	path_init(&emulator.path[UP], seed, &emulator.path[DOWN]);
	path_init(&emulator.path[DOWN], seed + 1000, &emulator.path[UP]);
	for (int i = 1; i < argc; i++) {
		char *value = strchr(argv[i], '=');
		if (!value) {
			fprintf(stderr, "pathem: %s is not NAME=VALUE\n", argv[i]);
			return 2;
		}
		*value++ = 0;
		if (!strcmp(argv[i], "client"))
			device[UP] = value;
		else if (!strcmp(argv[i], "server"))
			device[DOWN] = value;
		else if (!strcmp(argv[i], "pcap"))
			pcap = value;
		else if (!strcmp(argv[i], "report"))
			report = value;
		else if (!strcmp(argv[i], "mirror"))
			mirror = value;
		else if (!strcmp(argv[i], "snap"))
			emulator.snap = strtoull(value, NULL, 10);
		else if (!strcmp(argv[i], "offload")) {
			emulator.has_offload = *value == '1' || *value == '2';
			emulator.loses_large = *value == '2';
		} else if (strcmp(argv[i], "seed"))
			option_set(&emulator, argv[i], value);
	}
	if (mirror)
		emulator.mirror = tap_open(NULL, mirror, false);
	for (int direction = UP; direction <= DOWN; direction++) {
		char *name = device[direction] ? strrchr(device[direction], ':') : NULL;
		if (!name) {
			fprintf(stderr, "pathem: client=NETNS_FILE:DEVICE and "
					"server=NETNS_FILE:DEVICE are needed\n");
			return 2;
		}
		*name++ = 0;
		emulator.device[direction] =
			tap_open(device[direction], name, emulator.has_offload);
	}
	if (pcap)
		emulator.pcap = pcap_open(pcap, emulator.snap);
	signal(SIGTERM, stop);
	signal(SIGINT, stop);
	prctl(PR_SET_TIMERSLACK, 1ul);
	/* Ahead of whatever else this machine does; without the right to it the lateness report
	 * tells. */
	struct sched_param priority = {.sched_priority = 10};
	sched_setscheduler(0, SCHED_RR, &priority);
	emulator.start_ns = clock_ns(CLOCK_MONOTONIC);
	emulator.realtime_offset_ns = clock_ns(CLOCK_REALTIME) - emulator.start_ns;
	puts("ready");
	fflush(stdout);
	emulator_run(&emulator);
	if (emulator.pcap && fclose(emulator.pcap))
		die(pcap);
	if (report)
		report_write(&emulator, report);
	return 0;
}
