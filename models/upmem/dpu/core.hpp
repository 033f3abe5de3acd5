#pragma once

#include "models/upmem/dpu/assembler.hpp"
#include "models/upmem/dpu/counters.hpp"
#include "models/upmem/dpu/recurrence.hpp"
#include "sim/base/check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>

namespace pimdse::models::upmem::dpu {

/// The cycles of one DPU: revolver issue, delay line with back-pressure, register stage, blocked tasklets. Cycles in
/// which nothing can change are skipped. Base class of Core, which decides how far to run.
template <class Source, class Memory>
class CoreCycles {
  protected:
    CoreCycles(Source& source, Memory& memory, CoreOptions options)
        : source_(source), memory_(memory), options_(options) {
        sim::expects(options.tasklets >= 1 && options.tasklets <= max_tasklets, "a DPU has 1 to 24 tasklets");
        last_issue_.fill(-1);
        horizon_ = options.cycle_limit;
    }

    [[nodiscard]] bool all_finished() const { return finished_ == options_.tasklets; }

    enum class Slot : std::uint8_t { none, empty, instruction };
    static constexpr int body_slots = 13;
    static constexpr std::uint32_t all_blocked = (1U << max_tasklets) - 1U;
    static constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();

    /// Jumps or steps once, up to the horizon.
    void advance() {
        if (quiet()) jump();
        if (cycle_ < horizon_) over_ = step();
    }

    /// Adds everything that decides the future, relative to the current cycle, except source, memory and addresses.
    void describe(StateWords& words) const {
        for (auto const word : {runnable_, blocked_, body_}) words.add(word);
        for (auto const word : {head_, body_size_, in_stage_ ? timer_ : 0, asleep_, waking_, finished_})
            words.add(word);
        for (bool const place : {latch_, before_stage_, in_stage_, after_stage_}) words.add(place);
        words.add(exit_);
        words.add(issued_ - retired_);
        words.add(entered_ - retired_);
        for (std::uint64_t i = retired_; i < issued_; ++i) describe(words, flight_[i % flight_.size()]);
        for (std::uint32_t left = runnable_ | blocked_; left != 0; left &= left - 1) {
            auto const t = static_cast<std::size_t>(std::countr_zero(left));
            words.add(std::min<std::int64_t>(cycle_ - last_issue_[t], options_.dispatch_distance));
            words.add(written_[t]);
        }
    }
    static void describe(StateWords& words, Issued const& i) {
        words.add(i.kind);
        for (auto const word : {i.reads, i.writes, i.bytes}) words.add(word);
        for (auto const byte : {i.tasklet, i.booted}) words.add(byte);
        words.add(i.to_mram);
    }

    /// Repeats `times` times the counts since `before`.
    void repeat_counts(Counters const& before, std::int64_t times) {
        for (auto const count : {&Counters::instructions, &Counters::idle_dma, &Counters::idle_other,
                                 &Counters::back_pressure, &Counters::hazard_cycles})
            counters_.*count += times * (counters_.*count - before.*count);
    }

    [[nodiscard]] static bool is_special(Issued const& issued) {
        return issued.kind != Issued::Kind::plain || (issued.reads | issued.writes) != 0;
    }

    [[nodiscard]] bool ripe(int tasklet) const {
        return cycle_ - last_issue_[static_cast<std::size_t>(tasklet)] >= options_.dispatch_distance;
    }

    [[nodiscard]] bool quiet() const {
        return !latch_ && !before_stage_ && !in_stage_ && !after_stage_ && waking_ < 0 &&
               body_size_ == body_slots - 1 && exit_ != Slot::instruction;
    }

    /// The first cycle in which a blocked tasklet could have issued were it not for its transfer.
    [[nodiscard]] std::int64_t first_ripe(std::uint32_t tasklets) const {
        std::int64_t earliest = far;
        for (; tasklets != 0; tasklets &= tasklets - 1) {
            earliest = std::min(earliest, last_issue_[static_cast<std::size_t>(std::countr_zero(tasklets))] +
                                              options_.dispatch_distance);
        }
        return earliest;
    }

    /// From a quiet state, jumps to the next cycle in which an instruction leaves the delay line, a tasklet may issue
    /// or a transfer ends.
    void jump() {
        std::int64_t target = body_ != 0 ? cycle_ + std::countr_zero(body_) : far;
        target = std::min(target, std::max(cycle_, first_ripe(runnable_)));
        if (target == cycle_) return;
        target = std::min(target, memory_.next_hand_back(target));
        target = std::max(std::min(target, horizon_), cycle_);
        std::int64_t const length = target - cycle_;
        if (length == 0) return;
        finish_sleeper();
        count_idle(length);
        body_ = length < body_slots ? body_ >> static_cast<unsigned>(length) : 0U;
        exit_ = Slot::empty;
        cycle_ = target;
    }

