/*
 * One direction of an emulated path. See path.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "path.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double NS_PER_MS = 1e6, NS_PER_US = 1e3;

/* xorshift64* (Vigna 2016): small, and the same on every machine. */
static double random_unit(Path *path)
{
	path->random ^= path->random >> 12;
	path->random ^= path->random << 25;
	path->random ^= path->random >> 27;
	return (double)((path->random * 2685821657736338717ull) >> 11) / 9007199254740992.0;
}

static double random_exponential(Path *path, double mean)
{
	return -mean * log(1 - random_unit(path));
}

void path_init(Path *path, uint64_t seed, const Path *reverse)
{
	memset(path, 0, sizeof(*path));
	path->random = seed * 0x9e3779b97f4a7c15ull | 1;
	path->reverse = reverse;
	path->connections = calloc(PATH_CONNECTION_MAX, sizeof(*path->connections));
	for (int i = 0; i < 8; i++)
		random_unit(path);
}

static bool drop_list_add(Path *path, int kind, const char *text)
{
	while (*text) {
		char *end;
		if (path->rule_count == PATH_DROP_LIST_MAX)
			return false;
		PathDropRule *rule = &path->rules[path->rule_count++];
		rule->kind = kind;
		rule->at = strtoull(text, &end, 10);
		rule->times = 1;
		if (end == text)
			return false;
		if (*end == ':')
			rule->times = (unsigned)strtoul(end + 1, &end, 10);
		text = *end == ',' ? end + 1 : end;
		if (*end && *end != ',')
			return false;
	}
	return true;
}

bool path_set(Path *path, const char *name, const char *value)
{
	static const struct {
		const char *name;
		size_t offset;
	} options[] = {
#define OPTION(option, field) {option, offsetof(PathConfig, field)}
		OPTION("delay", delay_us),
		OPTION("jitter", jitter_us),
		OPTION("rate", rate),
		OPTION("queue", queue),
		OPTION("shape", shape),
		OPTION("shape_burst", shape_burst),
		OPTION("police", police),
		OPTION("police_burst", police_burst),
		OPTION("loss", loss),
		OPTION("ack_loss", ack_loss),
		OPTION("burst_good", burst_good_ms),
		OPTION("burst_bad", burst_bad_ms),
		OPTION("burst_loss", burst_loss),
		OPTION("blackout_at", blackout_at_ms),
		OPTION("blackout", blackout_ms),
		OPTION("blackout_every", blackout_every_ms),
		OPTION("spike_at", spike_at_ms),
		OPTION("spike", spike_ms),
		OPTION("spike_delay", spike_us),
		OPTION("reorder", reorder),
		OPTION("reorder_delay", reorder_us),
		OPTION("duplicate", duplicate),
		OPTION("mtu", mtu),
		OPTION("mss", mss),
		OPTION("strip", strip),
		OPTION("mark_ce", mark_ce),
		OPTION("mark_all", mark_all),
		OPTION("collide", collide_us),
		OPTION("pass_syn", pass_syn),
		OPTION("drop_syn", drop_syn),
		OPTION("drop_udp", drop_udp),
		OPTION("block_from", block_from),
		OPTION("block_to", block_to),
		OPTION("spike_every", spike_every_ms),
		OPTION("mirror_after", mirror_after),
#undef OPTION
	};
	if (!strcmp(name, "drop"))
		return drop_list_add(path, PATH_DROP_NTH_DATA, value);
	if (!strcmp(name, "drop_byte"))
		return drop_list_add(path, PATH_DROP_AT_BYTE, value);
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		char *end;
		if (strcmp(name, options[i].name))
			continue;
		*(double *)((char *)&path->config + options[i].offset) = strtod(value, &end);
		return end != value && !*end;
	}
	return false;
}

/* The stream's first sequence number, learnt from its SYN; the lab's connections all begin with
 * one. */
static PathConnection *connection_get(Path *path, const FrameView *view)
{
	uint64_t key = (uint64_t)view->src_port << 16 | view->dst_port;
	for (unsigned i = 0; i < path->connection_count; i++)
		if (path->connections[i].key == key)
			return &path->connections[i];
	if (path->connection_count == PATH_CONNECTION_MAX)
		return NULL;
	PathConnection *connection = &path->connections[path->connection_count++];
	connection->key = key;
	connection->first_seq = view->seq;
	return connection;
}

static bool drop_rule_matches(
	Path *path, PathDropRule *rule, const FrameView *view, uint32_t stream_offset)
{
	if (rule->done >= rule->times)
		return false;
	if (rule->kind == PATH_DROP_AT_BYTE)
		return stream_offset <= rule->at &&
		       rule->at < stream_offset + (uint64_t)view->payload_len;
	if (!rule->has_seq && path->data_segments == rule->at) {
		rule->has_seq = true;
		rule->seq = view->seq;
		rule->port = view->src_port;
	}
	return rule->has_seq && rule->port == view->src_port &&
	       rule->seq - view->seq < view->payload_len;
}

