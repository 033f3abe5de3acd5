#pragma once

#include "models/dplena/design.hpp"
#include "models/dplena/hbm/clocks.hpp"
#include "models/dplena/hbm/controller.hpp"

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pimdse::models::dplena {

/// A read in canonical form: the properties that determine its time, packed into one word. Rows are renamed: row 0 is
/// the row that is open in the bank, the other rows of a bank are numbered from 1 by first appearance. `closed`: no row
/// is open in the bank. A list (64 MiB at most) reads at most 2,048 rows of a bank.
struct CanonicalRead {
    std::uint32_t channel : 8 = 0, bank : 8 = 0, closed : 1 = 0, row : 15 = 0;
    auto operator<=>(CanonicalRead const&) const = default;
};

/// Reads in the order of their presentation.
struct CanonicalReads {
    std::vector<CanonicalRead> reads;
    auto operator<=>(CanonicalReads const&) const = default;

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

struct CanonicalReadsHash {
    std::size_t operator()(CanonicalReads const& seen) const {
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
class OutcomeCache {
  public:
    OutcomeCache(ChannelTiming const& timing, std::int64_t channels, PrefetchCacheLimits const& limits);

    /// Ticks from the presentation of a list, with the open rows `open`, to its last issue. Simulates it if it is not
    /// cached.
    std::int64_t look_up(std::span<HbmAddress const> reads, OpenRows const& open);
    /// Updates `open` to the rows that are open after `reads`. Precondition: look_up() was called last with these
    /// reads.
    void apply(std::span<HbmAddress const> reads, OpenRows& open);

    /// Outcome of a list of reads: ticks from presentation to the last issue and, for each accessed bank, the index in
    /// the list of a read whose row stays open.
    struct Outcome {
        std::int64_t last_issue = 0;
        std::vector<std::uint32_t> opened;
        bool operator==(Outcome const&) const = default;
    };
    /// Computes an outcome with the controller.
    [[nodiscard]] static Outcome simulate(CanonicalReads const& reads, ChannelTiming const& timing,
                                          std::int64_t channels);

  private:
    /// Outcomes by reads; those of one or two reads, which are the most frequent, by their bits.
    struct Outcomes {
        std::unordered_map<std::uint64_t, Outcome, FewReadsHash> few;
        std::unordered_map<CanonicalReads, Outcome, CanonicalReadsHash> many;

        [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(few.size() + many.size()); }
        void clear();
    };
    /// Some reads of a list: their indices and their time-relevant properties.
    struct PartOfList {
        std::vector<std::uint32_t> indices;
        CanonicalReads reads;
        void clear();
    };
    /// Rows of one bank in a list that were not open, in order of appearance.
    struct NewRows {
        std::uint64_t list = 0;  ///< number of the list that the rows belong to; rows of earlier lists are void
        std::vector<std::int64_t> rows;
    };

    [[nodiscard]] CanonicalRead canonical(HbmAddress const& place, OpenRows const& open);
    [[nodiscard]] Outcome const& outcome_of(Outcomes& known, CanonicalReads const& reads) const;
    /// Appends the outcome of a part to outcomes_; returns its last issue.
    std::int64_t add_outcome(Outcomes& known, PartOfList const& part);
    std::int64_t look_up_whole(std::span<HbmAddress const> reads);

    ChannelTiming timing_;
    std::int64_t channels_;
    PrefetchCacheLimits limits_;
    std::vector<NewRows> new_rows_;           ///< by channel and bank
    std::uint64_t list_ = 0;                  ///< number of the current list
    std::vector<PartOfList> by_channel_;      ///< the reads of each channel in the current list
    std::vector<std::size_t> used_channels_;  ///< channels with reads in the current list
    PartOfList whole_;
    /// Outcomes of the parts of the current list, with the indices of the reads of each part.
    std::vector<std::pair<Outcome const*, std::span<std::uint32_t const>>> outcomes_;
    Outcomes channel_outcomes_, whole_outcomes_;
};

/// The properties of a design on which the time of its prefetches depends.
struct Fetching {
    std::int64_t vlen = 0, prefetch = 0, mx_block = 0, channels = 0;
    std::int64_t element_bits = 8, scale_lines = 1;
    Bus bus = Bus::compat;
    Refresh refresh = Refresh::off;
    std::int64_t outstanding = 1;  ///< largest number of prefetches in flight; 1 without overlap
    HbmGeneration generation = HbmGeneration::hbm2;
    std::int64_t frequency = 0;  ///< MHz of the units; 0: that of a tick of HBM2
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
            .outstanding = d.overlap == Overlap::none ? 1 : d.outstanding,
            .generation = d.generation_of_hbm,
            .frequency = megahertz(d.frequency)};
}

/// Addresses of the first bytes of the data and of the scales of a prefetch.
struct PrefetchAddress {
    std::uint64_t data = 0, scale = 0;
};

/// The 32-byte reads of one H_PREFETCH_V: for each of its vectors the data lines, then its lines of scales.
class PrefetchReads {
  public:
    explicit PrefetchReads(Fetching const& fetching);
    /// The address of the elements [offset, offset + prefetch x vlen) of an area at `base`, whose scales begin `scales`
    /// elements after it; `base` in bytes, `scales` and `offset` in elements.
    [[nodiscard]] PrefetchAddress address(std::uint64_t base, std::uint64_t scales, std::uint64_t offset) const {
        return {base + bytes(offset), base + bytes(scales) + offset / block_};
    }
    /// The reads of the prefetch at this address. Valid until the next call.
    std::span<HbmAddress const> of(PrefetchAddress const& address);

    /// Number of reads of one prefetch.
    [[nodiscard]] std::size_t count() const { return vectors_ * reads_per_vector(); }
    [[nodiscard]] std::size_t reads_per_vector() const { return data_reads_per_vector() + 2 * scale_lines_; }
    [[nodiscard]] std::size_t data_reads_per_vector() const { return 2 * (bytes(width_) / line_bytes); }

  private:
    /// Bytes of a number of elements.
    [[nodiscard]] std::uint64_t bytes(std::uint64_t elements) const { return elements * bits_ / 8; }

    std::uint64_t width_, vectors_, block_, bits_, scale_lines_;
    AddressMap map_;
    std::vector<HbmAddress> places_;
};

/// The offsets of the data and of the scales of a prefetch within the rows in which they begin, and the distance of
/// these rows. Prefetches of one shape access the same banks, and the same rows up to a shift.
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

/// Cache of the outcomes of prefetches that start when all timers have expired, by shape and by the state of the rows
/// that they access. This is cheaper than bringing every read into canonical form.
class ShapeCache {
  public:
    ShapeCache(Fetching const& fetching, PrefetchCacheLimits const& limits);

    /// Ticks from the presentation of a prefetch, with the open rows `open`, to its last issue. Outcomes that are not
    /// cached are taken from `outcomes`.
    std::int64_t look_up(PrefetchAddress const& address, OpenRows const& open, OutcomeCache& outcomes);
    /// Updates `open` to the rows that are open after the prefetch of the last look_up().
    void apply(OpenRows& open) const;

  private:
    /// One row of one bank that a shape accesses; `row` counts from the row of the first byte of data or scales.
    struct Touched {
        std::size_t bank = 0;
        std::int64_t row = 0;
        bool scale = false;
    };
    /// The rows in which data and scales of a prefetch begin.
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
    /// The representative prefetch of a shape.
    [[nodiscard]] PrefetchAddress representative(PrefetchShape const& shape) const;
    [[nodiscard]] std::vector<Touched> touched_by(PrefetchShape const& shape);
    /// Writes the state of every touched row to states_.
    void observe(std::vector<Touched> const& touched, OpenRows const& open);
    [[nodiscard]] Known simulate(PrefetchShape const& shape, std::vector<Touched> const& touched,
                                 RowStates const& states, OutcomeCache& outcomes);

    PrefetchReads reads_;
    PrefetchCacheLimits limits_;
    std::size_t banks_;
    int row_shift_;              ///< number of address bits below the row
    std::int64_t rows_spanned_;  ///< rows at this distance are never accessed by the same data or scales
    std::unordered_map<PrefetchShape, Cached, PrefetchShapeHash> shapes_;
    RowStates states_;
    FirstRows first_;  ///< of the prefetch of the last look_up()
    std::vector<Touched> const* touched_ = nullptr;
    Known const* known_ = nullptr;
};

/// The HBM for prefetches that follow each other. No timer outlives a prefetch (the constructor checks that the
/// constants imply this), so the state between prefetches is the open row of every bank, and outcomes of prefetches are
/// cached. With refresh on this holds between two refreshes; a prefetch that overlaps a refresh is simulated.
class CachedHbm {
  public:
    CachedHbm(Hbm const& hbm, Fetching const& fetching);

    /// The tick in which a list of reads ends that is presented at `start`, which must not be before an earlier end.
    std::int64_t fetch(std::span<HbmAddress const> reads, std::int64_t start);
    /// The same for the prefetch of elements from `offset` on of the area at `base`, whose scales begin `scales`
    /// elements after it.
    std::int64_t fetch(std::uint64_t base, std::uint64_t scales, std::uint64_t offset, std::int64_t start);

  private:
    /// Applies the refreshes that have begun by `start`; returns the tick from which commands may be issued.
    std::int64_t after_refresh(std::int64_t start);
    [[nodiscard]] std::int64_t next_refresh() const { return (refreshes_ + 1) * timing_.rules.refresh_interval; }
    [[nodiscard]] bool meets_refresh(std::int64_t last_issue) const {
        return refresh_ == Refresh::on && last_issue >= next_refresh();
    }
    /// Simulates a list that overlaps a refresh; returns the tick in which it ends.
    std::int64_t through_refresh(std::span<HbmAddress const> reads, std::int64_t start);

    ChannelTiming timing_;
    std::int64_t channels_;
    Refresh refresh_;
    std::int64_t reads_worth_a_shape_;  ///< prefetches with fewer reads are looked up read by read
    OpenRows open_;
    PrefetchReads reads_;
    OutcomeCache outcomes_;
    ShapeCache shapes_;
    std::int64_t refreshes_ = 0;  ///< number of refreshes that are applied to open_
};

/// The HBM with a queue of prefetches of one design, in the order of presentation. Times are cycles of the units. With
/// one prefetch in flight at a time outcomes are cached; with more the controller runs with all timers.
class FetchEngine {
  public:
    FetchEngine(Hbm const& hbm, Fetching const& fetching);

    /// Presents at `at` the prefetch of elements from `offset` on of the area at `base`, whose scales begin `scales`
    /// elements after it. `at` must not decrease.
    void present(std::uint64_t base, std::uint64_t scales, std::uint64_t offset, std::int64_t at);
    /// The cycle in which the oldest prefetch that is not yet reported ends.
    std::int64_t finish_oldest();

    [[nodiscard]] std::int64_t in_flight() const { return static_cast<std::int64_t>(starts_.size()); }
    [[nodiscard]] std::int64_t prefetches() const { return prefetches_; }
    /// Cycles in which at least one reported prefetch was in flight.
    [[nodiscard]] std::int64_t busy() const { return busy_; }

  private:
    PrefetchReads reads_;
    Clocks clocks_;
    CachedHbm hbm_;
    ChannelTiming timing_;
    std::unique_ptr<Controller> controller_;  ///< only with several prefetches in flight
    std::deque<std::int64_t> starts_, ends_;
    std::int64_t prefetches_ = 0, busy_ = 0, busy_until_ = 0;
};

}  // namespace pimdse::models::dplena
