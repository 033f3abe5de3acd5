#include "sim/dram/channel_state.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::sim::dram {

Controller::Controller(Standard const& standard, Options const& options)
    : refresh(options.refresh),
      scheduler(options.scheduler),
      depth(options.queue_depth),
      write_high(static_cast<std::size_t>(options.write_high > 0 ? options.write_high : (options.queue_depth * 4 + 4) / 5)),
      write_low(static_cast<std::size_t>(options.write_low > 0 ? options.write_low : options.queue_depth / 5)),
      read_latency(standard.timing.read_latency()),
      activate_deadline(standard.timing.nAAD),
      read_clock(standard.timing.nCL + standard.timing.nBL + standard.timing.nWCKPST),
      write_clock(standard.timing.nCWL + standard.timing.nBL + standard.timing.nWCKPST),
      refresh_interval(options.refresh == RefreshMode::none ? never : options.refresh == RefreshMode::all_bank ? standard.timing.nREFI : standard.timing.nREFIpb),
      refresh_time(options.refresh == RefreshMode::per_bank ? standard.timing.nRFCpb : standard.timing.nRFC),
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

bool ChannelState::accept(Transaction const& transaction, Place const& place, Tick now) {
    bool const is_read = transaction.access == Access::read;
    if (!writes_.empty() && written_[filter_index(transaction.address)] != 0 && writes_.holds(place.bank, transaction.address)) {
        if (is_read) {
            ++counters_.forwarded;
            count_read_done(now, now + 1);
        } else {
            ++counters_.coalesced;
            ++counters_.writes;
            if (sink_ != nullptr) sink_->completes(now);
        }
        return true;
    }
    auto const source = is_read ? Source::reads : Source::writes;
    auto& into = queue(source);
    if (into.full()) return false;
    Request const request{transaction.address, now, accepted_++, place.row, static_cast<std::uint16_t>(place.bank), transaction.access, false};
    into.push(request, (open_ & bit(place.bank)) != 0, row_[place.bank]);
    join_pushed(source, request);
    if (!is_read) ++written_[filter_index(transaction.address)];
    wake_ = std::min(wake_, now + 1);
    return true;
}

void ChannelState::join_pushed(Source source, Request const& request) {
    std::size_t const bank = request.bank;
    if ((open_ & bit(bank)) == 0) join(source, Work::activate, Command::activate, bank);
    else if (request.row == row_[bank]) join(source, Work::column, request.access == Access::read ? Command::read : Command::write, bank);
    else join(source, Work::precharge, Command::precharge, bank);
}

void ChannelState::count_read_done(Tick arrive, Tick depart) {
    ++counters_.reads;
    counters_.latency_sum += static_cast<std::uint64_t>(depart - arrive);
    if (watch_) counters_.latencies.add(depart - arrive);
    last_read_done_ = std::max(last_read_done_, depart);
    last_completion_ = std::max(last_completion_, last_read_done_);
    if (sink_ != nullptr) sink_->completes(last_read_done_);
}

void ChannelState::complete_write(Tick t) {
    ++counters_.writes;
    last_completion_ = std::max(last_completion_, t);
    if (sink_ != nullptr) sink_->completes(t);
}

void ChannelState::close(std::size_t bank) {
    open_ &= ~bit(bank);
    reads_.closed(bank);
    writes_.closed(bank);
    join(Source::reads, Work::activate, Command::activate, bank);
    join(Source::writes, Work::activate, Command::activate, bank);
}

void ChannelState::open(std::size_t bank, Request const& request) {
    open_ |= bit(bank);
    active_ |= bit(bank);
    active_writes_ = request.access == Access::write ? active_writes_ | bit(bank) : active_writes_ & ~bit(bank);
    row_[bank] = request.row;
    row_address_[bank] = request.address;
    opened_[bank] = request;
    entered_[bank] = entries_++;
    reads_.opened(bank, request.row);
    writes_.opened(bank, request.row);
    active_not_before_ = std::min(active_not_before_, timers_.at_bank(request.access == Access::read ? Command::read : Command::write, bank));
    join(Source::reads, Work::column, Command::read, bank);
    join(Source::writes, Work::column, Command::write, bank);
    join_precharges(bank);
}

