#include "models/cim_mesh/cim_mesh.hpp"

namespace pimdse::models::cim_mesh {
Architecture architecture() { return {}; }
}  // namespace pimdse::models::cim_mesh
