# SPDX-License-Identifier: GPL-2.0-or-later
# Builds ./simulate and libfencesim.a. Variables worth setting: CC, CFLAGS, WERROR=1,
# SANITIZE=1, BUILD, PREFIX, DESTDIR.

VERSION = 0.1.0
PREFIX = /usr/local
BINDIR = $(PREFIX)/bin
LIBDIR = $(PREFIX)/lib
INCLUDEDIR = $(PREFIX)/include
DATADIR = $(PREFIX)/share/fencesim
DOCDIR = $(PREFIX)/share/doc/fencesim
MANDIR = $(PREFIX)/share/man
BASHDIR = $(PREFIX)/share/bash-completion/completions
ZSHDIR = $(PREFIX)/share/zsh/site-functions
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d

CC = gcc
CFLAGS = -O2 -g
WARNINGS = -Wall -Wextra -Wshadow -Wconversion $(if $(WERROR),-Werror)
# Objects can also be linked into position independent programs of others.
override CPPFLAGS += -I. -Iinclude -DFENCESIM_VERSION='"$(VERSION)"'
override CFLAGS += -std=gnu11 -fPIE $(WARNINGS)

BUILD = build
OUT = $(BUILD)
PROGRAM = simulate
LIBRARY = libfencesim.a

ifdef SANITIZE
# Sanitized objects, program and library stay apart from the real ones.
OUT = $(BUILD)/san
PROGRAM = $(OUT)/simulate
LIBRARY = $(OUT)/libfencesim.a
SANITIZERS = -fsanitize=address,undefined -fno-sanitize-recover=all
override CFLAGS += $(SANITIZERS) -O1 -fno-omit-frame-pointer
endif

# Static and at a fixed address where the archives are there: scripts start the program once
# per trace, and relocating the emulator would cost most of such a start.
comma = ,
archive = $(findstring /,$(shell $(CC) -print-file-name=lib$(1).a))
link = $(if $(call archive,$(1)),-Wl$(comma)-Bstatic -l$(1) -Wl$(comma)-Bdynamic,-l$(1))
DEPENDENCIES = unicorn capstone yaml jansson
# elfutils' archives need those of what it unpacks debugging information with.
ELFUTILS = dw elf z lzma bz2
LIBS := $(foreach name,$(DEPENDENCIES),$(call link,$(name))) \
	$(if $(filter 5,$(words $(foreach name,$(ELFUTILS),$(call archive,$(name))))),\
	$(foreach name,$(ELFUTILS),$(call link,$(name))),-ldw -lelf) -lm -lpthread
# The command alone draws on terminals.
COMMAND_LIBS := $(call link,ncursesw) $(call link,tinfo)
override LDFLAGS += -no-pie $(SANITIZERS)

