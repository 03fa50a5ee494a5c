/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NetBEUI sessions as connections: see nbf.h.
 *
 * LLC numbers frames modulo 128 for a pair of hosts, whatever session they belong to; a receiver
 * takes them in order only and has all behind a lost one sent again (ISO 8802-2 7.5). So a frame
 * with the expected number is new, one of the last 64 is a repetition, one ahead of it is dropped
 * here as it is there, unless an acknowledgement shows that only the capture missed the others.
 */
#include "analyzer/flow/nbf.h"

#include <stdlib.h>
#include <string.h>

#include "dissectors/netbeui.h"

/* hosts of one segment that talk at a time; NetBEUI is not routed */
#define MAX_LINKS 256
/* sessions between two hosts at a time */
#define MAX_SESSIONS 8
#define FRAMING 4
/* the longest frame there is: token ring at 16 Mbit/s (IEEE 802.5: 18 200 bytes) */
#define MAX_FRAME 18432
#define AHEAD_HALF (LLC_SEQUENCE_COUNT / 2)
/* session numbers become ports where no service is looked for */
#define PORT_BASE 50000
#define INITIAL_STEP 0x10001
/* The receive window of LLC is at most 127 frames (ISO 8802-2 7.8.2), which may be more than the
 * bare field of TCP can say. */
#define WINDOW_FRAMES 127
#define WINDOW_SCALE 7
#define DEFAULT_DATA_FIELD 1482 /* Ethernet less LLC and NBF headers */

/* MS-CIFS 2.2.3.1, 2.2.4.22.1 and 2.2.4.25.1 */
#define SMB_HEADER_LEN 32
#define SMB_COMMAND_AT 4
#define SMB_FLAGS_AT 9
#define SMB_REPLY 0x80
#define SMB_READ_RAW 0x1a
#define SMB_WRITE_RAW 0x1d
#define WRITE_RAW_DATA_LEN_AT (SMB_HEADER_LEN + 1 + 20)

/* One direction of a session. */
typedef struct NbfWay {
	uint8_t number;   /* session number of its sender */
	bool in_message;  /* pieces of a message are to come */
	bool is_skipping; /* its beginning was not seen: so is the rest not told */
	uint16_t data_field;
	uint32_t seq;   /* of the next byte */
	uint32_t acked; /* what the other side has confirmed */
	uint32_t left;  /* of the message under way */
	uint32_t raw;   /* a message without a header, of so many bytes, may come next */
} NbfWay;

typedef struct NbfSession {
	bool is_used;
	uint64_t used_at;
	NbfWay way[2];
} NbfSession;

/* What a numbered frame held. */
typedef struct NbfMark {
	bool is_set;
	uint8_t session;
	uint32_t seq, len;
} NbfMark;

typedef struct NbfLine {
	bool is_known;
	uint8_t expected; /* number of the next new frame */
	NbfMark marks[LLC_SEQUENCE_COUNT];
} NbfLine;

/* A pair of hosts; way 0 goes from the lower address to the higher. */
typedef struct NbfLink {
	uint8_t mac[2][6];
	uint64_t used_at;
	NbfLine line[2];
	NbfSession sessions[MAX_SESSIONS];
} NbfLink;

struct Nbf {
	NbfLink *links[MAX_LINKS];
	uint64_t now; /* counts frames: what is oldest goes */
	NbfStats stats;
	uint8_t buffer[FRAMING + MAX_FRAME];
};

Nbf *nbf_new(void)
{
	return calloc(1, sizeof(Nbf));
}

void nbf_free(Nbf *nbf)
{
	if (!nbf)
		return;
	for (int i = 0; i < MAX_LINKS; i++)
		free(nbf->links[i]);
	free(nbf);
}

NbfStats nbf_stats(const Nbf *nbf)
{
	return nbf->stats;
}

static void link_reset(NbfLink *link)
{
	memset(link->line, 0, sizeof(link->line));
	memset(link->sessions, 0, sizeof(link->sessions));
}

