#pragma once

#include "sim/dram/channel_state.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace pimdse::sim::dram {

/// What may go next: what runs in every live tick, inline in each family for speed (a fifth of the time).
class ChannelPick : public ChannelState {
  public:
    using ChannelState::ChannelState;

  protected:
    enum class Kinds : std::uint8_t { columns, rows, both };

    void queue_due_refreshes(Tick t) {
        if (t < next_refresh_) [[likely]]
            return;
        if (watch_) watch_->refresh_due(t);
        next_refresh_ += control_.refresh_interval;
        for (std::size_t at_once = 0; at_once < control_.refreshed_at_once; ++at_once) {
            std::size_t const node =
                control_.refresh == RefreshMode::all_bank ? at_once : at_once * banks_per_rank_ + next_refresh_bank_;
            maintenance_[(maintenance_head_ + maintenance_count_++) % most_waiting] = static_cast<std::uint8_t>(node);
        }
        next_refresh_bank_ = (next_refresh_bank_ + 1) % (timers_.banks() / control_.refreshed_at_once);
        if (maintenance_count_ > most_waiting - timers_.ranks()) [[unlikely]]
            throw std::logic_error("refreshes pile up");
    }

    [[nodiscard, gnu::always_inline]] Candidate best_active(Tick t, Tick& next) {
        if (active_not_before_ > t) {
            next = std::min(next, active_not_before_);
            return {};
        }
        Candidate best;
        Tick soonest = never, oldest = never;
        std::uint64_t first_in = 0;
        for (auto const command : {Command::read, Command::write}) {
            std::uint64_t const banks = command == Command::read ? active_ & ~active_writes_ : active_ & active_writes_;
            if (banks == 0) continue;
            std::size_t chosen = 64;
            // Order of the active list: arrival, then entry. Without branches, as in scan.
            Tick const left_out = timers_.each_allowed(command, banks, t, [&](std::size_t bank, Tick ready) {
                Tick const arrive = ready <= t ? opened_[bank].arrive : never;
                bool const before = (arrive < oldest) | ((arrive == oldest) & (entered_[bank] < first_in));
                soonest = std::min(soonest, ready);
                chosen = before ? bank : chosen;
                first_in = before ? entered_[bank] : first_in;
                oldest = before ? arrive : oldest;
            });
            if (chosen < 64) best = {Source::active, command, chosen};
            soonest = std::min(soonest, left_out);
        }
        active_not_before_ = soonest;
        next = std::min(next, soonest);
        return best;
    }

    [[nodiscard]] Source choose_queue() {
        if (!write_mode_) {
            write_mode_ = writes_.size() >= control_.write_high || reads_.empty();
        } else if (writes_.size() <= control_.write_low && !reads_.empty()) {
            write_mode_ = false;
        }
        return write_mode_ ? Source::writes : Source::reads;
    }

    template <Kinds kinds>
    [[nodiscard]] Candidate best_queued(Source source, Tick t, Tick& next) {
        auto const& from = queue(source);
        Best best;
        if constexpr (kinds != Kinds::rows) {
            scan(source, Work::column, source == Source::reads ? Command::read : Command::write, from.hits(),
                 from.hit_ages(), t, next, best);
        }
        if constexpr (kinds != Kinds::columns) {
            if (bound(source, Work::precharge) <= t) {
                std::uint64_t banks = from.misses() & ~active_;
                if (control_.scheduler == Scheduler::frfcfs_row_hit) {
                    for (std::uint64_t rest = banks & from.hits(); rest != 0; rest &= rest - 1) {
                        auto const bank = static_cast<std::size_t>(std::countr_zero(rest));
                        if (protected_by_hit(from, bank)) banks &= ~bit(bank);
                    }
                }
                scan(source, Work::precharge, Command::precharge, banks, from.miss_ages(), t, next, best);
            } else {
                next = std::min(next, bound(source, Work::precharge));
            }
            // Only one request may be between ACT1 and ACT2.
            if (activating_ == 0) {
                scan(source, Work::activate, Command::activate, from.waiting() & ~open_, from.ages(), t, next, best);
            }
        }
        return best.candidate;
    }

