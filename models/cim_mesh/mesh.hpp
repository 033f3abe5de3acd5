#pragma once

#include "models/text/part.hpp"

namespace pimdse::models::cim_mesh {

/// The kind `mesh` of a compute component of a machine file: crossbars on a network of computing routers, which take
/// whole passes of a model whose weights they store (README.md, A mesh in a machine file). Its keys are the parameters
/// of this folder that are not of the request; it has what its steps have (broken_step_rule).
[[nodiscard]] text::PartKind mesh();

}  // namespace pimdse::models::cim_mesh
