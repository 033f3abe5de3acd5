#include "models/cim_mesh/power.hpp"

#include "models/cim_mesh/layer/analytic.hpp"
#include "models/cim_mesh/machines.hpp"
#include "sim/base/counting.hpp"

#include <cmath>
#include <set>

namespace pimdse::models::cim_mesh {
namespace {

/// How macros grow from the published pair: cells with their converters, memory with its bytes, router with width, FIFO
/// and multipliers.
struct Growth {
    double array, scratchpad, router;
};

Growth growth(MachineConstants const& m, Design const& d) {
    auto const& base = macros_of(m, d);
    double const side = static_cast<double>(d.crossbar) / base.crossbar;
    double const width = static_cast<double>(d.link_bits) / base.link;
    double const fifo = static_cast<double>(d.fifo_bytes) / base.fifo.si;
    double const dmacs = static_cast<double>(d.dmacs) / base.dmacs;
    return {std::pow(side * side, m.periphery_exponent), static_cast<double>(d.scratchpad) / base.scratchpad.si,
            (1.0 - m.router_fifo_share - m.router_dmac_share) * width + m.router_fifo_share * fifo +
                m.router_dmac_share * dmacs};
}

/// Rounded up to whole mesh columns.
double whole_columns(Design const& d, std::int64_t pairs) {
    return static_cast<double>(sim::divide_up(pairs, d.mesh_rows) * d.mesh_rows);
}

double columns_of(Design const& d, Placement const& placement) {
    std::set<std::int32_t> columns;
    for (auto const node : placement.pool) columns.insert(placement.mesh.col(node));
    return static_cast<double>(static_cast<std::int64_t>(columns.size()) * d.mesh_rows);
}

}  // namespace

PairPower pair_power(MachineConstants const& m, Design const& d) {
    auto const& base = macros_of(m, d);
    auto const g = growth(m, d);
    double const clock = d.frequency / m.base_frequency.si;
    bool const with_sram = d.mode == Mode::primal;
    double const rram = base.rram_power.si * g.array * clock;
    double const sram = with_sram ? base.sram_power.si * g.array * clock : 0.0;
    double const retention = with_sram ? base.sram_retention.si * g.array : 0.0;
    double const scratchpad = base.scratchpad_power.si * g.scratchpad;
    double const router = base.router_power.si * g.router * clock;
    PairPower p;
    p.active = rram + sram + scratchpad + router;
    p.gated = scratchpad + retention;
    p.ungated = rram + scratchpad + router + retention;
    p.idle = d.gating == Gating::srpg ? p.gated : p.ungated;
    p.reprogram = p.idle - retention + sram;
    if (d.machine == Machine::leap_d) p.decode_macro = m.leap_decode_scratchpads * scratchpad + router;
    return p;
}

Powered powered(MachineConstants const& m, Design const& d, Partition const& p, Placement const& placement) {
    Powered counts;
    counts.crossbars = static_cast<double>(p.tiles);
    counts.layer = columns_of(d, placement);
    counts.layers = static_cast<double>(d.model->layers);
    counts.tables = whole_columns(d, p.table_tiles);
    if (d.machine == Machine::leap_d) counts.decode_macros = counts.layers * counts.layer;
    if (!d.is_leap()) counts.controllers = static_cast<double>(p.total_tiles) * m.controller_power.si;
    return counts;
}

double average_power(Powered const& counts, PairPower const& power) {
    double const waiting = counts.layers * counts.layer - counts.crossbars + counts.tables;
    return counts.crossbars * power.active + waiting * power.idle + counts.controllers +
           counts.decode_macros * power.decode_macro;
}

StateEnergy state_energy(Partition const& p, Powered const& counts, PairPower const& power, RequestTime const& t) {
    StateEnergy e;
    double const layers = counts.layers * counts.layer;
    e.active = counts.crossbars * power.active * t.at_work;
    e.waiting = power.idle * growing([&](double all, double one) { return layers * all - counts.crossbars * one; },
                                     t.latency, t.at_work);
    e.tables = power.idle * counts.tables * t.latency;
    e.controllers = counts.controllers * t.latency;
    e.decode_region = counts.decode_macros * power.decode_macro * t.latency;
    e.reprogramming =
        counts.layers * static_cast<double>(p.adapted_tiles) * (power.reprogram - power.idle) * t.reprogram_first;
    return e;
}

double gating_saving(MachineConstants const& machine, Design const& design, Powered const& counts) {
    Design bare = design;
    bare.gating = Gating::none;
    double const ungated = average_power(counts, pair_power(machine, bare));
    return 1.0 - average_power(counts, pair_power(machine, design)) / ungated;
}

double paper_power(MachineConstants const& machine, Design const& design, PairPower const& power, double average) {
    return design.is_leap() ? machine.leap_macros * (power.active + power.decode_macro) : average;
}

double activity_energy(MachineConstants const& m, Design const& d, Partition const& p) {
    auto const& base = macros_of(m, d);
    auto const g = growth(m, d);
    Services const form(m, d, p);
    double const cycle = 1.0 / m.base_frequency.si;
    double const flit_hop = base.router_power.si * g.router * cycle;
    double const product = base.rram_power.si * g.array * cycle * form.vector_transfer();
    std::int64_t products = 0;
    std::int64_t hops = 0;
    for (auto const& matrix : p.matrices) {
        products += matrix.rows * matrix.summed * matrix.active;
        hops += (matrix.rows - 1) * matrix.summed * matrix.active;
    }
    bool const causal = d.model->attention == sim::Attention::causal;
    auto const in = static_cast<double>(d.input), out = static_cast<double>(d.output);
    double const tokens = causal ? in + out : (in + out) * out;
    double const pairs = causal ? in * in + out * (in + out / 2.0) : (in + out) * (in + out) * out;
    double const vectors = tokens * static_cast<double>(hops) + pairs * 2.0 * static_cast<double>(p.kv);
    double const adapters =
        tokens * form.adapters_per_token() * (d.mode == Mode::primal ? base.sram_power.si * g.array * cycle : 0.0);
    double const layer =
        vectors * form.vector_transfer() * flit_hop + tokens * static_cast<double>(products) * product + adapters;
    return static_cast<double>(d.model->layers) * layer;
}

MacroArea tile_area(MachineConstants const& m, Design const& d) {
    auto const& base = macros_of(m, d);
    auto const g = growth(m, d);
    auto const pairs = static_cast<double>(d.pairs_per_tile());
    MacroArea a;
    a.rram = pairs * base.rram_area.si * g.array;
    a.sram = d.mode == Mode::primal ? pairs * base.sram_area.si * g.array : 0.0;
    a.scratchpad = pairs * base.scratchpad_area.si * g.scratchpad;
    a.router = pairs * base.router_area.si * g.router;
    if (d.machine == Machine::leap_d) {
        a.scratchpad *= 1.0 + m.leap_decode_scratchpads;
        a.router *= 2.0;
    }
    if (!d.is_leap()) {
        auto const border = static_cast<double>(2 * (d.mesh_rows + d.mesh_cols));
        a.edge = m.controller_area.si + border * m.border_router_area.si;
    }
    return a;
}

}  // namespace pimdse::models::cim_mesh
