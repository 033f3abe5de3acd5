#include "models/cim_mesh/ledger.hpp"

namespace pimdse::models::cim_mesh {
namespace {

constexpr std::string_view no_dram = "weights stay in the crossbars, keys in the scratchpads: the machine has no DRAM";

std::vector<LedgerEntry> energy() {
    using enum Account;
    return {
        {"arithmetic", counted, "products with keys and values, sums, softmax: Jouppi et al. (ISCA 2021), 7 nm"},
        {"sram", counted, "scratchpads read and written: Jouppi et al. (ISCA 2021), 7 nm"},
        {"sram_static", counted, "scratchpads, and arrays that keep adapters: 42 uW for 32 KB (PRIMAL, Table IV)"},
        {"dram_array", none, no_dram},
        {"dram_interface", none, no_dram},
        {"dram_background", none, no_dram},
        {"dram_refresh", none, no_dram},
        {"in_memory_logic", counted, "cells of the crossbars (ISAAC, Table I); products and writes of adapters"},
        {"interconnect", assumed,
         "0.03 pJ/bit a router; wires of 0.078 pJ/bit/mm (IEEE Micro 2011), a pair's side each"},
        {"converters", counted,
         "of the crossbars: 1.56 pJ a conversion of 128 rows, 0.39 pJ an input bit (ISAAC, Table I)"},
        {"host_transfer", assumed, "adapters over a link of 5 pJ/bit; token numbers of 4 B each are left out"},
        {"host_compute", assumed, "host = included: host_power of technology.toml for the latency; else nothing"},
        {"idle_units", assumed, "control of every pair, 0.2 mW a tile; crossbars and routers that are on, 0.5 mW/mm2"}};
}

std::vector<LedgerEntry> area() {
    using enum Account;
    return {{"matrix_unit", none, "products are made in the crossbars"},
            {"vector_unit", assumed, "multipliers of the routers: 0.3 of a router's published area (PRIMAL, Table IV)"},
            {"sram", counted, "scratchpads (PRIMAL, Table IV) and FIFOs, 0.4 of a router's area (assumed)"},
            {"controllers", assumed, "control of the pairs: what a published tile has beside its pairs, 0.99 mm2"},
            {"in_bank_logic", none, "there are no memory banks"},
            {"routers", assumed, "links and switches: 0.3 of a router's published area (PRIMAL, Table IV)"},
            {"crossbars", counted, "RRAM with its converters and SRAM-DCIM (PRIMAL, Table IV; LEAP, journal)"},
            {"undivided", none, "the published tile is divided into its macros"}};
}

}  // namespace

Ledger ledger() { return {energy(), area()}; }

}  // namespace pimdse::models::cim_mesh
