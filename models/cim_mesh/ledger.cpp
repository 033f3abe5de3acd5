#include "models/cim_mesh/ledger.hpp"

#include "models/cim_mesh/layer/dynamic_products.hpp"
#include "models/cim_mesh/layer/macros.hpp"
#include "models/contract/request_result.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {
namespace {

constexpr std::string_view no_dram = "weights stay in the crossbars, keys in the scratchpads: the machine has no DRAM";

std::vector<LedgerEntry> energy() {
    using enum Account;
    return {
        {"arithmetic", counted,
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
         "control of every pair, 0.2 mW per tile; active crossbars and routers, and links between tiles, 0.5 mW/mm2"}};
}

std::vector<LedgerEntry> area() {
    using enum Account;
    return {{"matrix_unit", none, "the crossbars compute the products"},
            {"vector_unit", assumed,
             "multipliers of the routers: 0.3 of a router's published area (PRIMAL, Table IV); softmax_rate: 526 um2 "
             "per score per cycle"},
            {"sram", counted, "scratchpads (PRIMAL, Table IV) and FIFOs, 0.4 of a router's area (assumed)"},
            {"controllers", assumed, "control of the pairs: the part of a published tile besides its pairs, 0.99 mm2"},
            {"in_bank_logic", none, "there are no memory banks"},
            {"routers", assumed,
             "links and switches: 0.3 of a router's published area (PRIMAL, Table IV); die_link_bits: 665 um2 per bit"},
            {"crossbars", counted, "RRAM with its converters and SRAM-DCIM (PRIMAL, Table IV; LEAP, journal)"},
            {"undivided", none, "the published tile is divided into its macros"}};
}

using JouleRows = std::vector<RowEnergy>;

/// The energy of events in both phases; all requests have the same events.
JouleRows rows_of_events(BatchWork const& w, double requests) {
    JouleRows rows;
    auto const add = [&](EnergyPart row, double Events::*count, double joules) {
        rows.push_back({row, requests * joules * (w.first.*count), requests * joules * (w.later.*count)});
    };
    add("arithmetic/keys and values", &Events::multiplies, w.each.multiply);
    add("arithmetic/partial sums", &Events::additions, w.each.addition);
    add("arithmetic/softmax", &Events::softmax, w.each.softmax);
    if (w.first.activations > 0.0) {
        add("arithmetic/activations", &Events::activations, w.each.softmax);
        add("arithmetic/gate and up", &Events::gated_elements, w.each.multiply);
    }
    add("sram/scratchpads", &Events::scratchpad_bytes, w.each.scratchpad);
    if (w.first.command_bytes > 0.0) add("sram/commands", &Events::command_bytes, w.each.command);
    add("in_memory_logic/crossbars", &Events::products, w.each.cells);
    add("in_memory_logic/adapters", &Events::adapters, w.each.adapter);
    add("converters/crossbars", &Events::products, w.each.converters);
    add("interconnect/routers", &Events::hops, w.each.router);
    add("interconnect/wires", &Events::hops, w.each.wire);
    if (w.each.port > 0.0) add("interconnect/ports of crossbars", &Events::products, w.each.port);
    if (w.each.adapter_port > 0.0) add("interconnect/ports of SRAM arrays", &Events::adapters, w.each.adapter_port);
    if (w.each.die_link > 0.0) add("interconnect/links between tiles", &Events::borders, w.each.die_link);
    if (w.each.cell_write > 0.0)
        add("in_memory_logic/writing keys and values", &Events::cell_writes, w.each.cell_write);
    if (w.first.array_products > 0.0) add("in_memory_logic/keys and values", &Events::array_products, w.each.adapter);
    return rows;
}

/// Adds the energy of static power, and of the parts that are on while a layer works.
void add_static(JouleRows& rows, double requests, StaticPower const& s, RequestTime const& t) {
    auto const first = static_cast<std::ptrdiff_t>(rows.size());
    s.rest.each(t.ttft, {}, [&](EnergyPart part, sim::Bounded const& joules) { rows.push_back({part, joules, {}}); });
    auto row = rows.begin() + first;
    s.rest.each(t.rounds, {}, [&](EnergyPart, sim::Bounded const& joules) { (row++)->decode = joules; });
    double const heads = requests * t.head * s.head, later_heads = requests * t.later_head * s.head;
    if (s.layer > 0.0)
        rows.push_back({"idle_units/crossbars and routers at work", s.layer * t.prompts_at_work + sim::Bounded(heads),
                        s.layer * t.later_at_work + sim::Bounded(t.passes * later_heads)});
}

JouleRows energy_rows_of(MachineConstants const& m, Design const& d, Partition const& p, BatchWork const& w,
                         RequestTime const& t) {
    auto rows = rows_of_events(w, d.sequences());
    add_static(rows, d.sequences(), w.idle, t);
    double const written = adapter_bytes(d, p) / d.batches_per_swap();
    rows.push_back({"in_memory_logic/writing adapters", written * w.each.scratchpad, 0.0});
    rows.push_back({"host_transfer/adapters", written * m.host_transfer.si, 0.0});
    if (d.weight_load == CellProgramming::once) {
        auto const load = programming(m, d, p);
        rows.push_back({"in_memory_logic/programming of cells", load.cells * m.dynamic.cell_write.si, 0.0});
        rows.push_back(
            {"interconnect/weights to their crossbars", load.byte_hops * (w.each.router + w.each.wire), 0.0});
        rows.push_back({"host_transfer/weights", load.bytes * m.host_transfer.si, 0.0});
    }
    if (m.host.si > 0.0 && p.has_tables)
        rows.push_back({"host_compute/host", m.host.si * t.ttft, m.host.si * t.rounds});
    return rows;
}

UnitPower unit_power(Design const& d, Partition const& p, BatchWork const& w, RequestTime const& t) {
    // Layer-seconds of one request.
    auto const seconds = t.later_at_work / d.sequences();
    bool const more_crossbars = d.dynamic_products == DynamicProducts::reprogram;
    double const pairs = static_cast<double>(p.tiles) + (more_crossbars ? dynamic_arrays(d, p) : 0.0);
    auto const adapted = static_cast<double>(p.adapted_tiles);
    auto const mean = [&](double joules, double units, double static_watts) {
        return units > 0.0 ? sim::Bounded(joules / units) / seconds + sim::Bounded(static_watts) : sim::Bounded(0.0);
    };
    auto const& e = w.later;
    double const sums = (e.multiplies + e.gated_elements) * w.each.multiply + e.additions * w.each.addition +
                        (e.softmax + e.activations) * w.each.softmax;
    return {mean(e.products * (w.each.cells + w.each.converters + w.each.port), pairs, w.idle.crossbar_on),
            mean(e.adapters * (w.each.adapter + w.each.adapter_port), adapted, w.idle.adapter_on),
            mean(e.scratchpad_bytes * w.each.scratchpad, pairs, w.idle.scratchpad_on),
            mean(e.hops * (w.each.router + w.each.wire) + e.borders * w.each.die_link + sums, pairs, w.idle.router_on)};
}

std::vector<Share> area_rows_of(MachineConstants const& m, Design const& d, MacroArea const& tile, Partition const& p) {
    auto const tiles = static_cast<double>(p.total_tiles);
    std::vector<Share> rows{{"vector_unit/router multipliers", tiles * tile.multipliers},
                            {"sram/scratchpads", tiles * tile.scratchpad},
                            {"sram/router FIFOs", tiles * tile.fifos},
                            {"controllers/control of pairs", tiles * tile.control},
                            {"routers/links and switches", tiles * tile.links},
                            {"crossbars/RRAM", tiles * tile.rram},
                            {"crossbars/SRAM-DCIM", tiles * tile.sram}};
    if (tile.softmax > 0.0) rows.push_back({"vector_unit/softmax units", tiles * tile.softmax});
    if (tile.die_links > 0.0) rows.push_back({"routers/links between tiles", tiles * tile.die_links});
    bool const digital = d.dynamic_products == DynamicProducts::digital;
    if (double const dynamic = dynamic_area(m, d, p); dynamic > 0.0)
        rows.push_back({digital ? "vector_unit/digital units" : "crossbars/keys and values", dynamic});
    return rows;
}

}  // namespace

