#include "models/cim_mesh/power.hpp"

#include "models/cim_mesh/design.hpp"
#include "models/cim_mesh/layer/commands.hpp"
#include "models/cim_mesh/layer/dynamic_products.hpp"
#include "models/cim_mesh/layer/macros.hpp"
#include "sim/base/counting.hpp"

#include <cmath>

namespace pimdse::models::cim_mesh {
namespace {

/// Scale factors of macros relative to the published pair: cells with their converters, scratchpad with its banks, the
/// parts of the router with FIFO, width and multipliers.
struct Growth {
    double array, scratchpad, fifos, links, multipliers;

    [[nodiscard]] double router() const { return fifos + links + multipliers; }
};

Growth growth(MachineConstants const& m, Design const& d) {
    auto const& base = macros_of(m, d);
    double const side = static_cast<double>(d.crossbar) / base.crossbar;
    double const width = static_cast<double>(d.link_bits) / base.link;
    double const mesh_fifo = static_cast<double>(d.fifo_bytes) / base.fifo.si;
    double const macro_fifo = static_cast<double>(d.macro_fifo_bytes) / base.fifo.si;
    // Two of the six ports of a router have macros behind them.
    double const fifo =
        d.macro_fifo_bytes == 0 ? mesh_fifo : mesh_fifo + m.macro_ports_share * (macro_fifo - mesh_fifo);
    double const dmacs = static_cast<double>(d.dmacs) / base.dmacs;
    return {std::pow(side * side, m.periphery_exponent), scratchpad_growth(m, d), m.router_fifo_share * fifo,
            (1.0 - m.router_fifo_share - m.router_dmac_share) * width, m.router_dmac_share * dmacs};
}

/// Scale factor of the control of a tile: number of pairs, and bits of their addresses.
double control_growth(MachineConstants const& m, Design const& d) {
    auto const pairs = static_cast<double>(d.pairs_per_tile());
    return pairs * (1.0 + std::log2(pairs)) / (m.base_pairs * (1.0 + std::log2(m.base_pairs)));
}

/// Scale factor of control by sequencers: each column that is summed at the same time needs one sequencer.
double sequencers(MachineConstants const& m, std::int64_t columns_together) {
    return 1.0 + m.sequencer_share * static_cast<double>(columns_together - 1);
}

/// Power of clocked units relative to the published clock: activity and voltage.
double clocked(MachineConstants const& m, Design const& d) {
    return d.frequency / m.base_frequency.si * m.supply.energy_factor(sim::Frequency{d.frequency});
}

/// Bytes of the instruction memory of a tile beyond what the published control has, that of commands that repeat: the
/// commands of a layer are divided among its pairs.
double unrolled_bytes(MachineConstants const& m, Design const& d, Partition const& p) {
    if (d.controller == MainController::repeating) return 0.0;
    return command_bytes(m, d, p) * static_cast<double>(d.pairs_per_tile()) / static_cast<double>(p.tiles);
}

/// leap-d: power of a macro of the decode region, active or waiting.
double decode_macro(PairPower const& power) { return power.region_pads + power.region_router; }

/// A number of pairs rounded up to whole mesh columns.
double whole_columns(Design const& d, std::int64_t pairs) {
    return static_cast<double>(sim::divide_up(pairs, d.mesh_rows) * d.mesh_rows);
}

}  // namespace

PairPower pair_power(MachineConstants const& m, Design const& d) {
    auto const& base = macros_of(m, d);
    auto const g = growth(m, d);
    double const rate = clocked(m, d);
    double const rram = base.rram_power.si * g.array * rate, router = base.router_power.si * rate;
    PairPower p;
    p.crossbar = rram;
    if (d.mode == Mode::primal) {
        p.adapters = base.sram_power.si * g.array * rate;
        p.retention = base.sram_retention.si * g.array;
    }
    p.scratchpad = base.scratchpad_power.si * g.scratchpad;
    p.router = router * g.router();
    p.gated = d.gating == Gating::srpg;
    if (d.machine == Machine::leap_d) {
        p.region_pads = m.leap_decode_scratchpads * p.scratchpad;
        p.region_router = p.router;
    }
    return p;
}

Powered powered(MachineConstants const& m, Design const& d, Partition const& p, std::int64_t columns) {
    Powered counts;
    counts.crossbars = static_cast<double>(p.tiles);
    counts.active = counts.crossbars * static_cast<double>(d.model->layers) / static_cast<double>(p.all_layers);
    counts.layer = static_cast<double>(columns * d.mesh_rows);
    counts.layers = static_cast<double>(d.model->layers);
    counts.tables = whole_columns(d, p.table_tiles);
    if (d.machine == Machine::leap_d) counts.decode_macros = counts.layers * counts.layer;
    // The published power of LEAP is that of its macros alone.
    if (!d.is_leap())
        counts.control = static_cast<double>(p.total_tiles) * m.control_power.si * control_growth(m, d) *
                         clocked(m, d) * sequencers(m, p.columns_together);
    counts.control += static_cast<double>(p.total_tiles) * unrolled_bytes(m, d, p) * m.scratchpad_leakage.si;
    return counts;
}

double average_power(Powered const& counts, PairPower const& power) {
    double const waiting = (counts.layers * counts.layer + counts.tables) * power.idle() + counts.control +
                           counts.decode_macros * decode_macro(power);
    return waiting + counts.active * (power.active() - power.idle());
}

double paper_power(MachineConstants const& machine, Design const& design, PairPower const& power, double average) {
    return design.is_leap() ? machine.leap_macros * (power.active() + decode_macro(power)) : average;
}

MacroArea tile_area(MachineConstants const& m, Design const& d, Partition const& p) {
    auto const& base = macros_of(m, d);
    auto const g = growth(m, d);
    auto const pairs = static_cast<double>(d.pairs_per_tile());
    bool const two_regions = d.machine == Machine::leap_d;
    MacroArea a;
    a.routers_of_a_pair = two_regions ? 2.0 : 1.0;
    double const routers = pairs * base.router_area.si * a.routers_of_a_pair;
    double const pads = 1.0 + (two_regions ? m.leap_decode_scratchpads : 0.0);
    // The converters of the published pair keep pace with a vector on its link: a wider link needs more of them, and
    // products that may take longer need fewer. A vector of more columns takes longer by as much, so that the cells
    // alone grow with the crossbar.
    double const adc = converter_area(m, d);
    double const published = cycles_on_link(m, d, base.link);
    double const here = cycles_on_link(m, d, static_cast<double>(d.link_bits));
    auto const array = [&](double cycles) {
        double const converters = published / cycles * adc;
        return pairs * base.rram_area.si * (g.array + m.converter_area_share * (converters - g.array));
    };
    a.rram_at_full_speed = array(here);
    a.rram = array(here + static_cast<double>(d.smac_cycles));
    a.sram = d.mode == Mode::primal ? pairs * base.sram_area.si * g.array : 0.0;
    a.scratchpad = pads * pairs * base.scratchpad_area.si * g.scratchpad;
    a.fifos = routers * g.fifos;
    double const collective = d.has_trees() ? 1.0 + m.collective_share : 1.0;
    // The ports to the macros are as wide as a mesh link unless they have a width of their own.
    double const ports = d.macro_port_bits == 0 ? 1.0
                                                : 1.0 - m.macro_ports_share +
                                                      m.macro_ports_share * static_cast<double>(d.macro_port_bits) /
                                                          static_cast<double>(d.link_bits);
    a.links = routers * g.links * collective * ports;
    a.multipliers = routers * g.multipliers * collective;
    // One aggregator for a layer, on one of its tiles.
    if (d.shares_aggregator()) a.multipliers /= pairs * static_cast<double>(p.placed_tiles);
    a.control = m.control_area.si * control_growth(m, d) * sequencers(m, p.columns_together) +
                unrolled_bytes(m, d, p) * base.scratchpad_area.si / base.scratchpad.si;
    a.softmax = pairs * a.routers_of_a_pair * static_cast<double>(d.softmax_rate) * m.softmax_area.si;
    if (d.shares_aggregator()) a.softmax /= pairs * static_cast<double>(p.placed_tiles);
    // A link for every router at the four sides of the published tile, and as many per pair on other tiles.
    constexpr double sides = 4;
    double const links = sides * std::sqrt(m.base_pairs) * pairs / m.base_pairs;
    a.die_links = links * static_cast<double>(d.die_link_bits) * m.die_link_area.si;
    return a;
}

double dynamic_area(MachineConstants const& m, Design const& d, Partition const& p) {
    if (!d.multiplies_in_place()) return 0.0;
    auto const layers = static_cast<double>(d.model->layers);
    if (d.dynamic_products == DynamicProducts::digital)
        return layers * static_cast<double>(p.tiles) * m.dynamic.digital_macs * m.dynamic.digital_mac_area.si;
    auto const pairs = static_cast<double>(d.pairs_per_tile());
    if (d.dynamic_products == DynamicProducts::reprogram)
        return layers * dynamic_arrays(d, p) * tile_area(m, d, p).rram / pairs;
    auto const cells = static_cast<double>(d.crossbar * d.crossbar);
    double const published = m.primal.crossbar * m.primal.crossbar * m.sram_columns_share;
    double const array = m.primal.sram_area.si * std::pow(cells / published, m.periphery_exponent);
    return layers * dynamic_arrays(d, p) * m.dynamic.transposable_area * array;
}

double reprogram_time(MachineConstants const& machine, Design const& design, Partition const& partition) {
    double const bits = MachineConstants::bits_per_byte * partition.lora_bytes;
    double const cycles = std::ceil(bits / static_cast<double>(design.link_bits)) + machine.reprogram_row_write;
    return partition.adapted == 0 ? 0.0 : cycles / design.frequency;
}

}  // namespace pimdse::models::cim_mesh
