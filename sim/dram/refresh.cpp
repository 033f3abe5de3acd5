#include "sim/dram/refresh.hpp"

#include "sim/dram/timing/family.hpp"

namespace pimdse::sim::dram {

int refreshed_at_once(Standard const& standard, RefreshMode mode) {
    bool const in_turn = mode == RefreshMode::per_bank && row_of(standard.family).pseudo_channels;
    return in_turn ? 1 : standard.organisation.ranks;
}

Tick refresh_round(Standard const& standard, RefreshMode mode) {
    auto const& o = standard.organisation;
    if (mode != RefreshMode::per_bank) return standard.timing.nREFI;
    return Tick{standard.timing.nREFIpb} * (o.banks_per_channel() / refreshed_at_once(standard, mode));
}

}  // namespace pimdse::sim::dram
