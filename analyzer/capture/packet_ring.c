/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rotating files: see packet_ring.h. Each is a whole pcapng (draft-ietf-opsawg-pcapng), with an
 * interface description before the first packet of each interface. A file is cut back to its last
 * whole block when the disk is full.
 */
#include "analyzer/capture/packet_ring.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/capture/reader.h"
#include "dissectors/pcapng_block.h"

/* Written at once: a few thousand packets of 256 bytes. */
#define BUFFER_BYTES (512u * 1024)
#define OPTION_IF_NAME 2
#define OPTION_IF_TSRESOL 9
#define BYTE_ORDER_MAGIC 0x1a2b3c4du
/* Interfaces of one file: each input, and again when its link type changes. */
#define FILE_INTERFACES 32
/* Packets of a transfer lie this near around it: its handshake, a last retransmission. */
#define SAVE_MARGIN_NS INT64_C(2000000000)
#define NAME_PREFIX "ring-"
#define NAME_SUFFIX ".pcapng"

typedef struct Segment {
	char *name;
	int64_t first_ns, last_ns; /* of its packets */
	uint64_t bytes;
} Segment;

struct PacketRing {
	char *folder;
	int folder_fd, saved_fd; /* saved_fd -1 until something was saved */
	int64_t keep_ns;
	uint64_t max_bytes, bytes; /* of all segments */
	const char *const *interfaces;
	size_t interface_count;
	GQueue segments; /* Segment, oldest first; the last one is open while fd >= 0 */
	int fd;
	struct {
		uint16_t input;
		uint32_t link_type;
	} known[FILE_INTERFACES];
	uint32_t known_count;
	uint8_t *buffer;
	size_t used;
	uint64_t buffered_packets;
	uint64_t lost;
	int lost_errno;
};

static void segment_free(gpointer data)
{
	Segment *segment = data;
	g_free(segment->name);
	g_free(segment);
}

static gint by_name(gconstpointer a, gconstpointer b, gpointer unused)
{
	(void)unused;
	return strcmp(((const Segment *)a)->name, ((const Segment *)b)->name);
}

/* Names begin with the time and sort by it. */
static bool is_ours(const char *name)
{
	return g_str_has_prefix(name, NAME_PREFIX) && g_str_has_suffix(name, NAME_SUFFIX);
}

