#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pimdse::models::dplena {

/// A read as far as its time goes, in the bits of one word: rows count up to renaming. Row 0 is the one that is open in
/// the bank, the others of a bank count by first appearance.
struct SeenRead {
    std::uint32_t channel : 8 = 0, bank : 8 = 0, closed : 1 = 0, row : 15 = 0;
    auto operator<=>(SeenRead const&) const = default;
};

/// Reads in the order of their presentation.
struct SeenReads {
    std::vector<SeenRead> reads;
    auto operator<=>(SeenReads const&) const = default;

    [[nodiscard]] bool is_few() const { return reads.size() == 1 || reads.size() == 2; }
    /// Of one read or two: a single one stands beside a read of channel 255, which there is none of.
    [[nodiscard]] std::uint64_t bits() const {
        constexpr std::uint32_t none = ~std::uint32_t{0};
        auto const behind = reads.size() == 1 ? none : std::bit_cast<std::uint32_t>(reads[1]);
        return std::uint64_t{std::bit_cast<std::uint32_t>(reads[0])} << 32U | behind;
    }
};

/// Multiplied and folded: neighbouring bits lie apart.
struct FewReadsHash {
    std::size_t operator()(std::uint64_t bits) const {
        bits *= 0x9e3779b97f4a7c15ULL;
        return bits ^ bits >> 32U;
    }
};

struct SeenReadsHash {
    std::size_t operator()(SeenReads const& seen) const {
        std::uint64_t sum = seen.reads.size();
        for (auto const read : seen.reads) {
            sum = (sum ^ std::bit_cast<std::uint32_t>(read)) * 0x9e3779b97f4a7c15ULL;
            sum ^= sum >> 32;
        }
        return sum;
    }
};

}  // namespace pimdse::models::dplena
