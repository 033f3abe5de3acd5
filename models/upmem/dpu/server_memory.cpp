#include "models/upmem/dpu/server_memory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pimdse::models::upmem::dpu {

void ServerMemory::accept(Issued const& command, std::int64_t cycle) {
    double const service = setup_ + per_byte_ * command.bytes;
    constexpr double finest = 0x1p9;  // of 53 bits, 43 are left for cycles
    exact_ = exact_ && service * finest == std::floor(service * finest);
    free_ = std::max(free_, static_cast<double>(cycle - pipeline_cycles_)) + service;
    busy_ += service;
    // Handed back in step 9b, the tasklet wakes in the next cycle.
    std::int64_t const back = std::max(static_cast<std::int64_t>(std::ceil(free_)) - 1, cycle + 1);
    done_.push_back({command.tasklet, done_.empty() ? back : std::max(back, done_.back().cycle + 1)});
}

void ServerMemory::describe(StateWords& words, std::int64_t cycle) const {
    // A server that has been free for longer than a command travels is free.
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
