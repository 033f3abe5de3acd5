#include "sim/dram/channel.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace pimdse::sim::dram {

// The state as it repeats: signatures, skipped periods of a stream, skipped refreshes of an idle channel.

namespace {

std::uint64_t relative(Tick tick, Tick now) { return static_cast<std::uint64_t>(tick - now); }
std::uint64_t relative_if_later(Tick tick, Tick now) { return tick <= now ? 0 : relative(tick, now); }

void append(Request const& request, SignatureOrigin const& origin, Signature& out) {
    out.state.push_back(request.address - origin.address);
    out.arrivals.push_back(relative(request.arrive, origin.now));
    out.state.push_back((static_cast<std::uint64_t>(request.bank) << 2) | (request.access == Access::write ? 2U : 0U) |
                        (request.counted ? 1U : 0U));
}

/// Requests with their order in a queue or list.
using Ordered = std::vector<std::pair<std::uint64_t, Request const*>>;

/// Only the contents, the order and the relative order of arrivals decide which commands are issued.
void append_in_order(Ordered& requests, SignatureOrigin const& origin, Signature& out) {
    std::sort(requests.begin(), requests.end());
    out.state.push_back(requests.size());
    for (auto const& [order, request] : requests) {
        append(*request, origin, out);
        auto const older = [arrive = request->arrive](auto const& other) { return other.second->arrive < arrive; };
        out.state.push_back(static_cast<std::uint64_t>(std::count_if(requests.begin(), requests.end(), older)));
    }
    requests.clear();
}

void move(Request& request, SkippedPeriods const& skipped) {
    request.arrive += skipped.ticks;
    request.address += skipped.bytes;
    request.row = skipped.mapping.place(request.address).row;
}

/// Calls visit(bank) for every bank of a mask, in ascending order.
template <class Visit>
void each_bank(std::uint64_t banks, Visit&& visit) {
    for (; banks != 0; banks &= banks - 1) visit(static_cast<std::size_t>(std::countr_zero(banks)));
}

}  // namespace

void Channel::append_idle_state(Tick now, std::vector<std::uint64_t>& out) const {
    timers_.append_signature(now, out);
    out.insert(out.end(),
               {open_, half_open_, active_, write_mode_ ? 1U : 0U, refresh_count_,
                settings_.refresh == RefreshMode::per_bank ? next_refresh_bank_ : 0,
                relative(next_refresh_ == never ? now : next_refresh_, now), relative_if_later(last_read_done_, now)});
    for (std::size_t i = 0; i < refresh_count_; ++i) out.push_back(refresh_queue_[(refresh_head_ + i) % max_refreshes]);
}

void Channel::append_signature(SignatureOrigin const& origin, Signature& signature) const {
    auto& out = signature.state;
    Tick const now = origin.now;
    append_idle_state(now, out);
    out.push_back(next_refresh_bank_);
    each_bank(open_, [&](std::size_t bank) {
        out.push_back((row_address_[bank] >> origin.bit) - (origin.address >> origin.bit));
        out.push_back(origin.mapping.place(row_address_[bank] & ((std::uint64_t{1} << origin.bit) - 1)).row);
    });
    Ordered requests;
    each_bank(active_,
              [&](std::size_t bank) { requests.emplace_back(active_position_[bank], &active_request_[bank]); });
    append_in_order(requests, origin, signature);
    for (auto const* queue : {&reads_, &writes_}) {
        queue->each([&](Request const& request) { requests.emplace_back(request.order, &request); });
        append_in_order(requests, origin, signature);
    }
    if (bus_) bus_->append_signature(now, signature.arrivals);
    if (settings_.family != Family::lpddr5) return;
    out.insert(out.end(), {relative_if_later(clock_until_, now),
                           synchronising_ ? 1U + static_cast<std::uint64_t>(synchronising_.node()) : 0U,
                           (static_cast<std::uint64_t>(synchronising_.source()) << 8) |
                               static_cast<std::uint64_t>(synchronising_.command())});
    if (half_open_ != 0) {
        append(half_open_request_, origin, signature);
        out.push_back(relative(deadline_, now));
    }
}

void Channel::skip(SkippedPeriods const& skipped, Counters const& earlier) {
    shift(skipped.ticks);
    if (bus_) bus_->shift(skipped.ticks);
    for (auto* queue : {&reads_, &writes_}) queue->each([&](Request& request) { move(request, skipped); });
    queued_writes_.fill(0);
    writes_.each([&](Request const& request) { ++queued_writes_[filter_index(request.address)]; });
    each_bank(active_, [&](std::size_t bank) { move(active_request_[bank], skipped); });
    if (half_open_ != 0) move(half_open_request_, skipped);
    each_bank(open_, [&](std::size_t bank) {
        row_address_[bank] += skipped.bytes;
        row_[bank] = skipped.mapping.place(row_address_[bank]).row;
    });
    for (Tick* tick : {&last_read_done_, &last_completion_, &clock_until_, &deadline_}) *tick += skipped.ticks;
    counters_.repeat(earlier, skipped.periods);
}

void Channel::shift(Tick by) {
    timers_.shift(by);
    for (auto& bounds : not_before_) {
        for (auto& tick : bounds) tick = tick == never ? never : tick + by;
    }
    for (Tick* tick : {&active_not_before_, &next_refresh_}) {
        if (*tick != never) *tick += by;
    }
    wake_ += by;
}

void Channel::rest(Tick until) {
    while (!drained() && wake_ <= until) tick(wake_);
    Tick const round = settings_.refresh_round;
    auto const state = [this] {
        std::vector<std::uint64_t> words;
        append_idle_state(wake_ - 1, words);
        if (bus_) bus_->append_refreshes(wake_ - 1, words);
        return words;
    };
    while (until - wake_ > round) {
        Tick const from = wake_;
        auto const before = state();
        Counters const counted = counters_;
        while (wake_ < from + round) tick(wake_);
        if (wake_ != from + round || state() != before) continue;
        Tick const rounds = (until - wake_) / round;
        shift(rounds * round);
        if (bus_) bus_->shift_refreshes(from, rounds * round);
        counters_.repeat(counted, static_cast<std::uint64_t>(rounds));
    }
}

}  // namespace pimdse::sim::dram
