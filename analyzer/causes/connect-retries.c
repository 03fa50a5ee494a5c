/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * connect-retries: the first packets of a connection got no answer and were sent again.
 * docs/causes.md, connect-retries.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/constants.h"

static const TcpConnection *retried(const CauseContext *context)
{
	const ConnectionFacts *all[] = {context->facts, context->unit->control};
	for (int i = 0; i < 2; i++) {
		if (all[i] && (all[i]->tcp.syn_tries > 1 || all[i]->tcp.syn_ack_tries > 1))
			return &all[i]->tcp;
	}
	return NULL;
}

/* An FTP data connection whose first SYN here came when hosts try again: those before it were lost
 * on their way here. */
static bool was_retried_unseen(const CauseContext *context)
{
	const ConnectionFacts *f = context->facts;
	return f && f->is_syn_repeat && f->tcp.syn_tries == 1;
}

/* Tries on another connection that failed before this one. */
static const Approach *failed_before(const CauseContext *context)
{
	const ConnectionFacts *all[] = {context->facts, context->unit->control};
	for (int i = 0; i < 2; i++) {
		if (all[i] && all[i]->approach.failed_tries > 0)
			return &all[i]->approach;
	}
	return NULL;
}

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const TcpConnection *tcp = retried(context);
	const Approach *before = failed_before(context);
	bool is_unseen = !tcp && !before && was_retried_unseen(context);
	if (!tcp && !before && !is_unseen)
		return false;
	if (!tcp)
		tcp = &context->facts->tcp;
	int64_t healthy = context->rtt_ns * (int64_t)(context->unit->data_connections + 1);
	cause_claim_part(context, draft, BUCKET_CONNECTION_SETUP,
		context->left_ns[BUCKET_CONNECTION_SETUP] - healthy);
	if (draft->lost_ns == 0)
		return false;
	draft->saved_high_ns = draft->lost_ns;
	/* a healthy handshake was left out; how runs differ is saving.c's */
	draft->saved_low_ns =
		draft->lost_ns > context->rtt_ns ? draft->lost_ns - context->rtt_ns : 0;
	draft->blame = "NETWORK";
	draft->confidence = CONFIDENCE_HIGH;
	bool syn_lost = tcp->syn_tries > 1;
	draft->sentence = before ? cause_printf(context,
					   "Connecting took %s: port %u of the server %s %s "
					   "before, %u times.",
					   cause_time(context, (double)draft->lost_ns),
					   before->failed_port, context->server_name,
					   before->failed_refused ? "refused the connection"
								  : "did not answer",
					   before->failed_tries)
				 : cause_printf(context,
					   "Opening the connection took %s more than it should: %s "
					   "had to be sent %u times.",
					   cause_time(context, (double)draft->lost_ns),
					   syn_lost ? "the first packet (SYN)"
						    : "the answer to the first packet (SYN-ACK)",
					   syn_lost ? tcp->syn_tries : tcp->syn_ack_tries);
	if (is_unseen) {
		draft->confidence = CONFIDENCE_MEDIUM;
		draft->doubt =
			"The lost packets never came here: that there were any is concluded "
			"from the wait, which is as long as hosts wait before they try again.";
		draft->sentence = cause_printf(context,
			"Opening the data connection took %s more than it should: its first packet "
			"(SYN) came just when hosts try again, so those before it were lost.",
			cause_time(context, (double)draft->lost_ns));
	}
	draft->fix = "find what drops the first packets";
	cause_advice(draft, "Look for a firewall that lets the connection through only at the "
			    "second try, for a lossy link, and on the server for a full queue of "
			    "new connections (`nstat -az TcpExtListenOverflows`).");
	cause_advice(draft, "A capture at the other end tells whether the packet arrived there.");
	cause_number(draft, "SYN sent", NUMBER_COUNT, tcp->syn_tries);
	cause_number(draft, "SYN-ACK sent", NUMBER_COUNT, tcp->syn_ack_tries);
	cause_number(draft, "round trip", NUMBER_NS, (double)context->rtt_ns);
	if (before)
		cause_evidence_elsewhere(context, draft, before->failed_frame, before->failed_ns,
			"first packet that was not answered");
	cause_evidence(context, draft, tcp->dir[SIDE_CLIENT].syn_frame, tcp->syn_ns, "SYN");
	cause_evidence(context, draft, tcp->dir[SIDE_SERVER].syn_frame, tcp->syn_ack_ns, "SYN-ACK");
	cause_evidence_bucket(context, draft, BUCKET_CONNECTION_SETUP, "to open the connection");
	return true;
}

const Cause cause_connect_retries = {
	.id = "connect-retries",
	.title = "The connection opened only after several tries",
	.explanation =
		"A connection begins with one packet each way. When one of them is lost or ignored "
		"the sender waits one second before it tries again, then two, then four.",
	.source = "RFC 6298 2, 5.7; RFC 9293 3.8.1",
	.precedence = 255,
	.conclude = conclude,
	.guide =
		{
			.rule = "The SYN or its answer was sent more than once, or tries on "
				"another "
				"port of the server failed before. An FTP data connection that "
				"comes just when hosts try again, 1, 3 or 7 s late, counts as "
				"tried again where its first packets did not pass.",
			.needs = "The handshake.",
			.traps = {"A retried SYN that the capture recorded twice is a copy."},
			.confidence = "High; medium where the lost packets were not seen.",
			.advice = {{"Network", "A firewall that lets the connection through only "
					       "at the second "
					       "try, or a lossy link."},
				{"Linux",
					"A full queue of new connections on the server: 'nstat -az "
					"TcpExtListenOverflows'."},
				{"Windows", "A refused port is tried three times by Windows, half "
					    "a second "
					    "apart."}},
			.next_test = "Capture at the other end: it tells whether the first packet "
				     "arrived there.",
		},
};
