#include "models/dplena/calibration.hpp"

#include "models/dplena/fetch_engine.hpp"

#include <algorithm>
#include <numeric>

namespace pimdse::models::dplena {
namespace {

// In prefetches, of which a calibration runs some 100,000 at most.
constexpr std::int64_t short_stream = 1 << 16, longest_period = 1 << 16, least_warm_up = 1 << 11;
constexpr std::int64_t samples = 6, sample_length = 1 << 13;
constexpr std::int64_t periods_that_hide_an_end = 8;

/// The prefetches of logits of a design: `units` stretches (rows, or all there is if they follow each other without a gap) of
/// `stride` elements, of which the first `fetched` are fetched, `repeats` times in turn.
struct Stream {
    std::int64_t width = 0, stride = 0, fetched = 0, repeats = 1, units = 0;
    std::int64_t scales = 0;    ///< first scale byte

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

class Runner {
  public:
    Runner(Design const& design, HbmTiming const& timing) : engine_(timing, design), outstanding_(design.overlap == Overlap::none ? 1 : design.outstanding) {}

    void fetch(std::int64_t base, std::int64_t scales, std::int64_t offset) {
        while (engine_.under_way() >= outstanding_) now_ = std::max(now_, engine_.finish_oldest());
        engine_.present(static_cast<std::uint64_t>(base), static_cast<std::uint64_t>(scales), static_cast<std::uint64_t>(offset), now_);
    }
    /// Ticks since the start; waits for all.
    std::int64_t drain() {
        while (engine_.under_way() > 0) now_ = std::max(now_, engine_.finish_oldest());
        return now_;
    }

  private:
    FetchEngine engine_;
    std::int64_t outstanding_;
    std::int64_t now_ = 0;
};

Design without_refresh(Design d) {
    d.refresh = Refresh::off;
    return d;
}

double all_of(Program const& program, Stream const& s, HbmTiming const& timing) {
    auto const& d = program.design();
    Runner run(without_refresh(d), timing);
    auto const elements = d.batch * d.block_length * d.vocab;
    for (std::int64_t i = 0; i < program.mask_prefetches(); ++i) run.fetch(elements * 9 / 8, d.batch * d.vlen, i * s.width);
    for (std::int64_t i = 0; i < s.count(); ++i) run.fetch(0, s.scales, s.offset(i));
    return static_cast<double>(run.drain()) / static_cast<double>(std::max<std::int64_t>(1, program.prefetches()));
}

/// Mean of `length` prefetches from `first` on, behind `warm_up` others that leave the banks as a long run does.
double part_of(Stream const& s, Design const& d, HbmTiming const& timing, std::int64_t first, std::int64_t warm_up, std::int64_t length) {
    Runner run(without_refresh(d), timing);
    for (std::int64_t i = 0; i < warm_up; ++i) run.fetch(0, s.scales, s.offset(first + i));
    auto const start = run.drain();
    for (std::int64_t i = 0; i < length; ++i) run.fetch(0, s.scales, s.offset(first + warm_up + i));
    return static_cast<double>(run.drain() - start) / static_cast<double>(length);
}

double period_of(Stream const& s, Design const& d, HbmTiming const& timing, std::int64_t period) {
    auto const warm_up = (least_warm_up + period - 1) / period * period;
    return part_of(s, d, timing, 0, warm_up, period);
}

double sampled(Stream const& s, Design const& d, HbmTiming const& timing) {
    double sum = 0.0;
    auto const last = s.count() - 2 * sample_length;
    for (std::int64_t i = 0; i < samples; ++i) sum += part_of(s, d, timing, last / (samples - 1) * i, sample_length, sample_length);
    return sum / static_cast<double>(samples);
}

}  // namespace

Calibrations::Mean Calibrations::mean_prefetch(Program const& program, HbmTiming const& timing) const {
    auto const& d = program.design();
    auto s = stream_of(program);
    auto const outstanding = d.overlap == Overlap::none ? 1 : d.outstanding;
    auto const period = period_units(s, d) * s.per_unit();
    bool const periodic = period <= longest_period && s.count() >= periods_that_hide_an_end * period;
    bool const all = !periodic && s.count() <= short_stream;
    // Far enough for no row to hold data and scales, at the place within a row's span that the design's scales have.
    if (periodic) s.scales = s.scales % row_span(d) + (std::int64_t{1} << 40);
    Key const key{all, periodic, d.vlen, d.prefetch, d.mx_block, d.channels, static_cast<std::int64_t>(d.bus), outstanding, s.stride, s.fetched,
                  s.repeats, s.scales, periodic ? 0 : s.units, all ? d.batch : 0, all ? d.steps : 0, all ? d.overlap == Overlap::fused_head : 0};
    return memo_.get(key, [&]() -> Mean {
        if (all) return {all_of(program, s, timing), outstanding == 1};
        return {periodic ? period_of(s, d, timing, period) : sampled(s, d, timing), false};
    });
}

}  // namespace pimdse::models::dplena
