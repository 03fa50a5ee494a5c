/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * IEEE 802.11 data frames and the headers radios put in front of them.
 */
#ifndef SLOWCOPY_DISSECTORS_WLAN_H
#define SLOWCOPY_DISSECTORS_WLAN_H

#include "dissectors/layer.h"

/** wlan_layer: an 802.11 frame. Unencrypted data go on as 802.2; all else is PACKET_NOT_IP. Of an
 * aggregate (A-MSDU) the first part is taken. */
LayerNext wlan_layer(Layer *layer);

/** wlan_radiotap: www.radiotap.org. */
LayerNext wlan_radiotap(Layer *layer);

/** wlan_prism: the header of Prism cards, or AVS in its place. */
LayerNext wlan_prism(Layer *layer);

/** wlan_avs: the AVS capture header. */
LayerNext wlan_avs(Layer *layer);

#endif