    void count_idle(std::int64_t length) {
        if (blocked_ == all_blocked) {
            counters_.back_pressure += length;
            return;
        }
        std::int64_t const waiting =
            std::clamp<std::int64_t>(cycle_ + length - std::max(cycle_, first_ripe(blocked_)), 0, length);
        counters_.idle_dma += waiting;
        counters_.idle_other += length - waiting;
    }

    void finish_sleeper() {
        if (asleep_ < 0) return;
        ++finished_;
        asleep_ = -1;
    }

    /// Executes one cycle in the order of the rules; returns true if it was the last one.
    bool step() {
        finish_sleeper();
        issue();
        if (exit_ != Slot::none && !before_stage_) {
            before_stage_ = exit_ == Slot::instruction;
            exit_ = Slot::none;
        }
        if (after_stage_) retire();
        if (waking_ >= 0) wake();
        shift();
        if (before_stage_ || in_stage_) register_stage();
        exchange();
        ++cycle_;
        return all_finished() && entered_ == issued_ && retired_ == issued_ && blocked_ == 0 && memory_.idle();
    }

    void issue() {
        if (latch_ || before_stage_ || blocked_ == all_blocked) {
            ++counters_.back_pressure;
            return;
        }
        int const n = options_.tasklets;
        std::uint32_t const mask = (n == 32 ? 0U : 1U << n) - 1U;
        std::uint32_t candidates = ((runnable_ >> head_) | (runnable_ << (n - head_))) & mask;
        for (; candidates != 0; candidates &= candidates - 1) {
            int tasklet = head_ + std::countr_zero(candidates);
            tasklet -= tasklet >= n ? n : 0;
            if (ripe(tasklet)) return issue_from(tasklet);
        }
        (first_ripe(blocked_) <= cycle_ ? counters_.idle_dma : counters_.idle_other) += 1;
    }

    void issue_from(int tasklet) {
        auto const at = static_cast<std::size_t>(tasklet);
        ++counters_.instructions;
        head_ = tasklet + 1 == options_.tasklets ? 0 : tasklet + 1;
        last_issue_[at] = cycle_;
        Issued const issued = source_.issue(at);
        flight_[issued_ % flight_.size()] = issued;
        ++issued_;
        special_ += is_special(issued) ? 1 : 0;
        latch_ = true;
        switch (issued.kind) {
            case Issued::Kind::plain:
                return;
            case Issued::Kind::transfer:
                blocked_ |= 1U << tasklet;
                runnable_ &= ~(1U << tasklet);
                return;
            case Issued::Kind::boot:
                sim::expects(issued.booted < options_.tasklets, "a booted tasklet exists");
                runnable_ |= 1U << issued.booted;
                return;
            case Issued::Kind::stop:
                runnable_ &= ~(1U << tasklet);
                asleep_ = tasklet;
        }
    }

    void retire() {
        Issued const& done = flight_[retired_ % flight_.size()];
        ++retired_;
        special_ -= is_special(done) ? 1 : 0;
        after_stage_ = false;
        if (done.kind != Issued::Kind::transfer) return;
        transfers_[done.tasklet] = done;
        memory_.accept(done, cycle_);
    }

    void wake() {
        runnable_ |= 1U << waking_;
        blocked_ &= ~(1U << waking_);
        waking_ = -1;
    }

    void shift() {
        if (body_size_ < body_slots) {
            if (latch_) body_ |= 1U << body_size_;
            latch_ = false;
            ++body_size_;
        }
        if (exit_ != Slot::none) return;
        exit_ = (body_ & 1U) != 0 ? Slot::instruction : Slot::empty;
        body_ >>= 1U;
        --body_size_;
    }

    void register_stage() {
        if (before_stage_ && !in_stage_) {
            Issued const& entering = flight_[entered_ % flight_.size()];
            ++entered_;
            before_stage_ = false;
            in_stage_ = true;
            timer_ = register_extra(entering.reads | written_[entering.tasklet]);
            counters_.hazard_cycles += timer_;
        }
        if (in_stage_ && timer_ <= 0 && !after_stage_) {
            Issued const& leaving = flight_[(entered_ - 1) % flight_.size()];
            written_[leaving.tasklet] = leaving.writes;
            in_stage_ = false;
            after_stage_ = true;
        }
        if (in_stage_) --timer_;
    }

