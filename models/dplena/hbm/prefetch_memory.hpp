#pragma once

#include "models/dplena/design.hpp"
#include "models/dplena/hbm/controller.hpp"
#include "models/dplena/hbm/outcome_memory.hpp"

#include <compare>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace pimdse::models::dplena {

/// What of a design decides the time of its prefetches.
struct Fetching {
    std::int64_t vlen = 0, prefetch = 0, mx_block = 0, channels = 0;
    std::int64_t element_bits = 8, scale_lines = 1;
    Bus bus = Bus::compat;
    Refresh refresh = Refresh::off;
    std::int64_t outstanding = 1;  ///< prefetches under way at once; 1 without overlap
    auto operator<=>(Fetching const&) const = default;
};

[[nodiscard]] inline Fetching fetching_of(Design const& d) {
    return {.vlen = d.vlen,
            .prefetch = d.prefetch,
            .mx_block = d.mx_block,
            .channels = d.channels,
            .element_bits = d.element_bits(),
            .scale_lines = d.scale_lines(),
            .bus = d.bus,
            .refresh = d.refresh,
            .outstanding = d.overlap == Overlap::none ? 1 : d.outstanding};
}

/// First byte of the data of a prefetch, and of its scales.
struct PrefetchAddress {
    std::uint64_t data = 0, scale = 0;
};

/// The 32-byte reads of one H_PREFETCH_V: for each of its vectors the data lines, then its lines of scales.
class PrefetchReads {
  public:
    explicit PrefetchReads(Fetching const& fetching);
    /// Of elements [offset, offset + prefetch x vlen) of an area at `base` whose scales lie `scales` bytes behind it.
    [[nodiscard]] PrefetchAddress address(std::uint64_t base, std::uint64_t scales, std::uint64_t offset) const {
        return {base + bytes(offset), base + bytes(scales) + offset / block_};
    }
    /// Where the reads go. Valid until the next call.
    std::span<HbmAddress const> of(PrefetchAddress const& address);

    /// Reads of one prefetch.
    [[nodiscard]] std::size_t count() const { return vectors_ * reads_per_vector(); }
    [[nodiscard]] std::size_t reads_per_vector() const { return data_reads_per_vector() + 2 * scale_lines_; }
    [[nodiscard]] std::size_t data_reads_per_vector() const { return 2 * (bytes(width_) / line_bytes); }

  private:
    /// That many elements take.
    [[nodiscard]] std::uint64_t bytes(std::uint64_t elements) const { return elements * bits_ / 8; }

    std::uint64_t width_, vectors_, block_, bits_, scale_lines_;
    AddressMap map_;
    std::vector<HbmAddress> places_;
};

/// The place of a prefetch within the spans of the rows in which its data and its scales begin, and how many rows these
/// are apart. Prefetches of one shape touch the same banks, and the same rows of them but for a shift.
struct PrefetchShape {
    std::uint64_t data = 0, scale = 0;
    std::int64_t rows_apart = 0;
    auto operator<=>(PrefetchShape const&) const = default;
};

struct PrefetchShapeHash {
    std::size_t operator()(PrefetchShape const& shape) const {
        return (shape.data * 0x9e3779b97f4a7c15ULL ^ shape.scale * 0xc2b2ae3d27d4eb4fULL) +
               static_cast<std::uint64_t>(shape.rows_apart);
    }
};

/// What prefetches do that find every timer run out, remembered by shape and by which of the rows they touch are open:
/// cheaper than a look at every read.
class ShapeMemory {
  public:
    ShapeMemory(Fetching const& fetching, PrefetchMemoryLimits const& limits);

    /// Ticks from the presentation of a prefetch, on banks as `open` says, to the last issue. `outcomes` knows what its
    /// reads do.
    std::int64_t plan(PrefetchAddress const& address, OpenRows const& open, OutcomeMemory& outcomes);
    /// The rows that the prefetch planned last leaves open.
    void carry_out(OpenRows& open) const;

  private:
    /// One row of one bank that a shape touches: `row` behind the row of its first data or scale byte.
    struct Touched {
        std::size_t bank = 0;
        std::int64_t row = 0;
        bool scale = false;
    };
    /// The rows in which the data and the scales of a prefetch begin.
    struct FirstRows {
        std::int64_t data = 0, scale = 0;
        [[nodiscard]] std::int64_t of(Touched const& touched) const {
            return touched.row + (touched.scale ? scale : data);
        }
    };
    enum class RowState : std::uint8_t { open, another_open, closed };
    using RowStates = std::vector<RowState>;  ///< of every Touched
    struct Known {
        RowStates states;
        std::int64_t last_issue = 0;
        std::vector<std::uint32_t> opened;
    };
    struct Cached {
        std::vector<Touched> touched;
        std::vector<Known> known;
    };

