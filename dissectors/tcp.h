/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * TCP (RFC 9293) and UDP (RFC 768) headers, as the last layers of a frame.
 */
#ifndef SLOWCOPY_DISSECTORS_TCP_H
#define SLOWCOPY_DISSECTORS_TCP_H

#include "dissectors/layer.h"

/** tcp_layer: a TCP header with its options; what follows is the payload. Always LAYER_DONE. */
LayerNext tcp_layer(Layer *layer);

/**
 * tcp_options: fills timestamps, SACK blocks and, on a SYN, MSS, window scale and SACK permitted.
 * @options: the kept ones. Options that contradict themselves end the list; they do not make the
 * packet malformed, as no receiver discards it for that.
 */
void tcp_options(Cursor options, Packet *packet);

#endif
