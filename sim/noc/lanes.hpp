#pragma once

#include "sim/noc/mesh.hpp"

#include <array>
#include <bit>
#include <cstdint>

/// Small numbers side by side in one word, so that the five ports of a router are counted, tested and matched at once.
namespace pimdse::sim::noc::lanes {

/// A lane per port, 12 bits wide.
inline constexpr unsigned width = 12;
/// The largest number that may stand in a lane.
inline constexpr std::int32_t most = 1 << (width - 1);

/// One in the lane of `port`.
[[nodiscard]] constexpr std::uint64_t one(unsigned port) { return std::uint64_t{1} << (width * port); }

/// `value` in every lane.
[[nodiscard]] constexpr std::uint64_t all(std::uint64_t value) {
    return (one(0) | one(1) | one(2) | one(3) | one(4)) * value;
}

[[nodiscard]] constexpr std::int32_t at(std::uint64_t word, unsigned port) {
    return static_cast<std::int32_t>(word >> (width * port) & ((1U << width) - 1));
}

/// One in the lane of every port of a mask.
inline constexpr auto ones = [] {
    std::array<std::uint64_t, 32> table{};
    for (unsigned mask = 0; mask < 32; ++mask) {
        for (unsigned port = 0; port < ports; ++port) table[mask] |= (mask >> port & 1U) != 0 ? one(port) : 0;
    }
    return table;
}();

/// Bits at the top of every lane, gathered to a mask of ports: the multiplication moves each to its place without a
/// carry.
[[nodiscard]] constexpr std::uint32_t tops(std::uint64_t word) {
    constexpr std::uint64_t gather = std::uint64_t{1} | std::uint64_t{1} << 11U | std::uint64_t{1} << 22U |
                                     std::uint64_t{1} << 33U | std::uint64_t{1} << 44U;
    return static_cast<std::uint32_t>((word >> (width - 1) & all(1)) * gather >> 44U & 31U);
}

/// Ports whose lane is not zero.
[[nodiscard]] constexpr std::uint32_t filled(std::uint64_t word) { return tops(word + all(most - 1)); }

/// Pairs of an output and an input: a byte per output, in it a bit per input.
using Pairs = std::uint64_t;

[[nodiscard]] constexpr unsigned pair_index(unsigned output, unsigned input) { return output * 8 + input; }
[[nodiscard]] constexpr Pairs pair(unsigned output, unsigned input) { return Pairs{1} << pair_index(output, input); }
/// All pairs of these inputs.
[[nodiscard]] constexpr Pairs with_inputs(std::uint32_t inputs) { return 0x01'0101'0101ULL * inputs; }
/// All pairs of these outputs.
inline constexpr auto with_outputs = [] {
    std::array<Pairs, 32> table{};
    for (unsigned mask = 0; mask < 32; ++mask) {
        for (unsigned port = 0; port < ports; ++port)
            table[mask] |= (mask >> port & 1U) != 0 ? Pairs{31} << (8 * port) : 0;
    }
    return table;
}();

/// The inputs, and the outputs, of pairs of which no two share an input, or no two an output.
[[nodiscard]] constexpr std::uint32_t inputs_of(Pairs pairs) {
    return static_cast<std::uint32_t>(pairs * 0x01'0101'0101ULL >> 32U & 31U);
}
[[nodiscard]] constexpr std::uint32_t outputs_of(Pairs pairs) {
    // A byte that is not empty carries into its bit 5; the multiplication gathers those bits.
    std::uint64_t const any = (pairs + 0x1f'1f1f'1f1fULL) >> 5U & 0x01'0101'0101ULL;
    constexpr std::uint64_t gather = std::uint64_t{1} | std::uint64_t{1} << 7U | std::uint64_t{1} << 14U |
                                     std::uint64_t{1} << 21U | std::uint64_t{1} << 28U;
    return static_cast<std::uint32_t>(any * gather >> 28U & 31U);
}

/// The lowest port of a mask; 0 of an empty one.
inline constexpr auto lowest = [] {
    std::array<std::uint8_t, 32> table{};
    for (unsigned mask = 1; mask < 32; ++mask) table[mask] = static_cast<std::uint8_t>(std::countr_zero(mask));
    return table;
}();

/// The first input of a mask behind `last`, in a circle: [last][mask]. Masks are not empty.
inline constexpr auto next_in_turn = [] {
    std::array<std::array<std::uint8_t, 32>, ports> table{};
    for (unsigned last = 0; last < ports; ++last) {
        for (unsigned mask = 1; mask < 32; ++mask) {
            unsigned port = last;
            do port = (port + 1) % ports;
            while ((mask >> port & 1U) == 0);
            table[last][mask] = static_cast<std::uint8_t>(port);
        }
    }
    return table;
}();

}  // namespace pimdse::sim::noc::lanes
