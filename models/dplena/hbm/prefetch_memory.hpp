#pragma once

#include "models/dplena/hbm/controller.hpp"
#include "models/dplena/hbm/prefetch_reads.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pimdse::models::dplena {

/// The HBM for prefetches that come one after the other. No timer outlives a prefetch (the constructor checks that the
/// constants make it so), so between prefetches the state is the open row of every bank, and what happens in a channel
/// depends only on its reads up to renaming of rows. Outcomes are therefore remembered, per channel or, where a channel
/// refuses reads and channels hold each other up, for the whole prefetch. With refresh on this holds between two
/// refreshes; a prefetch that runs into one is simulated.
///
/// Above that, prefetches of the same shape (the same place within the span of a row, for data and for scales) are told
/// apart only by which of the rows they touch are open: a second, cheaper memory.
class PrefetchMemory {
  public:
    PrefetchMemory(HbmTiming const& timing, Design const& design);

    /// The tick in which a list of reads presented at `start` ends; starts do not go back behind earlier ends.
    std::int64_t fetch(std::span<Place const> reads, std::int64_t start);
    /// The same for the prefetch of elements from `offset` on of the area at `base`, its scales `scales` bytes behind
    /// it.
    std::int64_t fetch(std::uint64_t base, std::uint64_t scales, std::uint64_t offset, std::int64_t start);

  private:
    /// What a list of reads does: ticks from presentation to the last issue and, for every bank touched, the place in
    /// the list of a read whose row stays open.
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

    /// One row of one bank that a shape touches: `row` behind the row of its first data or scale byte.
    struct Touched {
        std::size_t bank = 0;
        std::int64_t row = 0;
        bool scale = false;
    };
    struct Known {
        std::string states;  ///< of every Touched: open, another row open, closed
        std::int64_t last_issue = 0;
        std::vector<std::uint32_t> opened;
    };
    struct Shape {
        std::vector<Touched> touched;
        std::vector<Known> known;
    };
    struct ShapeKey {
        std::uint64_t data = 0, scale = 0;
        std::int64_t rows_apart = 0;
        bool operator==(ShapeKey const&) const = default;
    };
    struct ShapeHash {
        std::size_t operator()(ShapeKey const& key) const {
            return (key.data * 0x9e3779b97f4a7c15ULL ^ key.scale * 0xc2b2ae3d27d4eb4fULL) +
                   static_cast<std::uint64_t>(key.rows_apart);
        }
    };

    Shape& shape_of(std::uint64_t base, std::uint64_t scales, std::uint64_t offset);
    [[nodiscard]] Shape new_shape(std::span<Place const> reads) const;
    void see_states(Shape const& shape);
    [[nodiscard]] std::int64_t row_of(Touched const& touched) const {
        return touched.row + (touched.scale ? scale_row_ : data_row_);
    }
    void learn(Shape& shape, std::int64_t last_issue);

    char16_t symbol(Place const& place);
    /// Outcomes of all lists into plan_; returns ticks from presentation to the last issue.
    std::int64_t plan(std::span<Place const> reads);
    Outcome const& recall(Memory& memory, std::u16string const& symbols, std::span<Place const> reads,
                          std::span<std::uint32_t const> indices);
    [[nodiscard]] Outcome simulate(std::span<Place const> reads, std::span<std::uint32_t const> indices) const;
    void carry_out(std::span<Place const> reads);
    std::int64_t after_refresh(std::int64_t start);
    [[nodiscard]] std::int64_t next_refresh() const { return (refreshes_ + 1) * timing_.rules.refresh_interval; }
    std::int64_t through_refresh(std::span<Place const> reads, std::int64_t start);
    [[nodiscard]] std::size_t bank_index(Place const& place) const {
        return place.channel * std::size_t{AddressMap::banks} + place.bank;
    }

    ChannelTiming timing_;
    std::int64_t channels_;
    Refresh refresh_;
    std::vector<std::int64_t> open_;  ///< by channel and bank, Channel::closed if none
    std::vector<NewRows> new_rows_;   ///< by channel and bank: rows of this prefetch that were not open, in order
    std::uint64_t epoch_ = 0;
    std::vector<ChannelReads> sorted_;  ///< by channel
    ChannelReads whole_;
    std::vector<std::pair<Outcome const*, std::span<std::uint32_t const>>> plan_;
    Memory channel_memory_, whole_memory_;
    PrefetchReads reads_;
    std::uint64_t scale_block_;
    int row_shift_;  ///< address bits below the row
    std::size_t lines_per_vector_;
    std::int64_t rows_spanned_;  ///< rows further apart than this are never in one prefetch
    std::unordered_map<ShapeKey, Shape, ShapeHash> shapes_;
    std::int64_t data_row_ = 0, scale_row_ = 0;
    std::string states_;
    std::int64_t refreshes_ = 0;  ///< refreshes whose effect open_ shows
};

}  // namespace pimdse::models::dplena
