#pragma once

#include "sim/dram/channel_pick.hpp"

#include <algorithm>

namespace pimdse::sim::dram {

/// Acceptance and commands: what runs once per request, inline for speed.
class ChannelIssue : public ChannelPick {
  public:
    using ChannelPick::ChannelPick;

    /// Takes a request in a send phase (`now` ticks done), or refuses because its queue is full (A1-A4). Its age and
    /// its latency count from `arrived` <= now.
    bool accept(Transaction const& transaction, Place const& place, Tick now, Tick arrived) {
        bool const is_read = transaction.access == Access::read;
        if (!writes_.empty() && written_[filter_index(transaction.address)] != 0 &&
            writes_.holds(place.bank, transaction.address)) {
            if (is_read) {
                ++counters_.forwarded;
                count_read_done(arrived, now + 1);
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
        Request const request{
            transaction.address, arrived, accepted_++, place.row, static_cast<std::uint8_t>(place.bank),
            transaction.access,  false};
        into.push(request, (open_ & bit(place.bank)) != 0, row_[place.bank]);
        Tick const ready = join_pushed(source, request);
        if (!is_read) ++written_[filter_index(transaction.address)];
        wake_ = std::min(wake_, after_acceptance(source, ready, now));
        return true;
    }

  protected:
    [[gnu::always_inline]] void open(std::size_t bank, Request const& request) {
        open_ |= bit(bank);
        active_ |= bit(bank);
        active_writes_ = request.access == Access::write ? active_writes_ | bit(bank) : active_writes_ & ~bit(bank);
        row_[bank] = request.row;
        row_address_[bank] = request.address;
        opened_[bank] = request;
        entered_[bank] = entries_++;
        reads_.opened(bank, request.row);
        writes_.opened(bank, request.row);
        active_not_before_ = std::min(
            active_not_before_, timers_.at_bank(request.access == Access::read ? Command::read : Command::write, bank));
        join(Source::reads, Work::column, Command::read, bank);
        join(Source::writes, Work::column, Command::write, bank);
        join_precharges(bank);
    }

    /// Takes the oldest request of a closed bank out of its queue and times its ACT.
    [[gnu::always_inline]] Request take_for_activation(Candidate candidate, Tick t) {
        auto& from = queue(candidate.source());
        Request const request = from[from.oldest(candidate.node())];
        from.remove_oldest(candidate.node());
        if (request.access == Access::write) forget_write(request.address);
        if (!request.classed) ++counters_.misses;
        ++counters_.activates;
        if (watch_) watch_->activate(timers_, candidate.node(), t);
        timers_.issue_at_bank(Command::activate, candidate.node(), t);
        return request;
    }

    void issue_precharge(Candidate candidate, Tick t) {
        auto& from = queue(candidate.source());
        auto const slot = from.oldest_miss(candidate.node());
        if (!from[slot].classed) {
            ++counters_.conflicts;
            from.mark_classed(slot);
        }
        ++counters_.precharges;
        timers_.issue_at_bank(Command::precharge, candidate.node(), t);
        close(candidate.node());
    }

    void issue_column(Candidate candidate, Tick t) {
        std::size_t const bank = candidate.node();
        bool const is_read = candidate.command() == Command::read;
        Tick arrive;
        if (candidate.source() == Source::active) {
            active_ &= ~bit(bank);
            arrive = opened_[bank].arrive;
        } else {
            auto& from = queue(candidate.source());
            auto const& request = from[from.oldest_hit(bank)];
            if (!request.classed) ++counters_.hits;
            arrive = request.arrive;
            if (!is_read) forget_write(request.address);
            from.remove_hit(bank);
        }
        if (watch_) watch_->column(timers_, candidate.command(), bank, arrive, t, counters_);
        timers_.issue_at_bank(candidate.command(), bank, t);
        join_precharges(bank);
        if (is_read) {
            ++counters_.read_commands;
            count_read_done(arrive, t + control_.read_latency);
        } else {
            ++counters_.write_commands;
            complete_write(t);
        }
    }

  private:
    /// The ready time of a request that has joined its queue.
    Tick join_pushed(Source source, Request const& request) {
        std::size_t const bank = request.bank;
        if ((open_ & bit(bank)) == 0) return join(source, Work::activate, Command::activate, bank);
        if (request.row == row_[bank])
            return join(source, Work::column, request.access == Access::read ? Command::read : Command::write, bank);
        return join(source, Work::precharge, Command::precharge, bank);
    }

    [[gnu::always_inline]] void count_read_done(Tick arrive, Tick depart) {
        ++counters_.reads;
        counters_.latency_sum += static_cast<std::uint64_t>(depart - arrive);
        if (watch_) counters_.latencies.add(depart - arrive);
        last_read_done_ = std::max(last_read_done_, depart);
        last_completion_ = std::max(last_completion_, last_read_done_);
        if (sink_ != nullptr) sink_->completes(last_read_done_);
    }

    void complete_write(Tick t) {
        ++counters_.writes;
        last_completion_ = std::max(last_completion_, t);
        if (sink_ != nullptr) sink_->completes(t);
    }
};

}  // namespace pimdse::sim::dram
