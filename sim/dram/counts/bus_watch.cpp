#include "sim/dram/counts/bus_watch.hpp"

#include "sim/dram/timing/family.hpp"

#include <algorithm>

namespace pimdse::sim::dram {
namespace {

Tick overlap(Tick a_from, Tick a_until, Tick b_from, Tick b_until) {
    return std::max<Tick>(0, std::min(a_until, b_until) - std::max(a_from, b_from));
}

void charge(Counters& counters, Spent cause, Tick cycles) {
    counters.spent[static_cast<std::size_t>(cause)] += static_cast<std::uint64_t>(cycles);
}

}  // namespace

BusWatch::BusWatch(Standard const& standard)
    : shared_(!row_of(standard.family).pseudo_channels),
      burst_(standard.timing.nBL),
      ports_(shared_ ? 1 : static_cast<std::size_t>(standard.organisation.ranks)) {}

void BusWatch::refresh_due(Tick t) {
    for (auto& port : ports_) {
        if (port.refresh_until < t) port.refresh_from = t;
        port.refresh_until = std::max(port.refresh_until, t + 1);
    }
}

void BusWatch::refresh_issued(std::size_t rank, Tick t, Tick until) {
    auto& port = ports_[port_of(rank)];
    if (port.refresh_until < t && port.refresh_from > t) port.refresh_from = t;
    port.refresh_until = std::max(port.refresh_until, until);
}

void BusWatch::activate(Timers const& timers, std::size_t bank, Tick t) {
    Tick const own = timers.level(Level::bank, Command::activate, bank);
    Tick const above = std::max(timers.level(Level::rank, Command::activate, bank),
                                timers.level(Level::group, Command::activate, bank));
    limited_[bank] = std::max<Tick>(0, std::min(above, t) - own);
}

Spent BusWatch::cause_of_column_wait(Timers const& timers, Command command, std::size_t bank, Port const& port) const {
    Tick const rank = timers.level(Level::rank, command, bank), group = timers.level(Level::group, command, bank);
    bool const column_before = port.last == Command::read || port.last == Command::write;
    if (column_before && port.last != command && std::max(rank, group) > port.free) return Spent::turnaround;
    if (group > rank && group > port.free) return Spent::bank_group;
    if (rank > port.free) return Spent::turnaround;  // another rank drove the bus
    return Spent::command_bus;
}

void BusWatch::column(Timers const& timers, Command command, std::size_t bank, Tick arrive, Tick t,
                      Counters& counters) {
    auto& port = ports_[port_of(timers.rank_of(bank))];
    if (t > port.free) {
        Tick const came = std::clamp(arrive + 1, port.free, t);
        charge(counters, Spent::head_of_line, came - port.free);
        Tick const refresh = overlap(came, t, port.refresh_from, port.refresh_until);
        charge(counters, Spent::refresh, refresh);
        Tick rest = t - came - refresh;
        Tick const row_open = timers.level(Level::bank, command, bank);
        Tick const waited = std::min(rest, t - std::clamp(row_open, came, t));
        charge(counters, cause_of_column_wait(timers, command, bank, port), waited);
        rest -= waited;
        Tick const limited = std::min(rest, limited_[bank]);
        charge(counters, Spent::activation_limit, limited);
        charge(counters, Spent::bank_conflict, rest - limited);
    }
    Tick const until = t + burst_;
    charge(counters, Spent::transfer, until - std::max(port.free, t));
    port.free = until;
    port.last = command;
}

void BusWatch::finish(Tick end, Counters& counters) {
    for (auto& port : ports_) {
        if (port.free <= end + 1)
            charge(counters, Spent::drained, end + 1 - port.free);
        else
            counters.spent[0] -= static_cast<std::uint64_t>(port.free - end - 1);
        port.free = end + 1;
    }
}

void BusWatch::shift(Tick by) {
    for (auto& port : ports_) {
        for (Tick* tick : {&port.free, &port.refresh_from, &port.refresh_until}) *tick += by;
    }
}

void BusWatch::append_signature(Tick now, std::vector<std::uint64_t>& out) const {
    for (auto const& port : ports_) {
        // A refresh that was over before the last burst explains no later gap.
        bool const recent = port.refresh_until > port.free;
        for (Tick const tick : {port.free, recent ? port.refresh_from : now, recent ? port.refresh_until : now})
            out.push_back(static_cast<std::uint64_t>(tick - now));
        out.push_back(static_cast<std::uint64_t>(port.last));
    }
    for (Tick const limited : limited_) out.push_back(static_cast<std::uint64_t>(limited));
}

}  // namespace pimdse::sim::dram
