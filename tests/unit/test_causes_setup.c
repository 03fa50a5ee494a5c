/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Causes before the first byte: log-in, connections, FTP's data connections; and what FTP loses by
 * starting over.
 */
#include <string.h>

#include <criterion/criterion.h>

#include "tests/tools/cause_case.h"

static CauseCase *ftp_file(uint64_t bytes)
{
	CauseCase *c = cause_case_new();
	c->unit.is_ftp = true;
	c->unit.protocol = "ftp";
	c->unit.payload[SIDE_SERVER] = bytes;
	c->session = (SessionStats){.protocol = "ftp", .credits_min = INT32_MIN};
	c->facts.is_ftp_data = true;
	c->facts.tcp.swapped_known = true;
	c->unit.addr[SIDE_CLIENT][15] = c->facts.addr[SIDE_CLIENT][15] = 2;
	c->unit.addr[SIDE_SERVER][15] = c->facts.addr[SIDE_SERVER][15] = 9;
	cause_case_add(c, BUCKET_LINK, (int64_t)bytes * 85);
	return c;
}

static CommandStats command(MessageProtocol protocol, uint16_t code, int64_t max_ns)
{
	return (CommandStats){.protocol = protocol,
		.command = code,
		.requests = 1,
		.responses = 1,
		.response_time = {1, max_ns, max_ns, max_ns, max_ns, max_ns}};
}

Test(causes_setup, a_slow_tree_connect_is_named)
{
	CommandStats rows[] = {command(MESSAGE_SMB2, 0, 11 * CASE_MS),
		command(MESSAGE_SMB2, 1, 12 * CASE_MS), command(MESSAGE_SMB2, 3, 2010 * CASE_MS)};
	CauseCase *c = cause_case_new();
	c->unit.is_job = true;
	c->session.commands = rows;
	c->session.command_count = 3;
	cause_case_add(c, BUCKET_SESSION_SETUP, 2033 * CASE_MS);
	cause_case_add(c, BUCKET_LINK, 90 * CASE_MS);
	cr_assert(cause_case_conclude(c, "session-setup-slow"));
	cr_assert(strstr(c->draft.sentence, "took 2.0 s to open the share") ||
			  strstr(c->draft.sentence, "took 2 s to open the share"),
		"%s", c->draft.sentence);
	/* three exchanges cost a round trip each whatever the server does */
	cr_assert_eq(c->draft.lost_ns, 2003 * CASE_MS);
	cause_case_free(c);
}

Test(causes_setup, a_quick_log_in_over_a_long_path_is_not_slow)
{
	CommandStats rows[] = {command(MESSAGE_SMB2, 0, 105 * CASE_MS),
		command(MESSAGE_SMB2, 1, 110 * CASE_MS), command(MESSAGE_SMB2, 3, 102 * CASE_MS)};
	CauseCase *c = cause_case_new();
	c->context.rtt_ns = 100 * CASE_MS;
	c->session.commands = rows;
	c->session.command_count = 3;
	cause_case_add(c, BUCKET_SESSION_SETUP, 320 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "session-setup-slow"));
	/* FTP has a cause of its own */
	rows[2].response_time.max_ns = 5000 * CASE_MS;
	c->unit.is_ftp = true;
	cr_assert_not(cause_case_conclude(c, "session-setup-slow"));
	cause_case_free(c);
}

