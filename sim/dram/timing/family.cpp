#include "sim/dram/timing/family.hpp"

#include "sim/base/check.hpp"

#include <array>

namespace pimdse::sim::dram {

std::span<FamilyRow const> families() {
    static constexpr std::array rows{FamilyRow{.family = Family::lpddr5,
                                               .name = "LPDDR5",
                                               .letter = 'L',
                                               .pseudo_channels = false,
                                               .refreshes_banks = true,
                                               .commands_per_request = 1,
                                               .commands_per_opening = 3,
                                               .groups_needed_above = 3200,
                                               .constraints = lpddr5_constraints},
                                     FamilyRow{.family = Family::ddr4,
                                               .name = "DDR4",
                                               .letter = 'D',
                                               .pseudo_channels = false,
                                               .refreshes_banks = false,
                                               .commands_per_request = 1,
                                               .commands_per_opening = 2,
                                               .groups_needed_above = 0,
                                               .constraints = ddr4_constraints},
                                     FamilyRow{.family = Family::hbm2,
                                               .name = "HBM2",
                                               .letter = 'H',
                                               .pseudo_channels = true,
                                               .refreshes_banks = true,
                                               .commands_per_request = 0,
                                               .commands_per_opening = 3,
                                               .groups_needed_above = 0,
                                               .constraints = hbm2_constraints}};
    static_assert(rows.size() == family_count, "a row for each family, and family_count counts them");
    return rows;
}

FamilyRow const& row_of(Family family) {
    auto const place = static_cast<std::size_t>(family);
    expects(place < families().size(), "every family has a row");
    auto const& row = families()[place];
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
