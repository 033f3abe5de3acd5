#include "models/dplena/hbm/outcome_cache.hpp"

#include <algorithm>

namespace pimdse::models::dplena {

OutcomeCache::OutcomeCache(ChannelTiming const& timing, std::int64_t channels, PrefetchCacheLimits const& limits)
    : timing_(timing),
      channels_(channels),
      limits_(limits),
      new_rows_(static_cast<std::size_t>(channels) * AddressMap::banks),
      by_channel_(static_cast<std::size_t>(channels)) {}

void OutcomeCache::PartOfList::clear() {
    indices.clear();
    reads.reads.clear();
}

void OutcomeCache::Outcomes::clear() {
    few.clear();
    many.clear();
}

CanonicalRead OutcomeCache::canonical(HbmAddress const& place, OpenRows const& open) {
    auto const index = bank_index(place);
    auto const row = open[index];
    CanonicalRead seen{
        .channel = 0, .bank = static_cast<std::uint8_t>(place.bank), .closed = row == Channel::closed, .row = 0};
    if (row == place.row) return seen;
    auto& fresh = new_rows_[index];
    if (fresh.list != list_) {
        fresh.list = list_;
        fresh.rows.clear();
    }
    auto const found = std::find(fresh.rows.begin(), fresh.rows.end(), place.row);
    seen.row = static_cast<std::uint16_t>(found - fresh.rows.begin() + 1) & 0x7fffU;
    if (found == fresh.rows.end()) fresh.rows.push_back(place.row);
    return seen;
}

std::int64_t OutcomeCache::look_up(std::span<HbmAddress const> reads, OpenRows const& open) {
    ++list_;
    for (auto const channel : used_channels_) by_channel_[channel].clear();
    used_channels_.clear();
    std::size_t longest = 0;
    for (std::uint32_t i = 0; i < reads.size(); ++i) {
        auto& channel = by_channel_[reads[i].channel];
        if (channel.indices.empty()) used_channels_.push_back(reads[i].channel);
        channel.indices.push_back(i);
        channel.reads.reads.push_back(canonical(reads[i], open));
        longest = std::max(longest, channel.indices.size());
    }
    outcomes_.clear();
    if (static_cast<std::int64_t>(longest) > timing_.rules.read_queue) return look_up_whole(reads);
    std::int64_t last = 0;
    for (auto const channel : used_channels_)
        last = std::max(last, add_outcome(channel_outcomes_, by_channel_[channel]));
    return last;
}

std::int64_t OutcomeCache::look_up_whole(std::span<HbmAddress const> reads) {
    whole_.clear();
    std::vector<std::size_t> copied(by_channel_.size(), 0);
    for (std::uint32_t i = 0; i < reads.size(); ++i) {
        auto const channel = reads[i].channel;
        whole_.indices.push_back(i);
        whole_.reads.reads.push_back(by_channel_[channel].reads.reads[copied[channel]++]);
        whole_.reads.reads.back().channel = static_cast<std::uint8_t>(channel);
    }
    return add_outcome(whole_outcomes_, whole_);
}

OutcomeCache::Outcome const& OutcomeCache::outcome_of(Outcomes& known, CanonicalReads const& reads) const {
    auto const find_or_simulate = [&](auto& outcomes, auto const& key) -> Outcome const& {
        auto const found = outcomes.find(key);
        if (found != outcomes.end()) return found->second;
        return outcomes.emplace(key, simulate(reads, timing_, channels_)).first->second;
    };
    return reads.is_few() ? find_or_simulate(known.few, reads.bits()) : find_or_simulate(known.many, reads);
}

std::int64_t OutcomeCache::add_outcome(Outcomes& known, PartOfList const& part) {
    auto const& outcome = outcome_of(known, part.reads);
    outcomes_.emplace_back(&outcome, part.indices);
    return outcome.last_issue;
}

OutcomeCache::Outcome OutcomeCache::simulate(CanonicalReads const& reads, ChannelTiming const& timing,
                                             std::int64_t channels) {
    Controller controller(timing, channels, Refresh::off, 0);
    std::vector<HbmAddress> list;
    for (auto const read : reads.reads) {
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

void OutcomeCache::apply(std::span<HbmAddress const> reads, OpenRows& open) {
    for (auto const& [outcome, indices] : outcomes_) {
        for (auto const i : outcome->opened) {
            auto const& place = reads[indices[i]];
            open[bank_index(place)] = place.row;
        }
    }
    if (channel_outcomes_.size() > limits_.outcomes) channel_outcomes_.clear();
    if (whole_outcomes_.size() > limits_.whole_outcomes) whole_outcomes_.clear();
}

}  // namespace pimdse::models::dplena
