#include "models/dplena/hbm/outcome_memory.hpp"

#include <algorithm>

namespace pimdse::models::dplena {

OutcomeMemory::OutcomeMemory(ChannelTiming const& timing, std::int64_t channels, PrefetchMemoryLimits const& limits)
    : timing_(timing),
      channels_(channels),
      limits_(limits),
      new_rows_(static_cast<std::size_t>(channels) * AddressMap::banks),
      sorted_(static_cast<std::size_t>(channels)) {}

void OutcomeMemory::PartOfList::clear() {
    indices.clear();
    seen.reads.clear();
}

void OutcomeMemory::Memory::clear() {
    few.clear();
    many.clear();
}

SeenRead OutcomeMemory::see(HbmAddress const& place, OpenRows const& open) {
    auto const index = bank_index(place);
    auto const row = open[index];
    SeenRead seen{
        .channel = 0, .bank = static_cast<std::uint8_t>(place.bank), .closed = row == Channel::closed, .row = 0};
    if (row == place.row) return seen;
    auto& fresh = new_rows_[index];
    if (fresh.epoch != epoch_) {
        fresh.epoch = epoch_;
        fresh.rows.clear();
    }
    auto const found = std::find(fresh.rows.begin(), fresh.rows.end(), place.row);
    seen.row = static_cast<std::uint16_t>(found - fresh.rows.begin() + 1) & 0x7fffU;
    if (found == fresh.rows.end()) fresh.rows.push_back(place.row);
    return seen;
}

std::int64_t OutcomeMemory::plan(std::span<HbmAddress const> reads, OpenRows const& open) {
    ++epoch_;
    for (auto const channel : read_) sorted_[channel].clear();
    read_.clear();
    std::size_t longest = 0;
    for (std::uint32_t i = 0; i < reads.size(); ++i) {
        auto& channel = sorted_[reads[i].channel];
        if (channel.indices.empty()) read_.push_back(reads[i].channel);
        channel.indices.push_back(i);
        channel.seen.reads.push_back(see(reads[i], open));
        longest = std::max(longest, channel.indices.size());
    }
    plan_.clear();
    if (static_cast<std::int64_t>(longest) > timing_.rules.read_queue) return plan_whole(reads);
    std::int64_t last = 0;
    for (auto const channel : read_) last = std::max(last, recall(channel_memory_, sorted_[channel]));
    return last;
}

std::int64_t OutcomeMemory::plan_whole(std::span<HbmAddress const> reads) {
    whole_.clear();
    std::vector<std::size_t> copied(sorted_.size(), 0);
    for (std::uint32_t i = 0; i < reads.size(); ++i) {
        auto const channel = reads[i].channel;
        whole_.indices.push_back(i);
        whole_.seen.reads.push_back(sorted_[channel].seen.reads[copied[channel]++]);
        whole_.seen.reads.back().channel = static_cast<std::uint8_t>(channel);
    }
    return recall(whole_memory_, whole_);
}

OutcomeMemory::Outcome const& OutcomeMemory::outcome_of(Memory& memory, SeenReads const& seen) const {
    auto const find_or_simulate = [&](auto& outcomes, auto const& key) -> Outcome const& {
        auto const known = outcomes.find(key);
        if (known != outcomes.end()) return known->second;
        return outcomes.emplace(key, simulate(seen, timing_, channels_)).first->second;
    };
    return seen.is_few() ? find_or_simulate(memory.few, seen.bits()) : find_or_simulate(memory.many, seen);
}

std::int64_t OutcomeMemory::recall(Memory& memory, PartOfList const& part) {
    auto const& outcome = outcome_of(memory, part.seen);
    plan_.emplace_back(&outcome, part.indices);
    return outcome.last_issue;
}

OutcomeMemory::Outcome OutcomeMemory::simulate(SeenReads const& seen, ChannelTiming const& timing,
                                               std::int64_t channels) {
    Controller controller(timing, channels, Refresh::off, 0);
    std::vector<HbmAddress> list;
    for (auto const read : seen.reads) {
        controller.set_open_row(read.channel, read.bank, read.closed != 0 ? Channel::closed : 0);
        list.push_back({read.channel, read.bank, read.row});
    }
    controller.present(list, 0);
    Outcome outcome{.last_issue = controller.finish_oldest() - timing.read_time(), .opened = {}};
    std::vector<std::size_t> listed;
    for (std::uint32_t i = 0; i < list.size(); ++i) {
        auto const bank = bank_index(list[i]);
        bool const stays = controller.open_row(list[i].channel, list[i].bank) == list[i].row;
        if (!stays || std::find(listed.begin(), listed.end(), bank) != listed.end()) continue;
        listed.push_back(bank);
        outcome.opened.push_back(i);
    }
    return outcome;
}

void OutcomeMemory::carry_out(std::span<HbmAddress const> reads, OpenRows& open) {
    for (auto const& [outcome, indices] : plan_) {
        for (auto const i : outcome->opened) {
            auto const& place = reads[indices[i]];
            open[bank_index(place)] = place.row;
        }
    }
    if (channel_memory_.size() > limits_.outcomes) channel_memory_.clear();
    if (whole_memory_.size() > limits_.whole_outcomes) whole_memory_.clear();
}

}  // namespace pimdse::models::dplena
