# SPDX-License-Identifier: GPL-3.0-or-later
# slowcopy: the whole build. `make help` lists the targets.
# MODE=release|debug|asan|cover|fuzz chooses a tree under build/, WERROR=1 makes warnings errors, V=1 shows commands.

MODE ?= release
MAKEFLAGS += -rR
VERSION := 0.1.0
B := build/$(MODE)
Q := $(if $(V),,@)

CC := gcc
REQUIRED := glib-2.0 jansson libpcap smartcols ncursesw zlib libndpi
OPTIONAL := libzstd:ZSTD liblz4:LZ4 liblzma:LZMA libseccomp:SECCOMP libcap-ng:CAP_NG libsystemd:SYSTEMD libcrypto:CRYPTO
has = $(shell pkg-config --exists $(1) 2>/dev/null && echo y)
PRESENT := $(foreach o,$(OPTIONAL),$(if $(call has,$(firstword $(subst :, ,$(o)))),$(o)))
MISSING := $(strip $(foreach p,$(REQUIRED),$(if $(call has,$(p)),,$(p))))
PKGS := $(REQUIRED) $(foreach o,$(PRESENT),$(firstword $(subst :, ,$(o))))
# these need nothing of it, or install it first
STARTERS := demo check check-% asan fuzzers fuzz coverage bench bench-ir soak lint lab accuracy deb dist clean help golden-update
ifneq ($(MISSING),)
ifneq ($(filter-out $(STARTERS),$(or $(MAKECMDGOALS),all)),)
$(error Not found by pkg-config: $(MISSING). On Debian run `.ci/packages build` as root, or `make demo`)
endif
endif
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null) $(foreach o,$(PRESENT),-DHAVE_$(lastword $(subst :, ,$(o)))=1)
PKG_LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lm

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wwrite-strings \
	-Wundef -Wvla -Wformat=2 -Wimplicit-fallthrough -Wswitch-enum $(if $(WERROR),-Werror)
STRICT := -Wconversion -Wsign-conversion
HARDEN := -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE
LDHARDEN := -pie -Wl,-z,relro,-z,now

# the program is linked with the optimiser looking at all files at once, a sixth faster; tests are not: that takes long
CFLAGS_release := -O2 -g -flto -ffat-lto-objects $(HARDEN)
CFLAGS_debug := -O0 -g3
CFLAGS_asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS_cover := -O0 -g --coverage
CFLAGS_fuzz := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
NO_LTO := $(if $(filter release,$(MODE)),-fno-lto)
LDFLAGS_release := -flto=auto $(LDHARDEN)
LDFLAGS_asan := -fsanitize=address,undefined
LDFLAGS_cover := --coverage
LDFLAGS_fuzz := -fsanitize=fuzzer,address,undefined
ifeq ($(MODE),fuzz)
CC := clang
endif
ALL_CFLAGS := -std=gnu17 -D_GNU_SOURCE -I. -I$(B)/gen $(WARN) $(CFLAGS_$(MODE)) $(PKG_CFLAGS) $(CFLAGS)
ALL_LDFLAGS := $(LDFLAGS_$(MODE)) $(LDFLAGS)

