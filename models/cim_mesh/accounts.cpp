#include "models/cim_mesh/accounts.hpp"

namespace pimdse::models::cim_mesh {
namespace {

/// Seconds that pairs spend in each state, all of them together.
struct PairTimes {
    sim::Bounded layers;   ///< crossbars of layers at work
    double head = 0.0;     ///< of the LM head, whose SRAM-DCIM is quiet
    sim::Bounded waiting;  ///< all others
};

PairTimes times_of(Partition const& p, Powered const& counts, RequestTime const& t) {
    double const pairs = counts.layers * counts.layer + counts.tables;
    PairTimes times;
    times.layers = counts.crossbars * t.layers_at_work;
    times.head = static_cast<double>(p.head.tiles()) * t.head_at_work;
    times.waiting =
        growing([&](double all, double work) { return pairs * all - work - times.head; }, t.latency, times.layers);
    return times;
}

using JouleRows = std::vector<RowEnergy>;

void add_work(JouleRows& rows, PairTimes const& times, PairPower const& power) {
    sim::Bounded const work = times.layers + times.head;
    rows.push_back({"arithmetic/router multipliers", power.multipliers * work});
    rows.push_back({"sram/scratchpads", power.scratchpad * work});
    rows.push_back({"sram/router FIFOs", power.fifos * work});
    rows.push_back({"in_memory_logic/crossbars", power.cells * work});
    rows.push_back({"in_memory_logic/adapters", power.adapters * times.layers});
    rows.push_back({"interconnect/routers and links", power.links * work});
    rows.push_back({"converters/crossbars", power.converters * work});
}

void add_waiting(JouleRows& rows, PairTimes const& times, PairPower const& power) {
    rows.push_back({"sram_static/scratchpads", power.scratchpad * times.waiting});
    rows.push_back({"sram_static/adapters", power.retention * (times.waiting + times.head)});
    double const left_on = power.idle() - power.kept();
    if (left_on > 0.0) rows.push_back({"idle_units/crossbars and routers", left_on * times.waiting});
}

/// Of the decode region, the macros beside the layer at work do; all of them are powered.
void add_decode_region(JouleRows& rows, Powered const& counts, PairPower const& power, RequestTime const& t) {
    if (counts.decode_macros == 0.0) return;
    rows.push_back({"sram_static/decode region", counts.decode_macros * power.region_pads * t.latency});
    rows.push_back({"idle_units/routers of the decode region", counts.decode_macros * power.region_router * t.latency});
}

}  // namespace

std::vector<RowEnergy> energy_rows_of(MachineConstants const& m, Partition const& p, Powered const& counts,
                                      PairPower const& power, RequestTime const& t) {
    JouleRows rows;
    auto const times = times_of(p, counts, t);
    add_work(rows, times, power);
    add_waiting(rows, times, power);
    add_decode_region(rows, counts, power, t);
    rows.push_back({"idle_units/control", counts.control * t.latency});
    double const rewritten = counts.layers * static_cast<double>(p.adapted_tiles) * t.reprogram_first;
    rows.push_back({"in_memory_logic/writing adapters", rewritten * (power.reprogramming() - power.idle())});
    rows.push_back({"host_transfer/adapters", counts.layers * p.lora_bytes * m.host_transfer.si});
    return rows;
}

sim::Bounded sum_of(std::vector<RowEnergy> const& rows) {
    sim::Bounded sum;
    for (auto const& row : rows) sum += row.joules;
    return sum;
}

double adapter_bytes(Design const& d, Partition const& p) {
    return static_cast<double>(d.model->layers) * p.lora_bytes;
}

std::vector<Share> area_rows_of(MacroArea const& tile, Partition const& p) {
    auto const tiles = static_cast<double>(p.total_tiles);
    return {{"vector_unit/router multipliers", tiles * tile.multipliers},
            {"sram/scratchpads", tiles * tile.scratchpad},
            {"sram/router FIFOs", tiles * tile.fifos},
            {"controllers/control of pairs", tiles * tile.control},
            {"routers/links and switches", tiles * tile.links},
            {"crossbars/RRAM", tiles * tile.rram},
            {"crossbars/SRAM-DCIM", tiles * tile.sram}};
}

}  // namespace pimdse::models::cim_mesh
