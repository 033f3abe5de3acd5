#include "models/catalogue.hpp"

#include "models/chips/several.hpp"
#include "models/contract/toml_file.hpp"
#include "models/text/text.hpp"
#include "models/upmem/upmem.hpp"

#include <array>

namespace pimdse::models {

std::span<Architecture const> catalogue() {
    auto const of_file = [](char const* file) {
        return text::architecture(data_directory() / "models" / "machines" / file);
    };
    static std::array const table{of_file("umdam.toml"), chips::several<upmem::architecture>(), of_file("dplena.toml"),
                                  of_file("cim_mesh.toml"), of_file("gpu.toml")};
    return table;
}

}  // namespace pimdse::models
