#pragma once

#include "models/cim_mesh/design.hpp"
#include "models/cim_mesh/layer/program.hpp"
#include "models/contract/proofs.hpp"
#include "models/llm/model_choices.hpp"

#include <optional>
#include <span>

namespace pimdse::models::cim_mesh {

/// The meanings of the choices of parameters, in the order of the choices.
struct Bindings : ModelChoices {
    std::vector<std::vector<std::string>> targets;
    std::vector<std::array<std::size_t, 4>> attention_orders;
};

[[nodiscard]] Parameters parameters();
/// Throws InputError for a model that cannot be read or an invalid list of LoRA targets.
[[nodiscard]] Bindings bind_choices(Parameters const& parameters);
[[nodiscard]] Design read_design(Bindings const& bindings, Point point);

/// The parameters of the machine itself, without those of the request: the keys of a mesh in a machine file.
[[nodiscard]] Parameters machine_keys();
/// The design with these values of the keys, for a request.
[[nodiscard]] Design read_design(Bindings const& bindings, std::span<Value const> keys, ModelRequest const& request);

/// The first rule that a design breaks, with the numbers in question: generation, context, blocks, batch, clock, fifo,
/// head_dimension, lora_rank, mesh_column, mesh_line, kv_pool. nullopt if the design breaks none.
[[nodiscard]] std::optional<Infeasible> broken_rule(MachineConstants const& machine, Design const& design,
                                                    Partition const& partition);

/// The keys that points share (cycle_key.cpp), the directions of bounds (README.md, Lower bounds), and the constants of
/// which the dimension does not tell how they move metrics.
[[nodiscard]] Proofs proofs();

}  // namespace pimdse::models::cim_mesh
