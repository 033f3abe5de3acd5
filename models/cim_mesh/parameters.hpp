#pragma once

#include "models/cim_mesh/design.hpp"
#include "models/cim_mesh/layer/program.hpp"

#include <optional>

namespace pimdse::models::cim_mesh {

/// What the choices of the parameters stand for, in the order of the choices.
struct Bindings {
    std::vector<LanguageModel> models;
    std::vector<std::vector<std::string>> targets;
    std::vector<std::array<std::size_t, 4>> attention_orders;
};

[[nodiscard]] Parameters parameters();
/// Throws InputError for a model that cannot be read or a list of LoRA targets that is none.
[[nodiscard]] Bindings bind_choices(Parameters const& parameters);
[[nodiscard]] Design read_design(Bindings const& bindings, Point point);

/// The first rule a design breaks, with the numbers: generation, context, blocks, batch, clock, fifo, head_dimension,
/// lora_rank, mesh_column, kv_pool.
[[nodiscard]] std::optional<Infeasible> broken_rule(MachineConstants const& machine, Design const& design,
                                                    Partition const& partition);

}  // namespace pimdse::models::cim_mesh