$(shell mkdir -p $(B)/gen)
# a cause has no header; files with one are what causes share
CAUSES := $(sort $(filter-out $(basename $(notdir $(wildcard analyzer/causes/*.h))),$(basename $(notdir $(wildcard analyzer/causes/*.c)))))
LIB_SRC := $(sort $(wildcard dissectors/*.c analyzer/*.c analyzer/*/*.c reports/*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o) $(if $(wildcard analyzer/causes/cause.h),$(B)/gen/causes.o) $(B)/gen/vocabulary.o
MAIN_SRC := $(sort $(wildcard *.c))
MAIN_OBJ := $(MAIN_SRC:%.c=$(B)/%.o)
# every group of tests is optional; a test file is a program
UNIT := $(sort $(wildcard tests/unit/test_*.c tests/property/prop_*.c))
GOLDEN := $(sort $(wildcard tests/golden/*.c))
GOLDEN_SCRIPTS := $(sort $(wildcard tests/golden/*.py))
CLI := $(sort $(wildcard tests/cli/*.c))
test_bin = $(foreach t,$(1),$(B)/tests/$(basename $(notdir $(t))))
TOOL_LIB_OBJ := $(patsubst %.c,$(B)/%.o,$(filter-out %_main.c,$(wildcard tests/tools/*.c)))
TOOL_BIN := $(patsubst tests/tools/%_main.c,$(B)/tools/%,$(wildcard tests/tools/*_main.c))
FUZZ := $(sort $(wildcard tests/fuzz/fuzz_*.c))
UNIT_BIN := $(call test_bin,$(UNIT))
GOLDEN_BIN := $(call test_bin,$(GOLDEN))
CLI_BIN := $(call test_bin,$(CLI))
FUZZ_BIN := $(FUZZ:tests/fuzz/%.c=$(B)/fuzz/%)
REPLAY_BIN := $(FUZZ:tests/fuzz/%.c=$(B)/replay/%)
HEADERS := $(sort $(wildcard dissectors/*.h analyzer/*.h analyzer/*/*.h reports/*.h *.h tests/tools/*.h))
C_FILES := $(sort $(wildcard *.[ch] dissectors/*.[ch] analyzer/*.[ch] analyzer/*/*.[ch] reports/*.[ch] tests/*/*.[ch]))

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all
all: slowcopy

slowcopy: $(B)/slowcopy
	$(Q)cp -f $< $@
$(B)/slowcopy: $(MAIN_OBJ) $(B)/libslowcopy.a
	$(Q)echo "  LINK    $@"; $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(MAIN_OBJ) $(B)/libslowcopy.a $(PKG_LIBS)
$(B)/libslowcopy.a: $(LIB_OBJ)
	$(Q)rm -f $@; gcc-ar rcs $@ $(LIB_OBJ)

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

# the words that slowcopy itself says, so that a redacted report knows what else came from a capture
$(B)/gen/vocabulary.c: $(LIB_SRC) $(MAIN_SRC)
	$(Q){ printf '/* generated: every word of every string in the sources */\n#include "reports/vocabulary.h"\n\n'; \
	printf 'const char *const vocabulary_words[] = {\n'; \
	cat $^ | grep -oE '"([^"\\]|\\.)*"' | sed 's/\\[a-z]/ /g' | tr -cs 'A-Za-z0-9' '\n' | grep '[A-Za-z]' | \
	tr 'A-Z' 'a-z' | LC_ALL=C sort -u | sed 's/.*/\t"&",/'; \
	printf '};\nconst size_t vocabulary_count = sizeof vocabulary_words / sizeof *vocabulary_words;\n'; } >$@.new; \
	cmp -s $@.new $@ || mv $@.new $@; rm -f $@.new
$(B)/gen/vocabulary.o: $(B)/gen/vocabulary.c
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# files inside the program: ours, and the chart library of Debian's package libjs-dygraphs
DYGRAPHS := /usr/share/javascript/dygraphs
DYGRAPHS_COPYRIGHT := /usr/share/doc/libjs-dygraphs/copyright
$(B)/gen/dygraph.js: $(DYGRAPHS)/dygraph.min.js
	$(Q)grep -v sourceMappingURL $< >$@
$(B)/gen/dygraph.css: $(DYGRAPHS)/dygraph.min.css
	$(Q)grep -v sourceMappingURL $< >$@
$(B)/gen/dygraph.copyright: $(DYGRAPHS_COPYRIGHT)
	$(Q)sed 's/&/\&amp;/g; s/</\&lt;/g' $< >$@
$(B)/reports/assets.o: $(addprefix $(B)/gen/dygraph.,js css copyright) $(wildcard reports/assets/report.*)
# .incbin must find its files when this file is compiled, not when the program is linked
$(B)/reports/assets.o: ALL_CFLAGS += -fno-lto -Wa,-I$(B)/gen

# ---- tests
CRITERION := -lcriterion
LINK_TEST = $(Q)mkdir -p $(@D); $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(NO_LTO) -o $@ $< $(TOOL_LIB_OBJ) $(B)/libslowcopy.a $(CRITERION) $(PKG_LIBS)
LINK_PROGRAM = $(Q)mkdir -p $(@D); $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(NO_LTO) -o $@ $(filter %.o,$^) $(B)/libslowcopy.a $(PKG_LIBS)
# static patterns: a % that may hold a slash would send make looking for ages
$(filter-out $(B)/tests/prop_%,$(UNIT_BIN)): $(B)/tests/%: $(B)/tests/unit/%.o $(TOOL_LIB_OBJ) $(B)/libslowcopy.a
	$(LINK_TEST)
$(filter $(B)/tests/prop_%,$(UNIT_BIN)): $(B)/tests/%: $(B)/tests/property/%.o $(TOOL_LIB_OBJ) $(B)/libslowcopy.a
	$(LINK_TEST)
$(GOLDEN_BIN): $(B)/tests/%: $(B)/tests/golden/%.o $(TOOL_LIB_OBJ) $(B)/libslowcopy.a
	$(LINK_TEST)
$(CLI_BIN): $(B)/tests/%: $(B)/tests/cli/%.o $(TOOL_LIB_OBJ) $(B)/libslowcopy.a
	$(LINK_TEST)
$(TOOL_BIN): $(B)/tools/%: $(B)/tests/tools/%_main.o $(TOOL_LIB_OBJ) $(B)/libslowcopy.a
	$(LINK_PROGRAM)
$(FUZZ_BIN): $(B)/fuzz/%: $(B)/tests/fuzz/%.o $(TOOL_LIB_OBJ) $(B)/libslowcopy.a
	$(LINK_PROGRAM)
# a fuzz target with a plain main that runs kept inputs
$(REPLAY_BIN): $(B)/replay/%: $(B)/tests/fuzz/%.o $(B)/tests/fuzz/replay.o $(TOOL_LIB_OBJ) $(B)/libslowcopy.a
	$(LINK_PROGRAM)
# each header compiles alone
$(HEADERS:%=$(B)/headers/%.ok): $(B)/headers/%.ok: % $(B)/flags
	$(Q)mkdir -p $(@D); $(CC) $(ALL_CFLAGS) -fsyntax-only -x c -MMD -MP -MF $(@:.ok=.d) -MT $@ $< && touch $@

JOBS ?= $(shell nproc)
PARALLEL = $(if $(findstring j,$(firstword -$(MAKEFLAGS))),,-j$(JOBS))
RUN_TESTS := SLOWCOPY_PROGRAM=$(B)/slowcopy tests/tools/run_tests.py -j $(JOBS)
PROGRAM := $(if $(MAIN_SRC),$(B)/slowcopy)
# seeds are in corpus/TARGET, what once crashed in crashes/TARGET
REPLAY_COMMANDS := $(foreach t,$(FUZZ:tests/fuzz/fuzz_%.c=%),--command 'seeds-$(t)=$(B)/replay/fuzz_$(t) $(wildcard tests/fuzz/corpus/$(t) tests/fuzz/crashes/$(t))')
GOLDEN_COMMANDS := $(if $(MAIN_SRC),$(foreach t,$(GOLDEN_SCRIPTS),--command '$(basename $(notdir $(t)))=$(t) --program $(B)/slowcopy -j $(JOBS)'))
REPORT_COMMAND := --command 'reports-out=tests/cli/report_check.py'
MONITOR_COMMAND := --command 'monitor=tests/cli/monitor_check.py' --command 'monitor-live=tests/cli/monitor_live_check.py' \
	--command 'monitor-table=tests/cli/monitor_table_check.py' --command 'recipes=tests/cli/recipes_check.py'
# what does not depend on how the program is compiled is checked once, in release mode
STATIC_COMMANDS := $(if $(filter release,$(MODE)),--command 'layers=tests/tools/check_layers.py' \
	--command 'reports=SLOWCOPY_PROGRAM=$(B)/slowcopy tests/tools/check_reports.py' \
	--command 'manual=SLOWCOPY_PROGRAM=$(B)/slowcopy tests/tools/check_manual.py' \
	--command 'browser=SLOWCOPY_PROGRAM=$(B)/slowcopy tests/browser/check_html.py' \
	--command 'causes-page=$(B)/slowcopy explain --markdown | diff -u docs/causes.md - || { echo "docs/causes.md is stale: make docs/causes.md" >&2; false; }' \
	--command 'headers=$(MAKE) --no-print-directory $(HEADERS:%=$(B)/headers/%.ok)' \
	--command 'format=clang-format --dry-run -Werror --ferror-limit=3 $(C_FILES)')

.PHONY: check check-run check-unit check-golden check-cli check-layers check-headers check-format check-seeds golden-update asan
# its list of keys follows the schemas
docs/man/slowcopy-json.5: $(wildcard docs/*.schema.json)
	$(Q)tests/tools/check_manual.py --update
# all tests, after installing what they need
check:
	$(Q).ci/packages check
	$(Q)$(MAKE) --no-print-directory $(PARALLEL) WERROR=1 check-run
check-run: $(UNIT_BIN) $(GOLDEN_BIN) $(CLI_BIN) $(REPLAY_BIN) $(PROGRAM) $(B)/tools/capgen_bench docs/man/slowcopy-json.5
	$(Q)$(RUN_TESTS) $(UNIT_BIN) $(GOLDEN_BIN) $(CLI_BIN) $(MONITOR_COMMAND) $(REPORT_COMMAND) $(REPLAY_COMMANDS) $(GOLDEN_COMMANDS) $(STATIC_COMMANDS)
check-unit: $(UNIT_BIN)
	$(Q)$(RUN_TESTS) $^
check-golden: $(GOLDEN_BIN) $(PROGRAM)
	$(Q)$(RUN_TESTS) $(GOLDEN_BIN) $(GOLDEN_COMMANDS)
check-cli: $(CLI_BIN) $(PROGRAM)
	$(Q)$(RUN_TESTS) $(CLI_BIN) $(MONITOR_COMMAND) $(REPORT_COMMAND)
check-seeds: $(REPLAY_BIN)
	$(Q)$(RUN_TESTS) $(REPLAY_COMMANDS)
check-layers:
	$(Q)tests/tools/check_layers.py
check-headers: $(HEADERS:%=$(B)/headers/%.ok)
check-format:
	$(Q)clang-format --dry-run -Werror --ferror-limit=3 $(C_FILES)
UNIT_WITH_GOLDEN := $(B)/tests/test_comparison $(B)/tests/test_format_pcapng
# writes the expected reports anew; the difference is to be read before it is committed
golden-update: $(GOLDEN_BIN) $(UNIT_WITH_GOLDEN) $(PROGRAM)
	$(Q)SLOWCOPY_GOLDEN_UPDATE=1 $(RUN_TESTS) $(GOLDEN_BIN) $(UNIT_WITH_GOLDEN)
	$(Q)tests/golden/verdicts.py --program $(B)/slowcopy --update
asan:
	$(Q)$(MAKE) --no-print-directory MODE=asan check

# the page of all causes, from their descriptors; `make check` fails when it is stale
.PHONY: docs/causes.md
docs/causes.md: $(PROGRAM)
	$(Q)$(B)/slowcopy explain --markdown >$@.new && mv $@.new $@

# ---- fuzzing: FUZZ_SECONDS for each target, FUZZ_TARGETS="pcapng ip" for some
FUZZ_SECONDS ?= 60
FUZZ_TARGETS ?= $(FUZZ:tests/fuzz/fuzz_%.c=%)
.PHONY: fuzzers fuzz fuzz-run
fuzzers:
	$(Q).ci/packages fuzz
	$(Q)$(MAKE) --no-print-directory $(PARALLEL) MODE=fuzz fuzz-programs
.PHONY: fuzz-programs
fuzz-programs: $(FUZZ_TARGETS:%=$(B)/fuzz/fuzz_%)
fuzz: fuzzers
	$(Q)for t in $(FUZZ_TARGETS); do echo "  FUZZ    $$t"; mkdir -p build/fuzz/corpus/$$t tests/fuzz/corpus/$$t tests/fuzz/crashes/$$t; \
		build/fuzz/fuzz/fuzz_$$t -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=1024 -print_final_stats=0 -verbosity=0 \
		-artifact_prefix=tests/fuzz/crashes/$$t/ build/fuzz/corpus/$$t tests/fuzz/corpus/$$t || exit 1; \
	done; rmdir tests/fuzz/crashes/* 2>/dev/null || true

# ---- measuring
.PHONY: coverage coverage-run lint bench bench-ir soak
coverage:
	$(Q).ci/packages coverage
	$(Q)$(MAKE) --no-print-directory $(PARALLEL) MODE=cover check-run
	$(Q)gcovr -r . build/cover --exclude 'tests/' --exclude 'build/' --print-summary -o build/cover/coverage.txt
	$(Q)gcovr -r . build/cover --filter 'dissectors/' --fail-under-line 95 -o build/cover/dissectors.txt
lint:
	$(Q).ci/packages lint
	$(Q)cppcheck --quiet --enable=warning,performance,portability --inline-suppr --error-exitcode=1 --std=c11 -I. \
		--suppress=missingIncludeSystem --suppress=unknownMacro -j $(JOBS) $(LIB_SRC) $(MAIN_SRC)
	$(Q)clang-tidy --quiet --warnings-as-errors='*' --checks='$(TIDY_CHECKS)' $(LIB_SRC) $(MAIN_SRC) -- -std=gnu17 -D_GNU_SOURCE -I. $(PKG_CFLAGS) \
		-DSLOWCOPY_VERSION='"$(VERSION)"'
# left out: what floods with style or cannot know GLib's ownership
TIDY_CHECKS := -*,clang-analyzer-*,bugprone-*,-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier,-bugprone-narrowing-conversions,-bugprone-implicit-widening-of-multiplication-result,-bugprone-branch-clone,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling

BENCH_PACKETS ?= 5000000
bench:
	$(Q).ci/packages bench
	$(Q)$(MAKE) --no-print-directory $(PARALLEL) MODE=release build/release/slowcopy build/release/tools/capgen_bench build/release/tools/bare_pcap
	$(Q)tests/bench/bench.py --packets $(BENCH_PACKETS)
bench-ir:
	$(Q).ci/packages bench
	$(Q)$(MAKE) --no-print-directory $(PARALLEL) MODE=release build/release/slowcopy build/release/tools/capgen_bench
	$(Q)tests/bench/bench_ir.py
# a hundred million packets and other floods through the monitor: its memory must hold
soak:
	$(Q).ci/packages bench
	$(Q)$(MAKE) --no-print-directory $(PARALLEL) MODE=release build/release/slowcopy build/release/tools/capgen_bench build/release/tools/pcap_repeat
	$(Q)tests/bench/soak.py

# ---- the program for people
DEMO := testdata/causes/smb-serial-requests/smb3-serial-64k-10ms/client.pcap.gz
.PHONY: demo lab accuracy
# installs what is missing, builds, and shows the report of a real capture
demo:
	$(Q).ci/packages build
	$(Q)$(MAKE) --no-print-directory $(PARALLEL) MODE=release all
	$(Q)./slowcopy analyze $(DEMO)
# records all experiments anew with real servers (root), then compares verdicts with the truth
lab:
	$(Q).ci/packages lab
	$(Q)$(MAKE) --no-print-directory $(PARALLEL) all
	$(Q)testdata/lab/lab.py run --all
	$(Q)testdata/lab/lab.py accuracy
accuracy: all
	$(Q)testdata/lab/lab.py accuracy

# ---- installing and packing
prefix ?= /usr/local
INSTALL_TO = $(DESTDIR)$(prefix)
NAME := slowcopy-$(VERSION)
.PHONY: install uninstall dist deb clean help
install: all
	install -D -m 755 slowcopy $(INSTALL_TO)/bin/slowcopy
	$(Q)for f in $(wildcard docs/man/*.[1-8]); do install -D -m 644 $$f $(INSTALL_TO)/share/man/man$${f##*.}/$${f##*/}; done
	$(Q)for f in $(wildcard docs/*.schema.json); do install -D -m 644 $$f $(INSTALL_TO)/share/slowcopy/$${f##*/}; done
	$(Q)for f in $(wildcard docs/packaging/*.service); do install -D -m 644 $$f $(INSTALL_TO)/lib/systemd/system/$${f##*/}; done
	$(Q)for f in $(wildcard docs/recipes/*/*); do install -D -m $$(test -x $$f && echo 755 || echo 644) $$f $(INSTALL_TO)/share/slowcopy/$${f#docs/}; done
	$(Q)for f in $(wildcard docs/packaging/slowcopy-monitor.*); do install -D -m 644 $$f $(INSTALL_TO)/share/slowcopy/$${f##*/}; done
	$(Q)for f in $(wildcard docs/packaging/*.bash); do install -D -m 644 $$f $(INSTALL_TO)/share/bash-completion/completions/slowcopy; done
uninstall:
	rm -f $(INSTALL_TO)/bin/slowcopy $(INSTALL_TO)/share/bash-completion/completions/slowcopy
	$(Q)rm -f $(foreach f,$(wildcard docs/man/*.[1-8]),$(INSTALL_TO)/share/man/man$(subst .,,$(suffix $(f)))/$(notdir $(f)))
	$(Q)rm -f $(foreach f,$(wildcard docs/packaging/*.service),$(INSTALL_TO)/lib/systemd/system/$(notdir $(f)))
	$(Q)rm -rf $(INSTALL_TO)/share/slowcopy
dist:
	$(Q)mkdir -p build && git archive --format=tar.gz --prefix=$(NAME)/ -o build/$(NAME).tar.gz HEAD && echo build/$(NAME).tar.gz
deb:
	$(Q).ci/packages deb
	$(Q)rm -rf build/deb && mkdir -p build/deb && git archive --prefix=$(NAME)/ HEAD | tar -x -C build/deb
	$(Q)cp -r build/deb/$(NAME)/docs/packaging/debian build/deb/$(NAME)/debian
	$(Q)cd build/deb/$(NAME) && dpkg-buildpackage -us -uc -b
	$(Q)ls build/deb/*.deb
clean:
	$(Q)rm -rf build slowcopy
help:
	@sed -n 's/^# \(MODE=.*\)/\1/p' Makefile; grep -E '^[a-z][a-z-]*:' Makefile | sed 's/:.*//' | grep -v -e '-run$$' -e '-programs$$' | sort -u | tr '\n' ' '; echo

-include $(patsubst %.o,%.d,$(LIB_OBJ) $(MAIN_OBJ)) $(wildcard $(B)/tests/*/*.d $(B)/headers/*/*.d $(B)/headers/*/*/*.d)
