/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dialect strings of SMB1 NEGOTIATE. Source: MS-CIFS 1.7, 2.2.4.52; MS-SMB2 3.3.5.3.1.
 */
#ifndef SLOWCOPY_DISSECTORS_SMB1_NEGOTIATE_H
#define SLOWCOPY_DISSECTORS_SMB1_NEGOTIATE_H

#include <stddef.h>
#include <stdint.h>

/** Smb1Dialect: numbers in MessageNegotiation.smb1_offered; oldest first. */
typedef enum Smb1Dialect {
	SMB1_DIALECT_UNKNOWN,
	SMB1_DIALECT_CORE,         /* PC NETWORK PROGRAM 1.0 */
	SMB1_DIALECT_XENIX_CORE,   /* XENIX CORE */
	SMB1_DIALECT_CORE_PLUS,    /* MICROSOFT NETWORKS 1.03 */
	SMB1_DIALECT_LANMAN1_MS,   /* MICROSOFT NETWORKS 3.0 */
	SMB1_DIALECT_LANMAN1,      /* LANMAN1.0 */
	SMB1_DIALECT_WORKGROUPS,   /* Windows for Workgroups 3.1a */
	SMB1_DIALECT_LANMAN2_DOS,  /* DOS LM1.2X002 */
	SMB1_DIALECT_LANMAN2,      /* LM1.2X002 */
	SMB1_DIALECT_LANMAN21_DOS, /* DOS LANMAN2.1 */
	SMB1_DIALECT_LANMAN21,     /* LANMAN2.1 */
	SMB1_DIALECT_SAMBA,        /* Samba */
	SMB1_DIALECT_NT_LANMAN,    /* NT LANMAN 1.0 */
	SMB1_DIALECT_NT_LM,        /* NT LM 0.12 */
	SMB1_DIALECT_SMB_2_002,    /* SMB 2.002 */
	SMB1_DIALECT_SMB_2_ANY,    /* SMB 2.??? */
	SMB1_DIALECT_COUNT
} Smb1Dialect;

/** smb1_dialect_name: the string as sent; "unknown" for unknown numbers. Static. */
const char *smb1_dialect_name(uint8_t dialect);

/** smb1_dialect_find: number of the dialect string of @len bytes at @data. */
Smb1Dialect smb1_dialect_find(const uint8_t *data, size_t len);

#endif
