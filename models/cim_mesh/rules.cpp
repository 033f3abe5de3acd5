#include "models/cim_mesh/rules.hpp"

#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <cmath>

namespace pimdse::models::cim_mesh {
namespace {

std::optional<Infeasible> check_pair(MachineConstants const& machine, Design const& d) {
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

}  // namespace

std::optional<Infeasible> broken_rule(MachineConstants const& machine, Design const& d, Partition const& p) {
    if (auto broken = check_pair(machine, d)) return broken;
    for (auto const& matrix : p.matrices) {
        if (matrix.rows > d.pairs_per_tile()) {
            return Infeasible{"mesh_column",
                              fmt::format("a column of matrix {} is {} crossbars, a mesh of {} x {} has {}",
                                          matrix.name, matrix.rows, d.mesh_rows, d.mesh_cols, d.pairs_per_tile())};
        }
    }
    if (d.longest_context() > d.model->maximum_context) {
        return Infeasible{"context",
                          fmt::format("input {} + output {} = {} tokens exceed the {} of {}", d.input, d.output,
                                      d.longest_context(), d.model->maximum_context, d.model->name)};
    }
    KvCache const cache(machine, d, p);
    if (d.model->attention == sim::Attention::causal && cache.needed(d.longest_context()) > cache.capacity()) {
        return Infeasible{
            "kv_pool",
            fmt::format("{} tokens need {} slots of {} B for keys and values, {} routers of {} slots have {}",
                        d.longest_context(), cache.needed(d.longest_context()), cache.slot_bytes(), cache.routers(),
                        cache.slots_per_router(), cache.capacity())};
    }
    return std::nullopt;
}

}  // namespace pimdse::models::cim_mesh
