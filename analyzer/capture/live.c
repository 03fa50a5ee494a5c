/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Live capture: see live.h. libpcap's descriptor is polled here, because with TPACKET_V3 its own
 * wait does not end before a packet comes.
 */
#include "analyzer/capture/live.h"

#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>

#include <pcap/pcap.h>

/* Packets taken before the caller may look at signals and clocks again. */
#define LIVE_DISPATCH_MAX 4096

struct Live {
	pcap_t *pcap;
	int fd;
	const char *name;
	uint32_t link_type;
	int snaplen;
	bool has_ns;
	uint16_t input;
	uint64_t frames;
	LiveRaw raw;
	void *raw_user;
	struct pcap_pkthdr *next; /* the packet looked at but not taken, NULL none */
	const u_char *next_data;
	LiveBatcher *batcher; /* during live_dispatch */
	/* counters of 32 bits that wrap, made long */
	struct pcap_stat last;
	LiveDrops drops;
};

static void set_error(GError **error, ReaderError code, const char *interface, const char *why)
{
	g_set_error(error, READER_ERROR, code, "%s: %s", interface, why);
}

static bool set_filter(Live *live, const char *interface, const char *text, GError **error)
{
	struct bpf_program program;
	if (!text)
		return true;
	if (pcap_compile(live->pcap, &program, text, 1, PCAP_NETMASK_UNKNOWN) != 0) {
		set_error(error, READER_ERROR_FILTER, text, pcap_geterr(live->pcap));
		return false;
	}
	bool is_set = pcap_setfilter(live->pcap, &program) == 0;
	pcap_freecode(&program);
	if (!is_set)
		set_error(error, READER_ERROR_FILTER, interface, pcap_geterr(live->pcap));
	return is_set;
}

static bool activate(Live *live, const char *interface, const LiveOptions *o, GError **error)
{
	char why[PCAP_ERRBUF_SIZE] = "";
	live->snaplen = MIN(o->snaplen > 0 ? o->snaplen : LIVE_SNAPLEN, LIVE_MAX_SNAPLEN);
	pcap_set_snaplen(live->pcap, live->snaplen);
	pcap_set_promisc(live->pcap, 1);
	pcap_set_timeout(live->pcap, LIVE_TIMEOUT_MS);
	pcap_set_buffer_size(live->pcap, o->buffer_bytes > 0 ? o->buffer_bytes : LIVE_BUFFER_BYTES);
	live->has_ns = pcap_set_tstamp_precision(live->pcap, PCAP_TSTAMP_PRECISION_NANO) == 0;
	int status = pcap_activate(live->pcap);
	if (status < 0) {
		const char *more = pcap_geterr(live->pcap);
		set_error(error, READER_ERROR_IO, interface,
			more[0] ? more : pcap_statustostr(status));
		return false;
	}
	live->has_ns =
		live->has_ns && pcap_get_tstamp_precision(live->pcap) == PCAP_TSTAMP_PRECISION_NANO;
	live->fd = pcap_get_selectable_fd(live->pcap);
	if (live->fd < 0 || pcap_setnonblock(live->pcap, 1, why) != 0) {
		set_error(error, READER_ERROR_IO, interface,
			why[0] ? why : "this kind of interface cannot be waited for");
		return false;
	}
	/* LINKTYPE_ and DLT_ values are the same but for raw IP, which the decoder knows by both */
	live->link_type = (uint32_t)pcap_datalink(live->pcap);
	return true;
}

Live *live_open(const char *interface, const LiveOptions *options, GError **error)
{
	char why[PCAP_ERRBUF_SIZE] = "";
	g_autoptr(Live) live = g_new0(Live, 1);
	live->name = interface;
	live->pcap = pcap_create(interface, why);
	if (!live->pcap) {
		set_error(error, READER_ERROR_IO, interface, why);
		return NULL;
	}
	if (!activate(live, interface, options, error) ||
		!set_filter(live, interface, options->filter, error))
		return NULL;
	live->input = options->input;
	live->raw = options->raw;
	live->raw_user = options->raw_user;
	return g_steal_pointer(&live);
}

int live_snaplen(const Live *live)
{
	return live->snaplen;
}

