#include "sim/dram/hybrid.hpp"

#include "sim/check.hpp"
#include "sim/dram/run.hpp"

#include <tbb/parallel_for.h>
#include <algorithm>
#include <cmath>
#include <utility>

namespace pimdse::sim::dram {
namespace {

/// What one front end met in one stretch of the stream.
struct Stretch {
    double cycles = 0.0;
    double requests = 0.0;
    Counters counted;
};

/// What one front end says about the whole stream.
struct Side {
    double cycles = 0.0, low = 0.0, high = 0.0;
    Counters counters;
};

double interval_of(Standard const& standard, Options const& options) {
    auto const& o = standard.organisation;
    return options.refresh == RefreshMode::per_bank ? 1.0 * standard.timing.nREFIpb * o.bank_groups * o.banks : 1.0 * standard.timing.nREFI;
}

double ports_of(Standard const& standard) {
    return standard.organisation.channels * (standard.family == Family::hbm2 ? standard.organisation.ranks : 1.0);
}

/// Requests that last at least so many refresh intervals, even at the peak rate of every port.
std::uint64_t requests_in(Standard const& standard, Options const& options, int laps) {
    double const at_peak = laps * interval_of(standard, options) * ports_of(standard) / standard.timing.nBL;
    return static_cast<std::uint64_t>(at_peak + 4.0 * options.queue_depth * standard.organisation.channels) + 256;
}

std::vector<std::vector<Watched>> watch_part(Standard const& standard, Mapping const& mapping, Stream const& part, Options const& options,
                                             std::size_t laps) {
    switch (standard.family) {
        case Family::ddr4:
            return watch<Family::ddr4>(standard, mapping, part, options, laps);
        case Family::hbm2:
            return watch<Family::hbm2>(standard, mapping, part, options, laps);
        default:
            return watch<Family::lpddr5>(standard, mapping, part, options, laps);
    }
}

/// One side per front end; the slowest decides when the stream is through.
std::vector<Side> extrapolate(std::vector<std::vector<Stretch>> const& by_sample, double requests, double tries) {
    std::vector<Side> sides(by_sample.front().size());
    for (std::size_t f = 0; f < sides.size(); ++f) {
        double sum = 0.0, low = 1e300, high = 0.0, met = 0.0, fewest = 1e300;
        for (auto const& sample : by_sample) {
            double const each = sample[f].cycles / std::max(sample[f].requests, 1.0);
            sum += each;
            low = std::min(low, each);
            high = std::max(high, each);
            met += sample[f].requests;
            fewest = std::min(fewest, sample[f].requests);
            sides[f].counters.add(sample[f].counted);
        }
        double const mean = sum / static_cast<double>(by_sample.size());
        double const margin = 0.5 * (high - low) + mean * tries / std::max(fewest, 1.0);
        sides[f].cycles = mean * requests;
        sides[f].low = (low - margin) * requests;
        sides[f].high = (high + margin) * requests;
        sides[f].counters = sides[f].counters.scaled(requests / std::max(met, 1.0));
    }
    return sides;
}

Approximation exactly(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options) {
    Approximation answer;
    answer.counters = simulate(standard, mapping, stream, options);
    answer.cycles = answer.low = answer.high = static_cast<double>(answer.counters.cycles);
    answer.exact = true;
    return answer;
}

Approximation combine(std::vector<Side> const& sides, Standard const& standard, Stream const& stream, Options const& options) {
    Approximation answer;
    for (auto const& side : sides) {
        answer.cycles = std::max(answer.cycles, side.cycles);
        answer.low = std::max(answer.low, side.low);
        answer.high = std::max(answer.high, side.high);
        answer.counters.add(side.counters);
    }
    // Start and end of the stream: queues that fill and drain, one refresh more or less.
    auto const& t = standard.timing;
    double const edges = t.nRFC + t.nRC + t.read_latency() + static_cast<double>(options.queue_depth) * std::max(t.nRC, t.nBL) / 4.0;
    double const on_the_bus = static_cast<double>(stream.size()) * t.nBL / ports_of(standard);
    answer.cycles = std::max(answer.cycles, on_the_bus);
    answer.low = std::max(answer.low - edges, on_the_bus);
    answer.high = std::max(answer.high, on_the_bus) + edges;
    answer.counters.cycles = std::llround(answer.cycles);
    answer.counters.requests = stream.size();
    answer.counters.refreshes_are_all_bank = options.refresh != RefreshMode::per_bank;
    return answer;
}

}  // namespace

Approximation approximate(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options,
                          Sampling const& sampling) {
    expects(sampling.samples >= 1 && sampling.laps >= 1, "at least one sample of one refresh interval");
    check_run(standard, mapping, stream, options);
    std::uint64_t const length = requests_in(standard, options, sampling.laps + 2);
    auto const samples = static_cast<std::uint64_t>(sampling.samples);
    if (stream.size() <= length * samples) return exactly(standard, mapping, stream, options);

    std::vector<std::vector<Stretch>> by_sample(samples);
    std::vector<std::uint64_t> run_through(samples, 0);
    tbb::parallel_for(std::uint64_t{0}, samples, [&](std::uint64_t s) {
        std::uint64_t const room = stream.size() - length;
        std::uint64_t const first = samples == 1 ? 0 : room / (samples - 1) * s;
        for (auto const& noted :
             watch_part(standard, mapping, stream.slice(first, length), options, static_cast<std::size_t>(sampling.laps) + 1)) {
            // A front end that is through within the first interval is measured from its start.
            auto const from = noted.size() > 1 ? noted.front() : Watched{};
            auto const& to = noted.back();
            by_sample[s].push_back(
                {static_cast<double>(to.now - from.now), static_cast<double>(to.request - from.request), to.counters.less(from.counters)});
            run_through[s] = std::max(run_through[s], to.request);
        }
    });
    auto answer = combine(extrapolate(by_sample, static_cast<double>(stream.size()), options.tries), standard, stream, options);
    for (auto const count : run_through) answer.counters.simulated += count;
    return answer;
}

}  // namespace pimdse::sim::dram
