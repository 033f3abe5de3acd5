#include "sim/dram/family.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace pimdse::sim::dram {

namespace {

std::vector<Constraint> lpddr5_constraints(Timing const& timing);
std::vector<Constraint> ddr4_constraints(Timing const& timing);
std::vector<Constraint> hbm2_constraints(Timing const& timing);

using enum Command;
using Commands = std::initializer_list<Command>;

class Table {
  public:
    void add(Level level, Commands from, Commands to, int delay) {
        for (auto const f : from) {
            for (auto const t : to) entries.push_back({level, f, t, delay});
        }
    }
    std::vector<Constraint> entries;
};

/// Constraints of all families: data bus, row cycle and write recovery at rank and bank.
void add_common(Table& table, Timing const& t, int act_from, int act_to) {
    int const write_recovery = t.nCWL + t.nBL + t.nWR;
    table.add(Level::rank, {read}, {precharge_all}, t.nRTP);
    table.add(Level::rank, {write}, {precharge_all}, write_recovery);
    table.add(Level::rank, {activate}, {activate}, t.nRRDS);
    table.add(Level::rank, {activate}, {precharge_all}, t.nRAS + act_from);
    table.add(Level::rank, {precharge_all}, {activate}, t.nRPab + act_to);
    table.add(Level::rank, {activate}, {refresh_all}, t.nRC + act_from);
    table.add(Level::rank, {precharge, precharge_all}, {refresh_all}, t.nRP);
    table.add(Level::rank, {refresh_all}, {activate}, t.nRFC + act_to);
    table.add(Level::rank, {refresh_all}, {precharge_all}, t.nRFC);
    table.add(Level::rank, {read}, {write}, t.nCL + t.nBL + 2 - t.nCWL);
    table.add(Level::rank, {write}, {read}, t.nCWL + t.nBL + t.nWTRS);
    table.add(Level::group, {read}, {read}, t.nCCDL);
    table.add(Level::group, {write}, {write}, t.nCCDL);
    table.add(Level::group, {write}, {read}, t.nCWL + t.nBLmax + t.nWTRL);
    table.add(Level::group, {activate}, {activate}, t.nRRDL);
    table.add(Level::bank, {activate}, {activate}, t.nRC);
    table.add(Level::bank, {activate}, {read}, t.nRCDRD + act_from);
    table.add(Level::bank, {activate}, {write}, t.nRCDWR + act_from);
    table.add(Level::bank, {activate}, {precharge}, t.nRAS + act_from);
    table.add(Level::bank, {precharge}, {activate}, t.nRP + act_to);
    table.add(Level::bank, {read}, {precharge}, t.nRTP);
    table.add(Level::bank, {write}, {precharge}, write_recovery);
}

std::vector<Constraint> lpddr5_constraints(Timing const& t) {
    Table table;
    add_common(table, t, 0, 0);
    for (auto const c : {read, write}) {
        table.add(Level::channel, {c}, {c}, t.nBL);
        table.add(Level::rank, {c}, {c}, t.nCCDS);
    }
    table.add(Level::rank, {precharge, precharge_all}, {precharge, precharge_all}, t.nPPD);
    table.add(Level::rank, {refresh_all}, {refresh_all, refresh_bank}, t.nRFC);
    table.add(Level::rank, {refresh_bank}, {refresh_bank}, t.nPBR2PBR);
    table.add(Level::rank, {refresh_bank}, {refresh_all}, t.nRFCpb);
    table.add(Level::rank, {refresh_bank}, {activate}, t.nPBR2ACT);
    table.add(Level::bank, {refresh_bank}, {activate}, t.nRFCpb);
    table.add(Level::bank, {activate}, {refresh_bank}, t.nRC);
    table.add(Level::bank, {precharge}, {refresh_bank}, t.nRP);
    table.add(Level::other_rank, {read}, {read, write}, t.nBL + t.nCS);
    table.add(Level::other_rank, {write}, {read}, t.nCL + t.nBL + t.nCS - t.nCWL);
    return table.entries;
}

std::vector<Constraint> ddr4_constraints(Timing const& t) {
    Table table;
    add_common(table, t, 0, 0);
    for (auto const c : {read, write}) {
        table.add(Level::channel, {c}, {c}, t.nBL);
        table.add(Level::rank, {c}, {c}, t.nCCDS);
    }
    table.add(Level::other_rank, {read}, {read, write}, t.nBL + t.nCS);
    table.add(Level::other_rank, {write}, {read}, t.nCWL + t.nBL + t.nCS - t.nCL);
    return table.entries;
}

/// ACT occupies the row bus, which both pseudo channels share, for two ticks; its constraints count from the second.
std::vector<Constraint> hbm2_constraints(Timing const& t) {
    Table table;
    constexpr int act_ticks = 2;
    add_common(table, t, act_ticks - 1, 1 - act_ticks);
    for (auto const c : {read, write}) table.add(Level::rank, {c}, {c}, std::max(t.nBL, t.nCCDS));
    table.add(Level::channel, {activate}, {activate, precharge, precharge_all, refresh_all, refresh_bank}, act_ticks);
    table.add(Level::rank, {refresh_bank}, {refresh_bank}, t.nPBR2ACT);
    table.add(Level::rank, {refresh_bank}, {activate}, t.nPBR2ACT + 1 - act_ticks);
    table.add(Level::rank, {activate}, {refresh_bank}, t.nRRDS + act_ticks - 1);
    table.add(Level::bank, {refresh_bank}, {activate}, t.nRFCpb + 1 - act_ticks);
    table.add(Level::bank, {activate}, {refresh_bank}, t.nRC + act_ticks - 1);
    table.add(Level::bank, {precharge}, {refresh_bank}, t.nRP);
    return table.entries;
}

}  // namespace

std::span<FamilyRow const> families() {
    static constexpr std::array rows{FamilyRow{.family = Family::lpddr5,
                                               .name = "LPDDR5",
                                               .letter = 'L',
                                               .pseudo_channels = false,
                                               .refreshes_banks = true,
                                               .groups_needed_above = 3200,
                                               .constraints = lpddr5_constraints},
                                     FamilyRow{.family = Family::ddr4,
                                               .name = "DDR4",
                                               .letter = 'D',
                                               .pseudo_channels = false,
                                               .refreshes_banks = false,
                                               .groups_needed_above = 0,
                                               .constraints = ddr4_constraints},
                                     FamilyRow{.family = Family::hbm2,
                                               .name = "HBM2",
                                               .letter = 'H',
                                               .pseudo_channels = true,
                                               .refreshes_banks = true,
                                               .groups_needed_above = 0,
                                               .constraints = hbm2_constraints},
                                     FamilyRow{.family = Family::gddr6,
                                               .name = "GDDR6",
                                               .letter = 'G',
                                               .pseudo_channels = false,
                                               .refreshes_banks = false,
                                               .groups_needed_above = 0,
                                               .constraints = ddr4_constraints}};
    static_assert(rows.size() == family_count, "a row for each family, and family_count counts them");
    return rows;
}

FamilyRow const& row_of(Family family) {
    auto const place = static_cast<std::size_t>(family);
    expects(place < families().size(), "every family has a row");
    auto const& row = families()[place];
    ensures(row.family == family, "the rows are in the order of Family");
    return row;
}

std::vector<Constraint> constraints_of(Standard const& standard) {
    return row_of(standard.family).constraints(standard.timing);
}

int data_ports(Standard const& standard) {
    auto const& o = standard.organisation;
    return o.channels * (row_of(standard.family).pseudo_channels ? o.ranks : 1);
}

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
