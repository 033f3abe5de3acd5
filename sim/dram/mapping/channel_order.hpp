#pragma once

#include "sim/dram/mapping/mapping.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace pimdse::sim::dram {

/// The bursts of one channel in the order of their addresses. An address belongs to a channel by parities, so that the
/// addresses of channel 0 are the sums over GF(2) of some basis, each of whose members has its highest bit to itself;
/// the k-th smallest is the sum of those that the bits of k say. Another channel adds to all of them its own lowest
/// address, which has none of those bits: that keeps their order.
class ChannelOrder {
  public:
    ChannelOrder(Mapping const& mapping, std::uint32_t channel);

    [[nodiscard]] std::uint64_t size() const { return std::uint64_t{1} << dimensions_; }
    [[nodiscard]] std::uint64_t lowest() const { return lowest_; }
    /// Precondition: number < size().
    [[nodiscard]] std::uint64_t address(std::uint64_t number) const;
    /// The address behind that of `number`. Precondition: number + 1 < size().
    [[nodiscard]] std::uint64_t next(std::uint64_t number, std::uint64_t address) const {
        return address ^ steps_[static_cast<std::size_t>(std::countr_one(number))];
    }
    /// How many of the channel's bursts lie below an address.
    [[nodiscard]] std::uint64_t below(std::uint64_t address) const;

  private:
    std::array<std::uint64_t, 64> basis_{}, steps_{};  ///< ascending; sums of its first members
    std::size_t dimensions_ = 0;
    std::uint64_t lowest_ = 0;
};

}  // namespace pimdse::sim::dram
