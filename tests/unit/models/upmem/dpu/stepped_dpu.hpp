#pragma once

#include "models/upmem/dpu/core.hpp"
#include "models/upmem/dpu/memory.hpp"
#include "stepped_memory.hpp"

#include <sstream>

namespace pimdse::models::upmem::dpu {

/// Memory cycles per DPU cycle of the simulator the traces come from: as it is, and with its clock ratio repaired.
inline MemoryClock const original_clock(6, 1);
inline MemoryClock const repaired_clock(2400, 350);

/// (cycle, tasklet)
using Events = std::vector<std::pair<std::int64_t, int>>;

inline std::vector<std::int64_t> cycles_of(Events const& events) {
    std::vector<std::int64_t> cycles;
    for (auto const& [cycle, tasklet] : events) cycles.push_back(cycle);
    return cycles;
}

/// One DPU stepped cycle by cycle in the order of the rules, nothing skipped, every place a variable of its own.
template <class Source>
class SteppedDpu {
  public:
    SteppedDpu(Source& source, CoreOptions options, BankTiming timing, MemoryClock clock)
        : memory(timing), source_(source), options_(options), clock_(clock) {
        tasklets_.resize(static_cast<std::size_t>(options.tasklets));
        tasklets_[0].state = State::runnable;
        body_.assign(13, std::nullopt);
    }

    Counters run() {
        while (counters.cycles < options_.cycle_limit && !over_) cycle();
        return counters;
    }

    void cycle() {
        std::int64_t const c = counters.cycles;
        for (auto& t : tasklets_) {
            if (t.state == State::asleep) t.state = State::finished;
            ++t.age;
        }
        issue(c);
        if (exit_full_ && !hin_) {
            if (exit_) hin_ = exit_;
            exit_.reset();
            exit_full_ = false;
        }
        if (hout_) retire(c);
        if (engine_out_) {
            tasklets_[*engine_out_].state = State::runnable;
            --blocked_;
            engine_out_.reset();
        }
        if (body_.size() < 13) {
            body_.push_back(latch_);
            latch_.reset();
        }
        if (!exit_full_) {
            exit_ = body_.front();
            body_.pop_front();
            exit_full_ = true;
        }
        stage();
        if (!memory.finished.empty()) {
            engine_out_ = static_cast<std::size_t>(memory.finished.front());
            memory.finished.pop_front();
            source_.moved(transfers_[*engine_out_]);
        }
        for (std::int64_t m = clock_.first(c); m < clock_.first(c + 1); ++m) memory.cycle(m);
        ++counters.cycles;
        over_ = ended();
    }

    /// "LATCH BODY(instructions) EXIT HIN HW:timer HOUT" as in the tables of the rules.
    [[nodiscard]] std::string places() const {
        auto name = [](std::optional<Issued> const& i) {
            std::string text = i ? "t" : "none";
            return i ? text.append(std::to_string(i->tasklet)) : text;
        };
        std::size_t full = 0;
        for (auto const& slot : body_) full += slot ? 1U : 0U;
        std::ostringstream text;
        text << name(latch_) << " " << body_.size() << "(" << full << ") "
             << (exit_full_ && !exit_ ? "empty" : name(exit_)) << " " << name(hin_) << " " << name(hw_);
        if (hw_) text << ":" << timer_;
        text << " " << name(hout_);
        return text.str();
    }

    Counters counters;
    SteppedMemory memory;
    Events issues, retires;

  private:
    enum class State { embryo, runnable, blocked, asleep, finished };
    struct Tasklet {
        State state = State::embryo;
        std::int64_t age = 0;
        std::uint32_t written = 0;
    };

    void issue(std::int64_t c) {
        if (latch_ || hin_ || blocked_ >= 24) {
            ++counters.back_pressure;
            return;
        }
        for (std::size_t k = 0; k < tasklets_.size(); ++k) {
            std::size_t const i = (head_ + k) % tasklets_.size();
            if (tasklets_[i].state != State::runnable || tasklets_[i].age < options_.dispatch_distance) continue;
            head_ = (i + 1) % tasklets_.size();
            tasklets_[i].age = 0;
            ++counters.instructions;
            issues.emplace_back(c, static_cast<int>(i));
            return execute(i);
        }
        bool waiting = false;
        for (auto const& t : tasklets_)
            waiting = waiting || (t.state == State::blocked && t.age >= options_.dispatch_distance);
        ++(waiting ? counters.idle_dma : counters.idle_other);
    }

    void execute(std::size_t i) {
        latch_ = source_.issue(i);
        if (latch_->kind == Issued::Kind::transfer) {
            tasklets_[i].state = State::blocked;
            ++blocked_;
        }
        if (latch_->kind == Issued::Kind::boot) tasklets_[latch_->booted].state = State::runnable;
        if (latch_->kind == Issued::Kind::stop) tasklets_[i].state = State::asleep;
    }

    void retire(std::int64_t c) {
        retires.emplace_back(c, hout_->tasklet);
        if (hout_->kind == Issued::Kind::transfer) {
            transfers_[hout_->tasklet] = *hout_;
            memory.accept(*hout_);
        }
        hout_.reset();
    }

    void stage() {
        if (hin_ && !hw_) {
            hw_ = hin_;
            hin_.reset();
            int even = 0, odd = 0;
            std::uint32_t const set = hw_->reads | tasklets_[hw_->tasklet].written;
            for (unsigned r = 0; r < 24; ++r) (r % 2 == 0 ? even : odd) += set >> r & 1U;
            timer_ = even / 2 + odd / 2;
            counters.hazard_cycles += timer_;
        }
        if (hw_ && timer_ <= 0 && !hout_) {
            hout_ = hw_;
            tasklets_[hw_->tasklet].written = hw_->writes;
            hw_.reset();
        }
        if (hw_) --timer_;
    }

    [[nodiscard]] bool ended() const {
        for (auto const& t : tasklets_) {
            if (t.state != State::finished) return false;
        }
        for (auto const& slot : body_) {
            if (slot) return false;
        }
        return !latch_ && !exit_ && !hin_ && !hw_ && !hout_ && blocked_ == 0 && memory.idle();
    }

    Source& source_;
    CoreOptions options_;
    MemoryClock clock_;
    std::vector<Tasklet> tasklets_;
    std::array<Issued, 24> transfers_{};
    std::deque<std::optional<Issued>> body_;
    std::optional<Issued> latch_, exit_, hin_, hw_, hout_;
    std::optional<std::size_t> engine_out_;
    bool exit_full_ = true, over_ = false;
    std::size_t head_ = 0;
    int blocked_ = 0, timer_ = 0;
};

}  // namespace pimdse::models::upmem::dpu