    /// The next tick worth running after something was issued in tick t and no bank is half open.
    [[nodiscard, gnu::always_inline]] Tick after_issue(Tick t) {
        if (refresh_waits() || !settled()) return t + 1;
        Tick next = next_refresh_;
        if (active_ != 0) {
            Tick floor = never;
            if ((active_ & ~active_writes_) != 0) floor = timers_.floor(Command::read);
            if ((active_ & active_writes_) != 0) floor = std::min(floor, timers_.floor(Command::write));
            active_not_before_ = std::max(active_not_before_, floor);
            next = std::min(next, active_not_before_);
        }
        auto const source = write_mode_ ? Source::writes : Source::reads;
        auto const& from = queue(source);
        if (from.hits() != 0)
            next = std::min(next, tightened(source, Work::column, write_mode_ ? Command::write : Command::read));
        if ((from.misses() & ~active_) != 0)
            next = std::min(next, tightened(source, Work::precharge, Command::precharge));
        if ((from.waiting() & ~open_) != 0) next = std::min(next, tightened(source, Work::activate, Command::activate));
        return std::max(t + 1, next);
    }

    /// The next tick worth running after a request joined a queue between `now` and now + 1.
    [[nodiscard]] Tick after_acceptance(Source source, Tick ready, Tick now) const {
        if (refresh_waits() || !settled()) return now + 1;
        bool const examined = (source == Source::writes) == write_mode_;
        return examined ? std::max(now + 1, ready) : never;
    }

  private:
    /// The oldest ready candidate of a queue so far: its place in the queue, with the bank in the lowest bits.
    struct Best {
        Candidate candidate;
        std::uint64_t age = RequestQueue::nobody;
    };

    [[nodiscard]] bool protected_by_hit(RequestQueue const& from, std::size_t bank) const {
        return control_.scheduler == Scheduler::frfcfs_row_hit && (from.hits() & bit(bank)) != 0 &&
               from[from.oldest_hit(bank)].arrive <= from[from.oldest_miss(bank)].arrive;
    }

    /// Looks for an older one of one kind among `banks`, given the ages of their candidates; keeps the kind's bound.
    [[gnu::always_inline]] void scan(Source source, Work work, Command command, std::uint64_t banks,
                                     RequestQueue::Ages const& ages, Tick t, Tick& next, Best& best) {
        Tick& earliest = bound(source, work);
        if (earliest <= t) {
            Tick soonest = never;
            std::uint64_t oldest = best.age;
            // Arithmetic, not branches: which bank is ready and older cannot be predicted.
            Tick const left_out = timers_.each_allowed(command, banks, t, [&](std::size_t bank, Tick ready) {
                std::uint64_t const not_ready = -static_cast<std::uint64_t>(ready > t);
                soonest = std::min(soonest, ready);
                oldest = std::min(oldest, ages[bank] | not_ready);
            });
            if (oldest != best.age) best = {{source, command, oldest % RequestQueue::most_banks}, oldest};
            earliest = std::min(soonest, left_out);
        }
        next = std::min(next, earliest);
    }
};

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

/// One channel under the command rules of its family. `tick(t)` runs tick t; ticks in which nothing can happen
/// (t < wake()) may be left out, others not.
template <Family family>
class Channel;

template <>
class Channel<Family::ddr4> : public ChannelIssue {
  public:
    using ChannelIssue::ChannelIssue;

    void tick(Tick t) {
        queue_due_refreshes(t);
        Tick next = next_refresh_;
        Candidate const chosen = choose(t, next);
        if (chosen) issue(chosen, t);
        wake_ = chosen ? after_issue(t) : next;
    }

  private:
    Candidate choose(Tick t, Tick& next) {
        if (auto const active = best_active(t, next)) return active;
        if (refresh_waits()) return maintenance_head(t, next);
        return best_queued<Kinds::both>(choose_queue(), t, next);
    }

    void issue(Candidate chosen, Tick t) {
        if (chosen.source() == Source::maintenance) return issue_maintenance(chosen, t);
        if (chosen.is_column()) return issue_column(chosen, t);
        if (chosen.command() == Command::precharge) return issue_precharge(chosen, t);
        open(chosen.node(), take_for_activation(chosen, t));
    }
};