Ledger ledger() { return {energy(), area()}; }

BatchEnergy energies_of(MachineConstants const& m, Design const& d, Partition const& p, BatchWork const& w,
                        RequestTime const& t) {
    auto const none = does_not_apply();
    return {energy_rows_of(m, d, p, w, t),
            d.later_passes() > 0.0 ? unit_power(d, p, w, t) : UnitPower{none, none, none, none},
            sum_of(rows_of_events(w, d.sequences())).value};
}

EnergyByRow joules_of(EventEnergy const& each, Events const& events) {
    EnergyByRow joules{};
    for (auto const& row : rows_of_events({each, events, {}, {}}, 1.0)) joules[row.what.row] += row.prefill.value;
    return joules;
}

sim::Bounded sum_of(std::vector<RowEnergy> const& rows) {
    return sum_of(rows, &RowEnergy::prefill) + sum_of(rows, &RowEnergy::decode);
}

sim::Bounded sum_of(std::vector<RowEnergy> const& rows, sim::Bounded RowEnergy::*phase) {
    sim::Bounded sum;
    for (auto const& row : rows) sum += row.*phase;
    return sum;
}

double adapter_bytes(Design const& d, Partition const& p) {
    return static_cast<double>(d.model->layers) * p.lora_bytes;
}

void add_share(std::vector<Share>& shares, std::string const& name, double amount) {
    auto const same = std::ranges::find(shares, name, &Share::what);
    if (same == shares.end())
        shares.push_back({name, amount});
    else
        same->amount += amount;
}

std::vector<Share> area_rows_of(MachineConstants const& m, std::vector<KindOnMesh> const& kinds) {
    std::vector<Share> all;
    for (auto const& [design, parts] : kinds)
        for (auto const& row : area_rows_of(m, design, tile_area(m, design, parts), parts))
            add_share(all, row.what, row.amount);
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
