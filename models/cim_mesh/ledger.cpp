#include "models/cim_mesh/ledger.hpp"

namespace pimdse::models::cim_mesh {
namespace {

constexpr std::string_view no_dram = "weights stay in the crossbars, keys in the scratchpads: the machine has no DRAM";

std::vector<LedgerEntry> energy() {
    using enum Account;
    return {
        {"arithmetic", assumed, "multipliers of the routers: 0.3 of a router's published power (PRIMAL, Table IV)"},
        {"sram", counted, "scratchpads at work (PRIMAL, Table IV) and FIFOs, 0.4 of a router's power (assumed)"},
        {"sram_static", counted, "scratchpads of pairs that wait (PRIMAL, Table IV); adapters kept, 5.4 uW (fitted)"},
        {"dram_array", none, no_dram},
        {"dram_interface", none, no_dram},
        {"dram_background", none, no_dram},
        {"dram_refresh", none, no_dram},
        {"in_memory_logic", counted, "cells of the crossbars and SRAM-DCIM at work (PRIMAL, Table IV; LEAP, journal)"},
        {"interconnect", assumed, "links and switches: 0.3 of a router's published power (PRIMAL, Table IV)"},
        {"converters", assumed, "0.885 of a crossbar's power, as in ISAAC (ISCA 2016, Table I)"},
        {"host_transfer", assumed, "adapters over a link of 5 pJ/bit; token numbers of 4 B each are left out"},
        {"host_compute", none, "embedding and LM head lie on the machine; LEAP's machines begin and end at the layers"},
        {"idle_units", assumed, "control of every pair, 0.2 mW a tile; ungated, crossbars and routers that wait"}};
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