SOURCES := $(sort $(shell find sim models -name '*.c'))
# What prints and reads options; everything else is the library.
COMMAND := sim/main.c $(sort $(wildcard sim/command/*.c))
HEADERS := $(sort $(wildcard include/fencesim/*.h))
PAGE_FILES := $(sort $(wildcard sim/report/html/*.css sim/report/html/*.js))
PROFILES := $(sort $(wildcard models/profiles/*.yaml))
TEST_SOURCES := $(sort $(wildcard tests/unit/*.c tests/property/*.c))
object = $(patsubst %.c,$(OUT)/%.o,$(1))
LIBRARY_OBJECTS = $(call object,$(filter-out $(COMMAND),$(SOURCES))) $(OUT)/profiles_data.o \
	$(OUT)/html_data.o
TEST_OBJECTS = $(call object,$(TEST_SOURCES))

all: $(PROGRAM) $(LIBRARY)

$(PROGRAM): $(call object,$(COMMAND)) $(LIBRARY)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(COMMAND_LIBS)

$(LIBRARY): $(LIBRARY_OBJECTS)
	rm -f $@
	$(AR) rcs $@ $^

# Objects are made again when the compiler or its options change.
FLAGS = $(subst ",,$(subst ',,$(CC) $(CPPFLAGS) $(CFLAGS)))
$(OUT)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@

$(OUT)/%.o: %.c $(OUT)/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# The profiles are part of the program, so that it needs no files at run time.
$(OUT)/profiles_data.c: models/embed.sh $(PROFILES)
	@mkdir -p $(@D)
	sh models/embed.sh $@ $(PROFILES)

$(OUT)/profiles_data.o: $(OUT)/profiles_data.c $(OUT)/flags
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# So are style and scripts of the HTML report.
$(OUT)/html_data.c: sim/report/html/embed.sh $(PAGE_FILES)
	@mkdir -p $(@D)
	sh sim/report/html/embed.sh $@ $(PAGE_FILES)

$(OUT)/html_data.o: $(OUT)/html_data.c $(OUT)/flags
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# ---- tests ----

# Every suite of the unit and property tests, found by the function that adds it.
$(OUT)/tests/suites.def: $(TEST_SOURCES)
	@mkdir -p $(@D)
	sed -n 's/^void \(add_[a-z0-9_]*_tests\)(void)$$/SUITE(\1)/p' $^ > $@

$(OUT)/tests/unit/main.o: private override CPPFLAGS += -I$(OUT)/tests
$(OUT)/tests/unit/main.o: $(OUT)/tests/suites.def

$(OUT)/unit_tests: $(TEST_OBJECTS) $(LIBRARY)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) -lcunit

check: all $(OUT)/unit_tests
	CC='$(CC)' SANITIZERS='$(SANITIZERS)' SIMULATE=./$(PROGRAM) \
		UNIT_TESTS=$(OUT)/unit_tests sh tests/run.sh

# The same with the property tests' longer runs.
check-slow: all $(OUT)/unit_tests
	SLOW=1 CC='$(CC)' SANITIZERS='$(SANITIZERS)' SIMULATE=./$(PROGRAM) \
		UNIT_TESTS=$(OUT)/unit_tests sh tests/run.sh

check-san:
	$(MAKE) SANITIZE=1 check
	sh tests/hostile/run.sh build/san/simulate
	sh tests/hostile/capture.sh build/san/simulate
	sh tests/hostile/text.sh build/san/simulate

# HTML reports in a browser; installs one when there is none.
check-browser: all
	SIMULATE=./$(PROGRAM) sh tests/browser/run.sh

# Rewrites what the golden tests expect; look at the difference before you commit it.
rebase: all
	SIMULATE=./$(PROGRAM) sh tests/golden/run.sh rebase

# The part of the profile schema that lists all parameters.
schema:
	sh docs/schema/parameters.sh > docs/schema/profile-parameters.schema.json

# ---- manual ----

PAGES := $(patsubst docs/man/%.scd,%,$(sort $(wildcard docs/man/*.scd)))
BUILT_PAGES = $(PAGES:%=$(OUT)/man/%)
# Pages say when they were last changed, not when they were built.
PAGE_DATE = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct -- docs/man 2> /dev/null),0)

man: $(BUILT_PAGES)

$(OUT)/man/%: docs/man/%.scd docs/man/tidy.awk
	@mkdir -p $(@D)
	SOURCE_DATE_EPOCH=$(PAGE_DATE) scdoc < $< | awk -f docs/man/tidy.awk > $@

# ---- speed ----

BENCH_SOURCES := $(sort $(wildcard tools/bench/*.c))

$(OUT)/bench: $(call object,$(BENCH_SOURCES)) $(LIBRARY)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# Figures beside those of tools/bench-baseline.txt; bench-save makes them the baseline.
bench: all $(OUT)/bench
	SIMULATE=./$(PROGRAM) BENCH=$(OUT)/bench sh tools/bench.sh check

bench-save: all $(OUT)/bench
	SIMULATE=./$(PROGRAM) BENCH=$(OUT)/bench sh tools/bench.sh save

# Measures loops on this machine, for `simulate fit`. At an address of its own, so that the loops
# have theirs; the archives are not made for that.
MEASURE_SOURCES := $(sort $(wildcard tools/measure/*.c))

$(OUT)/measure: $(call object,$(MEASURE_SOURCES)) $(LIBRARY)
	$(CC) $(CFLAGS) $(SANITIZERS) -pie -o $@ $^ $(addprefix -l,$(DEPENDENCIES)) -ldw -lelf -lm -lpthread

measure: $(OUT)/measure

# ---- style ----

FORMATTED = $(sort $(shell find examples include sim models tests tools -name '*.[ch]'))
SCRIPTS = $(sort $(shell find docs tests tools models sim traces -type f -name '*.sh') $(wildcard try check .ci/run))

style:
	clang-format --dry-run -Werror $(FORMATTED)
	shellcheck $(SCRIPTS)

lint: style
	clang-tidy --quiet $(SOURCES) -- $(CPPFLAGS) -std=gnu11

format:
	clang-format -i $(FORMATTED)

# ---- installation ----

# Made each time: PREFIX may be another one.
$(OUT)/fencesim.pc: FORCE
	@mkdir -p $(@D)
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$(INCLUDEDIR)' '' \
		'Name: fencesim' 'Description: Memory ordering and cycles of x86 machine code' \
		'Version: $(VERSION)' 'Cflags: -I$${includedir}' \
		'Libs: -L$${libdir} -lfencesim $(DEPENDENCIES:%=-l%) -ldw -lelf -lm -lpthread' > $@

SCDOC := $(shell command -v scdoc)

install: all $(OUT)/fencesim.pc $(if $(SCDOC),man)
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(DOCDIR)
	install -d $(DESTDIR)$(INCLUDEDIR)/fencesim $(DESTDIR)$(DATADIR)
	install -m 755 $(PROGRAM) $(DESTDIR)$(BINDIR)/simulate
	install -m 644 $(LIBRARY) $(DESTDIR)$(LIBDIR)/libfencesim.a
	install -m 644 $(OUT)/fencesim.pc $(DESTDIR)$(LIBDIR)/pkgconfig/fencesim.pc
	$(if $(HEADERS),install -m 644 $(HEADERS) $(DESTDIR)$(INCLUDEDIR)/fencesim/)
	install -m 644 README.md LICENSE CONTRIBUTING.md examples/judge.c $(DESTDIR)$(DOCDIR)/
	cp -R docs $(DESTDIR)$(DOCDIR)/
	cp -R traces $(DESTDIR)$(DATADIR)/
	$(if $(SCDOC),,@echo 'the manual is not installed: scdoc is missing')
	$(if $(SCDOC),install -d $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man5)
	$(if $(SCDOC),install -m 644 $(filter %.1,$(BUILT_PAGES)) $(DESTDIR)$(MANDIR)/man1/)
	$(if $(SCDOC),install -m 644 $(filter %.5,$(BUILT_PAGES)) $(DESTDIR)$(MANDIR)/man5/)
	install -d $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR)
	./$(PROGRAM) completion bash > $(DESTDIR)$(BASHDIR)/simulate
	./$(PROGRAM) completion zsh > $(DESTDIR)$(ZSHDIR)/_simulate
	./$(PROGRAM) completion fish > $(DESTDIR)$(FISHDIR)/simulate.fish
	install -d $(DESTDIR)$(DATADIR)/docs/schema
	install -m 644 docs/schema/*.json $(DESTDIR)$(DATADIR)/docs/schema/

uninstall:
	rm -f $(DESTDIR)$(BASHDIR)/simulate $(DESTDIR)$(ZSHDIR)/_simulate
	rm -f $(DESTDIR)$(FISHDIR)/simulate.fish
	rm -f $(patsubst %,$(DESTDIR)$(MANDIR)/man1/%,$(filter %.1,$(PAGES)))
	rm -f $(patsubst %,$(DESTDIR)$(MANDIR)/man5/%,$(filter %.5,$(PAGES)))
	rm -f $(DESTDIR)$(BINDIR)/simulate $(DESTDIR)$(LIBDIR)/libfencesim.a
	rm -f $(DESTDIR)$(LIBDIR)/pkgconfig/fencesim.pc
	rm -rf $(DESTDIR)$(INCLUDEDIR)/fencesim $(DESTDIR)$(DATADIR) $(DESTDIR)$(DOCDIR)

dist:
	@mkdir -p $(OUT)
	git archive --prefix=fencesim-$(VERSION)/ HEAD | gzip -9n > $(OUT)/fencesim-$(VERSION).tar.gz

clean:
	rm -rf build simulate libfencesim.a

.PHONY: all check check-slow check-san check-browser rebase schema man bench bench-save measure style lint format install uninstall dist clean FORCE
FORCE:
.DELETE_ON_ERROR:

-include $(LIBRARY_OBJECTS:.o=.d) $(TEST_OBJECTS:.o=.d) $(patsubst %.c,$(OUT)/%.d,$(COMMAND))
