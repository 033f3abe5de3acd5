#include "sim/dram/front_end.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace pimdse::sim::dram {

FrontEnd::FrontEnd(Run const& run, std::size_t first, std::size_t count)
    : run_(run),
      timed_(run.stream.timed()),
      first_(first),
      detector_(run.mapping, run.stream, run.options),
      refresh_round_(refresh_round(run.standard, run.options.refresh)) {
    ControllerSettings const settings(run.standard, run.options);
    channels_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) channels_.emplace_back(run.standard, settings);
    if (run.options.window > 0) {
        for (auto& channel : channels_) channel.report_to(&completions_);
    }
    if (detector_.possible()) {
        if (run.options.refresh == RefreshMode::none)
            checkpoint_request_ = phase_request_ = detector_.period();
        else
            checkpoint_tick_ = 0;
    }
}

Tick FrontEnd::run() {
    send_all();
    Tick end = last_acceptance_ + 1;
    for (auto& channel : channels_) {
        drain(channel);
        end = std::max(end, channel.last_completion());
    }
    return end;
}

Counters FrontEnd::finish(Tick end) {
    Counters sum;
    for (auto& channel : channels_) {
        channel.advance(end);
        channel.finish(end);
        sum.add(channel.counters());
    }
    sum.cycles = end;
    return sum;
}

void FrontEnd::drain(Channel& channel) {
    while (!channel.drained()) {
        ensures(channel.wake() < never, "a channel with requests has a next event");
        channel.tick(channel.wake());
    }
}

// Sending without a limit of outstanding requests.

void FrontEnd::send_unlimited() {
    ChannelPartition const partition(run_.mapping, run_.stream, first_, channels_.size());
    std::array<NumberedRequest, ChannelPartition::max_requests> buffer;
    while (next_ < run_.stream.size()) {
        auto const chunk = partition.fill(next_, buffer);
        if (send(chunk.requests)) next_ = chunk.end;
    }
}

bool FrontEnd::send(std::span<NumberedRequest const> chunk) {
    for (auto const& [number, transaction, place] : chunk) {
        next_ = number;
        if (tried_ == run_.options.tries) {
            ++now_;
            tried_ = 0;
        }
        if (timed_ && run_.stream.arrival(next_) > now_) {
            now_ = run_.stream.arrival(next_);
            tried_ = 0;
        }
        if (now_ >= checkpoint_tick_ || next_ >= checkpoint_request_) [[unlikely]] {
            if (!pass_checkpoint()) return false;
        }
        auto& channel = channels_[place.channel - first_];
        channel.advance(now_);
        if (!channel.accept(transaction, place, now_, arrival())) retry(channel, transaction, place);
        last_acceptance_ = now_;
        ++tried_;
    }
    return true;
}

void FrontEnd::retry(Channel& channel, Transaction const& transaction, Place const& place) {
    do {
        now_ = channel.wake();
        ensures(now_ < never, "a full channel has a next event");
        channel.tick(now_);
    } while (!channel.accept(transaction, place, now_, arrival()));
    tried_ = 0;
}

// Sending under a limit of outstanding requests.

void FrontEnd::send_windowed() {
    while (next_ < run_.stream.size()) {
        Tick soonest = send_in_cycle() ? now_ + 1 : completions_.next();
        if (next_ >= run_.stream.size()) return;
        for (auto const& channel : channels_) soonest = std::min(soonest, channel.wake());
        if (arrival() > now_) soonest = arrival();
        ensures(soonest < never, "a blocked front end waits for an event");
        now_ = std::max(now_ + 1, soonest);
        for (auto& channel : channels_) channel.advance(now_);
    }
}

