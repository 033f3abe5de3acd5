#include "models/dplena/hbm/controller.hpp"

#include "sim/base/check.hpp"

#include <algorithm>

namespace pimdse::models::dplena {

Controller::Controller(ChannelTiming const& timing, std::int64_t channels, Refresh refresh, std::int64_t first_refresh)
    : timing_(&timing),
      channels_(static_cast<std::size_t>(channels), Channel(timing)),
      wake_(channels_.size(), Channel::never) {
    if (refresh == Refresh::on) refresh_at_ = first_refresh;
}

std::int64_t Controller::next_event() const {
    return std::min(refresh_at_, *std::min_element(wake_.begin(), wake_.end()));
}

std::int64_t Controller::present(std::span<HbmAddress const> reads, std::int64_t now) {
    while (next_event() < now) run_tick();
    now_ = std::max(now_, now);
    auto const number = reported_ + static_cast<std::int64_t>(lists_.size());
    lists_.push_back({static_cast<std::int64_t>(reads.size()), now});
    for (auto const& place : reads) waiting_.push_back({place, number});
    offer(now_);
    return number;
}

void Controller::offer(std::int64_t next_tick) {
    while (!waiting_.empty()) {
        auto const& [place, list] = waiting_.front();
        auto& channel = channels_[place.channel];
        if (!channel.accepts()) return;
        channel.push(place, presented_++, list);
        wake_[place.channel] = std::min(wake_[place.channel], next_tick);
        waiting_.pop_front();
    }
}

void Controller::refresh_if_due() {
    while (refresh_at_ <= now_) {
        auto const until = refresh_at_ + timing_->rules.refresh_duration;
        for (std::size_t c = 0; c < channels_.size(); ++c) {
            channels_[c].refresh(until);
            if (wake_[c] != Channel::never) wake_[c] = std::max(until, now_);
        }
        refresh_at_ += timing_->rules.refresh_interval;
    }
}

void Controller::run_tick() {
    now_ = std::max(now_, next_event());
    refresh_if_due();
    for (std::size_t c = 0; c < channels_.size(); ++c) {
        if (wake_[c] > now_) continue;
        auto const step = channels_[c].tick(now_);
        wake_[c] = step.next;
        if (step.read) {
            auto& list = lists_[static_cast<std::size_t>(*step.read - reported_)];
            --list.left;
            list.last_issue = std::max(list.last_issue, now_);
            last_read_ = now_;
        }
    }
    ++now_;
    offer(now_);
}

std::int64_t Controller::finish_oldest() {
    sim::expects(!lists_.empty(), "a list is in flight");
    while (lists_.front().left > 0) run_tick();
    auto const end = lists_.front().last_issue + timing_->read_time();
    lists_.pop_front();
    ++reported_;
    return end;
}

namespace {

std::uint32_t group_of(std::uint32_t bank) { return bank >> 2; }
std::uint32_t pseudo_of(std::uint32_t bank) { return bank >> 4; }

}  // namespace

void Channel::push(HbmAddress const& place, std::int64_t age, std::int64_t tag) { queue_.push_back({place, age, tag}); }

void Channel::refresh(std::int64_t until) {
    rows_.fill(closed);
    quiet_until_ = until;
}

std::int64_t Channel::activate_at(std::uint32_t bank) const {
    auto const& t = timing_->rules;
    auto const& times = banks_[bank];
    auto const& acts = pseudo_activated_[pseudo_of(bank)];
    return std::max({times.precharged + t.precharge, times.activated + t.row_cycle, activated_ + t.row_bus,
                     acts[3] + t.activate_gap, group_activated_[group_of(bank)] + t.activate_gap_group,
                     acts[0] + t.four_activates});
}

/// Earliest tick for the next command of a read: ACT, PRE or the read itself.
std::int64_t Channel::ready_at(HbmAddress const& place) const {
    auto const& t = timing_->rules;
    auto const bank = place.bank;
    auto const& times = banks_[bank];
    auto const row = rows_[bank];
    if (row == closed) return activate_at(bank);
    if (row != place.row)
        return std::max(
            {times.activated + t.activate_to_precharge, times.read + t.read_to_precharge, activated_ + t.row_bus});
    return std::max({times.activated + t.activate_to_read, pseudo_read_[pseudo_of(bank)] + timing_->bus,
                     group_read_[group_of(bank)] + t.same_group});
}

Channel::Choice Channel::oldest_ready(std::vector<Read> const& list, std::int64_t now) const {
    Choice best;
    for (std::size_t i = 0; i < list.size(); ++i) {
        auto const at = ready_at(list[i].place);
        if (at > now) {
            best.next = std::min(best.next, at);
        } else if (!best.found || list[i].age < list[best.at].age) {
            best.at = i;
            best.found = true;
        }
    }
    return best;
}

bool Channel::wanted_open(std::uint32_t bank) const {
    return std::any_of(active_.begin(), active_.end(), [bank](Read const& read) { return read.place.bank == bank; });
}

void Channel::activate(Read const& read, std::int64_t now) {
    auto const bank = read.place.bank;
    auto& acts = pseudo_activated_[pseudo_of(bank)];
    std::rotate(acts.begin(), acts.begin() + 1, acts.end());
    acts[3] = activated_ = group_activated_[group_of(bank)] = banks_[bank].activated = now;
    rows_[bank] = read.place.row;
}

std::optional<std::int64_t> Channel::issue(std::vector<Read>& from, std::size_t at, std::int64_t now) {
    auto const read = from[at];
    auto const bank = read.place.bank;
    if (rows_[bank] == closed) {
        activate(read, now);
        if (&from == &queue_) {
            queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(at));
            active_.push_back(read);
        }
        return std::nullopt;
    }
    if (rows_[bank] != read.place.row) {
        rows_[bank] = closed;
        banks_[bank].precharged = now;
        return std::nullopt;
    }
    banks_[bank].read = pseudo_read_[pseudo_of(bank)] = group_read_[group_of(bank)] = now;
    from.erase(from.begin() + static_cast<std::ptrdiff_t>(at));
    return read.tag;
}

Channel::Step Channel::tick(std::int64_t now) {
    if (queue_.empty() && active_.empty()) return {};
    if (now < quiet_until_) return {std::nullopt, quiet_until_};
    auto const first = oldest_ready(active_, now);
    if (first.found) return {issue(active_, first.at, now), now + 1};
    auto const second = oldest_ready(queue_, now);
    if (!second.found) return {std::nullopt, std::min(first.next, second.next)};
    auto const& place = queue_[second.at].place;
    bool const precharge = rows_[place.bank] != closed && rows_[place.bank] != place.row;
    // A row that was opened for a waiting read is not closed before that read; the tick is lost.
    if (precharge && wanted_open(place.bank)) return {std::nullopt, std::min(first.next, second.next)};
    return {issue(queue_, second.at, now), now + 1};
}

}  // namespace pimdse::models::dplena
