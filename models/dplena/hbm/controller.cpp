#include "models/dplena/hbm/controller.hpp"

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
    sim::expects(!lists_.empty(), "a list is under way");
    while (lists_.front().left > 0) run_tick();
    auto const end = lists_.front().last_issue + timing_->read_time();
    lists_.pop_front();
    ++reported_;
    return end;
}

}  // namespace pimdse::models::dplena
