# SPDX-License-Identifier: GPL-3.0-or-later
# slowcopy: the whole build. `make help` lists the targets. MODE=release|debug|asan|cover|fuzz, V=1 shows commands.

MODE ?= release
VERSION := 0.1.0
B := build/$(MODE)
Q := $(if $(V),,@)

CC := gcc
PKGS := glib-2.0 jansson libpcap smartcols ncursesw zlib
OPTIONAL := libzstd:ZSTD liblz4:LZ4 liblzma:LZMA libseccomp:SECCOMP libcap-ng:CAP_NG libsystemd:SYSTEMD libcrypto:CRYPTO
PRESENT := $(foreach o,$(OPTIONAL),$(if $(shell pkg-config --exists $(firstword $(subst :, ,$(o))) && echo y),$(o)))
PKGS += $(foreach o,$(PRESENT),$(firstword $(subst :, ,$(o))))
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null) $(foreach o,$(PRESENT),-DHAVE_$(lastword $(subst :, ,$(o)))=1)
PKG_LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lndpi -lm

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wwrite-strings \
	-Wundef -Wvla -Wformat=2 -Wimplicit-fallthrough -Wswitch-enum $(if $(WERROR),-Werror)
STRICT := -Wconversion -Wsign-conversion
HARDEN := -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE
LDHARDEN := -pie -Wl,-z,relro,-z,now

CFLAGS_release := -O2 -g $(HARDEN)
CFLAGS_debug := -O0 -g3
CFLAGS_asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS_cover := -O0 -g --coverage
CFLAGS_fuzz := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
LDFLAGS_release := $(LDHARDEN)
LDFLAGS_asan := -fsanitize=address,undefined
LDFLAGS_cover := --coverage
LDFLAGS_fuzz := -fsanitize=fuzzer,address,undefined
ifeq ($(MODE),fuzz)
CC := clang
endif
ALL_CFLAGS := -std=gnu17 -D_GNU_SOURCE -I. -I$(B)/gen $(WARN) $(CFLAGS_$(MODE)) $(PKG_CFLAGS) $(CFLAGS)
ALL_LDFLAGS := $(LDFLAGS_$(MODE)) $(LDFLAGS)

$(shell mkdir -p $(B)/gen)
CAUSES := $(sort $(basename $(notdir $(wildcard analyzer/causes/*-*.c))))
LIB_SRC := $(sort $(wildcard dissectors/*.c analyzer/*.c analyzer/*/*.c reports/*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o) $(if $(wildcard analyzer/causes/cause.h),$(B)/gen/causes.o)
MAIN_SRC := $(sort $(wildcard *.c))
MAIN_OBJ := $(MAIN_SRC:%.c=$(B)/%.o)
UNIT := $(sort $(wildcard tests/unit/test_*.c))
UNIT_BIN := $(UNIT:tests/unit/%.c=$(B)/tests/%)
TOOL_LIB_OBJ := $(patsubst %.c,$(B)/%.o,$(filter-out %_main.c,$(wildcard tests/tools/*.c)))
TOOL_BIN := $(patsubst tests/tools/%_main.c,$(B)/tools/%,$(wildcard tests/tools/*_main.c))
FUZZ := $(sort $(wildcard tests/fuzz/fuzz_*.c))
HEADERS := $(sort $(wildcard dissectors/*.h analyzer/*.h analyzer/*/*.h reports/*.h *.h))

.PHONY: all clean help
.DELETE_ON_ERROR:
.SECONDARY:
all: slowcopy

slowcopy: $(B)/slowcopy
	$(Q)cp -f $< $@
$(B)/slowcopy: $(MAIN_OBJ) $(B)/libslowcopy.a
	$(Q)echo "  LINK    $@"; $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(MAIN_OBJ) $(B)/libslowcopy.a $(PKG_LIBS)
$(B)/libslowcopy.a: $(LIB_OBJ)
	$(Q)rm -f $@; ar rcs $@ $(LIB_OBJ)

# flags in a file, so that changing them rebuilds
FLAGS_TEXT := $(CC) $(ALL_CFLAGS)
$(shell printf '%s\n' "$(FLAGS_TEXT)" >$(B)/flags.new; cmp -s $(B)/flags.new $(B)/flags || mv $(B)/flags.new $(B)/flags; rm -f $(B)/flags.new)
$(B)/dissectors/%.o: dissectors/%.c $(B)/flags
	$(Q)mkdir -p $(@D); $(CC) $(ALL_CFLAGS) $(STRICT) -MMD -MP -c -o $@ $<
$(B)/%.o: %.c $(B)/flags
	$(Q)mkdir -p $(@D); $(CC) $(ALL_CFLAGS) -DSLOWCOPY_VERSION='"$(VERSION)"' -MMD -MP -c -o $@ $<
$(B)/gen/causes.o: $(B)/gen/causes.c
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# the table of causes comes from the folder listing: a new cause is a new file and nothing else
CAUSE_SYMBOLS := $(subst -,_,$(CAUSES))
$(shell { printf '/* generated from analyzer/causes */\n\043include <stddef.h>\n\043include "analyzer/causes/cause.h"\n\n'; \
	for c in $(CAUSE_SYMBOLS); do printf 'extern const Cause cause_%s;\n' $$c; done; \
	printf '\nconst Cause *const cause_table[] = {\n'; for c in $(CAUSE_SYMBOLS); do printf '\t&cause_%s,\n' $$c; done; \
	printf '\tNULL,\n};\n'; } >$(B)/gen/causes.new; \
	cmp -s $(B)/gen/causes.new $(B)/gen/causes.c || mv $(B)/gen/causes.new $(B)/gen/causes.c; rm -f $(B)/gen/causes.new)

# ---- tests
CRITERION := -lcriterion
$(B)/tests/%: $(B)/tests/unit/%.o $(TOOL_LIB_OBJ) $(B)/libslowcopy.a
	$(Q)mkdir -p $(@D); $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(TOOL_LIB_OBJ) $(B)/libslowcopy.a $(CRITERION) $(PKG_LIBS)
$(B)/tools/%: $(B)/tests/tools/%_main.o $(TOOL_LIB_OBJ) $(B)/libslowcopy.a
	$(Q)mkdir -p $(@D); $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(TOOL_LIB_OBJ) $(B)/libslowcopy.a $(PKG_LIBS)
$(B)/fuzz/%: $(B)/tests/fuzz/%.o $(B)/libslowcopy.a
	$(Q)mkdir -p $(@D); $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(B)/libslowcopy.a $(PKG_LIBS)

-include $(wildcard build/make/*.mk)
-include $(patsubst %.o,%.d,$(LIB_OBJ) $(MAIN_OBJ) $(TOOL_LIB_OBJ)) $(wildcard $(B)/tests/*/*.d)

clean:
	$(Q)rm -rf build slowcopy
help:
	@grep -E '^[a-z-]+:' Makefile | sed 's/:.*//' | sort | tr '\n' ' '; echo