Test(causes_setup, referrals_that_take_long_are_named)
{
	CommandStats rows[] = {command(MESSAGE_SMB2, 0, 11 * CASE_MS),
		command(MESSAGE_SMB2, 1, 12 * CASE_MS), command(MESSAGE_SMB2, 3, 12 * CASE_MS)};
	CauseCase *c = cause_case_new();
	c->unit.is_job = true;
	c->session.commands = rows;
	c->session.command_count = 3;
	SessionPhase *phase = &c->session.phases[PHASE_REFERRAL];
	*phase = (SessionPhase){.busy_ns = 1520 * CASE_MS, .exchanges = 2};
	cause_case_add(c, BUCKET_SESSION_SETUP, 1555 * CASE_MS);
	cause_case_add(c, BUCKET_LINK, 90 * CASE_MS);
	cr_assert(cause_case_conclude(c, "session-setup-slow"));
	cr_assert(strstr(c->draft.sentence, "took 1.5 s to say where the share is (DFS referral)"),
		"%s", c->draft.sentence);
	cr_assert_eq(c->draft.lost_ns, 1555 * CASE_MS - 5 * c->context.rtt_ns);
	cr_assert_str_eq(c->draft.blame, "SERVER");
	/* a slower tree connect is the one to name */
	rows[2].response_time.max_ns = 3010 * CASE_MS;
	cr_assert(cause_case_conclude(c, "session-setup-slow"));
	cr_assert(strstr(c->draft.sentence, "tree connect"), "%s", c->draft.sentence);
	rows[2].response_time.max_ns = 12 * CASE_MS;
	/* near miss: as long, but made of round trips to a distant server */
	*phase = (SessionPhase){.busy_ns = 400 * CASE_MS, .exchanges = 3};
	c->context.rtt_ns = 100 * CASE_MS;
	cr_assert_not(cause_case_conclude(c, "session-setup-slow"));
	cause_case_free(c);
}

Test(causes_setup, a_lost_SYN_costs_its_timer)
{
	CauseCase *c = cause_case_new();
	c->unit.is_job = true;
	c->facts.tcp.syn_tries = 3;
	cause_case_add(c, BUCKET_CONNECTION_SETUP, 3010 * CASE_MS);
	cr_assert(cause_case_conclude(c, "connect-retries"));
	cr_assert_eq(c->draft.lost_ns, 3000 * CASE_MS);
	cr_assert(
		strstr(c->draft.sentence, "(SYN) had to be sent 3 times"), "%s", c->draft.sentence);
	/* answered at the first try: nothing to say, however long the path */
	c->facts.tcp.syn_tries = 1;
	cr_assert_not(cause_case_conclude(c, "connect-retries"));
	cause_case_free(c);
}

Test(causes_setup, an_ftp_greeting_that_comes_late)
{
	CommandStats rows[] = {command(MESSAGE_FTP, 0, 12 * CASE_MS)};
	CauseCase *c = ftp_file(1000000);
	c->session.commands = rows;
	c->session.command_count = 1;
	cause_case_add(c, BUCKET_SESSION_SETUP, 4000 * CASE_MS);
	cause_case_add(c, BUCKET_SESSION_SETUP, 40 * CASE_MS);
	cr_assert(cause_case_conclude(c, "ftp-login-delay"));
	cr_assert(strstr(c->draft.sentence, "took 4 s to greet"), "%s", c->draft.sentence);
	cr_assert_eq(c->draft.lost_ns, 4000 * CASE_MS);
	cause_case_free(c);
	/* half a second is within what servers do */
	c = ftp_file(1000000);
	cause_case_add(c, BUCKET_SESSION_SETUP, 500 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "ftp-login-delay"));
	cause_case_free(c);
}

