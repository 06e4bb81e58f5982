/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instructions of a snippet, each decoded once and found again by its byte offset. */
#include "sim/isa/insn.h"

#include <string.h>

#include "sim/isa/decoder.h"
#include "sim/isa/raw.h"

void code_init(struct code *code, struct region *region, const struct snippet *snippet)
{
    *code = (struct code){.region = region, .snippet = snippet};
    code->index_at = region_array(region, (size_t)snippet->size + 1, sizeof *code->index_at);
}

/* False when there is no instruction; its texts are the code's own. */
static bool decode(struct code *code, uint64_t offset, struct insn *insn)
{
    const uint8_t *bytes = code->snippet->bytes + offset;
    size_t available = code->snippet->size - offset;
    uint64_t address = code->snippet->address + offset;
    if (raw_decode(bytes, available, address, code->region, insn))
        return true;
    const struct decoded *known = decode_bytes(bytes, available, address, code->region);
    if (!known)
        return raw_decode_vector(bytes, available, address, code->region, insn);
    *insn = known->insn;
    insn->text = region_strdup(code->region, known->text);
    insn->mnemonic = region_strdup(code->region, known->mnemonic);
    return true;
}

const struct insn *code_at(struct code *code, uint64_t address)
{
    const struct snippet *snippet = code->snippet;
    uint64_t offset = address - snippet->address;
    if (offset >= snippet->size)
        return NULL;
    if (code->index_at[offset])
        return code->insns[code->index_at[offset] - 1];
    struct insn insn = {0};
    if (!decode(code, offset, &insn))
        return NULL;
    code->insns = region_push(code->region, code->insns, code->insn_count, &code->insn_capacity,
                              sizeof(struct insn *));
    struct insn *kept = region_alloc(code->region, sizeof *kept);
    if (code->program) {
        insn.text = name_relative(code->region, code->program, insn.text, address + insn.length);
        insn.text = insn.has_target ? name_target(code->region, snippet, &insn)
                                    : name_addresses(code->region, code->program, insn.text);
    }
    *kept = insn;
    code->insns[code->insn_count++] = kept;
    code->index_at[offset] = (uint32_t)code->insn_count;
    return kept;
}

uint32_t snippet_sweep(const struct snippet *snippet, struct region *region)
{
    uint32_t offset = 0;
    while (offset < snippet->size) {
        const uint8_t *bytes = snippet->bytes + offset;
        size_t available = snippet->size - offset;
        uint64_t address = snippet->address + offset;
        struct insn raw;
        const struct decoded *known = NULL;
        if (!raw_decode(bytes, available, address, region, &raw) &&
            !(known = decode_bytes(bytes, available, address, region)) &&
            !raw_decode_vector(bytes, available, address, region, &raw))
            return offset;
        offset += known ? known->insn.length : raw.length;
    }
    return offset;
}

static uint32_t sweep_from(struct code *code, uint32_t offset)
{
    while (offset < code->snippet->size && !code->index_at[offset]) {
        const struct insn *insn = code_at(code, code->snippet->address + offset);
        if (!insn)
            break;
        offset += insn->length;
    }
    return offset;
}

uint32_t code_sweep(struct code *code)
{
    uint32_t end = sweep_from(code, 0);
    for (size_t i = 0; i < code->insn_count; i++) { /* which grows meanwhile */
        const struct insn *insn = code->insns[i];
        uint64_t offset = insn->target - code->snippet->address;
        if (insn->has_target && offset < code->snippet->size)
            sweep_from(code, (uint32_t)offset);
    }
    code->swept = code->insn_count;
    return end;
}

bool code_was_swept(const struct code *code, uint64_t address)
{
    uint64_t offset = address - code->snippet->address;
    return offset < code->snippet->size && code->index_at[offset] &&
           code->index_at[offset] <= code->swept;
}
