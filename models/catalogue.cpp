#include "models/catalogue.hpp"

#include "models/cim_mesh/cim_mesh.hpp"
#include "models/dplena/dplena.hpp"
#include "models/gpu/gpu.hpp"
#include "models/umdam/umdam.hpp"
#include "models/upmem/upmem.hpp"

#include <array>

namespace pimdse::models {

std::span<Architecture const> catalogue() {
    static std::array const table{umdam::architecture(), upmem::architecture(), dplena::architecture(),
                                  cim_mesh::architecture(), gpu::architecture()};
    return table;
}

}  // namespace pimdse::models
