#pragma once

#include "models/cim_mesh/layer/partition.hpp"

#include <vector>

namespace pimdse::models::cim_mesh {

/// A kind of layers on the machine: the design with a model that has these layers alone, and their crossbars. The
/// tables are counted with the first kind.
struct KindOnMesh {
    Design design;
    Partition partition;
};
/// The kinds of layers of a design, at least one. A request that fills no window does not tell layers with different
/// windows apart; alike layers are the model of the design itself.
[[nodiscard]] std::vector<KindOnMesh> kinds_of(Design const& design, double value_bits);

}  // namespace pimdse::models::cim_mesh
