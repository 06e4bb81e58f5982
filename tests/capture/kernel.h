// What a kernel notes about its code in sections beside it, for the tests: places to patch, as its
// macros lay them out. LAYOUT is the number of bytes of an entry of .altinstructions.
#ifndef LAYOUT
#define LAYOUT 14
#endif

#define STRING_(x) #x
#define STRING(x)  STRING_(x)

// A feature by its number; NOT(x): patched without it; CALL(x): an indirect call made direct.
#if LAYOUT == 14
#define FEATURE(word, bit)     (word * 32 + bit)
#define NOT(feature)           (feature | 1 << 16)
#define CALL(feature)          (feature | 2 << 16)
#define ENTRY_FEATURE(feature) ".long " STRING(feature) "\n"
#define ENTRY_PADDING          ""
#else
#define FEATURE(word, bit)     (word * 32 + bit)
#define NOT(feature)           (feature | 1 << 15)
#define ENTRY_FEATURE(feature) ".word " STRING(feature) "\n"
#if LAYOUT == 13
#define ENTRY_PADDING ".byte 663b-662b\n"
#else
#define ENTRY_PADDING ""
#endif
#endif

#define ENTRY(feature, from, to)                                                                   \
    ".pushsection .altinstructions,\"a\"\n"                                                        \
    ".long 661b - .\n.long " from                                                                  \
    " - .\n" ENTRY_FEATURE(feature) ".byte 663b-661b\n"                                            \
                                    ".byte " to "-" from "\n" ENTRY_PADDING ".popsection\n"

#define OLD(code, length)                                                                          \
    "661:\n" code "\n662:\n.skip -((" length "-(662b-661b)) > 0) * (" length                       \
    "-(662b-661b)),0x90\n663:\n"
#define NEW(code, from, to)                                                                        \
    ".pushsection .altinstr_replacement,\"ax\"\n" from ":\n" code "\n" to ":\n.popsection\n"

#define ALTERNATIVE(old, new, feature)                                                             \
    OLD(old, "(665f-664f)") ENTRY(feature, "664f", "665f") NEW(new, "664", "665")

// The second entry has priority.
#define ALTERNATIVE_2(old, new1, feature1, new2, feature2)                                         \
    OLD(old, "(665f-664f)")                                                                        \
    ENTRY(feature1, "664f", "665f")                                                                \
    ENTRY(feature2, "666f", "667f") NEW(new1, "664", "665") NEW(new2, "666", "667")
