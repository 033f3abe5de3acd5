#include "models/cim_mesh/power.hpp"

#include "models/cim_mesh/layer/analytic.hpp"

#include <cmath>

namespace pimdse::models::cim_mesh {
namespace {

/// How macros grow from the published pair: cells with their converters, memory with its bytes, router with width and
/// FIFO.
struct Growth {
    double array, scratchpad, router;
};

Growth growth(MachineConstants const& m, Design const& d) {
    double const side = static_cast<double>(d.crossbar) / m.base_crossbar;
    double const width = static_cast<double>(d.link_bits) / m.base_link;
    double const fifo = static_cast<double>(d.fifo_bytes) / m.base_fifo.si;
    return {std::pow(side * side, m.periphery_exponent), static_cast<double>(d.scratchpad) / m.base_scratchpad.si,
            (1.0 - m.router_fifo_share) * width + m.router_fifo_share * fifo};
}

}  // namespace

PairPower pair_power(MachineConstants const& m, Design const& d) {
    auto const g = growth(m, d);
    double const clock = d.frequency / m.base_frequency.si;
    bool const with_sram = d.mode == Mode::primal;
    double const rram = m.rram_power.si * g.array * clock;
    double const sram = with_sram ? m.sram_power.si * g.array * clock : 0.0;
    double const retention = with_sram ? m.sram_retention.si * g.array : 0.0;
    double const scratchpad = m.scratchpad_power.si * g.scratchpad;
    double const router = m.router_power.si * g.router * clock;
    PairPower p;
    p.active = rram + sram + scratchpad + router;
    p.gated = scratchpad + retention;
    p.ungated = rram + scratchpad + router + retention;
    p.idle = d.gating == Gating::srpg ? p.gated : p.ungated;
    p.reprogram = p.idle - retention + sram;
    return p;
}

double average_power(Design const& d, Partition const& p, PairPower const& power) {
    auto const layer = static_cast<double>(p.tiles);
    auto const rest = static_cast<double>((d.model->layers - 1) * p.tiles + p.table_tiles);
    return layer * power.active + rest * power.idle;
}

StateEnergy state_energy(Design const& d, Partition const& p, PairPower const& power, RequestTime const& t) {
    auto const layer = static_cast<double>(p.tiles);
    auto const layers = static_cast<double>(d.model->layers);
    StateEnergy e;
    e.active = layer * power.active * t.at_work;
    e.waiting =
        power.idle * layer * growing([&](double all, double one) { return layers * all - one; }, t.latency, t.at_work);
    e.tables = power.idle * static_cast<double>(p.table_tiles) * t.latency;
    e.reprogramming =
        layers * static_cast<double>(p.adapted_tiles) * (power.reprogram - power.idle) * t.reprogram_first;
    return e;
}

double gating_saving(MachineConstants const& machine, Design const& design, Partition const& p) {
    Design bare = design;
    bare.gating = Gating::none;
    double const ungated = average_power(bare, p, pair_power(machine, bare));
    return 1.0 - average_power(design, p, pair_power(machine, design)) / ungated;
}

double activity_energy(MachineConstants const& m, Design const& d, Partition const& p) {
    auto const g = growth(m, d);
    ClosedForm const form(m, d, p);
    double const cycle = 1.0 / m.base_frequency.si;
    double const flit_hop = m.router_power.si * g.router * cycle;
    double const product = m.rram_power.si * g.array * cycle * form.vector_transfer();
    std::int64_t products = 0;
    std::int64_t hops = 0;
    for (auto const& matrix : p.matrices) {
        products += matrix.tiles() * matrix.active;
        hops += (matrix.rows - 1) * matrix.cols * matrix.active;
    }
    bool const causal = d.model->attention == sim::Attention::causal;
    auto const in = static_cast<double>(d.input), out = static_cast<double>(d.output);
    double const tokens = causal ? in + out : (in + out) * out;
    double const pairs = causal ? in * in + out * (in + out / 2.0) : (in + out) * (in + out) * out;
    double const vectors = tokens * static_cast<double>(hops) + pairs * 2.0 * static_cast<double>(p.kv);
    double const adapters =
        tokens * form.adapters_per_token() * (d.mode == Mode::primal ? m.sram_power.si * g.array * cycle : 0.0);
    double const layer =
        vectors * form.vector_transfer() * flit_hop + tokens * static_cast<double>(products) * product + adapters;
    return static_cast<double>(d.model->layers) * layer;
}

MacroArea tile_area(MachineConstants const& m, Design const& d) {
    auto const g = growth(m, d);
    auto const pairs = static_cast<double>(d.pairs_per_tile());
    MacroArea a;
    a.rram = pairs * m.rram_area.si * g.array;
    a.sram = d.mode == Mode::primal ? pairs * m.sram_area.si * g.array : 0.0;
    a.scratchpad = pairs * m.scratchpad_area.si * g.scratchpad;
    a.router = pairs * m.router_area.si * g.router;
    a.edge = (m.edge_area_factor - 1.0) * (a.rram + a.sram + a.scratchpad + a.router);
    return a;
}

}  // namespace pimdse::models::cim_mesh