Test(causes_setup, active_ftp_whose_SYN_is_lost)
{
	CauseCase *c = ftp_file(1000000);
	/* the server opened the data connection */
	c->facts.addr[SIDE_CLIENT][15] = 9;
	c->facts.addr[SIDE_SERVER][15] = 2;
	c->facts.tcp.syn_tries = 3;
	cause_case_add(c, BUCKET_CONNECTION_SETUP, 3010 * CASE_MS);
	cr_assert(cause_case_conclude(c, "ftp-active-setup-delay"));
	cr_assert_eq(c->draft.lost_ns, 3000 * CASE_MS);
	/* passive: the client opened it */
	c->facts.addr[SIDE_CLIENT][15] = 2;
	c->facts.addr[SIDE_SERVER][15] = 9;
	cr_assert_not(cause_case_conclude(c, "ftp-active-setup-delay"));
	/* at the client's end: one SYN, as late as a repeated one */
	c->facts.addr[SIDE_CLIENT][15] = 9;
	c->facts.addr[SIDE_SERVER][15] = 2;
	c->facts.tcp.syn_tries = 1;
	cr_assert_not(cause_case_conclude(c, "ftp-active-setup-delay"));
	c->facts.is_syn_repeat = true;
	cr_assert(cause_case_conclude(c, "ftp-active-setup-delay"));
	cr_assert_str_eq(c->draft.blame, "NETWORK");
	cr_assert(c->draft.doubt && c->draft.confidence == CONFIDENCE_MEDIUM);
	/* passive, at the server's end */
	c->facts.addr[SIDE_CLIENT][15] = 2;
	c->facts.addr[SIDE_SERVER][15] = 9;
	cr_assert_not(cause_case_conclude(c, "ftp-active-setup-delay"));
	cr_assert(cause_case_conclude(c, "connect-retries"));
	cr_assert(c->draft.doubt && c->draft.confidence == CONFIDENCE_MEDIUM);
	c->facts.is_syn_repeat = false;
	cr_assert_not(cause_case_conclude(c, "connect-retries"));
	cause_case_free(c);
	/* a server that is busy after the transfer is not slow to connect */
	c = ftp_file(1000000);
	c->facts.addr[SIDE_CLIENT][15] = 9;
	c->facts.tcp.dir[SIDE_CLIENT].syn_frame = 77;
	cause_case_server(c, OP_FTP, 3000 * CASE_MS); /* ends at frame 30 */
	cr_assert_not(cause_case_conclude(c, "ftp-active-setup-delay"));
	c->facts.tcp.dir[SIDE_CLIENT].syn_frame = 30;
	cr_assert(cause_case_conclude(c, "ftp-active-setup-delay"));
	cr_assert(strstr(c->draft.sentence, "waited 3 s before"), "%s", c->draft.sentence);
	cause_case_free(c);
}

Test(causes_setup, passive_ports_that_do_not_answer)
{
	CauseCase *c = ftp_file(1000000);
	c->unit.data_connections = 2;
	cause_case_add(c, BUCKET_CONNECTION_SETUP, 3030 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "ftp-port-pasv-failure"));
	c->unit.data_failed = 1;
	cr_assert(cause_case_conclude(c, "ftp-port-pasv-failure"));
	cr_assert_eq(c->draft.lost_ns, 3000 * CASE_MS);
	cr_assert(strstr(c->draft.sentence, "1 data connection could not be opened"), "%s",
		c->draft.sentence);
	cause_case_free(c);
}

Test(causes_setup, ftp_that_starts_over_loses_the_first_try)
{
	CauseCase *c = ftp_file(3000000);
	Unit again = {.is_ftp = true, .facts = &c->facts};
	again.payload[SIDE_SERVER] = 4000000;
	memcpy(again.addr, c->unit.addr, sizeof(again.addr));
	c->unit.file = strdup("big.bin");
	again.file = c->unit.file;
	again.account.start_ns = c->unit.account.end_ns + 20 * CASE_MS;
	again.account.end_ns = again.account.start_ns + 340 * CASE_MS;
	c->units[1] = &again;
	c->context.unit_count = 2;
	/* both ended well: two copies that somebody wanted */
	cr_assert_not(cause_case_conclude(c, "ftp-restart"));
	c->unit.data_aborted = 1;
	cr_assert(cause_case_conclude(c, "ftp-restart"));
	cr_assert_eq(c->draft.lost_ns, 255 * CASE_MS);
	cr_assert(strstr(c->draft.sentence, "moved once more"), "%s", c->draft.sentence);
	/* it went on where it had stopped */
	again.start_offset = 3000000;
	cr_assert_not(cause_case_conclude(c, "ftp-restart"));
	/* another file */
	again.start_offset = 0;
	again.file = (char[]){"other.bin"};
	cr_assert_not(cause_case_conclude(c, "ftp-restart"));
	cause_case_free(c);
}

Test(causes_setup, text_mode_is_a_fact)
{
	CauseCase *c = ftp_file(1000000);
	cr_assert_not(cause_case_conclude(c, "ftp-ascii-mode"));
	c->unit.is_ascii = true;
	cr_assert(cause_case_conclude(c, "ftp-ascii-mode"));
	cr_assert(c->draft.is_note);
	cause_case_free(c);
	c = ftp_file(1000);
	c->unit.is_ascii = true;
	cr_assert_not(cause_case_conclude(c, "ftp-ascii-mode"));
	cause_case_free(c);
}

