/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `monitor` asks of the system it runs on for weeks: to be nobody, to be able to do little, to
 * be known to systemd.
 */
#ifndef SLOWCOPY_MONITOR_SYSTEM_H
#define SLOWCOPY_MONITOR_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

/** system_drop: when running as root, becomes @user and keeps nothing but CAP_NET_RAW, with which
 * an interface that comes back can be opened again. False and @error when it cannot. */
bool system_drop(const char *user, GError **error);

/** system_make_folder: makes @path if it is not there; when running as root, for @user, who will
 * write in it. */
bool system_make_folder(const char *path, const char *user, GError **error);

/** system_can_drop: whether this program was built with what that needs. */
bool system_can_drop(void);

/** system_confine: from now on the kernel refuses system calls that capturing and writing do not
 * need. Nothing may be looked up by name afterwards. */
bool system_confine(GError **error);

/** system_ready, system_alive, system_stopping: tell systemd, if that started the program; alive:
 * as often as its watchdog asks, may be called at any rate. */
void system_ready(void);
void system_alive(void);
void system_stopping(void);

#endif
