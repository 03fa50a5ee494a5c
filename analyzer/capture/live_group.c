/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Merging interfaces: see live_group.h. A packet waits in its ring until every other interface has
 * one that is later, or until none can come any more.
 */
#include "analyzer/capture/live_group.h"

#include <poll.h>

/* The kernel hands over a block within LIVE_TIMEOUT_MS of its first packet, at ticks of its own:
 * after twice that and a moment for scheduling nothing earlier comes. */
#define HOLD_NS ((2 * LIVE_TIMEOUT_MS + 50) * INT64_C(1000000))
/* Packets taken before the caller may look at signals and clocks again. */
#define READ_MAX 4096
/* Reads at the end; what is left then came meanwhile. */
#define LAST_READS 64
/* Carriers are looked at so often. */
#define CARRIER_EVERY_US 500000
/* Trying again to open an interface that went away: from one second doubling up to this. */
#define LONGEST_RETRY_S 30

typedef struct Member {
	const char *name;
	LiveOptions options;
	Live *live;       /* NULL while it is gone */
	LiveDrops closed; /* of the times it was open before */
	LiveDrops last;   /* since it was opened */
	gint64 retry_us;  /* g_get_monotonic_time() of the next try */
	int wait_s;
	bool is_down; /* open, but without carrier */
	bool has_next;
	int64_t next_ns;
} Member;

struct LiveGroup {
	LiveGroupOps ops;
	LiveBatcher *batcher;
	gint64 carrier_us; /* when carriers are looked at next */
	size_t count;
	Member members[LIVE_GROUP_MAX];
};

LiveGroup *live_group_open(const char *const *names, size_t count, const LiveOptions *options,
	const LiveGroupOps *ops, GError **error)
{
	g_assert(count > 0 && count <= LIVE_GROUP_MAX);
	int snaplen = options->snaplen > 0 ? options->snaplen : LIVE_SNAPLEN;
	g_autoptr(LiveGroup) group = g_new0(LiveGroup, 1);
	group->ops = *ops;
	group->batcher =
		live_batcher_new(ops->batch, ops->user, (size_t)MIN(snaplen, LIVE_MAX_SNAPLEN));
	for (size_t i = 0; i < count; i++) {
		Member *m = &group->members[i];
		*m = (Member){.name = names[i], .options = *options};
		m->options.input = (uint16_t)i;
		group->count++;
		m->live = live_open(m->name, &m->options, error);
		if (!m->live)
			return NULL;
	}
	return g_steal_pointer(&group);
}

static void add_drops(LiveDrops *to, const LiveDrops *more)
{
	to->received += more->received;
	to->kernel += more->kernel;
	to->interface += more->interface;
}

static void retry_later(Member *m)
{
	m->retry_us = g_get_monotonic_time() + (gint64)m->wait_s * G_USEC_PER_SEC;
	m->wait_s = MIN(m->wait_s * 2, LONGEST_RETRY_S);
}

static void close_member(LiveGroup *group, size_t index, const char *why)
{
	Member *m = &group->members[index];
	live_batcher_flush(group->batcher);
	LiveDrops last;
	if (live_drops(m->live, &last))
		m->last = last;
	add_drops(&m->closed, &m->last);
	m->last = (LiveDrops){0};
	live_free(m->live);
	m->live = NULL;
	m->has_next = false;
	m->wait_s = 1;
	retry_later(m);
	if (!m->is_down)
		group->ops.gone(group->ops.user, index, why);
	m->is_down = false;
}

static void look_at_carrier(LiveGroup *group, size_t index)
{
	Member *m = &group->members[index];
	bool is_down = !live_is_up(m->live);
	if (is_down == m->is_down)
		return;
	m->is_down = is_down;
	if (is_down)
		group->ops.gone(group->ops.user, index, "the link is down");
	else
		group->ops.back(group->ops.user, index);
}

