#include "LarderChecksum.h"

#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#if defined(__linux__)
#include <sys/auxv.h>
#ifndef HWCAP_CRC32
#define HWCAP_CRC32 (1 << 7)
#endif
#endif
#endif

static uint32_t tables[8][256];

static void fill_tables(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (0x82F63B78u & (0u - (crc & 1)));
        tables[0][byte] = crc;
    }
    for (uint32_t byte = 0; byte < 256; byte++) {
        for (int table = 1; table < 8; table++) {
            uint32_t before = tables[table - 1][byte];
            tables[table][byte] = (before >> 8) ^ tables[0][before & 0xFF];
        }
    }
}

uint32_t larder_crc32c_by_table(uint32_t crc, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    crc = ~crc;
    // Processes eight bytes at a time. Each table holds the effect of one byte on the remainder after all eight bytes.
    while (count >= 8) {
        uint32_t low = crc ^ ((uint32_t)next[0] | (uint32_t)next[1] << 8 | (uint32_t)next[2] << 16 | (uint32_t)next[3] << 24);
        crc = tables[7][low & 0xFF] ^ tables[6][(low >> 8) & 0xFF] ^ tables[5][(low >> 16) & 0xFF] ^ tables[4][low >> 24]
            ^ tables[3][next[4]] ^ tables[2][next[5]] ^ tables[1][next[6]] ^ tables[0][next[7]];
        next += 8;
        count -= 8;
    }
    while (count-- > 0) crc = (crc >> 8) ^ tables[0][(crc ^ *next++) & 0xFF];
    return ~crc;
}

// Maps the upper byte of a one-byte remainder back to that byte.
static uint8_t byte_of_upper_byte[256];

uint32_t larder_crc32c_backwards(uint32_t crc, const void *bytes, size_t count) {
    const uint8_t *first = bytes;
    crc = ~crc;
    while (count-- > 0) {
        uint32_t byte = byte_of_upper_byte[crc >> 24];
        crc = ((crc ^ tables[0][byte]) << 8) | (byte ^ first[count]);
    }
    return ~crc;
}

// The factors that append 2^n zero bytes to a checksum, indexed by n. Each factor is a polynomial modulo the CRC polynomial, with the
// highest power of x in the lowest bit.
static uint32_t behind_zeros[64];

static uint32_t multiplied(uint32_t left, uint32_t right) {
    uint32_t product = 0;
    for (uint32_t bit = 1u << 31; bit != 0; bit >>= 1) {
        product ^= right & (0u - ((left & bit) != 0));
        right = (right >> 1) ^ (0x82F63B78u & (0u - (right & 1)));
    }
    return product;
}

static void fill_zeros(void) {
    // One byte corresponds to eight powers of x.
    behind_zeros[0] = 1u << (31 - 8);
    for (int power = 1; power < 64; power++) {
        behind_zeros[power] = multiplied(behind_zeros[power - 1], behind_zeros[power - 1]);
    }
}

uint32_t larder_crc32c_combine(uint32_t crc, uint32_t next, size_t count) {
    for (int power = 0; count != 0; power++, count >>= 1) {
        if (count & 1) crc = multiplied(behind_zeros[power], crc);
    }
    return crc ^ next;
}

#if defined(__x86_64__)
// The effect of appending `stride` zero bytes to a remainder, for each byte of the remainder.
enum { stride = 256 };
static uint32_t behind_stride[4][256];

static void fill_strides(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        for (int place = 0; place < 4; place++) {
            uint32_t crc = byte << (8 * place);
            for (int count = 0; count < stride; count++) crc = (crc >> 8) ^ tables[0][crc & 0xFF];
            behind_stride[place][byte] = crc;
        }
    }
}

static inline uint64_t move_by_stride(uint64_t crc) {
    return behind_stride[0][crc & 0xFF] ^ behind_stride[1][(crc >> 8) & 0xFF] ^ behind_stride[2][(crc >> 16) & 0xFF]
        ^ behind_stride[3][(crc >> 24) & 0xFF];
}

__attribute__((target("sse4.2")))
static uint32_t by_instruction(uint32_t crc, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    uint64_t remainder = (uint32_t)~crc;
    // The CRC instruction has a latency of three cycles and a throughput of one per cycle, so three blocks are processed in parallel.
    for (; count >= 3 * stride; next += 3 * stride, count -= 3 * stride) {
        uint64_t second = 0, third = 0;
        for (int offset = 0; offset < stride; offset += 8) {
            uint64_t words[3];
            memcpy(&words[0], next + offset, 8);
            memcpy(&words[1], next + stride + offset, 8);
            memcpy(&words[2], next + 2 * stride + offset, 8);
            remainder = _mm_crc32_u64(remainder, words[0]);
            second = _mm_crc32_u64(second, words[1]);
            third = _mm_crc32_u64(third, words[2]);
        }
        remainder = move_by_stride(move_by_stride(remainder) ^ second) ^ third;
    }
    for (; count >= 8; next += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        remainder = _mm_crc32_u64(remainder, word);
    }
    uint32_t rest = (uint32_t)remainder;
    // The length of a frame is a multiple of 8 bytes, but the 4 bytes of its checksum are excluded, so 4 bytes usually remain.
    if (count >= 4) {
        uint32_t half;
        memcpy(&half, next, 4);
        rest = _mm_crc32_u32(rest, half);
        next += 4;
        count -= 4;
    }
    while (count-- > 0) rest = _mm_crc32_u8(rest, *next++);
    return ~rest;
}

static int has_instruction(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.2");
}
#elif defined(__aarch64__)
static void fill_strides(void) {}

#if !defined(__ARM_FEATURE_CRC32)
__attribute__((target("crc")))
#endif
static uint32_t by_instruction(uint32_t crc, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    crc = ~crc;
    for (; count >= 8; next += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        crc = __crc32cd(crc, word);
    }
    while (count-- > 0) crc = __crc32cb(crc, *next++);
    return ~crc;
}

static int has_instruction(void) {
#if defined(__linux__)
    return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
#elif defined(__APPLE__)
    return 1;
#else
    return 0;
#endif
}
#else
static void fill_strides(void) {}

static uint32_t by_instruction(uint32_t crc, const void *bytes, size_t count) {
    return larder_crc32c_by_table(crc, bytes, count);
}

static int has_instruction(void) { return 0; }
#endif

static uint32_t (*chosen)(uint32_t, const void *, size_t) = larder_crc32c_by_table;

// The tables are filled before any other code runs, so that no thread sees an incomplete table.
__attribute__((constructor)) static void choose(void) {
    fill_tables();
    fill_strides();
    fill_zeros();
    for (uint32_t byte = 0; byte < 256; byte++) byte_of_upper_byte[tables[0][byte] >> 24] = (uint8_t)byte;
    if (has_instruction()) chosen = by_instruction;
}

uint32_t larder_crc32c(uint32_t crc, const void *bytes, size_t count) { return chosen(crc, bytes, count); }
