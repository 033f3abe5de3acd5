#include "models/cim_mesh/ledger.hpp"

#include "models/cim_mesh/layer/dynamic_products.hpp"
#include "models/cim_mesh/layer/macros.hpp"

#include <algorithm>
#include <array>

namespace pimdse::models::cim_mesh {
namespace {

constexpr std::string_view no_dram = "weights stay in the crossbars, keys in the scratchpads: the machine has no DRAM";

/// What events add to a row of the ledger.
struct EventRow {
    EnergyPart part;
    double Events::*count;
    double EventEnergy::*joules;
};
constexpr std::array rows_of_events{
    EventRow{"arithmetic/keys and values", &Events::multiplies, &EventEnergy::multiply},
    EventRow{"arithmetic/partial sums", &Events::additions, &EventEnergy::addition},
    EventRow{"arithmetic/softmax", &Events::softmax, &EventEnergy::softmax},
    EventRow{"arithmetic/activations", &Events::activations, &EventEnergy::softmax},
    EventRow{"arithmetic/gate and up", &Events::gated_elements, &EventEnergy::multiply},
    EventRow{"sram/scratchpads", &Events::scratchpad_bytes, &EventEnergy::scratchpad},
    EventRow{"sram/commands", &Events::command_bytes, &EventEnergy::command},
    EventRow{"in_memory_logic/crossbars", &Events::products, &EventEnergy::cells},
    EventRow{"in_memory_logic/adapters", &Events::adapters, &EventEnergy::adapter},
    EventRow{"in_memory_logic/writing keys and values", &Events::cell_writes, &EventEnergy::cell_write},
    EventRow{"in_memory_logic/keys and values", &Events::array_products, &EventEnergy::adapter},
    EventRow{"converters/crossbars", &Events::products, &EventEnergy::converters},
    EventRow{"interconnect/routers", &Events::hops, &EventEnergy::router},
    EventRow{"interconnect/wires", &Events::hops, &EventEnergy::wire},
    EventRow{"interconnect/ports of crossbars", &Events::products, &EventEnergy::port},
    EventRow{"interconnect/ports of SRAM arrays", &Events::adapters, &EventEnergy::adapter_port},
    EventRow{"interconnect/links between tiles", &Events::borders, &EventEnergy::die_link}};

/// A macro of the tiles in the ledger; all but the first ones are there only if they have an area.
struct AreaRow {
    char const* name;
    double MacroArea::*area;
    bool is_optional = false;
};
constexpr std::array rows_of_tiles{AreaRow{"vector_unit/router multipliers", &MacroArea::multipliers},
                                   AreaRow{"sram/scratchpads", &MacroArea::scratchpad},
                                   AreaRow{"sram/router FIFOs", &MacroArea::fifos},
                                   AreaRow{"controllers/control of pairs", &MacroArea::control},
                                   AreaRow{"routers/links and switches", &MacroArea::links},
                                   AreaRow{"crossbars/RRAM", &MacroArea::rram},
                                   AreaRow{"crossbars/SRAM-DCIM", &MacroArea::sram},
                                   AreaRow{"vector_unit/softmax units", &MacroArea::softmax, true},
                                   AreaRow{"routers/links between tiles", &MacroArea::die_links, true}};

}  // namespace

Ledger ledger() {
    using enum Account;
    return {
        {{"arithmetic", counted,
          "products with keys and values, sums, softmax, counted activations: Jouppi et al. (ISCA 2021), 7 nm"},
         {"sram", counted,
          "reads and writes of scratchpads, commands that do not repeat: Jouppi et al. (ISCA 2021), 7 nm"},
         {"sram_static", counted, "scratchpads, and arrays with adapters: 42 uW for 32 KB (PRIMAL, Table IV)"},
         {"dram_array", none, no_dram},
         {"dram_interface", none, no_dram},
         {"dram_background", none, no_dram},
         {"dram_refresh", none, no_dram},
         {"in_memory_logic", counted,
          "cells of the crossbars (ISAAC, Table I); products and writes of adapters; weight_load: 100 pJ per cell "
          "(assumed)"},
         {"interconnect", assumed,
          "0.03 pJ/bit per router; wires of 0.078 pJ/bit/mm (IEEE Micro 2011), as long as the side of a pair; "
          "die_link_bits: 0.5 pJ/bit over a border (UCIe 1.0)"},
         {"converters", counted,
          "crossbars: 1.56 pJ per conversion of 128 rows, 0.39 pJ per input bit (ISAAC, Table I)"},
         {"host_transfer", assumed,
          "adapters, and weights with weight_load, over a link of 5 pJ/bit; token numbers of 4 B each are neglected"},
         {"host_compute", assumed, "host = included: host_power of technology.toml for the latency; otherwise 0"},
         {"idle_units", assumed,
          "control of every pair, 0.2 mW per tile; active crossbars and routers, and links between tiles, 0.5 mW/mm2"}},
        {{"matrix_unit", none, "the crossbars compute the products"},
         {"vector_unit", assumed,
          "multipliers of the routers: 0.3 of a router's published area (PRIMAL, Table IV); softmax_rate: 526 um2 "
          "per score per cycle"},
         {"sram", counted, "scratchpads (PRIMAL, Table IV) and FIFOs, 0.4 of a router's area (assumed)"},
         {"controllers", assumed, "control of the pairs: the part of a published tile besides its pairs, 0.99 mm2"},
         {"in_bank_logic", none, "there are no memory banks"},
         {"routers", assumed,
          "links and switches: 0.3 of a router's published area (PRIMAL, Table IV); die_link_bits: 665 um2 per bit"},
         {"crossbars", counted, "RRAM with its converters and SRAM-DCIM (PRIMAL, Table IV; LEAP, journal)"},
         {"undivided", none, "the published tile is divided into its macros"}}};
}

EnergyByRow joules_of(EventEnergy const& each, Events const& events) {
    EnergyByRow joules{};
    for (auto const& row : rows_of_events) joules[row.part.row] += events.*row.count * (each.*row.joules);
    return joules;
}

std::vector<Share> shares_of(EventEnergy const& each, Events const& events) {
    std::vector<Share> shares;
    for (auto const& row : rows_of_events)
        if (double const joules = events.*row.count * (each.*row.joules); joules > 0.0)
            shares.push_back({std::string(row.part.name), joules});
    return shares;
}

EnergyByRow adapter_joules(MachineConstants const& m, Design const& d, Partition const& p, EventEnergy const& each) {
    EnergyByRow joules{};
    joules[energy_row("in_memory_logic")] = adapter_bytes(d, p) * each.scratchpad;
    joules[energy_row("host_transfer")] = adapter_bytes(d, p) * m.host_transfer.si;
    return joules;
}

EnergyByRow programming_joules(MachineConstants const& m, Design const& d, Partition const& p,
                               EventEnergy const& each) {
    auto const load = programming(m, d, p);
    EnergyByRow joules{};
    joules[energy_row("in_memory_logic")] = load.cells * m.dynamic.cell_write.si;
    joules[energy_row("interconnect")] = load.byte_hops * (each.router + each.wire);
    joules[energy_row("host_transfer")] = load.bytes * m.host_transfer.si;
    return joules;
}

std::array<double, 4> unit_power(Design const& d, Partition const& p, EventEnergy const& each, Events const& e,
                                 StaticPower const& power, double seconds) {
    bool const more_crossbars = d.dynamic_products == DynamicProducts::reprogram;
    double const pairs = static_cast<double>(p.tiles) + (more_crossbars ? dynamic_arrays(d, p) : 0.0);
    auto const adapted = static_cast<double>(p.adapted_tiles);
    auto const mean = [&](double joules, double units, double static_watts) {
        return units > 0.0 ? joules / units / seconds + static_watts : 0.0;
    };
    double const sums = joules_of(each, e)[energy_row("arithmetic")];
    return {mean(e.products * (each.cells + each.converters + each.port), pairs, power.crossbar_on),
            mean(e.adapters * (each.adapter + each.adapter_port), adapted, power.adapter_on),
            mean(e.scratchpad_bytes * each.scratchpad, pairs, power.scratchpad_on),
            mean(e.hops * (each.router + each.wire) + e.borders * each.die_link + sums, pairs, power.router_on)};
}

double adapter_bytes(Design const& d, Partition const& p) {
    return static_cast<double>(d.model->layers) * p.lora_bytes;
}

std::vector<Share> area_rows_of(MachineConstants const& m, std::vector<KindOnMesh> const& kinds) {
    std::array<double, rows_of_tiles.size()> areas{};
    double dynamic = 0.0;
    for (auto const& [design, parts] : kinds) {
        auto const tile = tile_area(m, design, parts);
        for (std::size_t row = 0; row < areas.size(); ++row)
            areas[row] += static_cast<double>(parts.total_tiles) * tile.*rows_of_tiles[row].area;
        dynamic += dynamic_area(m, design, parts);
    }
    std::vector<Share> all;
    all.reserve(areas.size() + 1);
    for (std::size_t row = 0; row < areas.size(); ++row)
        if (areas[row] > 0.0 || !rows_of_tiles[row].is_optional) all.push_back({rows_of_tiles[row].name, areas[row]});
    bool const digital = kinds.front().design.dynamic_products == DynamicProducts::digital;
    if (dynamic > 0.0) all.push_back({digital ? "vector_unit/digital units" : "crossbars/keys and values", dynamic});
    return all;
}

double time_to_program(double crossbars, double rows, double transfer, double write) {
    double const round = std::max(crossbars * transfer, write);
    return (rows - 1.0) * round + crossbars * transfer + write;
}

Programming programming(MachineConstants const& m, Design const& d, Partition const& p) {
    if (d.weight_load == CellProgramming::none) return {};
    auto const rows = static_cast<double>(d.crossbar);
    Programming all;
    all.crossbars = static_cast<double>(d.model->layers * p.tiles + p.table_tiles);
    all.cells = all.crossbars * rows * rows;
    all.bytes = all.crossbars * rows * m.vector_bytes(rows);
    // From router (0, 0) of the tile to its mean router.
    all.byte_hops = all.bytes * static_cast<double>(d.mesh_rows + d.mesh_cols) / 2.0;
    double const transfer = cycles_on_link(m, d, static_cast<double>(d.link_bits)) / d.frequency;
    double const write = m.dynamic.cell_row_write.si;
    // One port programs the layers of all kinds.
    auto const together = static_cast<double>(p.all_crossbars);
    all.time = time_to_program(together, rows, transfer, write);
    all.together = together * rows * write / all.time;
    return all;
}

}  // namespace pimdse::models::cim_mesh