static void look_at_members(LiveGroup *group)
{
	gint64 now_us = g_get_monotonic_time();
	bool is_due = now_us >= group->carrier_us;
	if (is_due)
		group->carrier_us = now_us + CARRIER_EVERY_US;
	for (size_t i = 0; i < group->count; i++) {
		Member *m = &group->members[i];
		if (m->live && is_due)
			look_at_carrier(group, i);
		if (m->live || now_us < m->retry_us)
			continue;
		m->live = live_open(m->name, &m->options, NULL);
		if (m->live)
			group->ops.back(group->ops.user, i);
		else
			retry_later(m);
	}
}

/* Waits for those that have nothing, until @timeout_ms. */
static void wait_members(LiveGroup *group, int timeout_ms)
{
	struct pollfd fds[LIVE_GROUP_MAX];
	nfds_t count = 0;
	for (size_t i = 0; i < group->count; i++) {
		const Member *m = &group->members[i];
		if (m->live && !m->has_next)
			fds[count++] = (struct pollfd){.fd = live_fd(m->live), .events = POLLIN};
	}
	poll(fds, count, timeout_ms);
}

static long read_one(LiveGroup *group)
{
	g_autoptr(GError) error = NULL;
	wait_members(group, LIVE_TIMEOUT_MS);
	if (!group->members[0].live)
		return 0;
	long taken = live_dispatch(group->members[0].live, group->batcher, &error);
	live_batcher_flush(group->batcher);
	if (taken < 0)
		close_member(group, 0, error->message);
	return MAX(taken, 0);
}

/* Looks at the next packet of each. Returns the member with the earliest, NULL when there is none;
 * @ret_is_sure: each that is open has one. */
static Member *earliest(LiveGroup *group, bool *ret_is_sure)
{
	Member *best = NULL;
	*ret_is_sure = true;
	for (size_t i = 0; i < group->count; i++) {
		Member *m = &group->members[i];
		g_autoptr(GError) error = NULL;
		if (!m->live)
			continue;
		int status = m->has_next ? 1 : live_peek(m->live, &m->next_ns, &error);
		m->has_next = status == 1;
		if (status < 0)
			close_member(group, i, error->message);
		else if (status == 0)
			*ret_is_sure = false;
		else if (!best || m->next_ns < best->next_ns)
			best = m;
	}
	return best;
}

static long read_merged(LiveGroup *group, int64_t hold_ns)
{
	long taken = 0;
	int64_t now_ns = g_get_real_time() * 1000;
	int wait_ms = LIVE_TIMEOUT_MS;
	while (taken < READ_MAX) {
		bool is_sure;
		Member *m = earliest(group, &is_sure);
		if (!m)
			break;
		/* a clock that was set back must not hold anything for long */
		int64_t age_ns = now_ns - m->next_ns;
		if (!is_sure && age_ns < hold_ns && age_ns > -hold_ns) {
			wait_ms = (int)MIN((hold_ns - age_ns) / 1000000 + 1, LIVE_TIMEOUT_MS);
			break;
		}
		live_take(m->live, group->batcher);
		m->has_next = false;
		taken++;
	}
	live_batcher_flush(group->batcher);
	if (taken == 0 && hold_ns > 0)
		wait_members(group, wait_ms);
	return taken;
}

long live_group_read(LiveGroup *group)
{
	look_at_members(group);
	return group->count == 1 ? read_one(group) : read_merged(group, HOLD_NS);
}

bool live_group_drops(LiveGroup *group, size_t index, LiveDrops *ret)
{
	Member *m = &group->members[index];
	LiveDrops last;
	bool is_known = m->live && live_drops(m->live, &last);
	if (is_known)
		m->last = last;
	*ret = m->closed;
	add_drops(ret, &m->last);
	return is_known || m->closed.received > 0;
}

size_t live_group_count(const LiveGroup *group)
{
	return group->count;
}

const char *live_group_name(const LiveGroup *group, size_t index)
{
	return group->members[index].name;
}

void live_group_drain(LiveGroup *group)
{
	for (int i = 0; i < LAST_READS && read_merged(group, 0) > 0; i++)
		;
}

void live_group_free(LiveGroup *group)
{
	if (!group)
		return;
	for (size_t i = 0; i < group->count; i++)
		live_free(group->members[i].live);
	live_batcher_free(group->batcher);
	g_free(group);
}
