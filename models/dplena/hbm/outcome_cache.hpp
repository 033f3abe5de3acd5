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

}  // namespace pimdse::models::dplena
