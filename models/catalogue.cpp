#include "models/catalogue.hpp"

#include "models/chips/several.hpp"
#include "models/cim_mesh/cim_mesh.hpp"
#include "models/contract/toml_file.hpp"
#include "models/dplena/dplena.hpp"
#include "models/text/text.hpp"
#include "models/umdam/umdam.hpp"
#include "models/upmem/upmem.hpp"

#include <array>

namespace pimdse::models {

std::span<Architecture const> catalogue() {
    static std::array const table{chips::several<umdam::architecture>(), chips::several<upmem::architecture>(),
                                  chips::several<dplena::architecture>(), chips::several<cim_mesh::architecture>(),
                                  text::architecture(data_directory() / "models" / "machines" / "gpu.toml")};
    return table;
}

}  // namespace pimdse::models
