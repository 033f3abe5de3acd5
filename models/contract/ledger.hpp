#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

/// Where a machine's energy and area can go: one list of rows for all machines, so that what one leaves out is seen.
namespace pimdse::models {

/// A row that every architecture has to say something about.
struct LedgerRow {
    std::string_view name, meaning;
};

inline constexpr std::array<LedgerRow, 13> energy_rows{{
    {"arithmetic", "multiply-accumulates, vector and scalar operations"},
    {"sram", "registers and on-chip memory, per access"},
    {"sram_static", "on-chip memory, leakage and retention"},
    {"dram_array", "rows opened, columns read and written"},
    {"dram_interface", "bits between DRAM and the other dies"},
    {"dram_background", "DRAM powered, doing nothing"},
    {"dram_refresh", "DRAM refresh"},
    {"in_memory_logic", "what computes in or beside memory arrays"},
    {"interconnect", "links and routers on and between dies"},
    {"converters", "DAC and ADC of analog arrays"},
    {"host_transfer", "bytes between host and machine"},
    {"host_compute", "what the host computes for the request"},
    {"idle_units", "logic that is powered and waits"},
}};

inline constexpr std::array<LedgerRow, 8> area_rows{{
    {"matrix_unit", "matrix multiply units"},
    {"vector_unit", "vector and scalar units"},
    {"sram", "on-chip memory"},
    {"controllers", "memory controllers and PHYs"},
    {"in_bank_logic", "logic beside memory banks"},
    {"routers", "routers and links of a network on chip"},
    {"crossbars", "arrays that compute, with their converters"},
    {"undivided", "dies of which only the whole is published"},
}};

/// counted: it is part of the answer, from a source. assumed: it is part of the answer, by a value of ours. none: the
/// machine has no such thing.
enum class Account : std::uint8_t { counted, assumed, none };
inline constexpr std::array<std::string_view, 3> account_names{"counted", "assumed", "none"};
[[nodiscard]] constexpr std::string_view name_of(Account account) {
    return account_names[static_cast<std::size_t>(account)];
}

/// What an architecture says of a row. `why`: the source; the value and its reason; why there is no such thing.
struct LedgerEntry {
    std::string_view row;
    Account account = Account::none;
    std::string_view why;
};

/// The process of what `area` counts, but for in_bank_logic, which is always of a DRAM process.
enum class AreaProcess : std::uint8_t { logic, dram };

/// One entry per row, in the order of the rows. In a Breakdown each share of energy and area is called by a row that is
/// not `none`, alone or with a part of it after a slash ("dram_array/prefill").
struct Ledger {
    std::vector<LedgerEntry> energy, area;
    AreaProcess process = AreaProcess::logic;
};

}  // namespace pimdse::models
