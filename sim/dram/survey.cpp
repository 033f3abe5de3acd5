#include "sim/dram/survey.hpp"

#include "sim/base/random.hpp"
#include "sim/dram/family.hpp"
#include "sim/dram/simulate.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace pimdse::sim::dram {
namespace {

constexpr std::uint64_t most_blocks = 1024;
constexpr std::uint64_t most_walked = 1 << 22;  ///< requests the fluid model sees
constexpr double one_kind = 1.03;               ///< most by which blocks of a kind differ in effort per request
constexpr double same_meetings = 0.05;          ///< most by which they differ in meetings per request
constexpr double same_rhythm = 0.01;            ///< relative difference of two stretches in the same rhythm

/// Requests that last at least so many refresh intervals, even at the peak rate of every port.
std::uint64_t requests_in(Standard const& standard, Options const& options, int laps) {
    double const at_peak = laps * static_cast<double>(refresh_round(standard, options.refresh)) * data_ports(standard) /
                           standard.timing.nBL;
    return static_cast<std::uint64_t>(at_peak + 4.0 * options.queue_depth * standard.organisation.channels) + 256;
}

/// Places that share no rhythm with the stream.
std::uint64_t scattered(std::uint64_t i, std::uint64_t below) { return below == 0 ? 0 : mixed_sequence(i) % below; }

}  // namespace

Surveyor::Surveyor(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options,
                   int laps)
    : standard_(standard),
      mapping_(mapping),
      stream_(stream),
      options_(options),
      warm_up_(requests_in(standard, options, 1)),
      // Between the first deadline after the warm-up and the last: up to two intervals are lost at the ends.
      measured_(requests_in(standard, options, laps + 1)),
      sides_(options.front_end == FrontEnd::independent ? static_cast<std::size_t>(standard.organisation.channels)
                                                        : 1) {
    options_.observe = Observe::counters;
}

std::vector<Surveyor::Block> Surveyor::blocks(std::uint64_t samples) const {
    std::uint64_t const count = std::clamp(stream_.size() / stretch(), samples, std::max(samples, most_blocks));
    std::vector<Block> blocks(count);
    for (std::uint64_t b = 0; b < count; ++b) {
        std::uint64_t const share = stream_.size() / count, left = stream_.size() % count;
        blocks[b].first = share * b + std::min(b, left);
        blocks[b].length = share + (b < left ? 1 : 0);
    }
    return blocks;
}

void Surveyor::judge(std::vector<Block>& blocks) const {
    std::uint64_t const room = most_walked / blocks.size();
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, blocks.size(), 8), [&](auto const& range) {
        Effort effort(standard_, mapping_, options_);
        for (std::size_t b = range.begin(); b < range.end(); ++b) {
            auto& block = blocks[b];
            std::uint64_t const seen = std::min(block.length, room);
            block.window = block.first + scattered(b, block.length - seen + 1);
            block.effort = effort.of(stream_, block.window, seen);
            block.meetings_per_request = effort.meetings() / static_cast<double>(seen);
            for (auto& e : block.effort) e *= static_cast<double>(block.length) / static_cast<double>(seen);
            block.effort_per_request =
                std::accumulate(block.effort.begin(), block.effort.end(), 0.0) / static_cast<double>(block.length);
        }
    });
}

Surveyor::Stretch Surveyor::stretch_at(Block const& block, std::size_t index) const {
    std::uint64_t const wished = std::min(block.window - std::min(block.window, warm_up_), stream_.size() - stretch());
    std::uint64_t const part = stream_.part(std::max<std::uint64_t>(1, warm_up_ / 2));
    return {index % 2 == 0 ? wished / part * part : wished, stretch(), warm_up_};
}

std::optional<Surveyor::Sample> Surveyor::measure_beginning() const {
    for (std::uint64_t length = beginning * stretch(); 2 * length <= stream_.size(); length *= 2) {
        auto const earlier = measure({0, length / 2, length / 4});
        auto later = measure({0, length, length / 2});
        bool settled = true;
        for (std::size_t s = 0; s < sides_; ++s) {
            if (earlier.ratio[s] > 0.0 && later.ratio[s] > 0.0)
                settled = settled && std::abs(earlier.ratio[s] / later.ratio[s] - 1.0) < same_rhythm;
        }
        if (settled) return later;
    }
    return std::nullopt;
}

Surveyor::Sample Surveyor::measure(Stretch const& stretch) const {
    Sample sample;
    sample.ratio.assign(sides_, 0.0);
    sample.weight.assign(sides_, 0.0);
    sample.each.assign(sides_, 0.0);
    auto const watched =
        watch(standard_, mapping_, stream_.slice(stretch.first, stretch.length), options_, stretch.warm_up);
    Effort effort(standard_, mapping_, options_);
    for (std::size_t s = 0; s < sides_; ++s) {
        auto const& [from, to, whole_laps, after] = watched[s];
        sample.counted.add(to.counters.less(from.counters));
        if (!whole_laps) continue;
        sample.each[s] = static_cast<double>(to.now - from.now) / static_cast<double>(to.request - from.request);
        sample.weight[s] = effort.of(stream_, stretch.first + from.request, to.request - from.request)[s];
        sample.ratio[s] = sample.weight[s] > 0.0 ? static_cast<double>(to.now - from.now) / sample.weight[s] : 0.0;
    }
    sample.requests = sample.counted.reads + sample.counted.writes;
    return sample;
}

