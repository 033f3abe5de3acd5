#include "models/dplena/calibration.hpp"

#include "models/dplena/cycle.hpp"
#include "models/dplena/hbm/fetch_engine.hpp"
#include "models/dplena/program/blocks.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace pimdse::models::dplena {
namespace {

// In prefetches, of which a calibration runs some 150,000 at most.
constexpr std::int64_t short_stream = 1 << 16, longest_period = 1 << 16, least_warm_up = 1 << 11;
constexpr std::int64_t samples = 6, sample_warm_up = 1 << 14, sample_length = 1 << 13;
// An overlapped program may take as long as its fetches: the first opening of rows must not count.
constexpr std::int64_t periods_that_hide_an_end = 8, periods_that_hide_an_end_of_fetches = 64;

/// The prefetches of logits of a design: `units` stretches (rows, or all there is if they follow each other without a
/// gap) of `stride` elements, of which the first `fetched` are fetched, `repeats` times in turn.
struct Stream {
    std::int64_t width = 0, stride = 0, fetched = 0, repeats = 1, units = 0;
    std::int64_t scales = 0;  ///< first scale byte

    [[nodiscard]] std::int64_t per_unit() const { return fetched / width * repeats; }
    [[nodiscard]] std::int64_t count() const { return per_unit() * units; }
    [[nodiscard]] std::int64_t offset(std::int64_t index) const {
        return index / per_unit() * stride + index % per_unit() % (fetched / width) * width;
    }
};

Stream stream_of(Program const& program) {
    auto const& d = program.design();
    Stream s;
    s.width = d.prefetch * d.vlen;
    s.scales = d.logits();
    if (d.mode == Mode::performance) {
        s.stride = d.preload * d.block_length * d.vocab;
        s.fetched = program.prefetches_per_preload() * s.width;
        s.units = program.preloads();
    } else {
        s.stride = d.vocab;
        s.fetched = d.chunks_per_row() * d.v_chunk;
        s.repeats = program.fetches_per_chunk();
        s.units = program.preloads() == 0 ? 0 : d.rows();
    }
    if (s.fetched == s.stride && s.repeats == 1) {
        s.units = s.count();
        s.stride = s.fetched = s.width;
    }
    return s;
}

std::int64_t row_span(Design const& d) { return std::int64_t{1} << AddressMap(d.channels).row_shift(); }

/// Units after which data and scales are at the same places within the spans of their rows.
std::int64_t period_units(Stream const& s, Design const& d) {
    auto const span = row_span(d) * d.mx_block;
    return span / std::gcd(s.stride, span);
}

/// Ticks between the fetches of a serial program, where they matter: within a preload, and between preloads by pass.
struct Gaps {
    std::int64_t within_preload = 0;
    std::array<std::int64_t, 2> between_preloads{};
    std::int64_t prefetches_per_preload = 1, preloads_per_pass = 1;

    [[nodiscard]] std::int64_t before(std::int64_t index) const {
        if (index % prefetches_per_preload != 0) return within_preload;
        auto const previous = index / prefetches_per_preload - 1;
        return between_preloads[static_cast<std::size_t>(previous / preloads_per_pass & 1)];
    }
};

bool in_turn(Design const& d) { return d.overlap == Overlap::none || (d.buffers == 1 && d.outstanding == 1); }

Gaps gaps_of(Program const& program) {
    auto const& d = program.design();
    if (d.refresh == Refresh::off || !in_turn(d) || program.preloads() == 0) return {};
    auto const phases = Blocks(program).phases();
    auto const fetches = program.prefetch_bumps(program.prefetches_per_preload() - 1).sum();
    auto const gap = [&](std::size_t i) {
        return sim::whole_part(phases[i].work / static_cast<double>(phases[i].blocks)) - fetches;
    };
    auto const two = phases.size() > 1;
    return {program.prefetch_bumps(1).sum(),
            {gap(0), gap(two ? 1 : 0)},
            program.prefetches_per_preload(),
            two ? d.chunks_per_row() : 1};
}

/// Runs prefetches one after the other and adds up the ticks in which one is under way.
class Runner {
  public:
    Runner(Design const& design, HbmTiming const& timing, Gaps const& gaps)
        : engine_(timing, design),
          outstanding_(design.overlap == Overlap::none ? 1 : design.outstanding),
          gaps_(gaps) {}

