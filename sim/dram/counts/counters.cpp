#include "sim/dram/counts/counters.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::sim::dram {
namespace {

/// Calls f(own, other) for every plain count.
template <class F>
void each_count(Counters& own, Counters const& other, F&& f) {
    for (auto const count :
         {&Counters::requests, &Counters::reads, &Counters::writes, &Counters::hits, &Counters::misses,
          &Counters::conflicts, &Counters::forwarded, &Counters::coalesced, &Counters::activates, &Counters::precharges,
          &Counters::precharge_alls, &Counters::read_commands, &Counters::write_commands, &Counters::refreshes,
          &Counters::clock_syncs, &Counters::latency_sum, &Counters::simulated}) {
        f(own.*count, other.*count);
    }
    for (std::size_t i = 0; i < spent_count; ++i) f(own.spent[i], other.spent[i]);
}

}  // namespace

void Counters::add(Counters const& other) {
    cycles = std::max(cycles, other.cycles);
    each_count(*this, other, [](std::uint64_t& own, std::uint64_t theirs) { own += theirs; });
    latencies.add_all(other.latencies);
}

void Counters::repeat(Counters const& earlier, std::uint64_t times) {
    each_count(*this, earlier, [times](std::uint64_t& own, std::uint64_t before) { own += times * (own - before); });
    latencies.repeat(earlier.latencies, times);
}

Counters Counters::less(Counters const& earlier) const {
    Counters gained = *this;
    gained.latencies = {};
    each_count(gained, earlier, [](std::uint64_t& own, std::uint64_t before) { own -= before; });
    return gained;
}

Counters Counters::scaled(double factor) const {
    Counters result = *this;
    each_count(result, *this, [factor](std::uint64_t& own, std::uint64_t) {
        own = static_cast<std::uint64_t>(std::llround(static_cast<double>(own) * factor));
    });
    return result;
}

Bandwidth bandwidth(Counters const& counters, Standard const& standard) {
    if (counters.cycles == 0) return Bandwidth{0.0};
    double const bytes = static_cast<double>(counters.bursts()) * standard.organisation.burst_bytes;
    return Data{bytes} / (standard.clock * static_cast<double>(counters.cycles));
}

EnergySplit energy(Counters const& counters, Standard const& standard) {
    auto const& e = standard.energy;
    auto const times = [](Energy each, std::uint64_t count) { return each * static_cast<double>(count); };
    bool const whole_rank = counters.refreshes_are_all_bank;
    return {times(e.activate, counters.activates),
            times(e.read, counters.read_commands) + times(e.write, counters.write_commands),
            times(e.transfer, counters.read_commands + counters.write_commands),
            times(whole_rank ? e.refresh : e.refresh_bank, counters.refreshes)};
}

}  // namespace pimdse::sim::dram
