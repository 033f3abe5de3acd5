#include "models/dplena/hbm/stream_calibrations.hpp"

#include "models/dplena/hbm/fetch_engine.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::models::dplena {
namespace {

/// Runs prefetches one after the other and adds up the ticks in which one is under way.
class Runner {
  public:
    Runner(Hbm const& hbm, Fetching const& fetching, Gaps const& gaps)
        : engine_(hbm, fetching), outstanding_(fetching.outstanding), gaps_(gaps) {}

    void fetch(std::int64_t base, std::int64_t scales, std::int64_t offset, std::int64_t index) {
        while (engine_.under_way() >= outstanding_) now_ = std::max(now_, engine_.finish_oldest());
        now_ += gaps_.before(index);
        engine_.present(static_cast<std::uint64_t>(base), static_cast<std::uint64_t>(scales),
                        static_cast<std::uint64_t>(offset), now_);
    }
    /// Ticks so far with a prefetch under way; waits for all.
    std::int64_t drain() {
        while (engine_.under_way() > 0) now_ = std::max(now_, engine_.finish_oldest());
        return engine_.busy();
    }

  private:
    FetchEngine engine_;
    std::int64_t outstanding_;
    Gaps gaps_;
    std::int64_t now_ = 0;
};

/// What runs through the controller for a calibration.
struct Trial {
    LogitStream const& stream;
    Fetching const& fetching;
    Hbm const& hbm;
    Gaps gaps;
    std::int64_t per_preload = 0;  ///< 0: the times of preloads are of no use

    [[nodiscard]] Runner runner() const { return {hbm, fetching, gaps}; }
    /// Fetches prefetches [first, first + count) and notes how long every whole preload among them took.
    void run(Runner& runner, std::int64_t first, std::int64_t count, std::vector<double>& preloads) const {
        std::int64_t began = -1;
        for (auto i = first; i < first + count; ++i) {
            if (per_preload > 0 && i % per_preload == 0) began = runner.drain();
            runner.fetch(0, stream.scales, stream.offset(i), i);
            if (began >= 0 && (i + 1) % per_preload == 0)
                preloads.push_back(static_cast<double>(runner.drain() - began));
        }
    }
};

/// The times of preloads, each alone, and the mean of a stream in which no preload is alone, if prefetches are under
/// way beside each other.
template <class Run>
FetchTimes alone_and_beside(Trial trial, Run run) {
    FetchTimes times = run(trial);
    if (trial.per_preload == 0 || trial.fetching.outstanding == 1) return times;
    trial.per_preload = 0;
    times.mean = run(trial).mean;
    return times;
}

FetchTimes all_of(Trial const& trial, MaskFetches const& mask) {
    FetchTimes times;
    auto runner = trial.runner();
    for (std::int64_t i = 0; i < mask.count; ++i) runner.fetch(mask.base, mask.scales, i * trial.stream.width, 1);
    trial.run(runner, 0, trial.stream.count(), times.preloads);
    auto const count = std::max<std::int64_t>(1, mask.count + trial.stream.count());
    times.mean = static_cast<double>(runner.drain()) / static_cast<double>(count);
    return times;
}

/// Mean of `length` prefetches from `first` on, behind `warm_up` others that leave the banks as a long run does; times
/// of preloads are added to `preloads`.
double part_of(Trial const& trial, std::int64_t first, std::int64_t warm_up, std::int64_t length,
               std::vector<double>& preloads) {
    auto runner = trial.runner();
    std::vector<double> of_warm_up;
    trial.run(runner, first, warm_up, of_warm_up);
    auto const start = runner.drain();
    trial.run(runner, first + warm_up, length, preloads);
    return static_cast<double>(runner.drain() - start) / static_cast<double>(length);
}

WholeStream run_whole(WholeStream::Key const& key, Hbm const& hbm) {
    Trial const trial{key.stream, key.fetching, hbm, {}, key.per_preload};
    return {.times = alone_and_beside(trial, [&](Trial const& t) { return all_of(t, key.mask); }),
            .exact = key.fetching.outstanding == 1 && key.fetching.refresh == Refresh::off};
}

OnePeriod run_period(OnePeriod::Key const& key, Hbm const& hbm, CalibrationAllowances const& allowances) {
    auto const period = key.stream.period(key.fetching);
    auto const warm_up = sim::round_up(allowances.least_warm_up, period);
    return {alone_and_beside(Trial{key.stream, key.fetching, hbm, {}, key.per_preload}, [&](Trial const& t) {
        FetchTimes times;
        times.mean = part_of(t, 0, warm_up, period, times.preloads);
        return times;
    })};
}

SomeParts run_parts(SomeParts::Key const& key, Hbm const& hbm, CalibrationAllowances const& allowances) {
    auto const& a = allowances;
    auto const last = key.stream.count() - a.sample_warm_up - a.sample_length;
    return {alone_and_beside(Trial{key.stream, key.fetching, hbm, key.gaps, key.per_preload}, [&](Trial const& t) {
        FetchTimes times;
        double sum = 0.0;
        for (std::int64_t i = 0; i < a.samples; ++i)
            sum += part_of(t, last / (a.samples - 1) * i, a.sample_warm_up, a.sample_length, times.preloads);
        times.mean = sum / static_cast<double>(a.samples);
        return times;
    })};
}

/// Prefetches of a preload where the times of preloads matter: fetches run ahead of the work, or beside each other.
std::int64_t preloads_that_matter(Program const& program) {
    auto const& d = program.design();
    bool const matter = d.overlap != Overlap::none && (d.buffers > 1 || d.outstanding > 1) && program.preloads() > 0;
    return matter ? program.prefetches_per_preload() : 0;
}

/// Prefetches that can be under way at once: those of the blocks that are fetched ahead.
std::int64_t usable_outstanding(Program const& program) {
    auto const& d = program.design();
    if (d.overlap == Overlap::none || program.preloads() == 0) return 1;
    return std::min(d.outstanding, program.prefetches_per_preload() * std::max<std::int64_t>(1, d.buffers - 1));
}

MaskFetches mask_of(Program const& program) {
    auto const& d = program.design();
    return {.count = program.mask_prefetches(), .base = program.mask_base(), .scales = d.batch * d.vlen};
}

}  // namespace

