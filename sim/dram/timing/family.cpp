#include "sim/dram/timing/family.hpp"

#include "sim/base/check.hpp"

namespace pimdse::sim::dram {

std::vector<FamilyRow> const& families() {
    static std::vector<FamilyRow> const rows{{.family = Family::lpddr5,
                                              .name = "LPDDR5",
                                              .letter = 'L',
                                              .pseudo_channels = false,
                                              .refreshes_banks = true,
                                              .commands_per_request = 1,
                                              .commands_per_opening = 3,
                                              .groups_needed_above = 3200,
                                              .constraints = lpddr5_constraints},
                                             {.family = Family::ddr4,
                                              .name = "DDR4",
                                              .letter = 'D',
                                              .pseudo_channels = false,
                                              .refreshes_banks = false,
                                              .commands_per_request = 1,
                                              .commands_per_opening = 2,
                                              .groups_needed_above = 0,
                                              .constraints = ddr4_constraints},
                                             {.family = Family::hbm2,
                                              .name = "HBM2",
                                              .letter = 'H',
                                              .pseudo_channels = true,
                                              .refreshes_banks = true,
                                              .commands_per_request = 0,
                                              .commands_per_opening = 3,
                                              .groups_needed_above = 0,
                                              .constraints = hbm2_constraints}};
    return rows;
}

FamilyRow const& row_of(Family family) {
    auto const& row = families().at(static_cast<std::size_t>(family));
    ensures(row.family == family, "rows stand in the order of their families");
    return row;
}

std::vector<Constraint> constraints_of(Standard const& standard) {
    return row_of(standard.family).constraints(standard.timing);
}

int data_ports(Standard const& standard) {
    auto const& o = standard.organisation;
    return o.channels * (row_of(standard.family).pseudo_channels ? o.ranks : 1);
}

}  // namespace pimdse::sim::dram
