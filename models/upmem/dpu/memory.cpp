#include "models/upmem/dpu/memory.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace pimdse::models::upmem::dpu {
namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min() / 4;
constexpr std::int64_t always = std::numeric_limits<std::int64_t>::max();

}  // namespace

BankMemory::BankMemory(BankTiming timing, MemoryClock clock)
    : timing_(timing), clock_(clock), access_(never), activate_(never), command_(never), left_(never) {
    sim::expects(timing.t_bl <= timing.t_cl && timing.t_bl > 0, "a burst ends before the next access may start");
    // An activate that ends together with an access would delay that access's acknowledgement.
    sim::expects((timing.t_ras - timing.t_rcd - 1 - timing.t_cl - timing.t_bl) % (timing.t_cl + 1) != 0,
                 "no access ends with its activate");
    runs_.reserve(64);
}

void BankMemory::accept(Issued const& command, std::int64_t cycle) {
    std::int64_t const at = std::max(clock_.first(cycle), last_accept_ + 1);
    last_accept_ = at;
    auto address = static_cast<std::int64_t>(command.mram);
    std::int64_t const end = address + command.bytes;
    while (address < end) {
        std::int64_t const row = address / timing_.row_bytes;
        std::int64_t const stop = std::min(end, (row + 1) * timing_.row_bytes);
        runs_.push_back({command.tasklet, row, (stop - address) / timing_.access_bytes, at});
        address = stop;
    }
}

/// Times of the first access of a row other than that of the last decision.
void BankMemory::reach(std::int64_t row, std::int64_t at) {
    std::int64_t opened_after = std::max(at + 1, left_ + 1);
    if (scheduler_row_ >= 0) {
        std::int64_t const precharge = std::max(
            {opened_after, command_ + 1, access_ + timing_.t_cl + timing_.t_bl + 1, activate_ + timing_.t_ras + 1});
        opened_after += 1;
        activate_ = std::max(opened_after, precharge + timing_.t_rp + 1);
        busy_ += timing_.t_rp + 1;
    } else {
        activate_ = std::max(opened_after, command_ + 1);
    }
    left_ = opened_after + 1;
    access_ = activate_ + timing_.t_rcd + 1;
    command_ = access_;
    scheduler_row_ = row;
    busy_ += timing_.t_rcd + 1;
    ++row_activations_;
}

/// Decides all accesses of a run: later commands cannot come between them, because the oldest hit goes first.
void BankMemory::decide(std::size_t index, std::int64_t at) {
    Run const run = runs_[index];
    std::int64_t const gap = timing_.t_cl + 1;
    if (run.row == scheduler_row_) {
        left_ = std::max(at + 1, left_ + 1);
        access_ = std::max({left_, command_ + 1, activate_ + timing_.t_rcd + 1, access_ + gap});
    } else {
        reach(run.row, at);
    }
    left_ += run.count - 1;
    access_ += gap * (run.count - 1);
    command_ = access_;
    next_decision_ = at + run.count;
    busy_ += gap * run.count;
    runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(index));
    bool const finished =
        std::none_of(runs_.begin(), runs_.end(), [&](Run const& r) { return r.tasklet == run.tasklet; });
    if (finished) done_.push_back({run.tasklet, access_ + timing_.t_cl + timing_.t_bl + 1});
}

void BankMemory::decide_before(std::int64_t limit, Stop stop) {
    while (!runs_.empty() && (stop == Stop::at_limit || done_.empty())) {
        std::int64_t const at = std::max(next_decision_, runs_.front().accepted);
        if (at >= limit) return;
        std::size_t chosen = 0;
        for (std::size_t i = 0; i < runs_.size() && runs_[i].accepted <= at; ++i) {
            if (runs_[i].row == scheduler_row_) {
                chosen = i;
                break;
            }
        }
        decide(chosen, at);
    }
}

