#pragma once

#include "sim/dram/mapping/channel_order.hpp"
#include "sim/dram/mapping/mapping.hpp"
#include "sim/dram/options.hpp"
#include "sim/dram/stream.hpp"
#include "sim/dram/timing/standard.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace pimdse::sim::dram {

/// Which channels with front ends of their own are told the same, as far as timing can tell. The address of a channel's
/// k-th burst differs from that of channel 0's by a word that is the same for all k (ChannelOrder), and so do its rank,
/// group, bank and row. A constant added over GF(2) renames each, and most names are not seen (`visible_to`). So of two
/// channels whose names that are seen agree, and which are equally far into their bursts where the stream begins, one
/// gets what the other gets, or the beginning of it. Where runs take turns this needs that each reaches all channels
/// alike: that they begin at multiples of all that tells channels apart. What it refers to must outlive it.
class Alike {
  public:
    Alike(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options);

    /// False where each channel is on its own.
    [[nodiscard]] bool any() const { return !orders_.empty(); }
    /// For each channel the first one that gets the same of the stream's first `length` requests.
    [[nodiscard]] std::vector<std::size_t> same(std::uint64_t length) const;
    /// For each channel the one that gets most of those that begin alike. Precondition: any().
    [[nodiscard]] std::vector<std::size_t> longest(std::uint64_t length) const;

    /// Requests of the channel among the first `length`. Precondition: any().
    [[nodiscard]] std::uint64_t requests(std::size_t channel, std::uint64_t length) const;
    /// The shortest beginning of the stream with so many of them. Precondition: any().
    [[nodiscard]] std::uint64_t length_with(std::size_t channel, std::uint64_t requests) const;

  private:
    [[nodiscard]] std::uint64_t bursts_before(std::size_t channel, std::uint64_t run, std::uint64_t length) const;

    Mapping const& mapping_;
    std::size_t channels_;
    std::optional<Stream::Runs> runs_;
    std::vector<ChannelOrder> orders_;                    ///< by channel; none where nothing is alike
    std::vector<std::vector<std::uint64_t>> beginnings_;  ///< by channel: names that are seen, where each run begins
};

}  // namespace pimdse::sim::dram
