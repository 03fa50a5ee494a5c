/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NTSTATUS values as SMB servers return them: the name of the specification and what the status
 * means for timing. DOS errors of SMB1 are translated to the NTSTATUS of the same meaning.
 * Source: MS-ERREF 2.3, MS-CIFS 2.2.2.4.
 */
#ifndef SLOWCOPY_DISSECTORS_SMB_STATUS_H
#define SLOWCOPY_DISSECTORS_SMB_STATUS_H

#include <stdint.h>

#include "dissectors/message.h"

enum {
	SMB_STATUS_PENDING = 0x00000103,
	SMB_STATUS_BUFFER_OVERFLOW = 0x80000005,
	SMB_STATUS_UNSUCCESSFUL = 0xC0000001,
	SMB_STATUS_INVALID_PARAMETER = 0xC000000D,
	SMB_STATUS_MORE_PROCESSING_REQUIRED = 0xC0000016,
};

/** smb_status_class: what @status means for timing; STATUS_CLASS_ERROR for failures not in the
 * table. */
StatusClass smb_status_class(uint32_t status);

/** smb_status_name: name of @status ("STATUS_ACCESS_DENIED"), static; NULL when not in the table.
 */
const char *smb_status_name(uint32_t status);

/**
 * smb_status_from_dos: the NTSTATUS that means the same as a DOS error.
 * @error_class: ErrorClass byte; @code: ErrorCode. A pair not in the table is
 * SMB_STATUS_UNSUCCESSFUL, class 0 is success.
 */
uint32_t smb_status_from_dos(uint8_t error_class, uint16_t code);

#endif
