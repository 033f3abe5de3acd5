#include "sim/pim/pim_timing.hpp"

#include <algorithm>

namespace pimdse::sim::pim {

double row_visit_cycles(PimTiming const& timing, double macs) {
    double const row = timing.stagger +
                       std::max(timing.activate_to_mac + (macs - 1) * timing.mac_interval + timing.nRTP, timing.nRAS) +
                       timing.nRP;
    return std::max(row, macs * timing.mac_interval);  // MACs of neighbouring visits keep their interval as well
}

double gemv_cycles(GemvWalk const& walk, PimTiming const& timing, std::int64_t phases) {
    double multiply = 0.0;
    for (auto const& visit : walk.visits) {
        multiply +=
            static_cast<double>(visit.count) * row_visit_cycles(timing, static_cast<double>(visit.macs * phases));
    }
    double const write = static_cast<double>(walk.buffer_writes) * timing.buffer_write;
    double const first = static_cast<double>(walk.first_fill) * timing.buffer_write;
    double const total = timing.double_buffer ? std::max(multiply, write) + first : multiply + write;
    return total / (1.0 - timing.refresh_share);
}

}  // namespace pimdse::sim::pim