    [[nodiscard]] PrefetchShape shape_of(PrefetchAddress const& address) const;
    [[nodiscard]] FirstRows first_rows(PrefetchAddress const& address) const;
    /// The prefetch that stands for all of its shape.
    [[nodiscard]] PrefetchAddress standard(PrefetchShape const& shape) const;
    [[nodiscard]] std::vector<Touched> touched_by(PrefetchShape const& shape);
    void see_states(std::vector<Touched> const& touched, OpenRows const& open);
    [[nodiscard]] Known simulate(PrefetchShape const& shape, std::vector<Touched> const& touched,
                                 RowStates const& states, OutcomeMemory& outcomes);

    PrefetchReads reads_;
    PrefetchMemoryLimits limits_;
    std::size_t banks_;
    int row_shift_;              ///< address bits below the row
    std::int64_t rows_spanned_;  ///< rows further apart than this are never in one prefetch
    std::unordered_map<PrefetchShape, Cached, PrefetchShapeHash> shapes_;
    RowStates states_;
    FirstRows first_;  ///< of the prefetch planned last
    std::vector<Touched> const* touched_ = nullptr;
    Known const* known_ = nullptr;
};

/// The HBM for prefetches that come one after the other. No timer outlives a prefetch (the constructor checks that the
/// constants make it so), so between prefetches the state is the open row of every bank, and what a prefetch does is
/// remembered. With refresh on this holds between two refreshes; a prefetch that runs into one is simulated.
class PrefetchMemory {
  public:
    PrefetchMemory(Hbm const& hbm, Fetching const& fetching);

    /// The tick in which a list of reads presented at `start` ends; starts do not go back behind earlier ends.
    std::int64_t fetch(std::span<HbmAddress const> reads, std::int64_t start);
    /// The same for the prefetch of elements from `offset` on of the area at `base`, its scales `scales` bytes behind
    /// it.
    std::int64_t fetch(std::uint64_t base, std::uint64_t scales, std::uint64_t offset, std::int64_t start);

  private:
    std::int64_t after_refresh(std::int64_t start);
    [[nodiscard]] std::int64_t next_refresh() const { return (refreshes_ + 1) * timing_.rules.refresh_interval; }
    [[nodiscard]] bool meets_refresh(std::int64_t last_issue) const {
        return refresh_ == Refresh::on && last_issue >= next_refresh();
    }
    std::int64_t through_refresh(std::span<HbmAddress const> reads, std::int64_t start);

    ChannelTiming timing_;
    std::int64_t channels_;
    Refresh refresh_;
    std::int64_t reads_worth_a_shape_;
    OpenRows open_;
    PrefetchReads reads_;
    OutcomeMemory outcomes_;
    ShapeMemory shapes_;
    std::int64_t refreshes_ = 0;  ///< refreshes whose effect open_ shows
};

/// The HBM behind a queue of prefetches: with one under way at a time outcomes are remembered, with more the controller
/// runs with all its timers. One design's prefetches, in the order of presentation.
class FetchEngine {
  public:
    FetchEngine(Hbm const& hbm, Fetching const& fetching);

    /// Fetches elements from `offset` on of the area at `base`, its scales `scales` bytes behind it. `at` does not go
    /// back.
    void present(std::uint64_t base, std::uint64_t scales, std::uint64_t offset, std::int64_t at);
    /// The tick in which the oldest prefetch not reported yet ends.
    std::int64_t finish_oldest();

    [[nodiscard]] std::int64_t under_way() const { return static_cast<std::int64_t>(starts_.size()); }
    [[nodiscard]] std::int64_t prefetches() const { return prefetches_; }
    /// Ticks in which at least one reported prefetch was under way.
    [[nodiscard]] std::int64_t busy() const { return busy_; }

  private:
    PrefetchReads reads_;
    PrefetchMemory memory_;
    ChannelTiming timing_;
    std::unique_ptr<Controller> controller_;  ///< only if prefetches overlap each other
    std::deque<std::int64_t> starts_, ends_;
    std::int64_t prefetches_ = 0, busy_ = 0, busy_until_ = 0;
};

}  // namespace pimdse::models::dplena