Request ChannelState::take_for_activation(Candidate const& candidate, Tick t) {
    auto& from = queue(candidate.source);
    Request const request = from[from.oldest(candidate.node)];
    from.remove_oldest(candidate.node);
    if (request.access == Access::write) forget_write(request.address);
    if (!request.classed) ++counters_.misses;
    ++counters_.activates;
    if (watch_) watch_->activate(timers_, candidate.node, t);
    timers_.issue_at_bank(Command::activate, candidate.node, t);
    return request;
}

void ChannelState::issue_precharge(Candidate const& candidate, Tick t) {
    auto& from = queue(candidate.source);
    auto const slot = from.oldest_miss(candidate.node);
    if (!from[slot].classed) {
        ++counters_.conflicts;
        from.mark_classed(slot);
    }
    ++counters_.precharges;
    timers_.issue_at_bank(Command::precharge, candidate.node, t);
    close(candidate.node);
}

void ChannelState::issue_column(Candidate const& candidate, Tick t) {
    std::size_t const bank = candidate.node;
    bool const is_read = candidate.command == Command::read;
    Tick arrive;
    if (candidate.source == Source::active) {
        active_ &= ~bit(bank);
        arrive = opened_[bank].arrive;
    } else {
        auto& from = queue(candidate.source);
        auto const& request = from[from.oldest_hit(bank)];
        if (!request.classed) ++counters_.hits;
        arrive = request.arrive;
        if (!is_read) forget_write(request.address);
        from.remove_hit(bank);
    }
    if (watch_) watch_->column(timers_, candidate.command, bank, arrive, t, counters_);
    timers_.issue_at_bank(candidate.command, bank, t);
    join_precharges(bank);
    if (is_read) {
        ++counters_.read_commands;
        count_read_done(arrive, t + control_.read_latency);
    } else {
        ++counters_.write_commands;
        complete_write(t);
    }
}

ChannelState::Candidate ChannelState::refresh_command(std::size_t node) const {
    auto const n = static_cast<std::uint8_t>(node);
    if (control_.refresh == RefreshMode::all_bank) {
        bool const closed = ((open_ | activating_) & banks_of(node)) == 0;
        return {Source::maintenance, closed ? Command::refresh_all : Command::precharge_all, n};
    }
    bool const closed = ((open_ | activating_) & bit(node)) == 0;
    return {Source::maintenance, closed ? Command::refresh_bank : Command::precharge, n};
}

ChannelState::Candidate ChannelState::maintenance_head(Tick t, Tick& next) const {
    auto const head = refresh_command(maintenance_[maintenance_head_]);
    bool const whole_rank = control_.refresh == RefreshMode::all_bank;
    std::uint64_t const touched = whole_rank ? banks_of(head.node) : bit(head.node);
    // A row that was opened for a request stays open until the request is served; nor may a half-open bank be closed.
    if (((active_ | activating_) & touched) != 0) return {};
    Tick const ready = whole_rank ? timers_.at_rank(head.command, head.node) : timers_.at_bank(head.command, head.node);
    if (ready <= t) return head;
    next = std::min(next, ready);
    return {};
}

void ChannelState::issue_maintenance(Candidate const& candidate, Tick t) {
    switch (candidate.command) {
        case Command::precharge_all:
            timers_.issue_at_rank(Command::precharge_all, candidate.node, t);
            for (std::uint64_t rest = open_ & banks_of(candidate.node); rest != 0; rest &= rest - 1) close(static_cast<std::size_t>(std::countr_zero(rest)));
            ++counters_.precharge_alls;
            return;
        case Command::precharge:
            timers_.issue_at_bank(Command::precharge, candidate.node, t);
            close(candidate.node);
            ++counters_.precharges;
            return;
        case Command::refresh_all: timers_.issue_at_rank(Command::refresh_all, candidate.node, t); break;
        default: timers_.issue_at_bank(Command::refresh_bank, candidate.node, t); break;
    }
    bool const whole_rank = candidate.command == Command::refresh_all;
    if (watch_) watch_->refresh_issued(whole_rank ? candidate.node : timers_.rank_of(candidate.node), t, t + control_.refresh_time);
    maintenance_head_ = (maintenance_head_ + 1) % most_waiting;
    --maintenance_count_;
    ++counters_.refreshes;
}

}  // namespace pimdse::sim::dram