static NbfLink *link_of(Nbf *nbf, const Packet *packet, int *ret_way)
{
	*ret_way = memcmp(packet->src_mac, packet->dst_mac, 6) < 0 ? 0 : 1;
	const uint8_t *low = *ret_way ? packet->dst_mac : packet->src_mac;
	const uint8_t *high = *ret_way ? packet->src_mac : packet->dst_mac;
	int slot = 0;
	for (int i = 0; i < MAX_LINKS; i++) {
		NbfLink *link = nbf->links[i];
		if (!link) {
			slot = i;
			break;
		}
		if (memcmp(link->mac[0], low, 6) == 0 && memcmp(link->mac[1], high, 6) == 0) {
			link->used_at = ++nbf->now;
			return link;
		}
		if (link->used_at < nbf->links[slot]->used_at)
			slot = i;
	}
	if (nbf->links[slot])
		nbf->stats.links_dropped++;
	else
		nbf->links[slot] = malloc(sizeof(NbfLink));
	NbfLink *link = nbf->links[slot];
	if (!link)
		return NULL;
	memset(link, 0, sizeof(*link));
	memcpy(link->mac[0], low, 6);
	memcpy(link->mac[1], high, 6);
	link->used_at = ++nbf->now;
	nbf->stats.links++;
	return link;
}

static void session_reset(Nbf *nbf, NbfLink *link, int index, int way, const NbfHeader *header)
{
	NbfSession *s = &link->sessions[index];
	/* no two sessions begin at the same number: a second one is not the first again */
	uint32_t begin = (uint32_t)++nbf->stats.sessions * INITIAL_STEP;
	*s = (NbfSession){.is_used = true, .used_at = nbf->now};
	s->way[way].number = header->source;
	s->way[1 - way].number = header->destination;
	for (int i = 0; i < 2; i++) {
		s->way[i].seq = s->way[i].acked = begin + 1; /* behind a SYN */
		s->way[i].data_field = DEFAULT_DATA_FIELD;
		/* marks of the one before are not its own */
		for (int k = 0; k < LLC_SEQUENCE_COUNT; k++) {
			if (link->line[i].marks[k].session == index)
				link->line[i].marks[k].is_set = false;
		}
	}
}

static int session_of(Nbf *nbf, NbfLink *link, int way, const NbfHeader *header)
{
	int oldest = 0;
	for (int i = 0; i < MAX_SESSIONS; i++) {
		NbfSession *s = &link->sessions[i];
		if (s->is_used && s->way[way].number == header->source &&
			s->way[1 - way].number == header->destination) {
			s->used_at = nbf->now;
			if (header->command == NBF_SESSION_INITIALIZE)
				session_reset(nbf, link, i, way, header);
			return i;
		}
		if (!s->is_used || (link->sessions[oldest].is_used &&
					   s->used_at < link->sessions[oldest].used_at))
			oldest = i;
	}
	session_reset(nbf, link, oldest, way, header);
	return oldest;
}

/* RFC 4291 appendix A: the address that the hardware's makes */
static void address_of(const uint8_t mac[6], uint8_t ret[16])
{
	const uint8_t made[16] = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, mac[0] ^ 2, mac[1], mac[2], 0xff,
		0xfe, mac[3], mac[4], mac[5]};
	memcpy(ret, made, sizeof(made));
}

/* A segment of @session without payload. */
static void segment_make(
	const Packet *packet, const NbfSession *session, int way, uint8_t flags, Packet *ret)
{
	const NbfWay *from = &session->way[way], *to = &session->way[1 - way];
	*ret = *packet;
	ret->kind = PACKET_TCP;
	ret->ip_version = 6;
	ret->ip_protocol = 6; /* IANA: TCP */
	ret->tcp_header_len = 20;
	address_of(packet->src_mac, ret->src);
	address_of(packet->dst_mac, ret->dst);
	ret->src_port = (uint16_t)(PORT_BASE + from->number);
	ret->dst_port = (uint16_t)(PORT_BASE + to->number);
	ret->tcp_flags = flags;
	ret->seq = from->seq;
	ret->ack = to->acked;
	ret->payload_len = ret->payload_caplen = 0;
	uint32_t window = (uint32_t)from->data_field * WINDOW_FRAMES >> WINDOW_SCALE;
	ret->window = (uint16_t)(window < UINT16_MAX ? window : UINT16_MAX);
	if ((packet->tcp_flags & ~0x10) == LLC_RNR)
		ret->window = 0;
}

/* SESSION INITIALIZE and CONFIRM open a session as SYN and its answer do. */
static void segment_opens(
	const Packet *packet, NbfSession *session, int way, const NbfHeader *header, Packet *ret)
{
	bool is_answer = header->command == NBF_SESSION_CONFIRM;
	NbfWay *from = &session->way[way];
	if (header->data2 > 0)
		from->data_field = header->data2;
	segment_make(packet, session, way, is_answer ? TCP_SYN | TCP_ACK : TCP_SYN, ret);
	ret->seq = from->seq - 1;
	ret->mss = from->data_field;
	ret->has_window_scale = true;
	ret->window_scale = WINDOW_SCALE;
}

