/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Transfers seen from the hosts: the matrix of host pairs, transfers that ran at the same time, and
 * UDP flows.
 */
#ifndef SLOWCOPY_ANALYZER_RESULT_HOSTS_H
#define SLOWCOPY_ANALYZER_RESULT_HOSTS_H

#include "analyzer/diagnosis.h"
#include "analyzer/result.h"

/** result_host_pairs_build: fills host_pairs of @ret, most bytes first. Transfers come first. */
void result_host_pairs_build(const DiagnosisInput *input, Result *ret);

/** result_sharings_build: fills sharings of @ret from its transfers. */
void result_sharings_build(const DiagnosisInput *input, Result *ret);

/** result_udp_flows_build: fills udp_flows of @ret; @flows may be NULL. */
void result_udp_flows_build(Arena *arena, const UdpFlows *flows, int64_t first_ns, Result *ret);

#endif
