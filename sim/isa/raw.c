/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/isa/raw.h"

#include <string.h>

enum mandatory { ANY, NONE, P66, PF2, PF3 };
enum form {
    FIXED,
    REGISTER,
    MEMORY,
    EITHER
}; /* what ModRM.mod must say; FIXED: `modrm` is a whole byte */

struct row {
    enum mandatory prefix;
    uint8_t map; /* 0: 0F xx, 0x38: 0F 38 xx */
    uint8_t opcode;
    enum form form;
    uint8_t modrm; /* FIXED: the byte; otherwise ModRM.reg; 0xff: no ModRM follows */
    enum insn_class class;
    enum insn_kind kind;
    const char *name;
};

enum { NO_MODRM = 0xff };

/* Opcodes from Intel SDM vol. 2 and AMD APM vol. 3, instruction pages of the names given. */
static const struct row rows[] = {
    {PF2, 0, 0x01, FIXED, 0xe8, INSN_UNMODELLED, KIND_NONE, "xsusldtrk"},
    {PF2, 0, 0x01, FIXED, 0xe9, INSN_UNMODELLED, KIND_NONE, "xresldtrk"},
    {NONE, 0, 0x01, FIXED, 0xe8, INSN_SERIALIZING, KIND_SERIALIZE, "serialize"},
    {NONE, 0, 0x01, FIXED, 0xc6, INSN_WRMSR, KIND_WRMSRNS, "wrmsrns"},
    {ANY, 0, 0x01, FIXED, 0xfc, INSN_UNMODELLED, KIND_NONE, "clzero"},
    {PF3, 0, 0x01, FIXED, 0xfa, INSN_UNMODELLED, KIND_NONE, "mcommit"},
    {ANY, 0, 0x01, FIXED, 0xfa, INSN_UNMODELLED, KIND_NONE, "monitorx"},
    {NONE, 0, 0x01, FIXED, 0xee, INSN_UNMODELLED, KIND_NONE, "rdpkru"},
    {NONE, 0, 0x01, FIXED, 0xef, INSN_UNMODELLED, KIND_NONE, "wrpkru"},
    {NONE, 0, 0x01, FIXED, 0xc5, INSN_UNMODELLED, KIND_NONE, "pconfig"},
    {ANY, 0x38, 0xfc, MEMORY, 8, INSN_UNMODELLED, KIND_NONE, "aadd"},
    {ANY, 0, 0x01, FIXED, 0xfb, INSN_UNMODELLED, KIND_NONE, "mwaitx"},
    {ANY, 0, 0x01, FIXED, 0xfd, INSN_UNMODELLED, KIND_NONE, "rdpru"},
    {PF3, 0, 0x01, FIXED, 0xec, INSN_UNMODELLED, KIND_NONE, "uiret"},
    {PF3, 0, 0x01, FIXED, 0xed, INSN_UNMODELLED, KIND_NONE, "testui"},
    {PF3, 0, 0x01, FIXED, 0xee, INSN_UNMODELLED, KIND_NONE, "clui"},
    {PF3, 0, 0x01, FIXED, 0xef, INSN_UNMODELLED, KIND_NONE, "stui"},
    {PF3, 0, 0x09, FIXED, NO_MODRM, INSN_SERIALIZING, KIND_WBNOINVD, "wbnoinvd"},
    {ANY, 0, 0x0d, MEMORY, 2, INSN_NOTHING, KIND_PREFETCH, "prefetchwt1"},
    {NONE, 0, 0x1c, MEMORY, 0, INSN_NOTHING, KIND_PREFETCH, "cldemote"},
    {PF3, 0, 0x1e, REGISTER, 1, INSN_UNMODELLED, KIND_NONE, "rdssp"},
    {PF3, 0, 0xae, REGISTER, 5, INSN_UNMODELLED, KIND_NONE, "incssp"},
    {PF3, 0, 0xae, REGISTER, 6, INSN_UNMODELLED, KIND_NONE, "umonitor"},
    {PF2, 0, 0xae, REGISTER, 6, INSN_UNMODELLED, KIND_NONE, "umwait"},
    {P66, 0, 0xae, REGISTER, 6, INSN_UNMODELLED, KIND_NONE, "tpause"},
    {PF3, 0, 0xae, EITHER, 4, INSN_UNMODELLED, KIND_NONE, "ptwrite"},
    /* The fences ignore ModRM.rm, Capstone does not. */
    {NONE, 0, 0xae, REGISTER, 5, INSN_LFENCE, KIND_NONE, "lfence"},
    {NONE, 0, 0xae, REGISTER, 6, INSN_MFENCE, KIND_NONE, "mfence"},
    {NONE, 0, 0xae, REGISTER, 7, INSN_SFENCE, KIND_NONE, "sfence"},
    {ANY, 0, 0xb9, EITHER, 8, INSN_UNMODELLED, KIND_NONE, "ud1"},
    {ANY, 0, 0xff, EITHER, 8, INSN_UNMODELLED, KIND_NONE, "ud0"},
    {PF3, 0, 0xc7, REGISTER, 6, INSN_UNMODELLED, KIND_NONE, "senduipi"},
    {PF3, 0, 0xc7, REGISTER, 7, INSN_NATIVE, KIND_RDPID, "rdpid"},
    {ANY, 0x38, 0xf9, MEMORY, 8, INSN_UNMODELLED, KIND_NONE, "movdiri"},
    {P66, 0x38, 0xf8, MEMORY, 8, INSN_UNMODELLED, KIND_NONE, "movdir64b"},
    {PF2, 0x38, 0xf8, MEMORY, 8, INSN_UNMODELLED, KIND_NONE, "enqcmd"},
    {PF3, 0x38, 0xf8, MEMORY, 8, INSN_UNMODELLED, KIND_NONE, "enqcmds"},
};