    void fetch(std::int64_t base, std::int64_t scales, std::int64_t offset, std::int64_t index) {
        while (engine_.under_way() >= outstanding_) now_ = std::max(now_, engine_.finish_oldest());
        now_ += gaps_.before(index);
        engine_.present(static_cast<std::uint64_t>(base), static_cast<std::uint64_t>(scales),
                        static_cast<std::uint64_t>(offset), now_);
    }
    /// Fetches prefetches [first, first + count) of the stream and notes how long every whole preload among them took.
    void fetch(Stream const& s, std::int64_t first, std::int64_t count, std::int64_t per_preload) {
        std::int64_t began = -1;
        for (auto i = first; i < first + count; ++i) {
            if (i % per_preload == 0) began = drain();
            fetch(0, s.scales, s.offset(i), i);
            if (began >= 0 && (i + 1) % per_preload == 0) preloads_.push_back(static_cast<double>(drain() - began));
        }
    }
    [[nodiscard]] std::vector<double>& preloads() { return preloads_; }
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
    std::vector<double> preloads_;
};

using Mean = Calibrations::Mean;

/// A mean with the times of preloads, if any were noted.
Mean with_preloads(Mean mean, std::vector<double> preloads) {
    if (!preloads.empty()) mean.preloads = std::make_shared<std::vector<double> const>(std::move(preloads));
    return mean;
}

/// What runs through the controller for a calibration.
struct Trial {
    Stream const& stream;
    Design const& design;
    HbmTiming const& timing;
    Gaps const& gaps;
    std::int64_t per_preload = 0;  ///< 0: the times of preloads are of no use

