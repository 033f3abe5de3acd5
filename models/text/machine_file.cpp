#include "models/text/machine_file.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <set>

namespace pimdse::models::text {

bool MachineFile::makes_one() const {
    if (links.empty()) return false;
    auto const sharing = links.front().texts.find("sharing");
    return sharing != links.front().texts.end() && sharing->second == "machine";
}

bool MachineFile::varies(std::string_view constant) const {
    return std::ranges::find(varying, constant) != varying.end();
}

std::string MachineFile::row_of(std::string_view constant, std::size_t variant) const {
    return varies(constant) ? fmt::format("{}_{}", variants[variant], constant) : std::string(constant);
}

std::string MachineFile::written_name(std::string const& number) const {
    for (auto const& rule : rules)
        if (number.starts_with(rule.number + "."))
            return fmt::format("{} of \"{}\"", number.substr(rule.number.size() + 1), rule.pattern);
    return number;
}

std::vector<std::string> constant_names(MachineFile const& file) {
    std::set<std::string> of_variants;
    for (auto const& variant : file.variants)
        for (auto const& name : file.varying) of_variants.insert(variant + "_" + name);
    auto names = file.varying;
    for (auto const& [name, constant] : file.constants)
        if (!of_variants.contains(name)) names.push_back(name);
    return names;
}

}  // namespace pimdse::models::text