enum { ANY_REG = 8 };

struct prefixes {
    size_t length;
    enum mandatory mandatory;
    bool lock;
    uint8_t rex;
};

static struct prefixes scan_prefixes(const uint8_t *bytes, size_t available)
{
    struct prefixes found = {.mandatory = NONE};
    bool operand_size = false;
    size_t at = 0;
    for (; at < available && at < 14; at++) {
        uint8_t byte = bytes[at];
        if (byte == 0xf3)
            found.mandatory = PF3;
        else if (byte == 0xf2)
            found.mandatory = PF2;
        else if (byte == 0x66)
            operand_size = true;
        else if (byte == 0xf0)
            found.lock = true;
        else if (byte != 0x2e && byte != 0x36 && byte != 0x3e && byte != 0x26 && byte != 0x64 &&
                 byte != 0x65 && byte != 0x67)
            break;
    }
    if (found.mandatory == NONE && operand_size)
        found.mandatory = P66;
    if (at < available && (bytes[at] & 0xf0) == 0x40)
        found.rex = bytes[at++];
    found.length = at;
    return found;
}

/* Bytes of ModRM, SIB and displacement (64-bit addressing). */
static size_t modrm_length(const uint8_t *bytes, size_t available)
{
    uint8_t mod = bytes[0] >> 6, rm = bytes[0] & 7;
    if (mod == 3)
        return 1;
    size_t length = 1;
    uint8_t base = rm;
    if (rm == 4) {
        if (available < 2)
            return SIZE_MAX;
        base = bytes[1] & 7;
        length++;
    }
    if (mod == 1)
        length += 1;
    else if (mod == 2 || (mod == 0 && base == 5))
        length += 4;
    return length;
}

static bool row_matches(const struct row *row, const struct prefixes *prefixes, const uint8_t *at,
                        size_t available)
{
    if (row->prefix != ANY && row->prefix != prefixes->mandatory)
        return false;
    if (row->form == FIXED && row->modrm == NO_MODRM)
        return true;
    if (available < 1)
        return false;
    if (row->form == FIXED)
        return at[0] == row->modrm;
    bool is_register = at[0] >> 6 == 3;
    if ((row->form == REGISTER && !is_register) || (row->form == MEMORY && is_register))
        return false;
    return row->modrm == ANY_REG || ((at[0] >> 3) & 7) == row->modrm;
}

