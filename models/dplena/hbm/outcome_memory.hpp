#pragma once

#include "models/dplena/hbm/controller.hpp"

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pimdse::models::dplena {

/// The properties of a read that determine its time, packed into one word. Rows are renamed: row 0 is the row that is
/// open in the bank, the other rows of a bank are numbered by first appearance.
struct SeenRead {
    std::uint32_t channel : 8 = 0, bank : 8 = 0, closed : 1 = 0, row : 15 = 0;
    auto operator<=>(SeenRead const&) const = default;
};

/// Reads in the order of their presentation.
struct SeenReads {
    std::vector<SeenRead> reads;
    auto operator<=>(SeenReads const&) const = default;

    [[nodiscard]] bool is_few() const { return reads.size() == 1 || reads.size() == 2; }
    /// The bits of one or two reads. A single read is combined with all ones, which is not a valid read (channel 255).
    [[nodiscard]] std::uint64_t bits() const {
        constexpr std::uint32_t none = ~std::uint32_t{0};
        auto const second = reads.size() == 1 ? none : std::bit_cast<std::uint32_t>(reads[1]);
        return std::uint64_t{std::bit_cast<std::uint32_t>(reads[0])} << 32U | second;
    }
};

/// Hash by multiplication and folding, which separates neighbouring values.
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

/// The open row of each bank, indexed by bank_index(); Channel::closed if none is open.
using OpenRows = std::vector<std::int64_t>;
[[nodiscard]] inline std::size_t bank_index(HbmAddress const& place) {
    return place.channel * std::size_t{AddressMap::banks} + place.bank;
}

/// Cache of the outcomes of lists of reads that start when all timers have expired. The outcome in a channel depends
/// only on its reads, up to renaming of rows, and is cached by channel. If the queue of a channel may be full, so that
/// channels delay each other, the outcome of the whole list is cached.
class OutcomeMemory {
  public:
    OutcomeMemory(ChannelTiming const& timing, std::int64_t channels, PrefetchMemoryLimits const& limits);

    /// Ticks from the presentation of a list, with the open rows `open`, to its last issue.
    std::int64_t plan(std::span<HbmAddress const> reads, OpenRows const& open);
    /// Updates `open` to the rows that are open after the last planned list, `reads`.
    void carry_out(std::span<HbmAddress const> reads, OpenRows& open);

    /// Outcome of a list of reads: ticks from presentation to the last issue and, for each accessed bank, the index in
    /// the list of a read whose row stays open.
    struct Outcome {
        std::int64_t last_issue = 0;
        std::vector<std::uint32_t> opened;
        bool operator==(Outcome const&) const = default;
    };
    /// Computes an outcome with the controller.
    [[nodiscard]] static Outcome simulate(SeenReads const& seen, ChannelTiming const& timing, std::int64_t channels);

  private:
    /// Outcomes by reads; those of one or two reads, which are the most frequent, by their bits.
    struct Memory {
        std::unordered_map<std::uint64_t, Outcome, FewReadsHash> few;
        std::unordered_map<SeenReads, Outcome, SeenReadsHash> many;

        [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(few.size() + many.size()); }
        void clear();
    };
    /// Some reads of a list: their indices and their time-relevant properties.
    struct PartOfList {
        std::vector<std::uint32_t> indices;
        SeenReads seen;
        void clear();
    };
    /// Rows of one bank in a list that were not open, in order of appearance.
    struct NewRows {
        std::uint64_t epoch = 0;
        std::vector<std::int64_t> rows;
    };

    [[nodiscard]] SeenRead see(HbmAddress const& place, OpenRows const& open);
    [[nodiscard]] Outcome const& outcome_of(Memory& memory, SeenReads const& seen) const;
    std::int64_t recall(Memory& memory, PartOfList const& part);
    std::int64_t plan_whole(std::span<HbmAddress const> reads);

    ChannelTiming timing_;
    std::int64_t channels_;
    PrefetchMemoryLimits limits_;
    std::vector<NewRows> new_rows_;  ///< by channel and bank
    std::uint64_t epoch_ = 0;
    std::vector<PartOfList> sorted_;  ///< by channel
    std::vector<std::size_t> read_;   ///< channels with reads in the current list
    PartOfList whole_;
    std::vector<std::pair<Outcome const*, std::span<std::uint32_t const>>> plan_;
    Memory channel_memory_, whole_memory_;
};

}  // namespace pimdse::models::dplena
