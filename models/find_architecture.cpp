#include "models/find_architecture.hpp"

#include "models/catalogue.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>

namespace pimdse::models {

Architecture const& find_architecture(std::string_view name) {
    std::vector<std::string> names;
    for (auto const& architecture : catalogue()) {
        if (architecture.name == name) return architecture;
        names.emplace_back(architecture.name);
    }
    throw sim::InputError(fmt::format("unknown architecture '{}'.{}", name, sim::suggestion(name, names)));
}

}  // namespace pimdse::models
