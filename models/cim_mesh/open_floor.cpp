#include "models/cim_mesh/open_floor.hpp"

#include "sim/base/check.hpp"

namespace pimdse::models::cim_mesh {
namespace {

std::vector<LayerPart> opened(MachineConstants::Allowances const& allowed, std::vector<LayerPart> const& packed,
                              std::vector<LayerPart> const& least) {
    sim::expects(packed.size() == least.size(), "a layer has the same parts wherever it lies");
    auto parts = packed;
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (!parts[i].settled) parts[i].cycles = opened(allowed, packed[i].cycles, least[i].cycles.value);
    return parts;
}

void say(std::vector<LayerPart>& parts) {
    for (auto& part : parts) part.cycles = part.cycles.value;
}

}  // namespace

sim::Bounded opened(MachineConstants::Allowances const& allowed, sim::Bounded const& packed, double least) {
    double const low = std::min(packed.value, least * (1.0 - allowed.rounding_share));
    return {packed.value, low, packed.high * allowed.searched_high, {sim::Bound::proved, sim::Bound::calibrated}};
}

LayerTime opened(MachineConstants::Allowances const& allowed, LayerTime const& packed, LayerTime const& least) {
    return {opened(allowed, packed.prefill, least.prefill), opened(allowed, packed.decode, least.decode)};
}

LayerTime as_said(LayerTime time) {
    say(time.prefill);
    say(time.decode);
    return time;
}

}  // namespace pimdse::models::cim_mesh
