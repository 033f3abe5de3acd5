#include "models/catalogue.hpp"

#include "models/cim_mesh/cim_mesh.hpp"
#include "models/dplena/dplena.hpp"
#include "models/umdam/umdam.hpp"
#include "models/upmem/upmem.hpp"

#include <array>
#include <fmt/format.h>

namespace pimdse::models {

std::span<Architecture const> catalogue() {
    static std::array<Architecture, 4> const table{umdam::architecture(), upmem::architecture(), dplena::architecture(), cim_mesh::architecture()};
    return table;
}

Architecture const& find_architecture(std::string_view name) {
    std::vector<std::string> names;
    for (auto const& architecture : catalogue()) {
        if (architecture.name == name) return architecture;
        names.emplace_back(architecture.name);
    }
    throw sim::InputError(fmt::format("unknown architecture '{}'.{}", name, sim::suggestion(name, names)));
}

}  // namespace pimdse::models
