#include "slow_channel.hpp"
#include "sim/dram/family.hpp"

#include <algorithm>

namespace pimdse::sim::dram::test {
namespace {

template <class List, class Pointer>
void take_out(List& list, Pointer entry) {
    list.erase(list.begin() + (entry - list.data()));
}

}  // namespace

SlowSystem::SlowSystem(Standard standard, Mapping mapping, Options options)
    : standard_(std::move(standard)),
      mapping_(std::move(mapping)),
      options_(options),
      constraints_(constraints_of(standard_)),
      channels_(static_cast<std::size_t>(standard_.organisation.channels)) {
    upper_ = static_cast<std::size_t>(options.write_high > 0 ? options.write_high : (4 * options.queue_depth + 4) / 5);
    lower_ = static_cast<std::size_t>(options.write_low > 0 ? options.write_low : options.queue_depth / 5);
}

int SlowSystem::group_of(int bank) const { return bank / standard_.organisation.banks; }
int SlowSystem::rank_of(int bank) const { return group_of(bank) / standard_.organisation.bank_groups; }

Counters SlowSystem::run(std::vector<Transaction> const& transactions, std::vector<Tick> const& arrivals) {
    std::size_t next = 0;
    Tick now = 0;
    Tick last_acceptance = -1;
    std::uint64_t const n = transactions.size();
    while (completed_ < n) {
        for (int k = 0; k < options_.tries && next < n; ++k) {
            if (options_.window > 0 && next - completed_ >= static_cast<std::uint64_t>(options_.window)) break;
            Tick const arrived = arrivals.empty() ? now : arrivals[next];
            if (arrived > now) break;
            auto const place = mapping_.place(transactions[next].address);
            if (!accept(channels_[place.channel], transactions[next], place, now, arrived)) break;
            last_acceptance = now;
            ++next;
        }
        ++now;
        for (auto& channel : channels_) tick(channel, now);
    }
    counters_.cycles = std::max(now, last_acceptance + 1);
    counters_.requests = n;
    counters_.simulated = n;
    return counters_;
}

bool SlowSystem::accept(Channel& channel, Transaction const& transaction, Place const& place, Tick now, Tick arrived) {
    bool const write = transaction.access == Access::write;
    bool const queued = std::any_of(channel.writes.begin(), channel.writes.end(),
                                    [&](Entry const& e) { return e.address == transaction.address; });
    if (queued && !write) {
        ++counters_.forwarded;
        ++counters_.reads;
        counters_.latency_sum += static_cast<std::uint64_t>(now + 1 - arrived);
        channel.returns.emplace_back(now + 1, now);
        return true;
    }
    if (queued) {
        ++counters_.coalesced;
        ++counters_.writes;
        ++completed_;
        return true;
    }
    auto& queue = write ? channel.writes : channel.reads;
    if (queue.size() >= static_cast<std::size_t>(options_.queue_depth)) return false;
    queue.push_back({transaction.address, arrived, accepted_++, place, write});
    return true;
}

bool SlowSystem::ready(Channel const& channel, Command command, int rank, int bank, Tick t) const {
    for (auto const& c : constraints_) {
        if (c.to != command || c.level == Level::other_rank) continue;
        if (bank < 0 && (c.level == Level::group || c.level == Level::bank)) continue;
        int const node = c.level == Level::channel ? 0
                         : c.level == Level::rank  ? rank
                         : c.level == Level::group ? group_of(bank)
                                                   : bank;
        auto const found = channel.last.find({static_cast<int>(c.level), node, static_cast<int>(c.from)});
        if (found != channel.last.end() && t < found->second + c.delay) return false;
    }
    for (auto const& c : constraints_) {
        if (c.to != command || c.level != Level::other_rank) continue;
        for (int other = 0; other < standard_.organisation.ranks; ++other) {
            auto const found = channel.last.find({static_cast<int>(Level::rank), other, static_cast<int>(c.from)});
            if (other != rank && found != channel.last.end() && t < found->second + c.delay) return false;
        }
    }
    if (command == Command::activate) {
        auto const found = channel.activates.find(rank);
        if (found != channel.activates.end() && found->second.size() >= 4 &&
            t < found->second[found->second.size() - 4] + standard_.timing.nFAW)
            return false;
    }
    return true;
}

void SlowSystem::note(Channel& channel, Command command, int rank, int bank, Tick t) {
    int const c = static_cast<int>(command);
    channel.last[{static_cast<int>(Level::channel), 0, c}] = t;
    channel.last[{static_cast<int>(Level::rank), rank, c}] = t;
    if (bank >= 0) {
        channel.last[{static_cast<int>(Level::group), group_of(bank), c}] = t;
        channel.last[{static_cast<int>(Level::bank), bank, c}] = t;
    }
    if (command == Command::activate) channel.activates[rank].push_back(t);
    static char const* const names[] = {"ACT", "PRE", "PREab", "RD", "WR", "REFab", "REFpb"};
    channel.log.push_back({t, names[c], bank >= 0 ? bank : rank});
}

SlowSystem::Next SlowSystem::next_of(Channel const& channel, Entry const& entry) const {
    int const bank = static_cast<int>(entry.place.bank);
    if (channel.activating && channel.activating->place.bank == entry.place.bank) return Next::act2;
    auto const open = channel.open.find(bank);
    if (open == channel.open.end()) return Next::act;
    return open->second == entry.place.row ? Next::column : Next::pre;
}

bool SlowSystem::ready(Channel const& channel, Entry const& entry, Tick t) const {
    int const bank = static_cast<int>(entry.place.bank);
    Command command = Command::activate;
    if (next_of(channel, entry) == Next::column) command = entry.write ? Command::write : Command::read;
    if (next_of(channel, entry) == Next::pre) command = Command::precharge;
    return ready(channel, command, rank_of(bank), bank, t);
}

bool SlowSystem::eligible(Channel const& channel, std::vector<Entry> const& list, Entry const& entry) const {
    Next const next = next_of(channel, entry);
    if (next == Next::act2) return false;
    if (next == Next::act) return !channel.activating;
    if (next == Next::column) return true;
    for (auto const& a : channel.active) {
        if (a.place.bank == entry.place.bank) return false;
    }
    if (options_.scheduler != Scheduler::frfcfs_row_hit) return true;
    return std::none_of(list.begin(), list.end(), [&](Entry const& other) {
        return other.place.bank == entry.place.bank && next_of(channel, other) == Next::column &&
               other.arrive <= entry.arrive;
    });
}

SlowSystem::Entry* SlowSystem::best(Channel& channel, std::vector<Entry>& list, Tick t, bool columns, bool rows) {
    Entry* chosen = nullptr;
    for (auto& entry : list) {
        bool const column = next_of(channel, entry) == Next::column;
        if ((column && !columns) || (!column && !rows)) continue;
        if (!eligible(channel, list, entry) || !ready(channel, entry, t)) continue;
        if (chosen == nullptr || entry.arrive < chosen->arrive) chosen = &entry;
    }
    return chosen;
}

std::vector<SlowSystem::Entry>& SlowSystem::choose(Channel& channel) {
    if (!channel.write_mode) {
        if (channel.writes.size() >= upper_ || channel.reads.empty()) channel.write_mode = true;
    } else if (channel.writes.size() <= lower_ && !channel.reads.empty()) {
        channel.write_mode = false;
    }
    return channel.write_mode ? channel.writes : channel.reads;
}

Command SlowSystem::maintenance_command(Channel const& channel) const {
    auto const& head = channel.maintenance.front();
    auto const not_closed = [&](int bank) {
        return channel.open.contains(bank) ||
               (channel.activating && static_cast<int>(channel.activating->place.bank) == bank);
    };
    if (head.bank_level) return not_closed(head.node) ? Command::precharge : Command::refresh_bank;
    for (int bank = 0; bank < standard_.organisation.banks_per_channel(); ++bank) {
        if (rank_of(bank) == head.node && not_closed(bank)) return Command::precharge_all;
    }
    return Command::refresh_all;
}

bool SlowSystem::maintenance_ready(Channel const& channel, Tick t) const {
    auto const& head = channel.maintenance.front();
    Command const command = maintenance_command(channel);
    auto const touches = [&](Entry const& e) {
        return head.bank_level ? static_cast<int>(e.place.bank) == head.node
                               : rank_of(static_cast<int>(e.place.bank)) == head.node;
    };
    bool const closes = command == Command::precharge || command == Command::precharge_all;
    if (closes && std::any_of(channel.active.begin(), channel.active.end(), touches)) return false;
    if (channel.activating && touches(*channel.activating)) return false;
    return head.bank_level ? ready(channel, command, rank_of(head.node), head.node, t)
                           : ready(channel, command, head.node, -1, t);
}

void SlowSystem::issue_maintenance(Channel& channel, Tick t) {
    auto const head = channel.maintenance.front();
    Command const command = maintenance_command(channel);
    note(channel, command, head.bank_level ? rank_of(head.node) : head.node, head.bank_level ? head.node : -1, t);
    if (command == Command::precharge) {
        channel.open.erase(head.node);
        ++counters_.precharges;
    } else if (command == Command::precharge_all) {
        std::erase_if(channel.open, [&](auto const& open) { return rank_of(open.first) == head.node; });
        ++counters_.precharge_alls;
    } else {
        channel.maintenance.pop_front();
        ++counters_.refreshes;
    }
}

void SlowSystem::issue(Channel& channel, std::vector<Entry>& list, Entry* entry, Tick t) {
    int const bank = static_cast<int>(entry->place.bank);
    Next const next = next_of(channel, *entry);
    if (!entry->classed) {
        ++(next == Next::column ? counters_.hits : next == Next::pre ? counters_.conflicts : counters_.misses);
        entry->classed = true;
    }
    if (next == Next::pre) {
        note(channel, Command::precharge, rank_of(bank), bank, t);
        channel.open.erase(bank);
        ++counters_.precharges;
        return;
    }
    Entry const copy = *entry;
    take_out(list, entry);
    if (next == Next::act) {
        note(channel, Command::activate, rank_of(bank), bank, t);
        ++counters_.row_activations;
        if (standard_.family == Family::lpddr5) {
            channel.activating = copy;
            channel.deadline = t + standard_.timing.nAAD;
        } else {
            channel.open[bank] = copy.place.row;
            channel.active.push_back(copy);
        }
        return;
    }
    note(channel, copy.write ? Command::write : Command::read, rank_of(bank), bank, t);
    if (copy.write) {
        ++counters_.writes;
        ++counters_.write_commands;
        ++completed_;
    } else {
        ++counters_.reads;
        ++counters_.read_commands;
        Tick const depart = t + standard_.timing.nCL + standard_.timing.nBL;
        counters_.latency_sum += static_cast<std::uint64_t>(depart - copy.arrive);
        channel.returns.emplace_back(depart, copy.arrive);
    }
}

void SlowSystem::finish_activation(Channel& channel, Tick t) {
    auto const entry = *channel.activating;
    channel.activating.reset();
    channel.open[static_cast<int>(entry.place.bank)] = entry.place.row;
    channel.active.push_back(entry);
    channel.log.push_back({t, "ACT2", static_cast<int>(entry.place.bank)});
}

void SlowSystem::tick(Channel& channel, Tick t) {
    while (!channel.returns.empty() && channel.returns.front().first <= t) {
        channel.returns.pop_front();
        ++completed_;
    }
    auto const& o = standard_.organisation;
    if (options_.refresh == RefreshMode::all_bank && t % standard_.timing.nREFI == 0) {
        for (int rank = 0; rank < o.ranks; ++rank) channel.maintenance.push_back({false, rank});
    }
    if (options_.refresh == RefreshMode::per_bank && t % standard_.timing.nREFIpb == 0) {
        bool const in_turn = standard_.family == Family::hbm2;
        int const per_rank = o.bank_groups * o.banks * (in_turn ? o.ranks : 1);
        for (int rank = 0; rank < (in_turn ? 1 : o.ranks); ++rank)
            channel.maintenance.push_back({true, rank * per_rank + channel.next_bank});
        channel.next_bank = (channel.next_bank + 1) % per_rank;
    }
    if (standard_.family == Family::ddr4 || standard_.family == Family::gddr6) tick_ddr4(channel, t);
    if (standard_.family == Family::lpddr5) tick_lpddr5(channel, t);
    if (standard_.family == Family::hbm2) tick_hbm2(channel, t);
}

}  // namespace pimdse::sim::dram::test
