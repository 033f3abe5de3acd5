#pragma once

#include "models/cim_mesh/design.hpp"

namespace pimdse::models::cim_mesh {

/// What the choices of the parameters stand for, in the order of the choices.
struct Bindings {
    std::vector<sim::LanguageModel> models;
    std::vector<std::vector<std::string>> targets;
    std::vector<std::array<std::size_t, 4>> attention_orders;
};

[[nodiscard]] Parameters parameters();
/// Throws InputError for a model that cannot be read or a list of LoRA targets that is none.
[[nodiscard]] Bindings bind_choices(Parameters const& parameters);
[[nodiscard]] Design read_design(Bindings const& bindings, Point point);

}  // namespace pimdse::models::cim_mesh
