/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A request and its answer, as the waterfall of a report shows them.
 */
#ifndef SLOWCOPY_ANALYZER_TRANSFER_OPERATION_SAMPLE_H
#define SLOWCOPY_ANALYZER_TRANSFER_OPERATION_SAMPLE_H

#include <stdint.h>

#include "dissectors/message.h"

/** OperationSample: times in ns, in a unit since the epoch, in a result since the first packet. */
typedef struct OperationSample {
	uint32_t stream;
	uint32_t status;
	MessageProtocol protocol;
	uint8_t op_class; /* OpClass */
	uint16_t command;
	int64_t request_ns, reply_first_ns, reply_ns;
	uint64_t offset, bytes, request_frame, reply_frame;
} OperationSample;

#endif
