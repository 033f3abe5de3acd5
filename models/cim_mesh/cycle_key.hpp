#pragma once

#include "models/text/part.hpp"

#include <vector>

namespace pimdse::models::cim_mesh {

/// Rows of the part `mesh` of a cycle key, and how bounds of a machine that it makes alone move (README.md, Lower
/// bounds).
[[nodiscard]] std::vector<text::PartKeyRow> key_rows();
[[nodiscard]] std::vector<MonotoneGroup> directions();

}  // namespace pimdse::models::cim_mesh