static bool drop_list_applies(Path *path, const FrameView *view)
{
	PathConnection *connection = path->rule_count ? connection_get(path, view) : NULL;
	if (!connection)
		return false;
	if (view->is_syn)
		connection->first_seq = view->seq;
	if (!view->payload_len)
		return false;
	uint32_t offset = view->seq - connection->first_seq - 1;
	for (unsigned i = 0; i < path->rule_count; i++) {
		if (drop_rule_matches(path, &path->rules[i], view, offset)) {
			path->rules[i].done++;
			return true;
		}
	}
	return false;
}

/* By time, not by frame: with a chain per frame the lone repeats after a timeout meet the same bad
 * state again. */
static bool burst_loses(Path *path, uint64_t now_ns)
{
	const PathConfig *config = &path->config;
	if (config->burst_good_ms <= 0)
		return false;
	if (!path->burst_until_ns)
		path->burst_until_ns =
			now_ns +
			(uint64_t)(random_exponential(path, config->burst_good_ms) * NS_PER_MS);
	while (path->burst_until_ns <= now_ns) {
		path->is_burst_bad = !path->is_burst_bad;
		double mean = path->is_burst_bad ? config->burst_bad_ms : config->burst_good_ms;
		path->burst_until_ns += (uint64_t)(random_exponential(path, mean) * NS_PER_MS) + 1;
	}
	return path->is_burst_bad && random_unit(path) < config->burst_loss;
}

/* Whether @now_ns lies in the window that opens @at_ms after the first data segment. */
static bool window_is_open(
	const Path *path, uint64_t now_ns, double at_ms, double len_ms, double every_ms)
{
	if (len_ms <= 0 || !path->first_data_ns)
		return false;
	double since_ms = (double)(now_ns - path->first_data_ns) / NS_PER_MS - at_ms;
	if (since_ms >= 0 && every_ms > 0)
		since_ms = fmod(since_ms, every_ms);
	return since_ms >= 0 && since_ms < len_ms;
}

static void bucket_fill(
	double *tokens, uint64_t *since_ns, uint64_t now_ns, double rate, double burst)
{
	if (!*since_ns)
		*tokens = burst;
	else
		*tokens = fmin(burst, *tokens + (double)(now_ns - *since_ns) * rate / 8e9);
	*since_ns = now_ns;
}

static bool policer_drops(Path *path, unsigned ip_len, uint64_t now_ns)
{
	const PathConfig *config = &path->config;
	if (config->police <= 0)
		return false;
	bucket_fill(&path->police_tokens, &path->police_ns, now_ns, config->police,
		config->police_burst);
	if (path->police_tokens < ip_len)
		return true;
	path->police_tokens -= ip_len;
	return false;
}

/* A frame of the other direction is or just was on the wire: a half-duplex end sees a collision. */
static bool collides(const Path *path, uint64_t now_ns)
{
	if (path->config.collide_us <= 0 || !path->reverse->last_frame_ns)
		return false;
	uint64_t other = path->reverse->last_frame_ns;
	double apart_ns = other > now_ns ? (double)(other - now_ns) : (double)(now_ns - other);
	return apart_ns < path->config.collide_us * NS_PER_US;
}

static const char *loss_reason(Path *path, const FrameView *view, uint64_t now_ns)
{
	const PathConfig *config = &path->config;
	if (config->mtu > 0 && view->is_ip && view->ip_len > config->mtu)
		return "mtu";
	if (view->is_tcp && config->block_to > 0 && view->dst_port >= config->block_from &&
		view->dst_port <= config->block_to)
		return "blocked";
	if (view->is_syn && config->pass_syn > 0) {
		path->config.pass_syn -= 1;
	} else if (view->is_syn && config->drop_syn > 0) {
		path->config.drop_syn -= 1;
		return "syn";
	}
	if (view->is_udp && config->drop_udp > 0) {
		path->config.drop_udp -= 1;
		return "udp";
	}
	if (drop_list_applies(path, view))
		return "list";
	if (window_is_open(path, now_ns, config->blackout_at_ms, config->blackout_ms,
		    config->blackout_every_ms))
		return "blackout";
	if (view->payload_len && config->loss > 0 && random_unit(path) < config->loss)
		return "random";
	if (view->is_tcp && !view->payload_len && !view->is_syn && config->ack_loss > 0 &&
		random_unit(path) < config->ack_loss)
		return "random";
	if (view->payload_len && burst_loses(path, now_ns))
		return "burst";
	if (view->payload_len && collides(path, now_ns))
		return "collision";
	if (view->is_ip && policer_drops(path, view->ip_len, now_ns))
		return "police";
	return NULL;
}

