#include "models/dplena/ledger.hpp"

namespace pimdse::models::dplena {
namespace {

std::vector<LedgerEntry> energy_entries() {
    using enum Account;
    return {
        {"arithmetic", assumed, "vector and scalar unit: Table IV while they work; matrix unit: 0.25 pJ a step"},
        {"sram", assumed, "0.1 pJ/bit, nominal in PLENA's memory table: vector memory, operands of the matrix unit"},
        {"sram_static", assumed, "20 mW/MB, nominal in PLENA's memory table"},
        {"dram_array", counted, "HBM2, 2.68 pJ/bit and 909 pJ a row (O'Connor et al., MICRO 2017)"},
        {"dram_interface", counted, "HBM2, 0.80 pJ/bit (O'Connor et al., MICRO 2017)"},
        {"dram_background", counted, "IDD3N of 36 HBM2 stacks (HBM-Power, 2026) while a request runs"},
        {"dram_refresh", counted, "IDD5B above IDD2N of the same stacks, where refresh is on"},
        {"in_memory_logic", none, "the stacks only store"},
        {"interconnect", none, "wires of the die are part of the figures of its units"},
        {"converters", none, "all arithmetic is digital"},
        {"host_transfer", none, "prompts and tokens are some bytes"},
        {"host_compute", assumed, "host = included: host_power of technology.toml for the latency; else nothing"},
        {"idle_units", assumed, "a tenth of a unit's power at work while it waits; PHYs and controllers"}};
}

std::vector<LedgerEntry> area_entries() {
    using enum Account;
    return {{"matrix_unit", assumed, "200 um2 a multiply-add of 8-bit weights, 7 nm"},
            {"vector_unit", counted, "Table IV; exponential units, accumulator and issue slots assumed"},
            {"sram", assumed, "ASAP7 macros of the PLENA repositories, 0.0425 um2/bit"},
            {"controllers", counted, "HBM2E PHY and controller of LLMCompass (ISCA 2024), a channel; fetch slots"},
            {"in_bank_logic", none, "the stacks only store"},
            {"routers", none, "there is no network on chip"},
            {"crossbars", none, "no arrays compute"},
            {"undivided", none, "no die is known as a whole only"}};
}

}  // namespace

Ledger ledger() { return {energy_entries(), area_entries()}; }

}  // namespace pimdse::models::dplena