std::vector<double> Surveyor::after_the_last() const {
    std::vector<double> result;
    for (auto const& side : watch(standard_, mapping_, stream_.slice(stream_.size() - warm_up_, warm_up_), options_, 0))
        result.push_back(static_cast<double>(side.after_the_last));
    return result;
}

std::vector<Surveyor::Kind> Surveyor::kinds(std::vector<Block>& blocks, std::uint64_t count) {
    std::sort(blocks.begin(), blocks.end(), [](Block const& a, Block const& b) {
        return std::tie(a.effort_per_request, a.meetings_per_request, a.first) <
               std::tie(b.effort_per_request, b.meetings_per_request, b.first);
    });
    double all = 0.0, seen = 0.0;
    for (auto const& block : blocks) all += block.effort_per_request * static_cast<double>(block.length);
    std::vector<Kind> kinds;
    std::uint64_t ended = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        seen += blocks[b].effort_per_request * static_cast<double>(blocks[b].length);
        auto const end = static_cast<std::uint64_t>(seen / all * static_cast<double>(count) + 1e-9);
        bool const last = b + 1 == blocks.size();
        std::size_t const first = kinds.empty() ? 0 : kinds.back().last;
        bool const alike =
            !last && blocks[b + 1].effort_per_request <= one_kind * blocks[first].effort_per_request &&
            std::abs(blocks[b + 1].meetings_per_request - blocks[first].meetings_per_request) <= same_meetings;
        if (end <= ended && alike) continue;
        ended = end;
        kinds.push_back({kinds.empty() ? 0 : kinds.back().last, b + 1});
    }
    return kinds;
}

std::optional<Survey> Surveyor::survey(std::uint64_t count) const {
    auto walked = blocks(count);
    judge(walked);
    auto const sorts = kinds(walked, count);
    if (2 * cost(sorts.size()) > stream_.size()) return std::nullopt;
    auto const began = measure_beginning();
    if (!began) return std::nullopt;
    std::vector<Sample> samples(sorts.size());
    tbb::parallel_for(std::size_t{0}, samples.size(), [&](std::size_t i) {
        samples[i] = measure(stretch_at(walked[sorts[i].first + scattered(i, sorts[i].last - sorts[i].first)], i));
    });
    samples.push_back(*began);
    Survey survey{std::vector<Survey::Side>(sides_), {}, {}};
    add_counts(survey, walked, sorts, samples);
    add_cycles(survey, walked, sorts, samples);
    auto const after = after_the_last();
    for (std::size_t s = 0; s < sides_; ++s) survey.sides[s].after_the_last = after[s];
    return survey;
}

void Surveyor::add_cycles(Survey& survey, std::vector<Block> const& blocks, std::vector<Kind> const& kinds,
                          std::vector<Sample> const& samples) const {
    double cycles = 0.0, weight = 0.0;
    for (auto const& sample : samples) {
        for (std::size_t s = 0; s < sample.ratio.size(); ++s) {
            if (sample.ratio[s] == 0.0) continue;
            survey.ratios.push_back(sample.ratio[s]);
            cycles += sample.ratio[s] * sample.weight[s];
            weight += sample.weight[s];
        }
    }
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        for (std::size_t s = 0; s < survey.sides.size(); ++s) {
            double effort = 0.0, requests = 0.0;
            for (std::size_t b = kinds[k].first; b < kinds[k].last; ++b) {
                effort += blocks[b].effort[s];
                requests += static_cast<double>(blocks[b].length);
            }
            double const ratio = samples[k].ratio[s] > 0.0 ? samples[k].ratio[s] : cycles / std::max(weight, 1.0);
            survey.sides[s].effort += effort;
            survey.sides[s].cycles += effort * ratio;
            survey.sides[s].plainly += samples[k].ratio[s] > 0.0 ? samples[k].each[s] * requests : effort * ratio;
        }
    }
}

void Surveyor::add_counts(Survey& survey, std::vector<Block> const& blocks, std::vector<Kind> const& kinds,
                          std::vector<Sample> const& samples) const {
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        std::uint64_t requests = 0;
        for (std::size_t b = kinds[k].first; b < kinds[k].last; ++b) requests += blocks[b].length;
        survey.counters.add(samples[k].counted.scaled(
            static_cast<double>(requests) / static_cast<double>(std::max<std::uint64_t>(samples[k].requests, 1))));
    }
    survey.counters.simulated = cost(kinds.size());
}

}  // namespace pimdse::sim::dram
