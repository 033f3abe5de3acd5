#include "sim/dram/channel_state.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::sim::dram {

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
      refreshed_at_once(options.refresh == RefreshMode::per_bank && standard.family == Family::hbm2
                            ? 1
                            : static_cast<std::size_t>(standard.organisation.ranks)),
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

}  // namespace pimdse::sim::dram
