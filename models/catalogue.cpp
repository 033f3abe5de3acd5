#include "models/catalogue.hpp"

#include "models/chips/several.hpp"
#include "models/cim_mesh/cim_mesh.hpp"
#include "models/dplena/dplena.hpp"
#include "models/gpu/gpu.hpp"
#include "models/umdam/umdam.hpp"
#include "models/upmem/upmem.hpp"

#include <array>

namespace pimdse::models {

std::span<Architecture const> catalogue() {
    static std::array const table{chips::several<umdam::architecture>(), chips::several<upmem::architecture>(),
                                  chips::several<dplena::architecture>(), chips::several<cim_mesh::architecture>(),
                                  chips::several<gpu::architecture>()};
    return table;
}

}  // namespace pimdse::models
