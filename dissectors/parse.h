/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What every parser answers, and the limits they share.
 */
#ifndef SLOWCOPY_DISSECTORS_PARSE_H
#define SLOWCOPY_DISSECTORS_PARSE_H

/** ParseStatus: the answer of every parser. Results are written on PARSE_OK only. */
typedef enum ParseStatus {
	PARSE_OK,
	PARSE_SHORT, /* the bytes end before the structure does: cut by the snap length, or more to
			come */
	PARSE_BAD,   /* the bytes contradict the specification */
	PARSE_UNKNOWN, /* well-formed as far as one can see, but of a kind this parser does not know
			*/
} ParseStatus;

/* Encapsulations peeled from one frame at most: as many as an overlay inside a mirror inside VLANs
 * needs. */
#define PARSE_MAX_LAYERS 16
/* AndX commands chained in one SMB1 message; real clients send at most four. */
#define PARSE_MAX_ANDX 64
/* Compounded commands in one SMB2 message; real clients send at most about ten. */
#define PARSE_MAX_COMPOUND 256

#endif