static bool is_smb(const uint8_t *data, size_t len)
{
	return len >= SMB_HEADER_LEN + 1 && memcmp(data, "\xffSMB", 4) == 0;
}

/* Length of the SMB message that begins at @data; 0 when that is not to be told. */
static uint32_t smb_length(const uint8_t *data, size_t len)
{
	if (!is_smb(data, len))
		return 0;
	size_t count_at = SMB_HEADER_LEN + 1 + 2 * (size_t)data[SMB_HEADER_LEN];
	if (len < count_at + 2)
		return 0;
	return (uint32_t)(count_at + 2) + cursor_load_le16(data + count_at);
}

/* Raw reads and writes move a message without a header, as long as they say. */
static void expect_raw(NbfSession *session, int way, const uint8_t *data, size_t len)
{
	const uint8_t *words = data + SMB_HEADER_LEN + 1;
	session->way[way].raw = 0;
	if (data[SMB_FLAGS_AT] & SMB_REPLY)
		return;
	if (data[SMB_COMMAND_AT] == SMB_READ_RAW && len >= SMB_HEADER_LEN + 1 + 8)
		session->way[1 - way].raw = cursor_load_le16(words + 6);
	if (data[SMB_COMMAND_AT] == SMB_WRITE_RAW && len >= WRITE_RAW_DATA_LEN_AT + 2) {
		uint32_t all = cursor_load_le16(words + 2),
			 here = cursor_load_le16(data + WRITE_RAW_DATA_LEN_AT);
		session->way[way].raw = all > here ? all - here : 0;
	}
}

typedef struct NbfPiece {
	const uint8_t *data;
	uint32_t kept, wire;
	bool is_last;
} NbfPiece;

/* The first piece of a message: how long it is stands in the message itself. False: it cannot be
 * placed in the stream. */
static bool message_begins(NbfSession *session, int way, const NbfPiece *piece)
{
	NbfWay *from = &session->way[way];
	uint32_t total = piece->wire;
	/* what a gap in the capture swallowed of the message before */
	from->seq += from->left;
	from->left = 0;
	if (is_smb(piece->data, piece->kept)) {
		uint32_t told = smb_length(piece->data, piece->kept);
		if (!piece->is_last)
			total = told;
		expect_raw(session, way, piece->data, piece->kept);
	} else if (from->raw > 0) {
		if (!piece->is_last)
			total = from->raw;
		from->raw = 0;
	} else {
		return false;
	}
	from->left = total > piece->wire ? total : piece->wire;
	return total > 0;
}

static void put_framing(uint8_t *at, uint32_t len)
{
	at[0] = 0;
	at[1] = (uint8_t)(len >> 16);
	at[2] = (uint8_t)(len >> 8);
	at[3] = (uint8_t)len;
}

/* Session data: @ret gets the bytes that TCP would carry, none when they cannot be placed. */
static void segment_data(Nbf *nbf, NbfSession *session, int way, const NbfPiece *piece, Packet *ret)
{
	NbfWay *from = &session->way[way];
	bool begins = !from->in_message;
	from->in_message = !piece->is_last;
	if (begins)
		from->is_skipping = !message_begins(session, way, piece);
	if (from->is_skipping)
		return;
	uint32_t framing = begins ? FRAMING : 0;
	uint32_t wire = piece->wire < from->left ? piece->wire : from->left;
	uint32_t kept = piece->kept < wire ? piece->kept : wire;
	if (kept > MAX_FRAME)
		kept = MAX_FRAME;
	if (begins)
		put_framing(nbf->buffer, from->left);
	memcpy(nbf->buffer + framing, piece->data, kept);
	/* a message shorter than was said ends all the same: its rest is told as not captured */
	if (piece->is_last)
		wire = from->left;
	from->left -= wire;
	ret->seq = from->seq;
	ret->payload = nbf->buffer;
	ret->payload_len = framing + wire;
	ret->payload_caplen = framing + kept;
	ret->tcp_flags |= piece->is_last ? TCP_PSH : 0;
	from->seq += ret->payload_len;
}

/* A numbered frame that was seen before. */
static bool segment_again(Nbf *nbf, NbfLink *link, int way, const Packet *packet, Packet *ret)
{
	const NbfMark *mark = &link->line[way].marks[packet->seq % LLC_SEQUENCE_COUNT];
	nbf->stats.retransmissions++;
	if (!mark->is_set)
		return false;
	segment_make(packet, &link->sessions[mark->session], way, TCP_ACK, ret);
	ret->seq = mark->seq;
	ret->payload_len = mark->len;
	return true;
}

