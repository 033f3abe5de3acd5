#include "sim/dram/timing/standard.hpp"

#include <algorithm>

namespace pimdse::sim::dram {

double refresh_share(Standard const& standard) {
    auto const& t = standard.timing;
    int const reopen = t.nRP + t.nRCDRD + standard.organisation.banks_per_rank() - 1;
    return static_cast<double>(t.nRFC + reopen) / t.nREFI;
}

Standard corrected(Standard standard) {
    auto& t = standard.timing;
    t.nRC = std::max(t.nRC, t.nRAS + t.nRP);
    return standard;
}

bool groups_matter(Standard const& standard) {
    auto const& t = standard.timing;
    return t.nCCDL > std::max(t.nCCDS, t.nBL) || t.nRRDL > t.nRRDS || t.nBLmax + t.nWTRL > t.nBL + t.nWTRS;
}

}  // namespace pimdse::sim::dram
