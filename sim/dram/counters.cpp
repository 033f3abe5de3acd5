#include "sim/dram/counters.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace pimdse::sim::dram {
namespace {

/// Calls f(own, other) for every plain count.
template <class F>
void each_count(Counters& own, Counters const& other, F&& f) {
    for (auto const count :
         {&Counters::requests, &Counters::reads, &Counters::writes, &Counters::hits, &Counters::misses,
          &Counters::conflicts, &Counters::forwarded, &Counters::coalesced, &Counters::row_activations,
          &Counters::precharges, &Counters::precharge_alls, &Counters::read_commands, &Counters::write_commands,
          &Counters::refreshes, &Counters::clock_syncs, &Counters::latency_sum, &Counters::simulated}) {
        f(own.*count, other.*count);
    }
    for (std::size_t i = 0; i < bus_use_count; ++i) f(own.bus_use[i], other.bus_use[i]);
}

constexpr std::uint64_t exact_limit = 4096;
constexpr std::uint64_t steps = 64;  ///< per doubling
constexpr int first_exponent = 12;

std::size_t bin_of(std::uint64_t latency) {
    if (latency < exact_limit) return latency;
    int const exponent = 63 - std::countl_zero(latency);
    return exact_limit + static_cast<std::size_t>(exponent - first_exponent) * steps +
           ((latency >> (exponent - 6)) & (steps - 1));
}

Tick lower_edge(std::size_t bin) {
    if (bin < exact_limit) return static_cast<Tick>(bin);
    auto const exponent = first_exponent + static_cast<int>((bin - exact_limit) / steps);
    return static_cast<Tick>((steps + (bin - exact_limit) % steps) << (exponent - 6));
}

constexpr std::size_t bins = exact_limit + 52 * steps;

Tick overlap(Tick a_from, Tick a_until, Tick b_from, Tick b_until) {
    return std::max<Tick>(0, std::min(a_until, b_until) - std::max(a_from, b_from));
}

void charge(Counters& counters, BusUse cause, Tick cycles) {
    counters.bus_use[static_cast<std::size_t>(cause)] += static_cast<std::uint64_t>(cycles);
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

Bandwidth bandwidth(Counters const& counters, Standard const& standard) {
    if (counters.cycles == 0) return Bandwidth{0.0};
    double const bytes = static_cast<double>(counters.bursts()) * standard.organisation.burst_bytes;
    return Data{bytes} / (standard.clock * static_cast<double>(counters.cycles));
}

EnergySplit energy(Counters const& counters, Standard const& standard) {
    auto const& e = standard.energy;
    auto const times = [](Energy each, std::uint64_t count) { return each * static_cast<double>(count); };
    bool const whole_rank = counters.refreshes_are_all_bank;
    return {times(e.activate, counters.row_activations),
            times(e.read, counters.read_commands) + times(e.write, counters.write_commands),
            times(e.transfer, counters.read_commands + counters.write_commands),
            times(whole_rank ? e.refresh : e.refresh_bank, counters.refreshes)};
}

void Latencies::add(Tick latency) {
    if (counts_.empty()) counts_.resize(bins);
    ++counts_[bin_of(static_cast<std::uint64_t>(latency))];
}

void Latencies::add_all(Latencies const& other) {
    if (other.counts_.empty()) return;
    counts_.resize(bins);
    std::transform(counts_.begin(), counts_.end(), other.counts_.begin(), counts_.begin(), std::plus<>());
}

void Latencies::repeat(Latencies const& earlier, std::uint64_t times) {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        counts_[i] += times * (counts_[i] - (earlier.counts_.empty() ? 0 : earlier.counts_[i]));
    }
}

std::uint64_t Latencies::count() const { return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0}); }

std::optional<Tick> Latencies::percentile(double fraction) const {
    auto const wanted = static_cast<double>(count()) * fraction;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        seen += counts_[i];
        if (seen > 0 && static_cast<double>(seen) >= wanted) return lower_edge(i);
    }
    return std::nullopt;
}

BusMonitor::BusMonitor(Standard const& standard)
    : shared_(!row_of(standard.family).pseudo_channels),
      burst_(standard.timing.nBL),
      ports_(shared_ ? 1 : static_cast<std::size_t>(standard.organisation.ranks)) {}

