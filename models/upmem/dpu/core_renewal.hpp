#pragma once

#include "models/upmem/dpu/core.hpp"

/// Definitions of Core that have to do with rounds of all tasklets that must repeat.
namespace pimdse::models::upmem::dpu {

template <class Source, class Memory>
auto Core<Source, Memory>::state() const -> State {
    State s{runnable_,  blocked_,
            body_,      head_,
            body_size_, in_stage_ ? timer_ : 0,
            exit_,      {latch_, before_stage_, in_stage_, after_stage_},
            {}};
    for (std::uint32_t left = runnable_; left != 0; left &= left - 1) {
        auto const t = static_cast<std::size_t>(std::countr_zero(left));
        s.ages[t] = std::min<std::int64_t>(cycle_ - last_issue_[t], options_.dispatch_distance);
    }
    return s;
}

template <class Source, class Memory>
bool Core<Source, Memory>::renewable() const {
    return special_ == 0 && waking_ < 0 && asleep_ < 0 && runnable_ != 0 &&
           (blocked_ == 0 || last_ripe(blocked_) <= cycle_);
}

template <class Source, class Memory>
std::int64_t Core<Source, Memory>::last_ripe(std::uint32_t tasklets) const {
    std::int64_t latest = 0;
    for (; tasklets != 0; tasklets &= tasklets - 1) {
        latest = std::max(
            latest, last_issue_[static_cast<std::size_t>(std::countr_zero(tasklets))] + options_.dispatch_distance);
    }
    return latest;
}

template <class Source, class Memory>
std::int64_t Core<Source, Memory>::least_ahead() {
    std::int64_t least = far;
    for (std::uint32_t left = runnable_; left != 0; left &= left - 1)
        least = std::min(least, source_.plain_ahead(static_cast<std::size_t>(std::countr_zero(left))));
    return least;
}

template <class Source, class Memory>
void Core<Source, Memory>::try_renewal() {
    constexpr std::int64_t worth_while = 8, patience = 32;
    next_attempt_ = cycle_ + patience;
    if (!renewable() || least_ahead() < worth_while) return;
    State const before = state();
    Counters const counted = counters_;
    std::int64_t const start = cycle_,
                       length = std::max<std::int64_t>(options_.dispatch_distance, std::popcount(runnable_));
    horizon_ = std::min(options_.cycle_limit, cycle_ + length);
    while (cycle_ < horizon_ && !over_) advance();
    horizon_ = options_.cycle_limit;
    bool const once_each = counters_.instructions - counted.instructions == std::popcount(runnable_);
    if (over_ || cycle_ - start != length || !once_each || !renewable() || !(state() == before)) return;
    repeat(counted, length);
    next_attempt_ = cycle_;
}

template <class Source, class Memory>
void Core<Source, Memory>::repeat(Counters const& before, std::int64_t length) {
    std::int64_t rounds = std::min(least_ahead(), (options_.cycle_limit - cycle_) / length);
    if (!memory_.idle())
        rounds = std::min(rounds, (memory_.next_hand_back(cycle_ + rounds * length) - cycle_) / length);
    if (rounds <= 0) return;
    cycle_ += rounds * length;
    for (std::uint32_t left = runnable_; left != 0; left &= left - 1) {
        auto const t = static_cast<std::size_t>(std::countr_zero(left));
        last_issue_[t] += rounds * length;
        source_.skip(t, rounds);
    }
    auto const add = [&](std::int64_t Counters::*count) {
        counters_.*count += rounds * (counters_.*count - before.*count);
    };
    for (auto const count : {&Counters::instructions, &Counters::idle_dma, &Counters::idle_other,
                             &Counters::back_pressure, &Counters::hazard_cycles})
        add(count);
}

}  // namespace pimdse::models::upmem::dpu
