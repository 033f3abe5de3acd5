#include "models/text/part_kinds.hpp"

#include "models/cim_mesh/mesh.hpp"
#include "models/dplena/sampler.hpp"
#include "models/upmem/dpu_part.hpp"

#include <array>

namespace pimdse::models::text {

std::span<PartKind const> part_kinds() {
    static std::array const all{dplena::sampler(), upmem::dpu_kind(), cim_mesh::mesh()};
    return all;
}

}  // namespace pimdse::models::text
