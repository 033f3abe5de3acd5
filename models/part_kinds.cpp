#include "models/text/part_kinds.hpp"

#include "models/cim_mesh/mesh.hpp"
#include "models/dplena/sampler.hpp"
#include "models/umdam/pim_npu.hpp"
#include "models/upmem/dpu_part.hpp"

#include <algorithm>
#include <array>

namespace pimdse::models::text {
namespace {

/// Its keys are read from the tables of a whole machine: a kind is made once a file names it.
template <PartKind (*Make)()>
PartKind const& made_once() {
    static PartKind const kind = Make();
    return kind;
}

struct MadeKind {
    std::string_view name;
    PartKind const& (*kind)();
};
constexpr std::array all{MadeKind{"sampler", made_once<dplena::sampler>}, MadeKind{"dpu", made_once<upmem::dpu_kind>},
                         MadeKind{"mesh", made_once<cim_mesh::mesh>}, MadeKind{"pim_npu", made_once<umdam::pim_npu>}};

}  // namespace

std::vector<std::string_view> part_names() {
    std::vector<std::string_view> names;
    for (auto const& row : all) names.push_back(row.name);
    return names;
}

PartKind const* part_kind(std::string_view name) {
    auto const found = std::ranges::find(all, name, &MadeKind::name);
    return found == all.end() ? nullptr : &found->kind();
}

}  // namespace pimdse::models::text
