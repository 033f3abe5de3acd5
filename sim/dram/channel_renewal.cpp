#include "sim/dram/channel.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::sim::dram {
namespace {

std::uint64_t relative(Tick tick, Tick now) { return static_cast<std::uint64_t>(tick - now); }
std::uint64_t ahead(Tick tick, Tick now) { return tick <= now ? 0 : static_cast<std::uint64_t>(tick - now); }

void append(Request const& request, Tick now, std::uint64_t origin, Signature& out) {
    out.state.push_back(request.address - origin);
    out.arrivals.push_back(relative(request.arrive, now));
    out.state.push_back((static_cast<std::uint64_t>(request.bank) << 2) | (request.access == Access::write ? 2U : 0U) |
                        (request.classed ? 1U : 0U));
}

void shift(Request& request, Tick ticks, std::uint64_t bytes, Mapping const& mapping) {
    request.arrive += ticks;
    request.address += bytes;
    request.row = mapping.place(request.address).row;
}

}  // namespace

void ChannelState::append_signature(Tick now, Origin const& origin, Signature& signature) const {
    auto& out = signature.state;
    timers_.append_signature(now, out);
    out.insert(out.end(), {open_, activating_, active_, write_mode_ ? 1U : 0U, maintenance_count_, next_refresh_bank_,
                           relative(next_refresh_ == never ? now : next_refresh_, now), ahead(last_read_done_, now)});
    for (std::size_t i = 0; i < maintenance_count_; ++i)
        out.push_back(maintenance_[(maintenance_head_ + i) % most_waiting]);
    for (std::uint64_t rest = open_; rest != 0; rest &= rest - 1) {
        auto const bank = static_cast<std::size_t>(std::countr_zero(rest));
        out.push_back((row_address_[bank] >> origin.bit) - (origin.address >> origin.bit));
        out.push_back(origin.mapping.place(row_address_[bank] & ((std::uint64_t{1} << origin.bit) - 1)).row);
    }
    // Of the active list and the queues only contents, order and who arrived before whom matter for what is issued.
    std::vector<std::pair<std::uint64_t, Request const*>> ordered;
    auto const append_in_order = [&] {
        std::sort(ordered.begin(), ordered.end());
        out.push_back(ordered.size());
        for (auto const& [order, request] : ordered) {
            append(*request, now, origin.address, signature);
            auto const older = [&, arrive = request->arrive](auto const& other) {
                return other.second->arrive < arrive;
            };
            out.push_back(static_cast<std::uint64_t>(std::count_if(ordered.begin(), ordered.end(), older)));
        }
        ordered.clear();
    };
    for (std::uint64_t rest = active_; rest != 0; rest &= rest - 1) {
        auto const bank = static_cast<std::size_t>(std::countr_zero(rest));
        ordered.emplace_back(entered_[bank], &opened_[bank]);
    }
    append_in_order();
    for (auto const* queue : {&reads_, &writes_}) {
        queue->each([&](Request const& request) { ordered.emplace_back(request.order, &request); });
        append_in_order();
    }
    if (watch_) watch_->append_signature(now, signature.arrivals);
}

void ChannelState::skip(Jump const& jump, Counters const& earlier) {
    timers_.shift(jump.ticks);
    if (watch_) watch_->shift(jump.ticks);
    for (auto* queue : {&reads_, &writes_})
        queue->each([&](Request& request) { shift(request, jump.ticks, jump.bytes, jump.mapping); });
    written_.fill(0);
    writes_.each([&](Request const& request) { ++written_[filter_index(request.address)]; });
    for (std::uint64_t rest = active_; rest != 0; rest &= rest - 1)
        shift(opened_[static_cast<std::size_t>(std::countr_zero(rest))], jump.ticks, jump.bytes, jump.mapping);
    for (std::uint64_t rest = open_; rest != 0; rest &= rest - 1) {
        auto const bank = static_cast<std::size_t>(std::countr_zero(rest));
        row_address_[bank] += jump.bytes;
        row_[bank] = jump.mapping.place(row_address_[bank]).row;
    }
    for (auto& bounds : not_before_) {
        for (auto& tick : bounds) tick = tick == never ? never : tick + jump.ticks;
    }
    if (active_not_before_ != never) active_not_before_ += jump.ticks;
    for (Tick* tick : {&wake_, &last_read_done_, &last_completion_}) *tick += jump.ticks;
    if (next_refresh_ != never) next_refresh_ += jump.ticks;
    counters_.repeat(earlier, jump.times);
}

void Channel<Family::lpddr5>::append_signature(Tick now, Origin const& origin, Signature& signature) const {
    ChannelState::append_signature(now, origin, signature);
    auto& out = signature.state;
    out.insert(out.end(),
               {ahead(clock_until_, now), synchronising_ ? 1U + static_cast<std::uint64_t>(synchronising_.node()) : 0U,
                (static_cast<std::uint64_t>(synchronising_.source()) << 8) |
                    static_cast<std::uint64_t>(synchronising_.command())});
    if (activating_ != 0) {
        append(half_opened_, now, origin.address, signature);
        out.push_back(relative(deadline_, now));
    }
}

void Channel<Family::lpddr5>::skip(Jump const& jump, Counters const& earlier) {
    ChannelState::skip(jump, earlier);
    clock_until_ += jump.ticks;
    deadline_ += jump.ticks;
    if (activating_ != 0) shift(half_opened_, jump.ticks, jump.bytes, jump.mapping);
}

}  // namespace pimdse::sim::dram
