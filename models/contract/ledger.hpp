#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// The ledger: energy and area accounting. One list of rows for all machines shows what an architecture leaves out.
namespace pimdse::models {

/// A row for which every architecture must have an entry.
struct LedgerRow {
    std::string_view name, meaning;
};

inline constexpr std::array<LedgerRow, 14> energy_rows{{
    {"arithmetic", "multiply-accumulates, vector and scalar operations"},
    {"sram", "registers and on-chip memory, per access"},
    {"sram_static", "on-chip memory, leakage and retention"},
    {"dram_array", "row activations, column reads and writes"},
    {"dram_interface", "bits between DRAM and the other dies"},
    {"dram_background", "idle DRAM"},
    {"dram_refresh", "DRAM refresh"},
    {"in_memory_logic", "logic that computes in or next to memory arrays"},
    {"interconnect", "links and routers on and between dies"},
    {"converters", "DAC and ADC of analog arrays"},
    {"host_transfer", "data transfer between host and machine"},
    {"host_compute", "computation of the host for the request"},
    {"idle_units", "static power of logic that waits"},
    {"links", "links between devices that serve a model together"},
}};

/// Position of a row of energy. Precondition: there is one.
[[nodiscard]] constexpr std::size_t energy_row(std::string_view name) {
    std::size_t row = 0;
    while (energy_rows.at(row).name != name) ++row;
    return row;
}

/// Joules by row.
using EnergyByRow = std::array<double, energy_rows.size()>;
[[nodiscard]] constexpr double sum_of(EnergyByRow const& rows) {
    double sum = 0.0;
    for (double const joules : rows) sum += joules;
    return sum;
}

inline constexpr std::array<LedgerRow, 8> area_rows{{
    {"matrix_unit", "matrix multiply units"},
    {"vector_unit", "vector and scalar units"},
    {"sram", "on-chip memory"},
    {"controllers", "memory controllers and PHYs"},
    {"in_bank_logic", "logic next to memory banks"},
    {"routers", "routers and links of a network on chip"},
    {"crossbars", "computing arrays with their converters"},
    {"undivided", "dies for which only the total area is published"},
}};

/// counted: part of the result, from a source. assumed: part of the result, with a value chosen by this project. none:
/// the machine has nothing of this kind, or the row is part of another one. not_stated: the machine may have some, and
/// its file does not say.
enum class Account : std::uint8_t { counted, assumed, none, not_stated };
inline constexpr std::array<std::string_view, 4> account_names{"counted", "assumed", "none", "not stated"};
[[nodiscard]] constexpr std::string_view name_of(Account account) {
    return account_names[static_cast<std::size_t>(account)];
}

/// Entry of an architecture for a row. `why`: the source; or the value and its reason; or why there is nothing of this
/// kind.
struct LedgerEntry {
    std::string_view row;
    Account account = Account::none;
    std::string_view why;
};

/// Process of the logic in `area`, except in_bank_logic, which is always in a DRAM process.
enum class AreaProcess : std::uint8_t { logic, dram };

/// One entry per row, in the order of the rows. In a Breakdown, each part of energy and area is named by a row that is
/// not `none`, alone or with a suffix after a slash ("dram_array/prefill").
struct Ledger {
    std::vector<LedgerEntry> energy, area;
    AreaProcess process = AreaProcess::logic;
};

}  // namespace pimdse::models
