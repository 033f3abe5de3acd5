#include "models/umdam/limits.hpp"

#include "models/umdam/accounts.hpp"
#include "models/umdam/floorplan.hpp"
#include "models/umdam/pim/pim.hpp"

#include <algorithm>

namespace pimdse::models::umdam {
namespace {

/// Bytes a second that all banks multiply while they open and close whole rows, without refresh.
double bank_roof(System const& d, MachineConstants const& machine) {
    auto const& o = d.standard.organisation;
    auto const timing = pim_timing(d.design, d.standard, machine.pim);
    double const banks = static_cast<double>(o.channels) * o.banks_per_channel();
    return banks * o.row_bytes / (row_visit_cycles(timing, o.columns()) * timing.clock);
}

/// The channels of the weights; of a machine that keeps the KV cache in others, those, too.
double pin_roof(System const& d) { return peak_rate(d.standard) * static_cast<double>(d.design.channels); }

PhaseLimit limit_of(System const& d, std::string const& phase, Spent const& spent, double launches,
                    MachineConstants const& machine) {
    double const seconds = spent.seconds.value, burst = d.standard.organisation.burst_bytes;
    auto const& c = spent.commands;
    std::vector<PhaseLimit> const all{
        {phase, "matrix unit", c.cube_operations / seconds, d.design.npu_flops, "FLOP/s"},
        {phase, "vector unit", c.vector_operations / seconds, vector_rate(d.design, machine.npu), "FLOP/s"},
        {phase, "memory pins", (c.reads.value + c.writes.value) * burst / seconds, pin_roof(d), "B/s"},
        {phase, "bank bandwidth", c.bank_reads * burst / seconds, bank_roof(d, machine), "B/s"},
        {phase, "launches", launches / seconds, 1.0, "1"}};
    return *std::ranges::max_element(
        all, [](PhaseLimit const& a, PhaseLimit const& b) { return a.attained / a.roof < b.attained / b.roof; });
}

}  // namespace

std::vector<PhaseLimit> limits_of(System const& d, RequestCost const& cost, MachineConstants const& machine) {
    std::vector<PhaseLimit> limits{
        limit_of(d, "prefill", spent_in_prefill(cost), cost.at(Part::prefill_launch).seconds.value, machine)};
    if (cost.decode().value > 0.0)
        limits.push_back(
            limit_of(d, "decode", spent_in_decode(cost), cost.at(Part::decode_launch).seconds.value, machine));
    return limits;
}

}  // namespace pimdse::models::umdam