/* The queue and the link behind it. Returns false if the queue is full. */
static bool link_send(Path *path, uint8_t *data, size_t len, const FrameView *view, uint64_t now_ns,
	uint64_t *ret_depart_ns)
{
	const PathConfig *config = &path->config;
	double wire_len = (double)(len < PATH_FRAME_MIN ? PATH_FRAME_MIN : len) + PATH_WIRE_EXTRA;
	uint64_t start = path->link_free_ns > now_ns ? path->link_free_ns : now_ns;
	double rate = config->shape > 0 ? config->shape : config->rate;
	*ret_depart_ns = now_ns;
	if (rate <= 0)
		return true;

	double waiting = (double)(start - now_ns) * rate / 8e9;
	if (config->queue > 0 && waiting + (double)len > config->queue)
		return false;
	if (waiting > (double)path->max_queue)
		path->max_queue = (uint64_t)waiting;
	if (config->mark_ce > 0 && waiting > config->mark_ce && frame_mark_ce(data, view))
		path->marked++;
	if (config->shape > 0) {
		bucket_fill(&path->shape_tokens, &path->shape_ns, start, config->shape,
			config->shape_burst);
		path->shape_tokens -= wire_len;
		if (path->shape_tokens < 0)
			start += (uint64_t)(-path->shape_tokens * 8e9 / config->shape);
	}
	*ret_depart_ns = start + (config->rate > 0 ? (uint64_t)(wire_len * 8e9 / config->rate) : 0);
	path->link_free_ns = *ret_depart_ns;
	return true;
}

static void drop_note(Path *path, const FrameView *view, uint64_t now_ns, const char *reason)
{
	path->dropped++;
	if (path->drop_count == PATH_DROP_LOG_MAX)
		return;
	PathDrop *drop = &path->drops[path->drop_count++];
	*drop = (PathDrop){.time_ns = now_ns,
		.frame = path->frames,
		.seq = view->seq,
		.reason = reason,
		.data_segment = view->payload_len ? path->data_segments : 0,
		.payload_len = view->payload_len};
}

void path_pass(Path *path, uint8_t *data, size_t len, uint64_t now_ns, PathVerdict *ret)
{
	const PathConfig *config = &path->config;
	FrameView view;
	frame_parse(data, len, &view);
	*ret = (PathVerdict){.copies = 1, .depart_ns = now_ns};
	path->frames++;
	if (view.payload_len) {
		path->data_segments++;
		if (!path->first_data_ns)
			path->first_data_ns = now_ns;
	}
	frame_strip_options(data, &view, (unsigned)config->strip);
	frame_clamp_mss(data, &view, (unsigned)config->mss);
	if (config->mark_all > 0 && frame_mark_ce(data, &view))
		path->marked++;

	ret->drop_reason = loss_reason(path, &view, now_ns);
	if (!ret->drop_reason && !link_send(path, data, len, &view, now_ns, &ret->depart_ns))
		ret->drop_reason = "queue";
	path->last_frame_ns = ret->depart_ns;
	if (ret->drop_reason) {
		drop_note(path, &view, now_ns, ret->drop_reason);
		return;
	}
	if (window_is_open(
		    path, now_ns, config->spike_at_ms, config->spike_ms, config->spike_every_ms))
		ret->extra_ns = (uint64_t)(config->spike_us * NS_PER_US);
	if (view.payload_len && config->reorder > 0 && random_unit(path) < config->reorder) {
		ret->extra_ns += (uint64_t)(config->reorder_us * NS_PER_US);
		ret->is_free_order = true;
		path->reordered++;
	}
	if (view.payload_len && config->duplicate > 0 && random_unit(path) < config->duplicate) {
		ret->copies = 2;
		path->duplicated++;
	}
}

uint64_t path_half_delay_ns(const Path *path)
{
	return (uint64_t)(path->config.delay_us * NS_PER_US / 2);
}

uint64_t path_jitter_ns(Path *path)
{
	return path->config.jitter_us > 0
		       ? (uint64_t)(random_unit(path) * path->config.jitter_us * NS_PER_US)
		       : 0;
}

void path_report(const Path *path, uint64_t start_ns, FILE *out)
{
	fprintf(out,
		"{\"frames\": %" PRIu64 ", \"data_segments\": %" PRIu64 ", \"dropped\": %" PRIu64
		", \"reordered\": %" PRIu64 ", \"duplicated\": %" PRIu64 ", \"marked\": %" PRIu64
		", \"max_queue_bytes\": %" PRIu64 ", \"drops\": [",
		path->frames, path->data_segments, path->dropped, path->reordered, path->duplicated,
		path->marked, path->max_queue);
	for (unsigned i = 0; i < path->drop_count; i++) {
		const PathDrop *drop = &path->drops[i];
		fprintf(out,
			"%s{\"at_s\": %.6f, \"frame\": %" PRIu64 ", \"data_segment\": %" PRIu64
			", \"seq\": %" PRIu32 ", \"payload_bytes\": %u, \"reason\": \"%s\"}",
			i ? ", " : "", (double)(drop->time_ns - start_ns) / 1e9, drop->frame,
			drop->data_segment, drop->seq, drop->payload_len, drop->reason);
	}
	fputs("]}", out);
}