static bool segment_new(Nbf *nbf, NbfLink *link, int way, const Packet *packet, Packet *ret)
{
	Cursor c = cursor_over(packet->payload, packet->payload_caplen);
	NbfMark *mark = &link->line[way].marks[packet->seq % LLC_SEQUENCE_COUNT];
	NbfHeader header;
	mark->is_set = false;
	if (nbf_header_parse(&c, &header) != PARSE_OK || header.command < NBF_DATA_ACK)
		return false;
	int index = session_of(nbf, link, way, &header);
	NbfSession *session = &link->sessions[index];
	NbfWay *from = &session->way[way];
	*mark = (NbfMark){.is_set = true, .session = (uint8_t)index, .seq = from->seq};
	segment_make(packet, session, way, TCP_ACK, ret);
	NbfPiece piece = {.data = c.start + c.pos,
		.kept = (uint32_t)cursor_left(&c),
		.wire = packet->payload_len - (uint32_t)c.pos,
		.is_last = header.command == NBF_DATA_ONLY_LAST};
	switch (header.command) {
	case NBF_SESSION_INITIALIZE:
	case NBF_SESSION_CONFIRM:
		segment_opens(packet, session, way, &header, ret);
		break;
	case NBF_SESSION_END:
		ret->tcp_flags |= TCP_FIN;
		from->seq++;
		break;
	case NBF_DATA_FIRST_MIDDLE:
	case NBF_DATA_ONLY_LAST:
		segment_data(nbf, session, way, &piece, ret);
		break;
	default: /* acknowledgements and signs of life */
		break;
	}
	mark->seq = ret->seq;
	mark->len = ret->payload_len;
	return true;
}

/* N(R) confirms all frames before it. Returns the session of the last one, or -1. */
static int take_acknowledgement(NbfLink *link, int way, uint8_t next)
{
	NbfLine *line = &link->line[1 - way];
	const NbfMark *mark = &line->marks[(next + LLC_SEQUENCE_COUNT - 1) % LLC_SEQUENCE_COUNT];
	unsigned ahead = (next + LLC_SEQUENCE_COUNT - line->expected) % LLC_SEQUENCE_COUNT;
	if (line->is_known && ahead > 0 && ahead < AHEAD_HALF) {
		/* the receiver has what the capture has not */
		line->expected = next;
		for (int i = 0; i < MAX_SESSIONS; i++)
			link->sessions[i].way[1 - way].in_message = false;
		return -1;
	}
	if (!mark->is_set)
		return -1;
	NbfWay *to = &link->sessions[mark->session].way[1 - way];
	uint32_t end = mark->seq + mark->len;
	if ((int32_t)(end - to->acked) > 0)
		to->acked = end;
	return mark->session;
}

static bool segment_numbered(Nbf *nbf, NbfLink *link, int way, const Packet *packet, Packet *ret)
{
	NbfLine *line = &link->line[way];
	uint8_t number = (uint8_t)(packet->seq % LLC_SEQUENCE_COUNT);
	if (!line->is_known) {
		line->is_known = true;
		line->expected = number;
	}
	unsigned ahead = (number + LLC_SEQUENCE_COUNT - line->expected) % LLC_SEQUENCE_COUNT;
	if (ahead >= AHEAD_HALF)
		return segment_again(nbf, link, way, packet, ret);
	if (ahead > 0) {
		nbf->stats.ahead++;
		return false;
	}
	line->expected = (uint8_t)((number + 1) % LLC_SEQUENCE_COUNT);
	return segment_new(nbf, link, way, packet, ret);
}

bool nbf_segment(Nbf *nbf, const Packet *packet, Packet *ret)
{
	uint8_t control = packet->tcp_flags;
	int way;
	/* group addresses and frames without a number belong to nobody's session */
	if (!packet->has_macs || packet->dst_mac[0] & 1)
		return false;
	if ((control & 3) == 3) {
		uint8_t kind = control & LLC_UNNUMBERED_MASK;
		if (kind != LLC_SABME && kind != LLC_DISC)
			return false;
		NbfLink *link = link_of(nbf, packet, &way);
		if (link)
			link_reset(link);
		return false;
	}
	NbfLink *link = link_of(nbf, packet, &way);
	if (!link)
		return false;
	int confirmed =
		take_acknowledgement(link, way, (uint8_t)(packet->ack % LLC_SEQUENCE_COUNT));
	if (!(control & 1))
		return segment_numbered(nbf, link, way, packet, ret);
	if (confirmed < 0)
		return false;
	segment_make(packet, &link->sessions[confirmed], way, TCP_ACK, ret);
	return true;
}
