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

/// The rows that are open, by channel and bank; Channel::closed where none is.
using OpenRows = std::vector<std::int64_t>;
[[nodiscard]] inline std::size_t bank_index(HbmAddress const& place) {
    return place.channel * std::size_t{AddressMap::banks} + place.bank;
}

/// What lists of reads do that find every timer run out, remembered: what happens in a channel depends only on its
/// reads up to renaming of rows. Where a channel refuses reads and channels hold each other up, the whole list is
/// remembered.
class OutcomeMemory {
  public:
    OutcomeMemory(ChannelTiming const& timing, std::int64_t channels, PrefetchMemoryLimits const& limits);

    /// Ticks from the presentation of a list, on banks as `open` says, to the last issue.
    std::int64_t plan(std::span<HbmAddress const> reads, OpenRows const& open);
    /// The rows that the list planned last leaves open.
    void carry_out(std::span<HbmAddress const> reads, OpenRows& open);

    /// What a list of reads does: ticks from presentation to the last issue and, for every bank touched, the place in
    /// the list of a read whose row stays open.
    struct Outcome {
        std::int64_t last_issue = 0;
        std::vector<std::uint32_t> opened;
        bool operator==(Outcome const&) const = default;
    };
    /// What is remembered of reads that look like this, afresh.
    [[nodiscard]] static Outcome simulate(SeenReads const& seen, ChannelTiming const& timing, std::int64_t channels);

  private:
    /// Outcomes by reads; those of one or two reads, which are asked for most often, by their bits.
    struct Memory {
        std::unordered_map<std::uint64_t, Outcome, FewReadsHash> few;
        std::unordered_map<SeenReads, Outcome, SeenReadsHash> many;

        [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(few.size() + many.size()); }
        void clear();
    };
    /// Places of reads in the list and what they look like.
    struct PartOfList {
        std::vector<std::uint32_t> indices;
        SeenReads seen;
        void clear();
    };
    /// Rows of one bank in a list that were not open, in order.
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
    std::vector<std::size_t> read_;   ///< channels with reads
    PartOfList whole_;
    std::vector<std::pair<Outcome const*, std::span<std::uint32_t const>>> plan_;
    Memory channel_memory_, whole_memory_;
};

}  // namespace pimdse::models::dplena
