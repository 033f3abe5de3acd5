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

/// The bursts of one channel in ascending order of address. The channel is a set of parities of the address, so the
/// addresses of channel 0 are the span over GF(2) of a basis in which no other vector has the highest bit of a vector:
/// the k-th smallest address is the sum of the vectors that the bits of k select. Another channel adds its own lowest
/// address, which has none of those bits, so the order is the same.
class ChannelOrder {
  public:
    ChannelOrder(Mapping const& mapping, std::uint32_t channel);

    [[nodiscard]] std::uint64_t size() const { return std::uint64_t{1} << dimensions_; }
    [[nodiscard]] std::uint64_t lowest() const { return lowest_; }
    /// The address of burst `number`. Precondition: number < size().
    [[nodiscard]] std::uint64_t address(std::uint64_t number) const;
    /// The address of burst number + 1, given that of `number`. Precondition: number + 1 < size().
    [[nodiscard]] std::uint64_t next(std::uint64_t number, std::uint64_t address) const {
        return address ^ steps_[static_cast<std::size_t>(std::countr_one(number))];
    }
    /// Number of bursts of the channel below an address.
    [[nodiscard]] std::uint64_t below(std::uint64_t address) const;

  private:
    std::array<std::uint64_t, 64> basis_{}, steps_{};  ///< ascending; sums of its first vectors
    std::size_t dimensions_ = 0;
    std::uint64_t lowest_ = 0;
};

/// Channels with independent front ends that receive equivalent requests, as far as timing can tell. The k-th burst of
/// a channel and that of channel 0 differ in rank, group, bank and row by a constant over GF(2) that is the same for
/// all k (ChannelOrder). Adding a constant renames ranks, groups, banks and rows, and most names do not affect timing
/// (`visible_to`). So two channels whose visible names agree, and that are equally far into their bursts where the
/// stream begins, receive the same sequence, or one a prefix of the other's. For interleaved runs this also needs that
/// every run begins at a multiple of all address bits that select the channel. Arguments must outlive the object.
class EquivalentChannels {
  public:
    EquivalentChannels(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options);

    /// False if every channel must be simulated separately.
    [[nodiscard]] bool any() const { return !orders_.empty(); }
    /// By channel: the first channel whose requests among the first `length` of the stream are equivalent.
    [[nodiscard]] std::vector<std::size_t> representatives(std::uint64_t length) const;
    /// By channel: among the channels that begin with equivalent requests, the one with the most requests.
    /// Precondition: any().
    [[nodiscard]] std::vector<std::size_t> longest(std::uint64_t length) const;

    /// Number of requests of a channel among the first `length` of the stream. Precondition: any().
    [[nodiscard]] std::uint64_t requests(std::size_t channel, std::uint64_t length) const;
    /// Length of the shortest prefix of the stream with this number of requests of a channel. Precondition: any().
    [[nodiscard]] std::uint64_t prefix_with(std::size_t channel, std::uint64_t requests) const;

  private:
    [[nodiscard]] std::uint64_t bursts_before(std::size_t channel, std::uint64_t run, std::uint64_t length) const;

    Mapping const& mapping_;
    std::size_t channels_;
    std::optional<Stream::Runs> runs_;
    std::vector<ChannelOrder> orders_;                    ///< by channel; empty if no channels are equivalent
    std::vector<std::vector<std::uint64_t>> beginnings_;  ///< by channel: visible name, then bursts before each run
};

/// A request with its number in the stream and its place in the memory.
struct NumberedRequest {
    std::uint64_t number = 0;
    Transaction transaction;
    Place place;
};

/// The requests of a stream that go to the channels [first, first + count). For one channel and interleaved runs of
/// consecutive transactions they are computed; otherwise the whole stream is scanned. Arguments must outlive the
/// object.
class ChannelPartition {
  public:
    ChannelPartition(Mapping const& mapping, Stream const& stream, std::size_t first, std::size_t count);

    struct Chunk {
        std::span<NumberedRequest const> requests;  ///< possibly empty
        std::uint64_t end = 0;                      ///< all requests of the stream before this number are covered
    };
    static constexpr std::uint64_t max_runs = 64;  ///< more are scanned
    static constexpr std::size_t max_requests = 256;
    /// Fills the beginning of `out` (at most max_requests) with requests from number `from` < stream.size() on.
    [[nodiscard]] Chunk fill(std::uint64_t from, std::span<NumberedRequest> out) const;

  private:
    /// The next burst of the channel in a run.
    struct RunCursor {
        std::uint64_t begin = 0;               ///< address of the run
        std::uint64_t burst = 0, address = 0;  ///< among the bursts of the channel
        std::uint64_t transaction = 0;         ///< of the run
    };
    [[nodiscard]] Chunk scan(std::uint64_t from, std::span<NumberedRequest> out) const;
    [[nodiscard]] Chunk merge_runs(std::uint64_t from, std::span<NumberedRequest> out) const;
    [[nodiscard]] RunCursor cursor_at(std::uint64_t run, std::uint64_t from) const;
    void set_transaction(RunCursor& cursor) const;
    void advance(RunCursor& cursor) const;

    Mapping const& mapping_;
    Stream const& stream_;
    std::size_t first_, count_;
    std::optional<Stream::Runs> runs_;
    std::optional<ChannelOrder> order_;
};

}  // namespace pimdse::sim::dram