static void adopt_files(PacketRing *ring)
{
	int fd = openat(ring->folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	for (const struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
		struct stat about;
		if (!is_ours(e->d_name) ||
			fstatat(ring->folder_fd, e->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 ||
			!S_ISREG(about.st_mode))
			continue;
		Segment *s = g_new0(Segment, 1);
		s->name = g_strdup(e->d_name);
		s->last_ns =
			(int64_t)about.st_mtim.tv_sec * INT64_C(1000000000) + about.st_mtim.tv_nsec;
		s->first_ns = s->last_ns - ring->keep_ns / PACKET_RING_FILES;
		s->bytes = (uint64_t)about.st_size;
		ring->bytes += s->bytes;
		g_queue_insert_sorted(&ring->segments, s, by_name, NULL);
	}
	if (dir)
		closedir(dir);
}

static bool open_failed(const char *path, GError **error)
{
	g_set_error(error, READER_ERROR, READER_ERROR_IO, "%s: %s", path, g_strerror(errno));
	return false;
}

static bool can_write(PacketRing *ring, GError **error)
{
	if (ring->folder_fd < 0 || faccessat(ring->folder_fd, ".", W_OK, AT_EACCESS) != 0)
		return open_failed(ring->folder, error);
	return true;
}

PacketRing *packet_ring_open(const PacketRingOptions *options, GError **error)
{
	g_autoptr(PacketRing) ring = g_new0(PacketRing, 1);
	ring->folder = g_strdup(options->folder);
	ring->fd = ring->saved_fd = -1;
	ring->keep_ns = options->keep_ns;
	ring->max_bytes = options->max_bytes;
	ring->interfaces = options->interfaces;
	ring->interface_count = options->interface_count;
	g_queue_init(&ring->segments);
	ring->folder_fd = open(options->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!can_write(ring, error))
		return NULL;
	ring->buffer = g_malloc(BUFFER_BYTES);
	adopt_files(ring);
	return g_steal_pointer(&ring);
}

static Segment *open_segment(const PacketRing *ring)
{
	return ring->fd >= 0 ? ring->segments.tail->data : NULL;
}

/* What is buffered cannot be written: the file ends with its last whole block, and the next packet
 * begins another, since descriptions of interfaces may be among what is lost. */
static void give_up(PacketRing *ring, Segment *s, int why)
{
	ring->lost_errno = why;
	ring->lost += ring->buffered_packets;
	if (ftruncate(ring->fd, (off_t)s->bytes) != 0)
		ring->lost_errno = errno;
	close(ring->fd);
	ring->fd = -1;
	if (s->bytes == 0) {
		unlinkat(ring->folder_fd, s->name, 0);
		segment_free(g_queue_pop_tail(&ring->segments));
	}
}

void packet_ring_flush(PacketRing *ring)
{
	Segment *s = open_segment(ring);
	size_t done = 0;
	while (s && done < ring->used) {
		ssize_t n = write(ring->fd, ring->buffer + done, ring->used - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			give_up(ring, s, n < 0 ? errno : ENOSPC);
			s = NULL;
			break;
		}
		done += (size_t)n;
	}
	if (s) {
		s->bytes += done;
		ring->bytes += done;
	}
	ring->used = 0;
	ring->buffered_packets = 0;
}

static void close_segment(PacketRing *ring)
{
	packet_ring_flush(ring);
	if (ring->fd >= 0)
		close(ring->fd);
	ring->fd = -1;
}

static void delete_old(PacketRing *ring, int64_t now_ns)
{
	uint64_t room = ring->max_bytes - ring->max_bytes / PACKET_RING_FILES;
	for (Segment *s = g_queue_peek_head(&ring->segments); s && s != open_segment(ring);
		s = g_queue_peek_head(&ring->segments)) {
		if (ring->bytes <= room && now_ns - s->last_ns <= ring->keep_ns)
			break;
		if (unlinkat(ring->folder_fd, s->name, 0) != 0 && errno != ENOENT)
			ring->lost_errno = errno;
		ring->bytes -= MIN(s->bytes, ring->bytes);
		segment_free(g_queue_pop_head(&ring->segments));
	}
}

/* ---- blocks, in the byte order of this machine, which the section header tells */

static void put(PacketRing *ring, const void *data, size_t len)
{
	memcpy(ring->buffer + ring->used, data, len);
	ring->used += len;
}

static void put_u16(PacketRing *ring, uint16_t value)
{
	put(ring, &value, sizeof(value));
}

static void put_u32(PacketRing *ring, uint32_t value)
{
	put(ring, &value, sizeof(value));
}

static void put_padded(PacketRing *ring, const void *data, size_t len)
{
	static const uint8_t zero[4];
	put(ring, data, len);
	put(ring, zero, (4 - len % 4) % 4);
}

static void put_section(PacketRing *ring)
{
	const uint32_t len = 28;
	put_u32(ring, PCAPNG_SECTION);
	put_u32(ring, len);
	put_u32(ring, BYTE_ORDER_MAGIC);
	put_u16(ring, 1);
	put_u16(ring, 0);
	put_u32(ring, UINT32_MAX);
	put_u32(ring, UINT32_MAX);
	put_u32(ring, len);
}

static void put_interface(PacketRing *ring, const Packet *packet)
{
	const char *name =
		packet->input < ring->interface_count ? ring->interfaces[packet->input] : "";
	const uint8_t nanoseconds = 9;
	size_t name_len = MIN(strlen(name), 255u);
	uint32_t len = (uint32_t)(20 + 4 + (name_len + 3) / 4 * 4 + 8 + 4);
	put_u32(ring, PCAPNG_INTERFACE);
	put_u32(ring, len);
	put_u16(ring, (uint16_t)packet->link_type);
	put_u16(ring, 0);
	put_u32(ring, 0);
	put_u16(ring, OPTION_IF_NAME);
	put_u16(ring, (uint16_t)name_len);
	put_padded(ring, name, name_len);
	put_u16(ring, OPTION_IF_TSRESOL);
	put_u16(ring, 1);
	put_padded(ring, &nanoseconds, 1);
	put_u32(ring, 0);
	put_u32(ring, len);
}

/* Number of the packet's interface in the open file; it is described when it is new. */
static bool find_interface(PacketRing *ring, const Packet *packet, uint32_t *ret)
{
	for (uint32_t i = ring->known_count; i > 0; i--) {
		if (ring->known[i - 1].input == packet->input &&
			ring->known[i - 1].link_type == packet->link_type) {
			*ret = i - 1;
			return true;
		}
	}
	if (ring->known_count == FILE_INTERFACES)
		return false;
	ring->known[ring->known_count].input = packet->input;
	ring->known[ring->known_count].link_type = packet->link_type;
	put_interface(ring, packet);
	*ret = ring->known_count++;
	return true;
}

static bool begin_segment(PacketRing *ring, int64_t ts_ns)
{
	g_autoptr(GDateTime) date = g_date_time_new_from_unix_utc(ts_ns / INT64_C(1000000000));
	g_autofree char *time = date ? g_date_time_format(date, "%Y%m%dT%H%M%S") : g_strdup("0");
	char name[64];
	snprintf(name, sizeof(name), NAME_PREFIX "%s.%09" PRId64 "Z" NAME_SUFFIX, time,
		ts_ns % INT64_C(1000000000));
	delete_old(ring, ts_ns);
	ring->fd = openat(
		ring->folder_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0640);
	if (ring->fd < 0) {
		ring->lost_errno = errno;
		return false;
	}
	Segment *s = g_new0(Segment, 1);
	s->name = g_strdup(name);
	s->first_ns = s->last_ns = ts_ns;
	g_queue_push_tail(&ring->segments, s);
	ring->known_count = 0;
	put_section(ring);
	return true;
}

static bool is_due(const PacketRing *ring, int64_t ts_ns)
{
	const Segment *s = open_segment(ring);
	/* a clock that was set back begins a file too, so that each holds one stretch of time */
	return !s || s->bytes + ring->used > ring->max_bytes / PACKET_RING_FILES ||
	       ts_ns - s->first_ns > ring->keep_ns / PACKET_RING_FILES ||
	       ts_ns < s->first_ns - ring->keep_ns / PACKET_RING_FILES;
}

void packet_ring_add(PacketRing *ring, const Packet *packet, const uint8_t *data)
{
	uint32_t interface, padded = (packet->caplen + 3) / 4 * 4, len = 32 + padded;
	if (ring->used + len + 512 > BUFFER_BYTES)
		packet_ring_flush(ring);
	if (is_due(ring, packet->ts_ns)) {
		close_segment(ring);
		if (!begin_segment(ring, packet->ts_ns)) {
			ring->lost++;
			return;
		}
	}
	if (len + 512 > BUFFER_BYTES || !find_interface(ring, packet, &interface)) {
		ring->lost++;
		return;
	}
	uint64_t ts = (uint64_t)packet->ts_ns;
	put_u32(ring, PCAPNG_ENHANCED_PACKET);
	put_u32(ring, len);
	put_u32(ring, interface);
	put_u32(ring, (uint32_t)(ts >> 32));
	put_u32(ring, (uint32_t)ts);
	put_u32(ring, packet->caplen);
	put_u32(ring, packet->wirelen);
	put_padded(ring, data, packet->caplen);
	put_u32(ring, len);
	ring->buffered_packets++;
	Segment *s = open_segment(ring);
	s->last_ns = MAX(s->last_ns, packet->ts_ns);
}

/* ---- saving */

static uint64_t saved_bytes(const PacketRing *ring)
{
	uint64_t sum = 0;
	int fd = openat(ring->saved_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	for (const struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
		struct stat about;
		if (fstatat(ring->saved_fd, e->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
			S_ISREG(about.st_mode))
			sum += (uint64_t)about.st_size;
	}
	if (dir)
		closedir(dir);
	return sum;
}

static bool open_saved(PacketRing *ring)
{
	if (ring->saved_fd >= 0)
		return true;
	if (mkdirat(ring->folder_fd, PACKET_RING_SAVED, 0750) != 0 && errno != EEXIST)
		return false;
	ring->saved_fd = openat(ring->folder_fd, PACKET_RING_SAVED,
		O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return ring->saved_fd >= 0;
}

static bool save_segment(PacketRing *ring, const Segment *s, uint64_t *used)
{
	if (faccessat(ring->saved_fd, s->name, F_OK, 0) == 0)
		return true;
	if (*used + s->bytes > ring->max_bytes) {
		errno = ENOSPC;
		return false;
	}
	if (linkat(ring->folder_fd, s->name, ring->saved_fd, s->name, 0) != 0)
		return false;
	*used += s->bytes;
	return true;
}

void packet_ring_save(PacketRing *ring, int64_t from_ns, int64_t to_ns, PacketRingSaved *ret)
{
	*ret = (PacketRingSaved){.paths = g_ptr_array_new_with_free_func(g_free)};
	packet_ring_flush(ring);
	if (!open_saved(ring)) {
		ret->why = errno;
		return;
	}
	uint64_t used = saved_bytes(ring);
	const Segment *oldest = g_queue_peek_head(&ring->segments);
	ret->is_whole = oldest && oldest->first_ns <= from_ns;
	for (const GList *l = ring->segments.head; l; l = l->next) {
		const Segment *s = l->data;
		if (s->last_ns < from_ns - SAVE_MARGIN_NS || s->first_ns > to_ns + SAVE_MARGIN_NS)
			continue;
		if (save_segment(ring, s, &used)) {
			g_ptr_array_add(ret->paths, g_strdup_printf("%s/" PACKET_RING_SAVED "/%s",
							    ring->folder, s->name));
		} else {
			ret->why = errno;
			ret->is_whole = false;
		}
	}
}

uint64_t packet_ring_lost(const PacketRing *ring, int *ret_errno)
{
	*ret_errno = ring->lost_errno;
	return ring->lost;
}

void packet_ring_free(PacketRing *ring)
{
	if (!ring)
		return;
	close_segment(ring);
	g_queue_clear_full(&ring->segments, segment_free);
	if (ring->folder_fd >= 0)
		close(ring->folder_fd);
	if (ring->saved_fd >= 0)
		close(ring->saved_fd);
	g_free(ring->folder);
	g_free(ring->buffer);
	g_free(ring);
}