bool raw_decode(const uint8_t *bytes, size_t available, uint64_t address, struct region *region,
                struct insn *insn)
{
    struct prefixes prefixes = scan_prefixes(bytes, available);
    size_t at = prefixes.length;
    if (prefixes.lock || at + 2 > available || bytes[at] != 0x0f)
        return false;
    uint8_t map = 0, opcode = bytes[at + 1];
    at += 2;
    if (opcode == 0x38 && at < available) {
        map = 0x38;
        opcode = bytes[at++];
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        if (row->map != map || row->opcode != opcode ||
            !row_matches(row, &prefixes, bytes + at, available - at))
            continue;
        size_t rest = row->form == FIXED ? (row->modrm != NO_MODRM)
                                         : modrm_length(bytes + at, available - at);
        if (rest > 14 || at + rest > available || at + rest > 15)
            return false;
        memset(insn, 0, sizeof *insn);
        insn->address = address;
        insn->length = (uint8_t)(at + rest);
        memcpy(insn->bytes, bytes, insn->length);
        insn->class = row->class;
        insn->kind = row->kind;
        insn->mnemonic = row->name;
        insn->text = row->name;
        insn->memory.base = insn->memory.index = NO_REGISTER;
        if (row->kind == KIND_RDPID) {
            unsigned reg = (bytes[at] & 7u) | ((prefixes.rex & 1u) << 3);
            insn->native = true;
            insn->operands[0] = (struct operand){OPERAND_GENERAL, (uint8_t)reg, 8};
            insn->writes = UINT64_C(1) << reg;
            insn->text = region_printf(region, "rdpid r%u", reg);
        } else if (row->kind == KIND_WRMSRNS) {
            insn->reads = 1u << 0 | 1u << 1 | 1u << 2; /* rax, rcx, rdx */
        }
        return true;
    }
    return false;
}

struct vector_prefix {
    size_t length; /* up to the opcode */
    unsigned map;  /* 1: 0F, 2: 0F 38, 3: 0F 3A, ... */
    bool evex;
};

/* Of the prefix that begins `bytes` (Intel SDM vol. 2, "The VEX Prefix", "The EVEX Prefix"). */
static bool scan_vector_prefix(const uint8_t *bytes, size_t available, struct vector_prefix *found)
{
    if (available < 4)
        return false;
    found->evex = bytes[0] == 0x62;
    switch (bytes[0]) {
    case 0xc5:
        found->length = 2;
        found->map = 1;
        return true;
    case 0xc4:
        found->length = 3;
        found->map = bytes[1] & 31;
        return found->map >= 1 && found->map <= 3;
    case 0x62:
        found->length = 4;
        found->map = bytes[1] & 7;
        return found->map != 0 && !(bytes[1] & 8) && bytes[2] & 4;
    default:
        return false;
    }
}

/* Shuffles, shifts, comparisons, insertions and extractions of map 0F; all of map 0F 3A. */
static bool vector_has_immediate(unsigned map, uint8_t opcode)
{
    return map == 3 || (map == 1 && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
                                     (opcode >= 0xc4 && opcode <= 0xc6)));
}

bool raw_decode_vector(const uint8_t *bytes, size_t available, uint64_t address,
                       struct region *region, struct insn *insn)
{
    struct prefixes prefixes = scan_prefixes(bytes, available);
    struct vector_prefix found;
    size_t at = prefixes.length;
    if (prefixes.lock || prefixes.rex || prefixes.mandatory != NONE ||
        !scan_vector_prefix(bytes + at, available - at, &found))
        return false;
    at += found.length;
    if (at + 2 > available)
        return false;
    uint8_t opcode = bytes[at++];
    size_t operands = modrm_length(bytes + at, available - at);
    if (operands > 14)
        return false;
    at += operands + vector_has_immediate(found.map, opcode);
    if (at > available || at > sizeof insn->bytes)
        return false;
    memset(insn, 0, sizeof *insn);
    insn->address = address;
    insn->length = (uint8_t)at;
    memcpy(insn->bytes, bytes, insn->length);
    insn->class = INSN_UNMODELLED;
    insn->mnemonic = found.evex ? "evex" : "vex";
    insn->text = region_printf(region, "%s instruction, map %u, opcode 0x%02x",
                               found.evex ? "an AVX-512" : "a VEX", found.map, opcode);
    insn->memory.base = insn->memory.index = NO_REGISTER;
    return true;
}
