#pragma once

#include "models/upmem/dpu/core_cycles.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>

namespace pimdse::models::upmem::dpu {

/// A source whose coming instructions are known.
template <class Source>
concept Renewing = requires(Source& source, std::size_t tasklet, std::int64_t count) {
    { source.plain_ahead(tasklet) } -> std::convertible_to<std::int64_t>;
    source.skip(tasklet, count);
};

/// One DPU, exact to the cycle.
///
/// Source: Issued issue(std::size_t tasklet) executes and describes the next instruction; void moved(Issued const&).
/// Memory: see BankMemory.
/// A source may also say how many plain instructions without registers a tasklet is sure to issue next, and skip some
/// of them (see Renewing). Where one round of all tasklets then leaves the DPU in the state it was in, the rounds that
/// must follow are counted instead of stepped. So are blocks, if source and memory say whether a state has come back
/// (see Recurring).
template <class Source, class Memory>
class Core : CoreCycles<Source, Memory> {
    using Cycles = CoreCycles<Source, Memory>;

  public:
    Core(Source& source, Memory& memory, CoreOptions options) : Cycles(source, memory, options) {}

    /// Runs until all tasklets have finished and nothing is under way, or `cycle_limit` is reached.
    Counters run() {
        while (cycle_ < options_.cycle_limit && !over_) {
            if constexpr (Recurring<Source, Memory>) {
                if (source_.marks() != mark_) try_recurrence();
            }
            if constexpr (Renewing<Source>) {
                if (cycle_ >= next_attempt_) try_renewal();
                if (over_ || cycle_ >= options_.cycle_limit) break;
            }
            this->advance();
        }
        counters_.cycles = cycle_;
        return counters_;
    }

    [[nodiscard]] bool finished() const { return this->all_finished(); }

  private:
    /// Rounds that must follow before it pays to look for them, and cycles until the next look. No answer depends on
    /// either.
    static constexpr std::int64_t worth_while = 8, patience = 32;

    /// Everything that decides what happens next while only plain instructions issue, relative to the current cycle.
    struct State {
        std::uint32_t runnable, blocked, body;
        int head, body_size, timer;
        typename Cycles::Slot exit;
        std::array<bool, 4> places;
        std::array<std::int64_t, most_tasklets> ages;
        bool operator==(State const&) const = default;
    };

    [[nodiscard]] State state() const;

    /// Nothing but plain instructions is under way, and no blocked tasklet will still turn idle cycles into DMA
    /// waiting.
    [[nodiscard]] bool renewable() const;

    [[nodiscard]] std::int64_t last_ripe(std::uint32_t tasklets) const;

    [[nodiscard]] std::int64_t least_ahead();

    /// Steps one round in which every runnable tasklet issues once. If it ends in the state in which it began, the
    /// rounds that follow are equal as long as no tasklet runs out of plain instructions and no transfer ends.
    void try_renewal();

    void repeat(Counters const& before, std::int64_t length);

    /// Tasklet 0 has begun a block. If the state is one that was kept, what has happened since then happens again and
    /// again until the last block: it is counted.
    void try_recurrence();
    void skip_periods();

    using Cycles::after_stage_;
    using Cycles::asleep_;
    using Cycles::before_stage_;
    using Cycles::blocked_;
    using Cycles::body_;
    using Cycles::body_size_;
    using Cycles::counters_;
    using Cycles::cycle_;
    using Cycles::exit_;
    using Cycles::far;
    using Cycles::head_;
    using Cycles::horizon_;
    using Cycles::in_stage_;
    using Cycles::last_issue_;
    using Cycles::latch_;
    using Cycles::memory_;
    using Cycles::options_;
    using Cycles::over_;
    using Cycles::runnable_;
    using Cycles::source_;
    using Cycles::special_;
    using Cycles::timer_;
    using Cycles::waking_;

    std::int64_t next_attempt_ = 0, mark_ = -1;
    KeepingTimes keeping_;
    KeptState kept_;
    StateWords now_;
};

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
    next_attempt_ = cycle_ + patience;
    if (!renewable() || least_ahead() < worth_while) return;
    State const before = state();
    Counters const counted = counters_;
    std::int64_t const start = cycle_,
                       length = std::max<std::int64_t>(options_.dispatch_distance, std::popcount(runnable_));
    horizon_ = std::min(options_.cycle_limit, cycle_ + length);
    while (cycle_ < horizon_ && !over_) this->advance();
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
    this->repeat_counts(before, rounds);
}

template <class Source, class Memory>
void Core<Source, Memory>::try_recurrence() {
    mark_ = source_.marks();
    next_attempt_ = cycle_;  // what is looked at next depends on the state alone
    if (keeping_.over() || !source_.repeats() || !memory_.is_exact()) return;
    now_.clear();
    this->describe(now_);
    source_.describe(now_);
    memory_.describe(now_, cycle_);
    if (now_ == kept_.words) {
        skip_periods();
    } else if (keeping_.due()) {
        kept_ = {now_, counters_, cycle_, memory_.busy_cycles(), source_.blocks_in_hand()};
    }
}

template <class Source, class Memory>
void Core<Source, Memory>::skip_periods() {
    std::int64_t const length = cycle_ - kept_.cycle;
    std::int64_t const periods =
        std::min(source_.periods_ahead(kept_.blocks), (options_.cycle_limit - cycle_) / length);
    keeping_.stop();
    if (periods <= 0) return;
    cycle_ += periods * length;
    for (auto& issue : last_issue_) issue += periods * length;
    this->repeat_counts(kept_.counters, periods);
    memory_.skip_periods(periods, length, kept_.busy);
    source_.skip_periods(kept_.blocks, periods);
    mark_ = source_.marks();
    next_attempt_ = cycle_;
}

}  // namespace pimdse::models::upmem::dpu
