#pragma once

#include "models/upmem/shared_bank.hpp"

#include <span>

namespace pimdse::models::upmem {

/// Ends of what sharing costs, for kernels that are only known to lie between `lower` and `upper`, which are equal in
/// everything except `kernel` and `busy`.
struct SharingRange {
    sim::Time saved;  ///< at least, compared with the sum of all stages
    sim::Time queued_min, queued_max;
    double rows_min = 0.0, rows_max = 0.0;
    sim::Time longer_max;  ///< of all kernels together
};
[[nodiscard]] SharingRange sharing_range(std::span<SharedStream const> lower, std::span<SharedStream const> upper,
                                         HostAccess const& timing);

}  // namespace pimdse::models::upmem
