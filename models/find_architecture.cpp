#include "models/find_architecture.hpp"

#include "models/catalogue.hpp"
#include "models/pair/pair.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <map>
#include <mutex>
#include <string>

namespace pimdse::models {

namespace {

constexpr std::string_view of_pairs = "pair:";

/// The pair of this name; made once.
Architecture const& find_pair(std::string_view name) {
    static std::mutex mutex;
    static std::map<std::string, Architecture, std::less<>> made;
    auto const names = sim::split(name.substr(of_pairs.size()), ':');
    if (names.size() != 2)
        throw sim::InputError(fmt::format("'{}' is not pair:PREFILL:DECODE with the names of two architectures", name));
    auto const& prefill = find_architecture(names[0]);
    auto const& decode = find_architecture(names[1]);
    std::scoped_lock const lock(mutex);
    auto const found = made.find(name);
    if (found != made.end()) return found->second;
    return made.emplace(name, pair::architecture(prefill, decode)).first->second;
}

}  // namespace

Architecture const& find_architecture(std::string_view name) {
    if (name.starts_with(of_pairs)) return find_pair(name);
    std::vector<std::string> names;
    for (auto const& architecture : catalogue()) {
        if (architecture.name == name) return architecture;
        names.emplace_back(architecture.name);
    }
    throw sim::InputError(fmt::format("unknown architecture '{}'.{}", name, sim::suggestion(name, names)));
}

}  // namespace pimdse::models