Test(causes_setup, ftp_commands_beside_the_transfer)
{
	CauseCase *c = cause_case_new();
	c->unit.is_job = c->unit.is_ftp = true;
	c->unit.files = 60;
	histogram_add(&c->unit.file_size, 3000, 60);
	c->unit.payload[SIDE_SERVER] = 180000;
	cause_case_round_trip(c, OP_FTP, 60 * 40 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "ftp-control-round-trips"));
	cause_case_operations(c, OP_META, 120, CASE_MS / 5);
	cause_case_round_trip(c, OP_META, 120 * 10 * CASE_MS);
	cr_assert(cause_case_conclude(c, "ftp-control-round-trips"));
	cr_assert(strstr(c->draft.sentence, "2.0 commands"), "%s", c->draft.sentence);
	cr_assert_eq(c->draft.claim_round_trip_ns[OP_FTP], 0);
	cause_case_free(c);
}

Test(causes_setup, a_session_for_each_file)
{
	CauseCase *c = cause_case_new();
	c->unit.is_job = true;
	c->unit.files = 30;
	c->unit.sessions = 4;
	cause_case_add(c, BUCKET_CONNECTION_SETUP, 300 * CASE_MS);
	cause_case_add(c, BUCKET_SESSION_SETUP, 3000 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "session-churn"));
	c->unit.sessions = 30;
	cr_assert(cause_case_conclude(c, "session-churn"));
	/* the first one has to be made */
	cr_assert_eq(c->draft.lost_ns, 3190 * CASE_MS);
	cr_assert(
		strstr(c->draft.sentence, "30 connections and sessions"), "%s", c->draft.sentence);
	cause_case_free(c);
}

Test(causes_setup, port_445_that_did_not_answer)
{
	CauseCase *c = cause_case_new();
	c->unit.is_job = true;
	c->facts.port[SIDE_SERVER] = 139;
	cause_case_add(c, BUCKET_CONNECTION_SETUP, 4010 * CASE_MS);
	cr_assert_not(cause_case_conclude(c, "port-445-filtered"));
	c->facts.approach = (Approach){.begin_ns = 1,
		.failed_ns = 1,
		.failed_tries = 3,
		.failed_port = 445,
		.failed_frame = 1};
	cr_assert(cause_case_conclude(c, "port-445-filtered"));
	cr_assert_eq(c->draft.lost_ns, 4000 * CASE_MS);
	cr_assert(strstr(c->draft.sentence, "did not answer 3 times"), "%s", c->draft.sentence);
	/* the same port at a later try is no detour */
	c->facts.port[SIDE_SERVER] = 445;
	cr_assert_not(cause_case_conclude(c, "port-445-filtered"));
	cr_assert(cause_case_conclude(c, "connect-retries"));
	cr_assert(
		strstr(c->draft.sentence, "port 445 of the server 10.0.0.9 did not answer before"),
		"%s", c->draft.sentence);
	cause_case_free(c);
}

Test(causes_setup, a_name_that_is_found_late)
{
	CauseCase *c = cause_case_new();
	c->unit.is_job = true;
	c->facts.approach = (Approach){.begin_ns = 1,
		.first_query_ns = 1,
		.answer_ns = 1510 * CASE_MS,
		.query_tries = 4,
		.query_services = 1u << NAME_SERVICE_DNS | 1u << NAME_SERVICE_NBNS,
		.query_frame = 1,
		.answer_frame = 5};
	cr_assert_not(cause_case_conclude(c, "name-resolution-delay"));
	cause_case_add(c, BUCKET_NAME_RESOLUTION, 1510 * CASE_MS);
	cr_assert(cause_case_conclude(c, "name-resolution-delay"));
	cr_assert_eq(c->draft.lost_ns, 1500 * CASE_MS);
	cr_assert(strstr(c->draft.sentence, "4 queries (DNS, NetBIOS)"), "%s", c->draft.sentence);
	cause_case_free(c);
}