bool FrontEnd::send_in_cycle() {
    for (tried_ = 0; next_ < run_.stream.size(); ++next_) {
        auto const transaction = run_.stream.at(next_);
        Place const place = run_.mapping.place(transaction.address);
        std::size_t const index = place.channel - first_;
        if (index >= channels_.size()) continue;
        if (tried_ == run_.options.tries) return true;
        if (arrival() > now_) return false;
        outstanding_ -= completions_.take(now_);
        if (outstanding_ >= static_cast<std::uint64_t>(run_.options.window)) return false;
        ++outstanding_;
        if (!channels_[index].accept(transaction, place, now_, arrival())) {
            --outstanding_;
            return false;
        }
        last_acceptance_ = now_;
        ++tried_;
    }
    return false;
}

// Checkpoints: steady states and ends of prefixes.

bool FrontEnd::pass_checkpoint() {
    record_prefixes(next_);
    bool const due = now_ >= checkpoint_tick_ || next_ >= phase_request_;
    auto const before = next_;
    if (due && detector_.is_useful_at(next_)) detect_steady_state();
    if (due) set_next_checkpoint();
    checkpoint_request_ = std::min(phase_request_, next_prefix());
    return next_ == before;
}

void FrontEnd::set_next_checkpoint() {
    bool const by_phase = run_.options.refresh == RefreshMode::none;
    checkpoint_tick_ = never;
    phase_request_ = no_request;
    if (!detector_.possible()) return;
    if (by_phase)
        phase_request_ = (next_ / detector_.period() + 1) * detector_.period();
    else
        checkpoint_tick_ = (now_ / refresh_round_ + 1) * refresh_round_;
}

void FrontEnd::detect_steady_state() {
    SignatureOrigin const origin{now_, next_ / detector_.period() * detector_.bytes_per_period(), detector_.bit(),
                                 run_.mapping};
    signature_.state.assign({next_ % detector_.period(), static_cast<std::uint64_t>(tried_)});
    signature_.arrivals.clear();
    for (auto& channel : channels_) {
        channel.advance(now_);
        channel.append_signature(origin, signature_);
    }
    auto const verdict = detector_.observe({now_, next_}, signature_);
    if (verdict == SteadyStateDetector::Verdict::candidate) {
        counted_.clear();
        for (auto const& channel : channels_) counted_.push_back(channel.counters());
    } else if (verdict == SteadyStateDetector::Verdict::confirmed) {
        skip_periods();
    }
}

void FrontEnd::skip_periods() {
    auto const steady = detector_.steady_period();
    // The last request is not skipped, because the refusal of a request is part of a period only if another one
    // follows.
    std::uint64_t const periods = (std::min(run_.stream.size(), next_prefix()) - 1 - next_) / steady.request;
    SkippedPeriods const skipped{static_cast<Tick>(periods) * steady.now,
                                 periods * (steady.request / detector_.period()) * detector_.bytes_per_period(),
                                 periods, run_.mapping};
    for (std::size_t i = 0; i < channels_.size(); ++i) channels_[i].skip(skipped, counted_[i]);
    now_ += skipped.ticks;
    last_acceptance_ += skipped.ticks;
    next_ += periods * steady.request;
    skipped_ += periods * steady.request;
    detector_.resume({now_, next_});
    for (std::size_t i = 0; i < channels_.size(); ++i) counted_[i] = channels_[i].counters();
}

std::vector<PrefixCost> FrontEnd::run_prefixes(std::span<std::uint64_t const> lengths) {
    prefixes_ = lengths;
    checkpoint_request_ = std::min(checkpoint_request_, lengths.front());
    send_all();
    record_prefixes(run_.stream.size());
    return std::move(prefix_costs_);
}

void FrontEnd::record_prefixes(std::uint64_t next) {
    if (next_prefix() > next) return;
    auto const cost = cost_if_ended();
    while (next_prefix() <= next) {
        prefix_costs_.push_back(cost);
        prefixes_ = prefixes_.subspan(1);
    }
}

PrefixCost FrontEnd::cost_if_ended() const {
    PrefixCost sum{last_acceptance_ + 1, 0};
    for (auto channel : channels_) {
        drain(channel);
        sum.cycles = std::max(sum.cycles, channel.last_completion());
        sum.row_activations += channel.counters().row_activations;
    }
    return sum;
}

}  // namespace pimdse::sim::dram
