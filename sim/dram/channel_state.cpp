#include "sim/dram/channel_state.hpp"

#include "sim/dram/family.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::sim::dram {
namespace {

std::uint64_t relative(Tick tick, Tick now) { return static_cast<std::uint64_t>(tick - now); }
std::uint64_t ahead(Tick tick, Tick now) { return tick <= now ? 0 : static_cast<std::uint64_t>(tick - now); }

}  // namespace

Controller::Controller(Standard const& standard, Options const& options)
    : refresh(options.refresh),
      scheduler(options.scheduler),
      depth(options.queue_depth),
      write_high(
          static_cast<std::size_t>(options.write_high > 0 ? options.write_high : (options.queue_depth * 4 + 4) / 5)),
      write_low(static_cast<std::size_t>(options.write_low > 0 ? options.write_low : options.queue_depth / 5)),
      read_latency(standard.timing.read_latency()),
      activate_deadline(standard.timing.nAAD),
      read_clock(standard.timing.nCL + standard.timing.nBL + standard.timing.nWCKPST),
      write_clock(standard.timing.nCWL + standard.timing.nBL + standard.timing.nWCKPST),
      refresh_interval(options.refresh == RefreshMode::none       ? never
                       : options.refresh == RefreshMode::all_bank ? standard.timing.nREFI
                                                                  : standard.timing.nREFIpb),
      refresh_time(options.refresh == RefreshMode::per_bank ? standard.timing.nRFCpb : standard.timing.nRFC),
      refreshed_at_once(static_cast<std::size_t>(dram::refreshed_at_once(standard, options.refresh))),
      observe(options.observe) {}

ChannelState::ChannelState(Standard const& standard, Controller const& controller)
    : control_(controller),
      timers_(standard),
      reads_(controller.depth),
      writes_(controller.depth),
      next_refresh_(controller.refresh_interval),
      banks_per_rank_(timers_.banks() / timers_.ranks()),
      rank_banks_(banks_per_rank_ == 64 ? ~std::uint64_t{0} : bit(banks_per_rank_) - 1) {
    if (control_.observe == Observe::everything) watch_.emplace(standard);
}

ChannelState::Candidate ChannelState::refresh_command(std::size_t node) const {
    if (control_.refresh == RefreshMode::all_bank) {
        bool const closed = ((open_ | activating_) & banks_of(node)) == 0;
        return {Source::maintenance, closed ? Command::refresh_all : Command::precharge_all, node};
    }
    bool const closed = ((open_ | activating_) & bit(node)) == 0;
    return {Source::maintenance, closed ? Command::refresh_bank : Command::precharge, node};
}

ChannelState::Candidate ChannelState::maintenance_head(Tick t, Tick& next) const {
    auto const head = refresh_command(maintenance_[maintenance_head_]);
    bool const whole_rank = control_.refresh == RefreshMode::all_bank;
    std::uint64_t const touched = whole_rank ? banks_of(head.node()) : bit(head.node());
    // A row that was opened for a request stays open until the request is served; nor may a half-open bank be closed.
    if (((active_ | activating_) & touched) != 0) return {};
    Tick const ready =
        whole_rank ? timers_.at_rank(head.command(), head.node()) : timers_.at_bank(head.command(), head.node());
    if (ready <= t) return head;
    next = std::min(next, ready);
    return {};
}

void ChannelState::issue_maintenance(Candidate candidate, Tick t) {
    switch (candidate.command()) {
        case Command::precharge_all:
            timers_.issue_at_rank(Command::precharge_all, candidate.node(), t);
            for (std::uint64_t rest = open_ & banks_of(candidate.node()); rest != 0; rest &= rest - 1)
                close(static_cast<std::size_t>(std::countr_zero(rest)));
            ++counters_.precharge_alls;
            return;
        case Command::precharge:
            timers_.issue_at_bank(Command::precharge, candidate.node(), t);
            close(candidate.node());
            ++counters_.precharges;
            return;
        case Command::refresh_all:
            timers_.issue_at_rank(Command::refresh_all, candidate.node(), t);
            break;
        default:
            timers_.issue_at_bank(Command::refresh_bank, candidate.node(), t);
            break;
    }
    bool const whole_rank = candidate.command() == Command::refresh_all;
    if (watch_)
        watch_->refresh_issued(whole_rank ? candidate.node() : timers_.rank_of(candidate.node()), t,
                               t + control_.refresh_time);
    maintenance_head_ = (maintenance_head_ + 1) % most_waiting;
    --maintenance_count_;
    ++counters_.refreshes;
}

void ChannelState::append(Request const& request, Tick now, std::uint64_t origin, Signature& out) {
    out.state.push_back(request.address - origin);
    out.arrivals.push_back(relative(request.arrive, now));
    out.state.push_back((static_cast<std::uint64_t>(request.bank) << 2) | (request.access == Access::write ? 2U : 0U) |
                        (request.classed ? 1U : 0U));
}

void ChannelState::shift(Request& request, Jump const& jump) {
    request.arrive += jump.ticks;
    request.address += jump.bytes;
    request.row = jump.mapping.place(request.address).row;
}

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
    for (auto* queue : {&reads_, &writes_}) queue->each([&](Request& request) { shift(request, jump); });
    written_.fill(0);
    writes_.each([&](Request const& request) { ++written_[filter_index(request.address)]; });
    for (std::uint64_t rest = active_; rest != 0; rest &= rest - 1)
        shift(opened_[static_cast<std::size_t>(std::countr_zero(rest))], jump);
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

}  // namespace pimdse::sim::dram