    [[nodiscard]] Runner runner() const { return {design, timing, gaps}; }
    void run(Runner& runner, std::int64_t first, std::int64_t count) const {
        if (per_preload > 0) {
            runner.fetch(stream, first, count, per_preload);
        } else {
            for (auto i = first; i < first + count; ++i) runner.fetch(0, stream.scales, stream.offset(i), i);
        }
    }
};

Mean all_of(Trial const& trial, Program const& program) {
    auto const& d = trial.design;
    auto runner = trial.runner();
    auto const elements = d.batch * d.block_length * d.vocab;
    for (std::int64_t i = 0; i < program.mask_prefetches(); ++i)
        runner.fetch(elements * 9 / 8, d.batch * d.vlen, i * trial.stream.width, 1);
    trial.run(runner, 0, trial.stream.count());
    auto const mean =
        static_cast<double>(runner.drain()) / static_cast<double>(std::max<std::int64_t>(1, program.prefetches()));
    return with_preloads({.ticks = mean, .exact = d.outstanding == 1 && d.refresh == Refresh::off},
                         std::move(runner.preloads()));
}

/// Mean of `length` prefetches from `first` on, behind `warm_up` others that leave the banks as a long run does; times
/// of preloads are added to `preloads`.
double part_of(Trial const& trial, std::int64_t first, std::int64_t warm_up, std::int64_t length,
               std::vector<double>& preloads) {
    auto runner = trial.runner();
    trial.run(runner, first, warm_up);
    runner.preloads().clear();
    auto const start = runner.drain();
    trial.run(runner, first + warm_up, length);
    auto const ticks = runner.drain() - start;
    preloads.insert(preloads.end(), runner.preloads().begin(), runner.preloads().end());
    return static_cast<double>(ticks) / static_cast<double>(length);
}

Mean period_of(Trial const& trial, std::int64_t period) {
    std::vector<double> preloads;
    auto const warm_up = sim::round_up(least_warm_up, period);
    auto const mean = part_of(trial, 0, warm_up, period, preloads);
    return with_preloads({.ticks = mean}, std::move(preloads));
}

Mean sampled(Trial const& trial) {
    std::vector<double> preloads;
    double sum = 0.0;
    auto const last = trial.stream.count() - sample_warm_up - sample_length;
    for (std::int64_t i = 0; i < samples; ++i)
        sum += part_of(trial, last / (samples - 1) * i, sample_warm_up, sample_length, preloads);
    return with_preloads({.ticks = sum / static_cast<double>(samples), .sampled = true}, std::move(preloads));
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

}  // namespace

Calibrations::Mean Calibrations::own_run(Program const& program, Machine const& machine, Run run) const {
    auto const& d = program.design();
    Key const key{run == Run::whole ? 2 : 3,
                  static_cast<std::int64_t>(d.mode),
                  d.vlen,
                  d.prefetch,
                  d.mx_block,
                  d.channels,
                  static_cast<std::int64_t>(d.bus),
                  d.batch,
                  d.steps,
                  d.block_length,
                  d.vocab,
                  d.v_chunk,
                  d.preload,
                  d.exp_lanes,
                  static_cast<std::int64_t>(d.passes),
                  static_cast<std::int64_t>(d.loop_hardware),
                  static_cast<std::int64_t>(d.overlap),
                  d.buffers,
                  d.outstanding};
    return memo_.get(key, [&](auto const&) -> Mean {
        if (run == Run::beginning) return {.continued = overlapped_part(program, machine, short_stream)};
        auto const all = cycle_sampling(program, machine);
        return {.ticks = all.memory.value / static_cast<double>(program.prefetches()),
                .exact = true,
                .total = all.total.value};
    });
}

Calibrations::Mean Calibrations::mean_prefetch(Program const& program, Machine const& machine) const {
    auto const& timing = machine.hbm;
    auto d = program.design();
    d.outstanding = usable_outstanding(program);
    bool const refresh = d.refresh == Refresh::on;
    auto s = stream_of(program);
    auto const gaps = gaps_of(program);
    auto const period = period_units(s, d) * s.per_unit();
    auto const periods = d.overlap == Overlap::none ? periods_that_hide_an_end : periods_that_hide_an_end_of_fetches;
    bool const periodic = !refresh && period <= longest_period && s.count() >= periods * period;
    bool const all = !periodic && s.count() <= short_stream;
    if (all && refresh && program.prefetches() > 0) return own_run(program, machine, Run::whole);
    // Far enough for no row to hold data and scales, at the place within a row's span that the design's scales have.
    if (periodic) s.scales = s.scales % row_span(d) + (std::int64_t{1} << 40);
    Trial const trial{s, d, timing, gaps, preloads_that_matter(program)};
    Key const key{all,
                  periodic,
                  d.vlen,
                  d.prefetch,
                  d.mx_block,
                  d.channels,
                  static_cast<std::int64_t>(d.bus),
                  refresh,
                  d.outstanding,
                  gaps.within_preload,
                  gaps.between_preloads[0],
                  gaps.between_preloads[1],
                  gaps.prefetches_per_preload,
                  s.stride,
                  s.fetched,
                  s.repeats,
                  s.scales,
                  periodic ? 0 : s.units,
                  all ? d.batch : 0,
                  all ? d.steps : 0,
                  trial.per_preload};
    return memo_.get(key, [&](auto const&) -> Mean {
        auto const run = [&](Trial const& t) {
            return all ? all_of(t, program) : periodic ? period_of(t, period) : sampled(t);
        };
        auto mean = run(trial);
        if (trial.per_preload == 0 || d.outstanding == 1) return mean;
        // Prefetches beside each other: the mean is that of a stream in which no preload is alone.
        auto stream = run({s, d, timing, gaps, 0});
        stream.preloads = mean.preloads;
        return stream;
    });
}

double Calibrations::continued(Program const& program, Machine const& machine) const {
    return own_run(program, machine, Run::beginning).continued;
}

}  // namespace pimdse::models::dplena