    /// Step 9: completed transfers become visible. Commands are accepted in retire(), in the same cycle.
    void exchange() {
        if (memory_.idle()) return;
        int const tasklet = memory_.hand_back(cycle_);
        if (tasklet < 0) return;
        waking_ = tasklet;
        source_.moved(transfers_[static_cast<std::size_t>(tasklet)]);
    }

    Source& source_;
    Memory& memory_;
    CoreOptions options_;
    Counters counters_;
    std::int64_t cycle_ = 0, horizon_ = 0;
    int special_ = 0;  ///< instructions in flight that are not plain
    bool over_ = false;
    int head_ = 0, asleep_ = -1, waking_ = -1, finished_ = 0, timer_ = 0;
    std::uint32_t runnable_ = 1, blocked_ = 0;
    std::array<std::int64_t, max_tasklets> last_issue_{};
    std::array<std::uint32_t, max_tasklets> written_{};
    std::array<Issued, max_tasklets> transfers_{};
    std::array<Issued, 32> flight_{};  ///< instructions in flight, oldest at retired_
    std::uint64_t issued_ = 0, entered_ = 0, retired_ = 0;
    std::uint32_t body_ = 0;  ///< bit i: slot i of the delay line, oldest first, holds an instruction
    int body_size_ = body_slots;
    Slot exit_ = Slot::empty;
    bool latch_ = false, before_stage_ = false, in_stage_ = false, after_stage_ = false;
};

/// A source that knows its next instructions.
template <class Source>
concept Renewing = requires(Source& source, std::size_t tasklet, std::int64_t count) {
    { source.plain_ahead(tasklet) } -> std::convertible_to<std::int64_t>;
    source.skip(tasklet, count);
};

/// One DPU, exact to the cycle.
///
/// Source: Issued issue(std::size_t tasklet) executes and describes the next instruction; void moved(Issued const&).
/// Memory: see BankMemory.
/// A source may also state how many plain instructions without registers a tasklet is certain to issue next, and skip
/// some of them (see Renewing). If one round of all tasklets then leaves the DPU in the same state, the following
/// rounds are counted instead of stepped. The same applies to blocks if source and memory can tell whether a state has
/// recurred (see Recurring).
template <class Source, class Memory>
class Core : CoreCycles<Source, Memory> {
    using Cycles = CoreCycles<Source, Memory>;

  public:
    Core(Source& source, Memory& memory, CoreOptions options) : Cycles(source, memory, options) {}

    /// Runs until all tasklets have finished and nothing is in flight, or `cycle_limit` is reached.
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
    /// Number of rounds for which the search for repetition pays off, and cycles until the next attempt. No result
    /// depends on either.
    static constexpr std::int64_t worth_while = 8, patience = 32;

    /// Everything that decides the future while only plain instructions issue, relative to the current cycle.
    struct State {
        std::uint32_t runnable, blocked, body;
        int head, body_size, timer;
        typename Cycles::Slot exit;
        std::array<bool, 4> places;
        std::array<std::int64_t, max_tasklets> ages;
        bool operator==(State const&) const = default;
    };

    [[nodiscard]] State state() const;

    /// Whether only plain instructions are in flight and no blocked tasklet will turn further idle cycles into DMA
    /// waiting.
    [[nodiscard]] bool renewable() const;

    [[nodiscard]] std::int64_t last_ripe(std::uint32_t tasklets) const;

    [[nodiscard]] std::int64_t min_ahead();

    /// Steps one round in which every runnable tasklet issues once. If the round ends in the state in which it began,
    /// the following rounds are equal as long as no tasklet runs out of plain instructions and no transfer ends.
    void try_renewal();

    void repeat(Counters const& before, std::int64_t length);

    /// Called when tasklet 0 has begun a block. If the state equals the kept one, everything since then repeats until
    /// the last block, and the repetitions are counted.
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
std::int64_t Core<Source, Memory>::min_ahead() {
    std::int64_t min = far;
    for (std::uint32_t left = runnable_; left != 0; left &= left - 1)
        min = std::min(min, source_.plain_ahead(static_cast<std::size_t>(std::countr_zero(left))));
    return min;
}

template <class Source, class Memory>
void Core<Source, Memory>::try_renewal() {
    next_attempt_ = cycle_ + patience;
    if (!renewable() || min_ahead() < worth_while) return;
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
    std::int64_t rounds = std::min(min_ahead(), (options_.cycle_limit - cycle_) / length);
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
    next_attempt_ = cycle_;  // the next attempt depends on the state alone
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