void BusMonitor::refresh_due(Tick t) {
    for (auto& port : ports_) {
        if (port.refresh_until < t) port.refresh_from = t;
        port.refresh_until = std::max(port.refresh_until, t + 1);
    }
}

void BusMonitor::refresh_issued(std::size_t rank, Tick t, Tick until) {
    auto& port = ports_[port_of(rank)];
    if (port.refresh_until < t && port.refresh_from > t) port.refresh_from = t;
    port.refresh_until = std::max(port.refresh_until, until);
}

void BusMonitor::activate(Timers const& timers, std::size_t bank, Tick t) {
    Tick const own = timers.level(Level::bank, Command::activate, bank);
    Tick const above = std::max(timers.level(Level::rank, Command::activate, bank),
                                timers.level(Level::group, Command::activate, bank));
    limited_[bank] = std::max<Tick>(0, std::min(above, t) - own);
}

BusUse BusMonitor::cause_of_column_wait(Timers const& timers, Command command, std::size_t bank,
                                        Port const& port) const {
    Tick const rank = timers.level(Level::rank, command, bank), group = timers.level(Level::group, command, bank);
    bool const column_before = port.last == Command::read || port.last == Command::write;
    if (column_before && port.last != command && std::max(rank, group) > port.free) return BusUse::turnaround;
    if (group > rank && group > port.free) return BusUse::bank_group;
    if (rank > port.free) return BusUse::turnaround;  // another rank drove the bus
    return BusUse::command_bus;
}

void BusMonitor::column(Timers const& timers, Command command, std::size_t bank, Tick arrive, Tick t,
                        Counters& counters) {
    auto& port = ports_[port_of(timers.rank_of(bank))];
    if (t > port.free) {
        Tick const came = std::clamp(arrive + 1, port.free, t);
        charge(counters, BusUse::head_of_line, came - port.free);
        Tick const refresh = overlap(came, t, port.refresh_from, port.refresh_until);
        charge(counters, BusUse::refresh, refresh);
        Tick rest = t - came - refresh;
        Tick const row_open = timers.level(Level::bank, command, bank);
        Tick const waited = std::min(rest, t - std::clamp(row_open, came, t));
        charge(counters, cause_of_column_wait(timers, command, bank, port), waited);
        rest -= waited;
        Tick const limited = std::min(rest, limited_[bank]);
        charge(counters, BusUse::activation_limit, limited);
        charge(counters, BusUse::bank_conflict, rest - limited);
    }
    Tick const until = t + burst_;
    charge(counters, BusUse::transfer, until - std::max(port.free, t));
    port.free = until;
    port.last = command;
}

void BusMonitor::finish(Tick end, Counters& counters) {
    for (auto& port : ports_) {
        if (port.free <= end + 1)
            charge(counters, BusUse::drained, end + 1 - port.free);
        else
            counters.bus_use[0] -= static_cast<std::uint64_t>(port.free - end - 1);
        port.free = end + 1;
    }
}

void BusMonitor::shift(Tick by) {
    for (auto& port : ports_) {
        for (Tick* tick : {&port.free, &port.refresh_from, &port.refresh_until}) *tick += by;
    }
}

void BusMonitor::shift_refreshes(Tick since, Tick by) {
    for (auto& port : ports_) {
        if (port.refresh_from >= since) port.refresh_from += by;  // otherwise refreshes have followed without a gap
        port.refresh_until += by;
    }
}

void BusMonitor::append_refreshes(Tick now, std::vector<std::uint64_t>& out) const {
    for (auto const& port : ports_) {
        for (Tick const tick : {port.refresh_from, port.refresh_until})
            out.push_back(static_cast<std::uint64_t>(tick - now));
    }
}

void BusMonitor::append_signature(Tick now, std::vector<std::uint64_t>& out) const {
    for (auto const& port : ports_) {
        // A refresh that ended before the last burst cannot explain a later gap.
        bool const recent = port.refresh_until > port.free;
        for (Tick const tick : {port.free, recent ? port.refresh_from : now, recent ? port.refresh_until : now})
            out.push_back(static_cast<std::uint64_t>(tick - now));
        out.push_back(static_cast<std::uint64_t>(port.last));
    }
    for (Tick const limited : limited_) out.push_back(static_cast<std::uint64_t>(limited));
}

}  // namespace pimdse::sim::dram
