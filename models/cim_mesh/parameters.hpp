#pragma once

#include "models/cim_mesh/design.hpp"
#include "models/cim_mesh/layer/program.hpp"
#include "models/contract/outcome.hpp"
#include "models/contract/parameter.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pimdse::models::cim_mesh {

/// The meanings of the choices of keys, in the order of the choices.
struct Bindings {
    std::vector<std::vector<std::string>> targets;
    std::vector<std::array<std::size_t, 4>> attention_orders;
};

/// What a mesh may be: the keys of a part `mesh` of a machine file.
[[nodiscard]] Parameters machine_keys();
/// Throws InputError for an invalid list of LoRA targets, or an invalid order.
[[nodiscard]] Bindings bind_choices(Parameters const& keys);
/// The design with these values of the keys, for a request.
[[nodiscard]] Design read_design(Bindings const& bindings, std::span<Value const> keys, ModelRequest const& request);

/// The first rule that a design breaks, with the numbers in question: generation, context, blocks, batch, clock, fifo,
/// head_dimension, lora_rank, mesh_column, mesh_line, kv_pool. nullopt if the design breaks none.
[[nodiscard]] std::optional<Infeasible> broken_rule(MachineConstants const& machine, Design const& design,
                                                    Partition const& partition);

}  // namespace pimdse::models::cim_mesh
