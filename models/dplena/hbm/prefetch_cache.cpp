#include "models/dplena/hbm/prefetch_cache.hpp"

#include "sim/base/check.hpp"

#include <algorithm>

namespace pimdse::models::dplena {
namespace {

/// Whether all timers have expired when a prefetch ends. Its last RD was issued read_time() before, and its last ACT at
/// least tRCD before that; the next ACT of a bank follows a PRE, so that tRC counts from there with tRP.
bool timers_expire_within_prefetch(ChannelTiming const& timing) {
    auto const& t = timing.rules;
    auto const since_read = timing.read_time();
    auto const since_activate = since_read + t.activate_to_read;
    return since_read >= std::max({timing.bus, t.same_group, t.read_to_precharge}) &&
           since_activate + t.precharge >= t.row_cycle &&
           since_activate >=
               std::max({t.activate_to_precharge, t.activate_gap, t.activate_gap_group, t.row_bus, t.four_activates});
}

/// A row that no prefetch accesses.
constexpr std::int64_t elsewhere = Channel::closed - 1;

Hbm of_generation(Hbm hbm, HbmGeneration generation) {
    hbm.timing = timing_of(hbm.timing, generation);
    return hbm;
}

}  // namespace

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

CachedHbm::CachedHbm(Hbm const& hbm, Fetching const& fetching)
    : timing_(hbm.timing, fetching.bus),
      channels_(fetching.channels),
      refresh_(fetching.refresh),
      reads_worth_a_shape_(hbm.cache_limits.reads_worth_a_shape),
      open_(static_cast<std::size_t>(channels_) * AddressMap::banks, Channel::closed),
      reads_(fetching),
      outcomes_(timing_, channels_, hbm.cache_limits),
      shapes_(fetching, hbm.cache_limits) {
    sim::expects(timers_expire_within_prefetch(timing_), "no HBM timer outlives a prefetch");
}

std::int64_t CachedHbm::after_refresh(std::int64_t start) {
    if (refresh_ == Refresh::off) return start;
    auto const begun = start / timing_.rules.refresh_interval;
    if (begun > refreshes_) {
        std::fill(open_.begin(), open_.end(), Channel::closed);
        refreshes_ = begun;
    }
    return begun == 0 ? start
                      : std::max(start, begun * timing_.rules.refresh_interval + timing_.rules.refresh_duration);
}

std::int64_t CachedHbm::through_refresh(std::span<HbmAddress const> reads, std::int64_t start) {
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

std::int64_t CachedHbm::fetch(std::span<HbmAddress const> reads, std::int64_t start) {
    auto const begin = after_refresh(start);
    auto const last = begin + outcomes_.look_up(reads, open_);
    if (meets_refresh(last)) return through_refresh(reads, begin);
    outcomes_.apply(reads, open_);
    return last + timing_.read_time();
}

std::int64_t CachedHbm::fetch(std::uint64_t base, std::uint64_t scales, std::uint64_t offset, std::int64_t start) {
    auto const address = reads_.address(base, scales, offset);
    if (static_cast<std::int64_t>(reads_.count()) < reads_worth_a_shape_) return fetch(reads_.of(address), start);
    auto const begin = after_refresh(start);
    auto const last = begin + shapes_.look_up(address, open_, outcomes_);
    if (meets_refresh(last)) return through_refresh(reads_.of(address), begin);
    shapes_.apply(open_);
    return last + timing_.read_time();
}

ShapeCache::ShapeCache(Fetching const& fetching, PrefetchCacheLimits const& limits)
    : reads_(fetching),
      limits_(limits),
      banks_(static_cast<std::size_t>(fetching.channels) * AddressMap::banks),
      row_shift_(AddressMap(fetching.channels).row_shift()),
      // Elements have one byte at most, and scales take less than data; one more row for each end.
      rows_spanned_((fetching.vlen * fetching.prefetch >> row_shift_) + 2) {}

ShapeCache::FirstRows ShapeCache::first_rows(PrefetchAddress const& address) const {
    return {static_cast<std::int64_t>(address.data >> row_shift_),
            static_cast<std::int64_t>(address.scale >> row_shift_)};
}

PrefetchShape ShapeCache::shape_of(PrefetchAddress const& address) const {
    auto const mask = (1ULL << row_shift_) - 1;
    auto const first = first_rows(address);
    // Rows farther apart than a prefetch spans never meet: all such distances are one shape.
    return {address.data & mask, address.scale & mask,
            std::clamp(first.scale - first.data, -rows_spanned_, rows_spanned_)};
}

PrefetchAddress ShapeCache::representative(PrefetchShape const& shape) const {
    auto const rows = [this](std::int64_t row) { return static_cast<std::uint64_t>(row) << row_shift_; };
    return {rows(rows_spanned_) | shape.data, rows(rows_spanned_ + shape.rows_apart) | shape.scale};
}

std::vector<ShapeCache::Touched> ShapeCache::touched_by(PrefetchShape const& shape) {
    auto const address = representative(shape);
    auto const first = first_rows(address);
    auto const reads = reads_.of(address);
    auto const per_vector = reads_.reads_per_vector();
    std::vector<Touched> touched;
    std::vector<std::vector<std::uint32_t>> of_bank(banks_);
    for (std::uint32_t i = 0; i < reads.size(); ++i) {
        bool const scale = i % per_vector >= reads_.data_reads_per_vector();
        Touched const row{bank_index(reads[i]), reads[i].row - (scale ? first.scale : first.data), scale};
        auto& before = of_bank[row.bank];
        if (std::any_of(before.begin(), before.end(), [&](auto t) { return first.of(touched[t]) == first.of(row); }))
            continue;
        before.push_back(static_cast<std::uint32_t>(touched.size()));
        touched.push_back(row);
    }
    return touched;
}

void ShapeCache::observe(std::vector<Touched> const& touched, OpenRows const& open) {
    states_.resize(touched.size());
    for (std::size_t i = 0; i < touched.size(); ++i) {
        auto const row = open[touched[i].bank];
        states_[i] = row == Channel::closed         ? RowState::closed
                     : row == first_.of(touched[i]) ? RowState::open
                                                    : RowState::another_open;
    }
}

ShapeCache::Known ShapeCache::simulate(PrefetchShape const& shape, std::vector<Touched> const& touched,
                                       RowStates const& states, OutcomeCache& outcomes) {
    auto const address = representative(shape);
    auto const first = first_rows(address);
    OpenRows open(banks_, Channel::closed);
    for (std::size_t i = 0; i < touched.size(); ++i) {
        auto& row = open[touched[i].bank];
        if (states[i] == RowState::open) row = first.of(touched[i]);
        if (states[i] == RowState::another_open && row == Channel::closed) row = elsewhere;
    }
    auto const reads = reads_.of(address);
    Known known{.states = states, .last_issue = outcomes.look_up(reads, open), .opened = {}};
    outcomes.apply(reads, open);
    for (std::uint32_t i = 0; i < touched.size(); ++i) {
        if (open[touched[i].bank] == first.of(touched[i])) known.opened.push_back(i);
    }
    return known;
}

std::int64_t ShapeCache::look_up(PrefetchAddress const& address, OpenRows const& open, OutcomeCache& outcomes) {
    auto const shape = shape_of(address);
    first_ = first_rows(address);
    if (static_cast<std::int64_t>(shapes_.size()) > limits_.shapes) shapes_.clear();
    auto found = shapes_.find(shape);
    if (found == shapes_.end()) found = shapes_.emplace(shape, Cached{touched_by(shape), {}}).first;
    auto& [touched, known] = found->second;
    observe(touched, open);
    auto same = std::find_if(known.begin(), known.end(), [this](Known const& k) { return k.states == states_; });
    if (same == known.end()) same = known.insert(same, simulate(shape, touched, states_, outcomes));
    touched_ = &touched;
    known_ = &*same;
    return known_->last_issue;
}

void ShapeCache::apply(OpenRows& open) const {
    for (auto const i : known_->opened) open[(*touched_)[i].bank] = first_.of((*touched_)[i]);
}

PrefetchReads::PrefetchReads(Fetching const& fetching)
    : width_(static_cast<std::uint64_t>(fetching.vlen)),
      vectors_(static_cast<std::uint64_t>(fetching.prefetch)),
      block_(static_cast<std::uint64_t>(fetching.mx_block)),
      bits_(static_cast<std::uint64_t>(fetching.element_bits)),
      scale_lines_(static_cast<std::uint64_t>(fetching.scale_lines)),
      map_(fetching.channels) {
    places_.reserve(count());
}

std::span<HbmAddress const> PrefetchReads::of(PrefetchAddress const& address) {
    constexpr std::uint64_t line = line_bytes, half = line / 2;
    places_.clear();
    auto const read_line = [this](std::uint64_t byte) {
        auto const aligned = byte / line * line;
        places_.push_back(map_.decode(aligned));
        places_.push_back(map_.decode(aligned + half));
    };
    for (std::uint64_t vector = 0; vector < vectors_; ++vector) {
        auto const data = address.data + vector * bytes(width_), scale = address.scale + vector * width_ / block_;
        for (std::uint64_t at = 0; at < bytes(width_); at += line) read_line(data + at);
        for (std::uint64_t at = 0; at < scale_lines_; ++at) read_line(scale + at * line);
    }
    return places_;
}

FetchEngine::FetchEngine(Hbm const& hbm, Fetching const& fetching)
    : reads_(fetching),
      clocks_(fetching.frequency, fetching.generation, hbm.timing),
      hbm_(of_generation(hbm, fetching.generation), fetching),
      timing_(timing_of(hbm.timing, fetching.generation), fetching.bus) {
    if (fetching.outstanding == 1) return;
    controller_ =
        std::make_unique<Controller>(timing_, fetching.channels, fetching.refresh, timing_.rules.refresh_interval);
}

void FetchEngine::present(std::uint64_t base, std::uint64_t scales, std::uint64_t offset, std::int64_t at) {
    if (controller_) {
        controller_->present(reads_.of(reads_.address(base, scales, offset)), clocks_.tick_of(at));
    } else {
        ends_.push_back(clocks_.cycle_of(hbm_.fetch(base, scales, offset, clocks_.tick_of(at))));
    }
    starts_.push_back(at);
    ++prefetches_;
}

std::int64_t FetchEngine::finish_oldest() {
    sim::expects(!starts_.empty(), "a prefetch is in flight");
    std::int64_t end = 0;
    if (controller_) {
        end = clocks_.cycle_of(controller_->finish_oldest());
    } else {
        end = ends_.front();
        ends_.pop_front();
    }
    busy_ += std::max<std::int64_t>(0, end - std::max(starts_.front(), busy_until_));
    busy_until_ = std::max(busy_until_, end);
    starts_.pop_front();
    return end;
}

}  // namespace pimdse::models::dplena
