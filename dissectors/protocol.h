/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A protocol is one const descriptor: how to recognise it, how long a message is, what a message
 * says. The byte stream (analyzer/session/stream.c) drives it; it keeps no state but the small
 * DissectorState it is handed.
 */
#ifndef SLOWCOPY_DISSECTORS_PROTOCOL_H
#define SLOWCOPY_DISSECTORS_PROTOCOL_H

#include "dissectors/message.h"
#include "dissectors/parse.h"

typedef enum Probe { PROBE_NO, PROBE_MAYBE, PROBE_YES } Probe;

/** DissectorState: what a dissector must remember of a connection; zeroed at its start. */
typedef struct DissectorState {
	bool over_netbios;        /* port 139: 17-bit lengths, session packets */
	bool opaque;              /* FTP after AUTH TLS: the control channel says no more */
	bool raw_read_pending;    /* SMB1 READ_RAW: the next server message has no header */
	bool raw_write_pending;   /* SMB1 WRITE_RAW: the next client message has no header */
	bool unicode;             /* SMB1: names are UTF-16 */
	uint16_t dialect;         /* SMB2 dialect once known */
	uint16_t reply_code;      /* FTP: code of a multi-line reply under way, 0 when none */
	bool overlong[2];         /* FTP: behind the first piece of a line longer than is staged,
				     by direction (1: from the client) */
	uint16_t last_command[2]; /* SMB1 multi-part transactions, FTP: last command by direction */
	bool raw_write_answered;  /* SMB1 WRITE_RAW in write-through mode: a final answer follows */
	uint64_t raw_request_id;  /* SMB1: request that the bare data under way belongs to */
	bool stage_encrypted;     /* set by a session that has keys: stage the head of encrypted
				     messages too */
	/* SMB2 compound too large to be staged, by direction (0 client): bytes of it that follow,
	   and members that went before */
	uint32_t compound_left[2];
	uint16_t compound_index[2];
} DissectorState;

/** Extent: how long the message at the head of a stream is. */
typedef struct Extent {
	uint64_t total; /* bytes of framing and message together, >= 1 */
	uint32_t want;  /* first bytes of it that decode() needs staged, at most PROTOCOL_MAX_STAGED
			   and total */
	bool is_message; /* false: framing only (keep-alive, session request), decode() is still
			    called */
} Extent;

/* Bytes of one message that are ever staged: SMB2 create with a long path and contexts fits. */
#define PROTOCOL_MAX_STAGED 2048

typedef struct Protocol {
	const char *id;    /* "smb", "ftp" */
	const char *title; /* for people */
	uint16_t ports[8]; /* zero-terminated server ports; hints, never proof */
	bool is_text; /* lines: a message whose framing the snap length cut ends with its segment
		       */
	/** probe: does the first payload of a direction look like this protocol? @len bytes of it
	 * were kept. */
	Probe (*probe)(const uint8_t *data, size_t len, bool from_client);
	/**
	 * frame: extent of the message that begins at @data, of which @len bytes are at hand.
	 * PARSE_SHORT: more bytes are needed to tell; PARSE_BAD: no message begins here, the stream
	 * must resynchronise.
	 */
	ParseStatus (*frame)(DissectorState *state, const uint8_t *data, size_t len,
		bool from_client, Extent *ret);
	/** decode: emits the messages of one extent; @len is min(extent->want, what the capture
	 * kept). */
	void (*decode)(DissectorState *state, const uint8_t *data, size_t len, const Extent *extent,
		bool from_client, MessageSink *sink);
	/**
	 * resync: offset of the first plausible message start in @data at or after @from, or -1.
	 * Used after a hole.
	 */
	long (*resync)(const uint8_t *data, size_t len, bool from_client);
} Protocol;

/** protocol_table: all protocols, ended by NULL; the order is the order in which they are probed.
 */
extern const Protocol *const protocol_table[];

#endif
