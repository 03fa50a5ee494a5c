/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ftp-ascii-mode: a file was moved as text (TYPE A). A fact; what the conversion costs cannot be
 * told from packets. docs/causes.md, ftp-ascii-mode.
 */
#include "analyzer/causes/ftp.h"

/* Smaller ones are texts, mostly. docs/causes.md, ftp-ascii-mode. */
#define MIN_BYTES (64 * 1024)

static bool conclude(const CauseContext *context, FindingDraft *draft)
{
	const Unit *unit = context->unit;
	bool is_ascii =
		unit->is_job ? context->session && context->session->ftp_ascii : unit->is_ascii;
	if (!unit->is_ftp || !is_ascii || context->bytes < MIN_BYTES)
		return false;
	draft->is_note = true;
	draft->confidence = CONFIDENCE_HIGH;
	draft->sentence = cause_printf(context,
		"%s moved in text mode (TYPE A): line ends are converted on the way, which damages "
		"files that are not text and costs both hosts work per line.",
		unit->is_job ? "Files were" : "The file was");
	draft->fix = "binary mode";
	cause_advice(draft, "Client: `binary` (TYPE I) before the transfer, or the client's "
			    "setting for transfer type.");
	cause_advice(draft,
		"Server: vsftpd `ascii_download_enable=NO` and `ascii_upload_enable=NO` "
		"(the defaults) accept TYPE A and move the bytes unchanged.");
	ftp_command_evidence(context, draft, 6);
	return true;
}

const Cause cause_ftp_ascii_mode = {
	.id = "ftp-ascii-mode",
	.title = "FTP: files are moved as text",
	.explanation = "FTP begins in text mode. It rewrites line ends for the other system: right "
		       "for texts between different systems, wrong for everything else, and slower "
		       "on some servers.",
	.source = "RFC 959 3.1.1",
	.precedence = 770,
	.conclude = conclude,
	.guide =
		{
			.rule = "The transfer ran in text mode (TYPE A, or none given) and moved "
				"{} "
				"or more. Always a note.",
			.numbers = {GUIDE_BYTES(MIN_BYTES)},
			.needs = "The TYPE command, or the start of the control connection.",
			.traps = {"Listings are always text."},
			.confidence = "High.",
			.advice = {{"FTP client", "'binary' (TYPE I) before the transfer, or the "
						  "setting for transfer "
						  "type."},
				{"FTP server", "vsftpd ascii_download_enable=NO and "
					       "ascii_upload_enable=NO "
					       "(defaults) move the bytes unchanged."}},
			.next_test = "Compare the size of the file on both sides.",
		},
};