bool live_is_up(const Live *live)
{
	struct ifreq request = {0};
	g_strlcpy(request.ifr_name, live->name, sizeof(request.ifr_name));
	/* what is no device, such as "any", has no flags */
	if (ioctl(live->fd, SIOCGIFFLAGS, &request) != 0)
		return true;
	return request.ifr_flags & IFF_UP && request.ifr_flags & IFF_RUNNING;
}

int live_fd(const Live *live)
{
	return live->fd;
}

static int64_t time_of(const Live *live, const struct pcap_pkthdr *header)
{
	int64_t fraction = (int64_t)header->ts.tv_usec * (live->has_ns ? 1 : 1000);
	return (int64_t)header->ts.tv_sec * INT64_C(1000000000) + fraction;
}

static void take(
	Live *live, LiveBatcher *batcher, const struct pcap_pkthdr *header, const u_char *data)
{
	Packet *p = &batcher->batch[batcher->count];
	uint8_t *copy = batcher->bytes + batcher->count * batcher->room;
	uint32_t kept =
		header->caplen < (uint32_t)live->snaplen ? header->caplen : (uint32_t)live->snaplen;
	memcpy(copy, data, kept);
	p->ts_ns = time_of(live, header);
	p->frame = ++live->frames;
	p->file_offset = 0;
	p->wirelen = header->len;
	p->caplen = kept;
	p->input = live->input;
	p->interface = 0;
	p->link_type = live->link_type;
	if (live->raw)
		live->raw(live->raw_user, p, copy);
	packet_decode(live->link_type, copy, kept, header->len, p);
	if (++batcher->count == READER_BATCH)
		live_batcher_flush(batcher);
}

static void on_packet(u_char *user, const struct pcap_pkthdr *header, const u_char *data)
{
	Live *live = (Live *)(void *)user;
	take(live, live->batcher, header, data);
}

static long failed(const Live *live, GError **error)
{
	g_set_error(error, READER_ERROR, READER_ERROR_IO, "%s", pcap_geterr(live->pcap));
	return -1;
}

long live_dispatch(Live *live, LiveBatcher *batcher, GError **error)
{
	live->batcher = batcher;
	int taken = pcap_dispatch(live->pcap, LIVE_DISPATCH_MAX, on_packet, (u_char *)(void *)live);
	return taken < 0 ? failed(live, error) : taken;
}

int live_peek(Live *live, int64_t *ret_ns, GError **error)
{
	if (!live->next) {
		int status = pcap_next_ex(live->pcap, &live->next, &live->next_data);
		if (status != 1)
			live->next = NULL;
		if (status == 0)
			return 0;
		if (status < 0)
			return (int)failed(live, error);
	}
	*ret_ns = time_of(live, live->next);
	return 1;
}

void live_take(Live *live, LiveBatcher *batcher)
{
	g_assert(live->next);
	take(live, batcher, live->next, live->next_data);
	live->next = NULL;
}

LiveBatcher *live_batcher_new(LiveBatch sink, void *user, size_t room)
{
	LiveBatcher *batcher = g_new0(LiveBatcher, 1);
	batcher->sink = sink;
	batcher->user = user;
	batcher->room = room;
	batcher->bytes = g_malloc_n(READER_BATCH, room);
	return batcher;
}

void live_batcher_flush(LiveBatcher *batcher)
{
	if (batcher->count > 0)
		batcher->sink(batcher->user, batcher->batch, batcher->count);
	batcher->count = 0;
}

void live_batcher_free(LiveBatcher *batcher)
{
	if (!batcher)
		return;
	g_free(batcher->bytes);
	g_free(batcher);
}

bool live_drops(Live *live, LiveDrops *ret)
{
	struct pcap_stat now;
	if (pcap_stats(live->pcap, &now) != 0)
		return false;
	/* on Linux what the kernel dropped is part of ps_recv (pcap_stats(3)) */
	uint32_t received = now.ps_recv - live->last.ps_recv,
		 dropped = now.ps_drop - live->last.ps_drop;
	live->drops.received += received > dropped ? received - dropped : 0;
	live->drops.kernel += dropped;
	live->drops.interface += now.ps_ifdrop - live->last.ps_ifdrop;
	live->last = now;
	*ret = live->drops;
	return true;
}

void live_free(Live *live)
{
	if (!live)
		return;
	if (live->pcap)
		pcap_close(live->pcap);
	g_free(live);
}
