#pragma once

#include "models/dplena/hbm/controller.hpp"
#include "models/dplena/hbm/seen_reads.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pimdse::models::dplena {

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
