#pragma once

#include "models/dplena/hbm/logit_stream.hpp"
#include "sim/base/memo.hpp"

#include <variant>
#include <vector>

namespace pimdse::models::dplena {

/// What the controller said of the prefetches of a stream.
struct FetchTimes {
    double mean = 0.0;  ///< ticks of a prefetch
    /// Ticks of whole preloads in the order of the stream (or of a period of it), each alone: none before it is under
    /// way. Empty where a program fetches one prefetch at a time and waits for it.
    std::vector<double> preloads;
    bool operator==(FetchTimes const&) const = default;
};

/// The prefetches of the mask, before those of logits.
struct MaskFetches {
    std::int64_t count = 0, base = 0, scales = 0;
    auto operator<=>(MaskFetches const&) const = default;
};

/// A short stream, of which all prefetches were run, the mask's before them.
struct WholeStream {
    struct Key {
        Fetching fetching;
        LogitStream stream;
        MaskFetches mask;
        std::int64_t per_preload = 0;  ///< 0: times of preloads are of no use
        auto operator<=>(Key const&) const = default;
    };
    FetchTimes times;
    bool exact = false;  ///< the mean is that of the very program
};

/// A stream whose places repeat, of which one period was run. The key holds neither batch, block length nor steps.
struct OnePeriod {
    struct Key {
        Fetching fetching;
        LogitStream stream;  ///< endless
        std::int64_t per_preload = 0;
        auto operator<=>(Key const&) const = default;
    };
    FetchTimes times;
};

/// A long stream without a short period, of which parts were run.
struct SomeParts {
    struct Key {
        Fetching fetching;
        LogitStream stream;
        Gaps gaps;
        std::int64_t per_preload = 0;
        auto operator<=>(Key const&) const = default;
    };
    FetchTimes times;
};

/// Times of a design's prefetches from running them through the HBM controller. What a stream has in common with others
/// is remembered once. Time between prefetches does not matter and is left out, unless there is refresh.
class StreamCalibrations {
  public:
    using Key = std::variant<WholeStream::Key, OnePeriod::Key, SomeParts::Key>;
    using Found = std::variant<WholeStream const*, OnePeriod const*, SomeParts const*>;

    /// What of a program decides the answer of `of`.
    [[nodiscard]] static Key key_of(Program const& program, CalibrationAllowances const& allowances);
    [[nodiscard]] Found of(Program const& program, Hbm const& hbm, CalibrationAllowances const& allowances) const;

  private:
    sim::Memo<WholeStream::Key, WholeStream> whole_;
    sim::Memo<OnePeriod::Key, OnePeriod> periods_;
    sim::Memo<SomeParts::Key, SomeParts> parts_;
};

}  // namespace pimdse::models::dplena
