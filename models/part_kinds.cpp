#include "models/text/part_kinds.hpp"

#include "models/cim_mesh/mesh.hpp"
#include "models/dplena/sampler.hpp"

#include <array>

namespace pimdse::models::text {

std::span<PartKind const> part_kinds() {
    static std::array const all{dplena::sampler(), cim_mesh::mesh()};
    return all;
}

}  // namespace pimdse::models::text
