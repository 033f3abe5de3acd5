#pragma once

#include "sim/dram/mapping/channel_order.hpp"
#include "sim/dram/mapping/mapping.hpp"
#include "sim/dram/stream.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace pimdse::sim::dram {

/// A request with its number in the stream and its place.
struct Numbered {
    std::uint64_t number = 0;
    Transaction transaction;
    Place place;
};

/// The requests of a stream that go to channels [first, first + count). Of runs of consecutive transactions those of
/// one channel are found directly; otherwise the whole stream is looked through. What it refers to must outlive it.
class Share {
  public:
    Share(Mapping const& mapping, Stream const& stream, std::size_t first, std::size_t count);

    struct Part {
        std::span<Numbered const> requests;  ///< maybe none
        std::uint64_t behind = 0;            ///< all before this number have been looked at
    };
    static constexpr std::uint64_t most_runs = 64;  ///< that are told apart
    static constexpr std::size_t most_requests = 256;
    /// Fills the beginning of `out` (at most `most_requests`) with requests from number `from` < stream.size() on.
    [[nodiscard]] Part fill(std::uint64_t from, std::span<Numbered> out) const;

  private:
    /// The next burst of the channel in a run.
    struct Head {
        std::uint64_t begin = 0;              ///< address of the run
        std::uint64_t rank = 0, address = 0;  ///< among the bursts of the channel
        std::uint64_t transaction = 0;        ///< of the run
    };
    [[nodiscard]] Part look_through(std::uint64_t from, std::span<Numbered> out) const;
    [[nodiscard]] Part deal(std::uint64_t from, std::span<Numbered> out) const;
    [[nodiscard]] Head head(std::uint64_t run, std::uint64_t nested) const;
    void place(Head& head) const;
    void advance(Head& head) const;

    Mapping const& mapping_;
    Stream const& stream_;
    std::size_t first_, count_;
    std::optional<Stream::Runs> runs_;
    std::optional<ChannelOrder> order_;
};

}  // namespace pimdse::sim::dram
