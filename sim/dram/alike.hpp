#pragma once

#include "sim/dram/mapping.hpp"
#include "sim/dram/options.hpp"
#include "sim/dram/standard.hpp"
#include "sim/dram/stream.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

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
