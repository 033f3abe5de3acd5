#include "models/cim_mesh/rules.hpp"

#include "models/cim_mesh/layer/serial_layer.hpp"
#include "models/contract/generation.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/noc/limits.hpp"

#include <fmt/format.h>
#include <cmath>

namespace pimdse::models::cim_mesh {
namespace {

constexpr std::int64_t most_on_leap = 2;  // LEAP, journal: two requests exclude each other from the PEs

std::optional<Infeasible> check_request(Design const& d) {
    if (auto broken = broken_generation({*d.model, d.diffuses(), d.input, d.output, d.block_length})) return broken;
    if (d.is_leap() && d.batch > most_on_leap) {
        return Infeasible{"batch",
                          fmt::format("{} requests at a time, LEAP's machines take {}", d.batch, most_on_leap)};
    }
    return std::nullopt;
}

std::optional<Infeasible> check_cache(Design const& d, KvCache const& cache) {
    auto const needed = cache.needed_by_all(d.longest_context());
    if (needed <= cache.capacity()) return std::nullopt;
    return Infeasible{
        "kv_pool",
        fmt::format("{} x {} tokens need {} slots of {} B for keys and values, {} routers of {} slots have {}", d.batch,
                    d.longest_context(), needed, cache.slot_bytes(), cache.routers(), cache.slots_per_router(),
                    cache.capacity())};
}

std::optional<Infeasible> check_pair(MachineConstants const& machine, Design const& d) {
    if (!machine.supply.allows(sim::Frequency{d.frequency})) {
        return Infeasible{"clock", fmt::format("{} is not between {} and {}, for which a voltage is known",
                                               sim::print_quantity(d.frequency, "Hz"),
                                               sim::print_quantity(machine.supply.lowest.si, "Hz"),
                                               sim::print_quantity(machine.supply.highest.si, "Hz"))};
    }
    if (d.fifo_flits() < 2) {
        return Infeasible{"fifo", fmt::format("a FIFO of {} B holds {} flits of {} bit, at least 2 are needed",
                                              d.fifo_bytes, d.fifo_flits(), d.link_bits)};
    }
    if (d.model->head_dimension > d.crossbar) {
        return Infeasible{"head_dimension", fmt::format("a head of {} is wider than a crossbar of {} columns",
                                                        d.model->head_dimension, d.crossbar)};
    }
    auto const columns = sim::whole_part(std::floor(static_cast<double>(d.crossbar) * machine.sram_columns_share));
    if (!d.lora_targets.empty() && d.lora_rank > columns) {
        return Infeasible{"lora_rank", fmt::format("LoRA rank {} does not fit the {} columns of the {} x {} SRAM array",
                                                   d.lora_rank, columns, d.crossbar, columns)};
    }
    return std::nullopt;
}

/// What the network needs where cycle level simulates any of it: compute tiles stand side by side.
std::optional<Infeasible> check_line(MachineConstants const& machine, Design const& d, Partition const& p) {
    auto const columns = p.placed_tiles * d.mesh_cols;
    bool const simulated = d.schedule == Schedule::tree || simulates_trees(machine, d);
    if (!simulated || columns <= sim::noc::most_in_line) return std::nullopt;
    return Infeasible{
        "mesh_line",
        fmt::format("a layer takes {} tiles of {} columns, together {} routers in a line, a message knows its way "
                    "along {} (use larger tiles: mesh_rows)",
                    p.placed_tiles, d.mesh_cols, columns, sim::noc::most_in_line)};
}

}  // namespace

std::optional<Infeasible> broken_rule(MachineConstants const& machine, Design const& d, Partition const& p) {
    if (auto broken = check_request(d)) return broken;
    if (auto broken = check_pair(machine, d)) return broken;
    for (auto const& matrix : p.matrices) {
        if (matrix.rows > d.pairs_per_tile()) {
            return Infeasible{"mesh_column",
                              fmt::format("a column of matrix {} is {} crossbars, a mesh of {} x {} has {}",
                                          matrix.name, matrix.rows, d.mesh_rows, d.mesh_cols, d.pairs_per_tile())};
        }
    }
    if (auto broken = check_line(machine, d, p)) return broken;
    return check_cache(d, KvCache(machine, d, p));
}

}  // namespace pimdse::models::cim_mesh
