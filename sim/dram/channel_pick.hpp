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

}  // namespace pimdse::sim::dram
