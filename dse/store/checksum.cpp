#include "dse/store/checksum.hpp"

#include <zlib.h>
#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pimdse::dse {

#if defined(__x86_64__)
namespace {

// Polynomials over GF(2) in reversed order: of n bits, bit n - 1 - i is the coefficient of x^i. A product of two such
// numbers of 64 bits comes out one place too low, which the constants make up for by a shift.
constexpr std::uint64_t polynomial = 0x1'04C1'1DB7;  ///< in usual order

constexpr std::uint64_t reversed(std::uint64_t bits, int count) {
    std::uint64_t result = 0;
    for (int i = 0; i < count; ++i) result |= (bits >> i & 1U) << (count - 1 - i);
    return result;
}

/// x^n modulo the polynomial, reversed.
consteval long long power(int n) {
    std::uint64_t rest = 1;
    for (int i = 0; i < n; ++i) {
        rest <<= 1;
        if ((rest >> 32) != 0) rest ^= polynomial;
    }
    return static_cast<long long>(reversed(rest, 32) << 1);
}

/// x^64 divided by the polynomial, reversed.
consteval long long quotient() {
    std::uint64_t result = 0;
    std::uint64_t rest = 1;  // long division of x^64, coefficient by coefficient
    for (int i = 0; i < 64; ++i) {
        rest <<= 1;
        result <<= 1;
        if ((rest >> 32) == 0) continue;
        rest ^= polynomial;
        result |= 1;
    }
    return static_cast<long long>(reversed(result, 33));
}

constexpr std::size_t block = sizeof(__m128i);

__m128i load(std::byte const* bytes) { return _mm_loadu_si128(reinterpret_cast<__m128i const*>(bytes)); }

/// What the register comes to `Bits` further on: each half times its power.
template <int Bits>
__attribute__((target("pclmul,sse4.1"))) __m128i moved(__m128i sum) {
    __m128i const powers = _mm_set_epi64x(power(Bits - 32), power(Bits + 32));
    return _mm_xor_si128(_mm_clmulepi64_si128(sum, powers, 0x00), _mm_clmulepi64_si128(sum, powers, 0x11));
}

/// 128 bits to the 32 of the remainder (Barrett).
__attribute__((target("pclmul,sse4.1"))) std::uint32_t remainder_of(__m128i sum) {
    __m128i const low_words = _mm_set_epi32(0, 0, 0, -1);
    sum = _mm_xor_si128(_mm_clmulepi64_si128(sum, _mm_set_epi64x(0, power(96)), 0x00), _mm_srli_si128(sum, 8));
    sum = _mm_xor_si128(_mm_clmulepi64_si128(_mm_and_si128(sum, low_words), _mm_set_epi64x(0, power(64)), 0x00),
                        _mm_srli_si128(sum, 4));
    constexpr auto reversed_polynomial = static_cast<long long>(reversed(polynomial, 33));
    __m128i const divisor = _mm_set_epi64x(quotient(), reversed_polynomial);
    __m128i const times = _mm_and_si128(_mm_clmulepi64_si128(_mm_and_si128(sum, low_words), divisor, 0x10), low_words);
    return static_cast<std::uint32_t>(
        _mm_extract_epi32(_mm_xor_si128(sum, _mm_clmulepi64_si128(times, divisor, 0x00)), 1));
}

/// Of 16 bytes or more.
__attribute__((target("pclmul,sse4.1"))) std::uint32_t by_multiplication(std::span<std::byte const> bytes) {
    // Zeros in front change nothing, so the bytes that make no whole block go first.
    std::size_t const over = bytes.size() % block;
    std::array<std::byte, 2 * block> start{};
    std::memcpy(start.data() + block - over, bytes.data(), block + over);
    for (std::size_t i = 0; i < sizeof(std::uint32_t); ++i)
        start[block - over + i] ^= std::byte{0xFF};  // a CRC begins with ones
    __m128i sum = _mm_xor_si128(moved<128>(load(start.data())), load(start.data() + block));
    std::byte const* at = bytes.data() + block + over;
    std::byte const* const end = bytes.data() + bytes.size();
    if (end - at >= static_cast<std::ptrdiff_t>(7 * block)) {  // four at a time, which do not wait for each other
        __m128i sums[4] = {sum, load(at), load(at + block), load(at + 2 * block)};
        for (at += 3 * block; end - at >= static_cast<std::ptrdiff_t>(4 * block); at += 4 * block) {
            for (std::size_t i = 0; i < 4; ++i) sums[i] = _mm_xor_si128(moved<512>(sums[i]), load(at + i * block));
        }
        sum = sums[0];
        for (std::size_t i = 1; i < 4; ++i) sum = _mm_xor_si128(moved<128>(sum), sums[i]);
    }
    for (; at != end; at += block) sum = _mm_xor_si128(moved<128>(sum), load(at));
    return ~remainder_of(sum);
}

bool can_multiply() {
    static bool const can = __builtin_cpu_supports("pclmul") != 0 && __builtin_cpu_supports("sse4.1") != 0;
    return can;
}

}  // namespace
#endif

std::uint32_t crc32(std::span<std::byte const> bytes) {
#if defined(__x86_64__)
    if (bytes.size() >= block && can_multiply()) return by_multiplication(bytes);
#endif
    return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<Bytef const*>(bytes.data()), bytes.size()));
}

}  // namespace pimdse::dse
