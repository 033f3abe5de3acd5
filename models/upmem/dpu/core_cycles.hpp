#pragma once

#include "models/upmem/dpu/counters.hpp"
#include "models/upmem/dpu/instruction.hpp"
#include "models/upmem/dpu/recurrence.hpp"
#include "sim/base/check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace pimdse::models::upmem::dpu {

/// The cycles of one DPU: revolver issue, delay line with back-pressure, register stage, blocked tasklets. Cycles in
/// which nothing can change are jumped over. For Core, which decides how far.
template <class Source, class Memory>
class CoreCycles {
  protected:
    CoreCycles(Source& source, Memory& memory, CoreOptions options)
        : source_(source), memory_(memory), options_(options) {
        sim::expects(options.tasklets >= 1 && options.tasklets <= most_tasklets, "a DPU has 1 to 24 tasklets");
        last_issue_.fill(-1);
        horizon_ = options.cycle_limit;
    }

    [[nodiscard]] bool all_finished() const { return finished_ == options_.tasklets; }

    enum class Slot : std::uint8_t { none, empty, instruction };
    static constexpr int body_slots = 13;
    static constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();

    /// Jumps or steps once, not beyond the horizon.
    void advance() {
        if (quiet()) jump();
        if (cycle_ < horizon_) over_ = step();
    }

    /// Everything that decides what happens next, relative to the current cycle, but for source, memory and addresses.
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

    /// The same again, `times` times, that happened since `before`.
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

    /// The first cycle in which a blocked tasklet could have issued but for its transfer.
    [[nodiscard]] std::int64_t first_ripe(std::uint32_t tasklets) const {
        std::int64_t earliest = far;
        for (; tasklets != 0; tasklets &= tasklets - 1) {
            earliest = std::min(earliest, last_issue_[static_cast<std::size_t>(std::countr_zero(tasklets))] +
                                              options_.dispatch_distance);
        }
        return earliest;
    }

    /// From a quiet state, to the next cycle in which an instruction leaves the delay line, a tasklet may issue or a
    /// transfer ends.
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
        if (std::popcount(blocked_) == most_tasklets) {
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

    /// One cycle in the order of the rules; true when it was the last one.
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
        if (latch_ || before_stage_ || std::popcount(blocked_) == most_tasklets) {
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

    /// Step 9: what the memory has finished becomes visible. Commands are accepted in retire(), in the same cycle.
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
    int special_ = 0;  ///< instructions under way that are not plain
    bool over_ = false;
    int head_ = 0, asleep_ = -1, waking_ = -1, finished_ = 0, timer_ = 0;
    std::uint32_t runnable_ = 1, blocked_ = 0;
    std::array<std::int64_t, most_tasklets> last_issue_{};
    std::array<std::uint32_t, most_tasklets> written_{};
    std::array<Issued, most_tasklets> transfers_{};
    std::array<Issued, 32> flight_{};  ///< instructions under way, oldest at retired_
    std::uint64_t issued_ = 0, entered_ = 0, retired_ = 0;
    std::uint32_t body_ = 0;  ///< bit i: slot i of the delay line, oldest first, holds an instruction
    int body_size_ = body_slots;
    Slot exit_ = Slot::empty;
    bool latch_ = false, before_stage_ = false, in_stage_ = false, after_stage_ = false;
};

}  // namespace pimdse::models::upmem::dpu
