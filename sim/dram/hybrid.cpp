#include "sim/dram/hybrid.hpp"

#include "sim/base/check.hpp"
#include "sim/dram/family.hpp"
#include "sim/dram/simulate.hpp"
#include "sim/dram/survey.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::sim::dram {
namespace {

/// Half the bound may be this share of the cycles before longer stretches are simulated, and at last everything.
constexpr double widest = 0.05;
constexpr int longer = 4;
constexpr double alike = 0.97;  ///< of the busiest front end's effort

Approximation exactly(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options) {
    Approximation answer;
    answer.counters = simulate(standard, mapping, stream, options);
    answer.cycles = answer.low = answer.high = static_cast<double>(answer.counters.cycles);
    answer.exact = true;
    return answer;
}

/// What stretches cannot tell, as a share of the cycles: channels drift against each other for longer than a stretch
/// lasts, and every refresh interrupts the rows in a phase that the run need not share with the stretch, up to half a
/// row cycle each time.
double unseen(Standard const& standard, Options const& options) {
    auto const& t = standard.timing;
    return 0.004 +
           0.5 * std::max(t.nRC, t.nRAS + t.nRP) / static_cast<double>(refresh_round(standard, options.refresh));
}

/// Front ends with as much to do as the busiest differ by what stretches happened to show of each: their mean is used,
/// or the slowest of many would be taken for the rule.
Survey::Side typical(std::vector<Survey::Side> const& sides) {
    double most = 0.0;
    for (auto const& side : sides) most = std::max(most, side.effort);
    Survey::Side mean;
    double count = 0.0;
    for (auto const& side : sides) {
        if (side.effort < alike * most) continue;
        mean.effort += side.effort;
        mean.cycles += side.cycles;
        mean.plainly += side.plainly;
        mean.after_the_last += side.after_the_last;
        ++count;
    }
    return {mean.effort / count, mean.cycles / count, mean.plainly / count, mean.after_the_last / count};
}

Approximation conclude(Survey const& survey, Standard const& standard, Stream const& stream, Options const& options) {
    Approximation answer;
    auto const& t = standard.timing;
    double const each = static_cast<double>(options.queue_depth) * 2.0 *
                        (options.front_end == FrontEnd::in_order ? standard.organisation.channels : 1);
    auto const [lowest, highest] = std::minmax_element(survey.ratios.begin(), survey.ratios.end());
    double const spread = *highest - *lowest;
    auto const margin = [&](Survey::Side const& side) {
        double const cycles = (side.cycles + side.plainly) / 2.0;
        // A request more or less in the queues, and a refresh more or less.
        double const edges =
            cycles * std::min(1.0, each / static_cast<double>(stream.size())) + t.nRFC + t.nRC + t.read_latency();
        // Stretches that differ show a stream with several rhythms; the run may settle in one that none of them fell
        // into.
        return unseen(standard, options) * cycles + edges + 0.25 * side.effort * spread;
    };
    for (auto const& side : survey.sides)
        answer.high =
            std::max(answer.high, std::max(side.effort * *highest, side.plainly) + side.after_the_last + margin(side));
    auto const side = typical(survey.sides);
    answer.cycles = (side.cycles + side.plainly) / 2.0 + side.after_the_last;
    answer.low = std::max(0.0, std::min(side.effort * *lowest, side.plainly) - margin(side));
    // What the write queue answers does not go over the data bus.
    bool const all_on_the_bus = survey.counters.forwarded == 0 && survey.counters.coalesced == 0;
    if (all_on_the_bus)
        answer.low = std::max(answer.low, static_cast<double>(stream.size()) * t.nBL / data_ports(standard));
    // Nor does the estimate move more bursts than the bus has room for.
    double const on_the_bus = static_cast<double>(survey.counters.bursts()) * t.nBL / data_ports(standard);
    answer.cycles = std::max(answer.cycles, std::ceil(on_the_bus));
    answer.high = std::max({answer.high, answer.low, answer.cycles});
    answer.cycles = std::clamp(answer.cycles, answer.low, answer.high);
    answer.counters = survey.counters;
    answer.counters.cycles = std::llround(answer.cycles);
    answer.counters.requests = stream.size();
    answer.counters.refreshes_are_all_bank = options.refresh != RefreshMode::per_bank;
    return answer;
}

}  // namespace

Approximation approximate(Standard const& standard, Mapping const& mapping, Stream const& stream,
                          Options const& options, Sampling const& sampling) {
    expects(sampling.samples >= 1 && sampling.laps >= 1, "at least one sample of one refresh interval");
    check_run(standard, mapping, stream, options);
    // Only a refresh makes a channel forget how it started; without one a stretch may settle differently from the run.
    // Of a timed stream no stretch tells what the next arrivals are.
    if (options.refresh == RefreshMode::none || stream.timed()) return exactly(standard, mapping, stream, options);
    auto const samples = static_cast<std::uint64_t>(sampling.samples);
    for (int laps = sampling.laps;; laps *= longer) {
        Surveyor const surveyor(standard, mapping, stream, options, laps);
        if (2 * surveyor.cost(samples) > stream.size()) break;
        auto const survey = surveyor.survey(samples);
        if (!survey) break;
        if (survey->ratios.empty()) continue;
        auto const answer = conclude(*survey, standard, stream, options);
        if (answer.high - answer.low <= 2.0 * widest * answer.cycles) return answer;
    }
    return exactly(standard, mapping, stream, options);
}

}  // namespace pimdse::sim::dram