int BankMemory::hand_back(std::int64_t cycle) {
    if (idle()) return -1;
    std::int64_t const now = clock_.first(cycle);
    decide_before(now, Stop::at_limit);
    if (done_.empty() || done_.front().acknowledged >= now) return -1;
    int const tasklet = done_.front().tasklet;
    done_.pop_front();
    return tasklet;
}

std::int64_t BankMemory::next_hand_back(std::int64_t limit) {
    if (idle()) return always;
    // After the first completion, a woken tasklet could send another command.
    decide_before(limit == always ? always : clock_.first(limit), Stop::at_first_done);
    return done_.empty() ? always : clock_.cycle_of(done_.front().acknowledged) + 1;
}

double BankMemory::busy_cycles() const { return static_cast<double>(busy_) / clock_.mean_ratio(); }

MemoryClock::MemoryClock(std::int64_t memory, std::int64_t logic) : memory_(memory), logic_(logic) {
    sim::expects(memory > 0 && logic > 0, "clocks are positive");
    std::int64_t const common = std::gcd(memory, logic);
    memory_ /= common;
    logic_ /= common;
    if (logic_ == 1) per_cycle_ = memory_;
    narrow_ = memory_ <= std::numeric_limits<std::int64_t>::max() / logic_;
}

std::int64_t MemoryClock::scaled(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t less) {
    __extension__ using Wide = __int128;
    return static_cast<std::int64_t>((static_cast<Wide>(a) * b - less) / c);
}

std::int64_t MemoryClock::beyond() const {
    constexpr std::int64_t max = std::int64_t{1} << 61;
    return memory_ <= logic_ ? max
                             : static_cast<std::int64_t>(static_cast<double>(max) / static_cast<double>(memory_) *
                                                         static_cast<double>(logic_));
}

std::int64_t MemoryClock::cycle_of(std::int64_t m) const {
    if (per_cycle_ != 0) return m / per_cycle_;
    // first(c) <= m  <=>  c n / d < m + 1  <=>  c <= ((m + 1) d - 1) / n
    std::int64_t const whole = (m + 1) / memory_, rest = (m + 1) % memory_;
    if (rest == 0) return whole * logic_ - 1;
    return whole * logic_ + (narrow_ ? (rest * logic_ - 1) / memory_ : scaled(rest, logic_, memory_, 1));
}

void ServerMemory::accept(Issued const& command, std::int64_t cycle) {
    double const service = setup_ + per_byte_ * command.bytes;
    constexpr double finest = 0x1p9;  // of 53 bits, which leaves 43 for cycles
    exact_ = exact_ && service * finest == std::floor(service * finest);
    free_ = std::max(free_, static_cast<double>(cycle - pipeline_cycles_)) + service;
    busy_ += service;
    // A tasklet handed back in step 9b wakes in the next cycle.
    std::int64_t const back = std::max(static_cast<std::int64_t>(std::ceil(free_)) - 1, cycle + 1);
    done_.push_back({command.tasklet, done_.empty() ? back : std::max(back, done_.back().cycle + 1)});
}

void ServerMemory::describe(StateWords& words, std::int64_t cycle) const {
    // A server that has been free for longer than a command takes to arrive counts as free.
    words.add(std::max(free_ - static_cast<double>(cycle), -static_cast<double>(pipeline_cycles_)));
    for (auto const& done : done_) {
        words.add(done.tasklet);
        words.add(done.cycle - cycle);
    }
}

void ServerMemory::skip_periods(std::int64_t periods, std::int64_t length, double busy) {
    free_ += static_cast<double>(periods * length);
    busy_ += static_cast<double>(periods) * (busy_ - busy);
    for (auto& done : done_) done.cycle += periods * length;
}

int ServerMemory::hand_back(std::int64_t cycle) {
    if (done_.empty() || done_.front().cycle > cycle) return -1;
    int const tasklet = done_.front().tasklet;
    done_.pop_front();
    return tasklet;
}

std::int64_t ServerMemory::next_hand_back(std::int64_t) {
    return done_.empty() ? std::numeric_limits<std::int64_t>::max() : done_.front().cycle;
}

}  // namespace pimdse::models::upmem::dpu
