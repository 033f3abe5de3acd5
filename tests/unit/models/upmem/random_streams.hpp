#pragma once

#include "models/upmem/shared_bank.hpp"

#include <random>
#include <vector>

namespace pimdse::models::upmem {

inline std::vector<SharedStream> random_streams(std::mt19937& random) {
    auto const drawn = [&] { return static_cast<double>(random() % 1000) * 1e-6; };
    std::vector<SharedStream> streams(1 + random() % 6);
    for (auto& s : streams) {
        s.input = sim::Time{drawn()};
        s.offload = sim::Time{random() % 3 == 0 ? drawn() : 0.0};
        s.load = sim::Time{random() % 4 == 0 ? drawn() : 0.0};
        s.kernel = sim::Time{drawn()};
        s.busy = (static_cast<double>(random() % 11) / 10.0) * s.kernel;
        s.requests = static_cast<double>(random() % 2000);
    }
    return streams;
}

/// End of the last kernel in seconds.
inline double last(SharedBank const& bank) { return bank.kernels.back().end.si; }

/// Seconds of cycles of the memory.
inline double bank_cycles(int n) { return n / 2.4e9; }

/// A host with an access every `interval` seconds.
inline HostAccess timing_of(double interval) {
    return {sim::Time{bank_cycles(33)}, sim::Time{bank_cycles(64)}, sim::Time{interval}};
}

}  // namespace pimdse::models::upmem
