#pragma once

#include "models/dplena/hbm_controller.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pimdse::models::dplena {

/// The 32-byte reads of one H_PREFETCH_V: for each of its vectors the data lines, then the one line of scales that is read
/// whatever the block size.
class PrefetchReads {
  public:
    explicit PrefetchReads(Design const& design);
    /// Places of the reads for elements [offset, offset + prefetch x vlen) of an area at `base` whose scales lie `scales`
    /// bytes behind it. Valid until the next call.
    std::span<Place const> of(std::uint64_t base, std::uint64_t scales, std::uint64_t offset);

  private:
    std::uint64_t width_, vectors_, block_;
    AddressMap map_;
    std::vector<Place> places_;
};

/// The HBM for prefetches that come one after the other. No timer outlives a prefetch (the constructor checks that the
/// constants make it so), so between prefetches the state is the open row of every bank, and what happens in a channel depends
/// only on its reads up to renaming of rows. Outcomes are therefore remembered, per channel or, where a channel refuses reads
/// and channels hold each other up, for the whole prefetch. With refresh on this holds between two refreshes; a prefetch that
/// runs into one is simulated.
class PrefetchMemory {
  public:
    PrefetchMemory(HbmTiming const& timing, Design const& design);

    /// The tick in which a prefetch presented at `start` ends; starts do not go back behind earlier ends.
    std::int64_t fetch(std::span<Place const> reads, std::int64_t start);

  private:
    /// What a list of reads does: ticks from presentation to the last issue and, for every bank touched, the place in the list
    /// of a read whose row stays open.
    struct Outcome {
        std::int64_t last_issue = 0;
        std::vector<std::uint32_t> opened;
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    using Memory = std::unordered_map<std::string, Outcome, Hash, std::equal_to<>>;
    /// The reads of one channel: places in the prefetch and what they look like up to renaming of rows.
    struct ChannelReads {
        std::vector<std::uint32_t> indices;
        std::u16string symbols;
    };
    struct NewRows {
        std::uint64_t epoch = 0;
        std::vector<std::int64_t> rows;
    };

    char16_t symbol(Place const& place);
    /// Outcomes of all lists into plan_; returns ticks from presentation to the last issue.
    std::int64_t plan(std::span<Place const> reads);
    Outcome const& recall(Memory& memory, std::u16string const& symbols, std::span<Place const> reads, std::span<std::uint32_t const> indices);
    [[nodiscard]] Outcome simulate(std::span<Place const> reads, std::span<std::uint32_t const> indices) const;
    void carry_out(std::span<Place const> reads);
    std::int64_t after_refresh(std::int64_t start);
    std::int64_t through_refresh(std::span<Place const> reads, std::int64_t start);
    [[nodiscard]] std::size_t bank_index(Place const& place) const { return place.channel * std::size_t{AddressMap::banks} + place.bank; }

    ChannelTiming timing_;
    std::int64_t channels_;
    Refresh refresh_;
    std::vector<std::int64_t> open_;       ///< by channel and bank, Channel::closed if none
    std::vector<NewRows> new_rows_;        ///< by channel and bank: rows of this prefetch that were not open, in order
    std::uint64_t epoch_ = 0;
    std::vector<ChannelReads> sorted_;     ///< by channel
    ChannelReads whole_;
    std::vector<std::pair<Outcome const*, std::span<std::uint32_t const>>> plan_;
    Memory channel_memory_, whole_memory_;
    std::int64_t refreshes_ = 0;           ///< refreshes whose effect open_ shows
};

}  // namespace pimdse::models::dplena