/// Each tick has room for one column and one row command, the column first; both pseudo channels share them.
template <>
class Channel<Family::hbm2> : public ChannelIssue {
  public:
    using ChannelIssue::ChannelIssue;

    void tick(Tick t) {
        queue_due_refreshes(t);
        Tick next = next_refresh_;
        Candidate const column = choose_column(t, next);
        if (column) issue_column(column, t);
        Candidate const row = choose_row(t, next);
        if (row) issue_row(row, t);
        wake_ = column || row ? after_issue(t) : next;
    }

  private:
    Candidate choose_column(Tick t, Tick& next) {
        if (auto const active = best_active(t, next)) return active;
        if (refresh_waits()) return {};
        return best_queued<Kinds::columns>(choose_queue(), t, next);
    }

    Candidate choose_row(Tick t, Tick& next) {
        if (refresh_waits()) return maintenance_head(t, next);
        return best_queued<Kinds::rows>(choose_queue(), t, next);
    }

    void issue_row(Candidate row, Tick t) {
        if (row.source() == Source::maintenance) return issue_maintenance(row, t);
        if (row.command() == Command::precharge) return issue_precharge(row, t);
        open(row.node(), take_for_activation(row, t));
    }
};

/// Activation takes two commands, and the data clock must run before a burst: a CAS goes first when it has stopped.
template <>
class Channel<Family::lpddr5> : public ChannelIssue {
  public:
    using ChannelIssue::ChannelIssue;

    void tick(Tick t) {
        queue_due_refreshes(t);
        Tick next = next_refresh_;
        bool const issued = act(t, next);
        wake_ = !issued ? next : synchronising_ || activating_ != 0 ? t + 1 : after_issue(t);
    }

    void append_signature(Tick now, Origin const& origin, Signature& signature) const;
    void skip(Jump const& jump, Counters const& earlier);

  private:
    /// True if a command was issued.
    bool act(Tick t, Tick& next) {
        if (synchronising_) {
            issue_synchronised(t);
            return true;
        }
        bool const half_open = activating_ != 0;
        if (half_open && deadline_ <= t) return finish_activation();
        Candidate const chosen = choose(t, next);
        if (!chosen) return half_open && finish_activation();
        if (!chosen.is_column()) {
            issue(chosen, t);
            return true;
        }
        if (t < clock_until_) {
            issue_clocked(chosen, t);
            return true;
        }
        // A CAS takes this tick and the RD/WR the next: a half-open bank must not miss its deadline meanwhile.
        if (half_open && deadline_ <= t + 1) return finish_activation();
        synchronising_ = chosen;
        return true;
    }

    Candidate choose(Tick t, Tick& next) {
        if (auto const active = best_active(t, next)) return active;
        if (refresh_waits()) return maintenance_head(t, next);
        return best_queued<Kinds::both>(choose_queue(), t, next);
    }

    void issue(Candidate chosen, Tick t) {
        if (chosen.source() == Source::maintenance) return issue_maintenance(chosen, t);
        if (chosen.command() == Command::precharge) return issue_precharge(chosen, t);
        half_opened_ = take_for_activation(chosen, t);
        activating_ = bit(chosen.node());
        deadline_ = t + control_.activate_deadline;
    }

    bool finish_activation() {
        activating_ = 0;
        open(half_opened_.bank, half_opened_);
        return true;
    }

    void issue_clocked(Candidate chosen, Tick t) {
        issue_column(chosen, t);
        clock_until_ = std::max(clock_until_,
                                t + (chosen.command() == Command::read ? control_.read_clock : control_.write_clock));
    }

    void issue_synchronised(Tick t) {
        Candidate const chosen = synchronising_;
        synchronising_ = {};
        ++counters_.clock_syncs;
        issue_clocked(chosen, t);
    }

    Candidate synchronising_;  ///< its CAS went in the previous tick
    Request half_opened_;      ///< between ACT1 and ACT2
    Tick deadline_ = 0;        ///< last tick for its ACT2
    Tick clock_until_ = 0;     ///< WCK runs in earlier ticks
};

}  // namespace pimdse::sim::dram
