#include "slow_channel.hpp"

#include <algorithm>

namespace pimdse::sim::dram::test {

void SlowSystem::tick_ddr4(Channel& channel, Tick t) {
    if (auto* entry = best(channel, channel.active, t, true, true)) return issue(channel, channel.active, entry, t);
    if (!channel.maintenance.empty()) {
        if (maintenance_ready(channel, t)) issue_maintenance(channel, t);
        return;
    }
    auto& queue = choose(channel);
    if (auto* entry = best(channel, queue, t, true, true)) issue(channel, queue, entry, t);
}

void SlowSystem::tick_hbm2(Channel& channel, Tick t) {
    if (auto* entry = best(channel, channel.active, t, true, false)) {
        issue(channel, channel.active, entry, t);
    } else if (channel.maintenance.empty()) {
        auto& queue = choose(channel);
        if (auto* column = best(channel, queue, t, true, false)) issue(channel, queue, column, t);
    }
    if (!channel.maintenance.empty()) {
        if (maintenance_ready(channel, t)) issue_maintenance(channel, t);
        return;
    }
    auto& queue = choose(channel);
    if (auto* row = best(channel, queue, t, false, true)) issue(channel, queue, row, t);
}

void SlowSystem::tick_lpddr5(Channel& channel, Tick t) {
    auto const& timing = standard_.timing;
    auto const extend = [&](bool write) {
        channel.clock_until =
            std::max(channel.clock_until, t + (write ? timing.nCWL : timing.nCL) + timing.nBL + timing.nWCKPST);
    };
    std::vector<Entry>* const lists[] = {&channel.active, &channel.reads, &channel.writes};
    if (channel.cas) {
        auto& list = *lists[channel.cas->first];
        auto const entry =
            std::find_if(list.begin(), list.end(), [&](Entry const& e) { return e.order == channel.cas->second; });
        extend(entry->write);
        channel.cas.reset();
        ++counters_.clock_syncs;
        return issue(channel, list, &*entry, t);
    }
    if (channel.activating && channel.deadline <= t) return finish_activation(channel, t);
    int from = 0;
    Entry* entry = best(channel, channel.active, t, true, true);
    if (entry == nullptr && !channel.maintenance.empty()) {
        if (maintenance_ready(channel, t)) return issue_maintenance(channel, t);
    } else if (entry == nullptr) {
        auto& queue = choose(channel);
        from = &queue == &channel.reads ? 1 : 2;
        entry = best(channel, queue, t, true, true);
    }
    if (entry == nullptr) {
        if (channel.activating) finish_activation(channel, t);
        return;
    }
    bool const column = next_of(channel, *entry) == Next::column;
    if (column && t >= channel.clock_until) {
        if (channel.activating && channel.deadline <= t + 1) return finish_activation(channel, t);
        channel.cas = {from, entry->order};
        channel.log.push_back({t, "CAS", static_cast<int>(entry->place.bank)});
        return;
    }
    if (column) extend(entry->write);
    issue(channel, *lists[from], entry, t);
}

}  // namespace pimdse::sim::dram::test
