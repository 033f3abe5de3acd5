#pragma once

#include <bit>
#include <cstdint>

namespace pimdse::models::dplena {

/// Where a 32-byte read goes: `bank` counts pseudo-channel x 16 + group x 4 + bank within the group.
struct HbmAddress {
    std::uint32_t channel = 0;
    std::uint32_t bank = 0;
    std::int64_t row = 0;
};

/// The address mapping of the pinned HBM simulator: from the least significant bit behind the 16-byte unit 2 column
/// bits, the channel, 1 pseudo-channel, 2 group, 2 bank, 3 column bits, the row; then the 5-bit column is folded into
/// the levels.
class AddressMap {
  public:
    static constexpr std::uint32_t banks = 32;

    /// `channels` is a power of two up to 64.
    explicit AddressMap(std::int64_t channels)
        : channel_bits_(static_cast<std::uint32_t>(std::countr_zero(static_cast<std::uint64_t>(channels)))) {}

    /// Address bits below the row.
    [[nodiscard]] int row_shift() const { return static_cast<int>(14 + channel_bits_); }

    [[nodiscard]] HbmAddress decode(std::uint64_t address) const {
        auto const low = static_cast<std::uint32_t>(address >> 4) & 3U;
        auto const levels = static_cast<std::uint32_t>((address >> 6) & ((1ULL << (channel_bits_ + 5)) - 1));
        auto const rest = address >> (11 + channel_bits_);
        auto const column = static_cast<std::uint32_t>(rest & 7U) << 2 | low;
        auto const folded = levels ^ column;
        auto const above = folded >> channel_bits_;  // pseudo-channel, group, bank from the least significant bit
        return {folded & ((1U << channel_bits_) - 1U), (above & 1U) << 4 | (above >> 1 & 3U) << 2 | (above >> 3 & 3U),
                static_cast<std::int64_t>(rest >> 3)};
    }

  private:
    std::uint32_t channel_bits_;
};

}  // namespace pimdse::models::dplena