StreamCalibrations::Key StreamCalibrations::key_of(Program const& program, CalibrationAllowances const& allowances) {
    auto const& d = program.design();
    auto fetching = fetching_of(d);
    fetching.outstanding = usable_outstanding(program);
    auto const stream = stream_of(program);
    auto const per_preload = preloads_that_matter(program);
    auto const period = stream.period(fetching);
    auto const periods = d.overlap == Overlap::none ? allowances.periods_that_hide_an_end
                                                    : allowances.periods_that_hide_an_end_of_fetches;
    if (d.refresh == Refresh::off && period <= allowances.longest_period && stream.count() >= periods * period)
        return OnePeriod::Key{fetching, stream.endless(fetching), per_preload};
    if (stream.count() <= allowances.short_stream)
        return WholeStream::Key{fetching, stream, mask_of(program), per_preload};
    return SomeParts::Key{fetching, stream, gaps_of(program), per_preload};
}

StreamCalibrations::Found StreamCalibrations::of(Program const& program, Hbm const& hbm,
                                                 CalibrationAllowances const& allowances) const {
    auto const key = key_of(program, allowances);
    if (auto const* period = std::get_if<OnePeriod::Key>(&key))
        return &periods_.get(*period, run_period, hbm, allowances);
    if (auto const* whole = std::get_if<WholeStream::Key>(&key)) return &whole_.get(*whole, run_whole, hbm);
    return &parts_.get(std::get<SomeParts::Key>(key), run_parts, hbm, allowances);
}

}  // namespace pimdse::models::dplena
