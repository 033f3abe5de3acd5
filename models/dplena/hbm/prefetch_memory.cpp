#include "models/dplena/hbm/prefetch_memory.hpp"

#include <algorithm>

namespace pimdse::models::dplena {
namespace {

/// Memories are emptied at this size: they are there to save time, not to grow.
constexpr std::size_t most_outcomes = 1U << 16;

/// Whether every timer has run out when a prefetch ends: its last read was issued read_time() ago, its last ACT another
/// activate_to_read before that, and a bank is only opened again behind a PRE.
bool forgets(ChannelTiming const& timing) {
    auto const& t = timing.rules;
    auto const since_read = timing.read_time();
    auto const since_activate = since_read + t.activate_to_read;
    return since_read >= std::max({timing.bus, t.same_group, t.read_to_precharge}) &&
           since_activate + t.precharge >= t.row_cycle &&
           since_activate >=
               std::max({t.activate_to_precharge, t.activate_gap, t.activate_gap_group, t.row_bus, t.four_activates});
}

std::string_view bytes_of(std::u16string const& symbols) {
    return {reinterpret_cast<char const*>(symbols.data()), symbols.size() * sizeof(char16_t)};
}

}  // namespace

PrefetchMemory::PrefetchMemory(HbmTiming const& timing, Design const& design)
    : timing_(timing, design.bus),
      channels_(design.channels),
      refresh_(design.refresh),
      open_(static_cast<std::size_t>(channels_) * AddressMap::banks, Channel::closed),
      new_rows_(open_.size()),
      sorted_(static_cast<std::size_t>(channels_)),
      reads_(design),
      scale_block_(static_cast<std::uint64_t>(design.mx_block)),
      row_shift_(AddressMap(design.channels).row_shift()),
      lines_per_vector_(static_cast<std::size_t>(design.vlen / 64 + 1)),
      rows_spanned_((design.vlen * design.prefetch >> row_shift_) + 2) {
    sim::expects(forgets(timing_), "no HBM timer outlives a prefetch");
}

/// bank, whether it is closed, and 0 for its open row or the rank of a new row by first appearance.
char16_t PrefetchMemory::symbol(Place const& place) {
    auto const index = bank_index(place);
    auto const open = open_[index];
    if (open == place.row) return static_cast<char16_t>(place.bank);
    auto& fresh = new_rows_[index];
    if (fresh.epoch != epoch_) {
        fresh.epoch = epoch_;
        fresh.rows.clear();
    }
    auto const found = std::find(fresh.rows.begin(), fresh.rows.end(), place.row);
    auto const rank = static_cast<std::uint32_t>(found - fresh.rows.begin()) + 1;
    if (found == fresh.rows.end()) fresh.rows.push_back(place.row);
    auto const closed = open == Channel::closed ? 1U << 15 : 0U;
    return static_cast<char16_t>(closed | rank << 5 | place.bank);
}

std::int64_t PrefetchMemory::plan(std::span<Place const> reads) {
    ++epoch_;
    for (auto& channel : sorted_) {
        channel.indices.clear();
        channel.symbols.clear();
    }
    std::size_t longest = 0;
    for (std::uint32_t i = 0; i < reads.size(); ++i) {
        auto& channel = sorted_[reads[i].channel];
        channel.indices.push_back(i);
        channel.symbols.push_back(symbol(reads[i]));
        longest = std::max(longest, channel.indices.size());
    }
    plan_.clear();
    std::int64_t last = 0;
    auto const remember = [&](Memory& memory, ChannelReads const& list) {
        auto const& outcome = recall(memory, list.symbols, reads, list.indices);
        plan_.emplace_back(&outcome, list.indices);
        last = std::max(last, outcome.last_issue);
    };
    if (static_cast<std::int64_t>(longest) <= timing_.rules.read_queue) {
        for (auto const& channel : sorted_) {
            if (!channel.indices.empty()) remember(channel_memory_, channel);
        }
        return last;
    }
    whole_.indices.clear();
    whole_.symbols.clear();
    std::vector<std::size_t> taken(sorted_.size(), 0);
    for (std::uint32_t i = 0; i < reads.size(); ++i) {
        auto const channel = reads[i].channel;
        whole_.indices.push_back(i);
        whole_.symbols.push_back(static_cast<char16_t>(channel));
        whole_.symbols.push_back(sorted_[channel].symbols[taken[channel]++]);
    }
    remember(whole_memory_, whole_);
    return last;
}

PrefetchMemory::Outcome const& PrefetchMemory::recall(Memory& memory, std::u16string const& symbols,
                                                      std::span<Place const> reads,
                                                      std::span<std::uint32_t const> indices) {
    auto const key = bytes_of(symbols);
    if (auto const known = memory.find(key); known != memory.end()) return known->second;
    return memory.emplace(std::string(key), simulate(reads, indices)).first->second;
}

PrefetchMemory::Outcome PrefetchMemory::simulate(std::span<Place const> reads,
                                                 std::span<std::uint32_t const> indices) const {
    Controller controller(timing_, channels_, Refresh::off, 0);
    std::vector<Place> list;
    for (auto const i : indices) {
        auto const& place = reads[i];
        controller.set_open_row(place.channel, place.bank, open_[bank_index(place)]);
        list.push_back(place);
    }
    controller.present(list, 0);
    Outcome outcome{.last_issue = controller.finish_oldest() - timing_.read_time(), .opened = {}};
    std::vector<std::size_t> seen;
    for (std::uint32_t i = 0; i < list.size(); ++i) {
        auto const bank = bank_index(list[i]);
        bool const stays = controller.open_row(list[i].channel, list[i].bank) == list[i].row;
        if (!stays || std::find(seen.begin(), seen.end(), bank) != seen.end()) continue;
        seen.push_back(bank);
        outcome.opened.push_back(i);
    }
    return outcome;
}

void PrefetchMemory::carry_out(std::span<Place const> reads) {
    for (auto const& [outcome, indices] : plan_) {
        for (auto const i : outcome->opened) {
            auto const& place = reads[indices[i]];
            open_[bank_index(place)] = place.row;
        }
    }
    if (channel_memory_.size() > most_outcomes) channel_memory_.clear();
    if (whole_memory_.size() > most_outcomes / 16) whole_memory_.clear();
}

/// Applies the refreshes that have begun by `start`; returns when commands may be issued.
std::int64_t PrefetchMemory::after_refresh(std::int64_t start) {
    auto const begun = start / timing_.rules.refresh_interval;
    if (begun > refreshes_) {
        std::fill(open_.begin(), open_.end(), Channel::closed);
        refreshes_ = begun;
    }
    return begun == 0 ? start
                      : std::max(start, begun * timing_.rules.refresh_interval + timing_.rules.refresh_duration);
}

std::int64_t PrefetchMemory::through_refresh(std::span<Place const> reads, std::int64_t start) {
    Controller controller(timing_, channels_, Refresh::on, next_refresh());
    for (std::size_t i = 0; i < open_.size(); ++i) {
        controller.set_open_row(static_cast<std::uint32_t>(i / AddressMap::banks),
                                static_cast<std::uint32_t>(i % AddressMap::banks), open_[i]);
    }
    controller.present(reads, start);
    auto const end = controller.finish_oldest();
    for (std::size_t i = 0; i < open_.size(); ++i) {
        open_[i] = controller.open_row(static_cast<std::uint32_t>(i / AddressMap::banks),
                                       static_cast<std::uint32_t>(i % AddressMap::banks));
    }
    refreshes_ = controller.last_read() / timing_.rules.refresh_interval;
    return end;
}

std::int64_t PrefetchMemory::fetch(std::span<Place const> reads, std::int64_t start) {
    bool const refreshes = refresh_ == Refresh::on;
    auto const begin = refreshes ? after_refresh(start) : start;
    auto const last = begin + plan(reads);
    if (refreshes && last >= next_refresh()) return through_refresh(reads, begin);
    carry_out(reads);
    return last + timing_.read_time();
}

}  // namespace pimdse::models::dplena
