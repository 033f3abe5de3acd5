#include "models/contract/own_file.hpp"

#include "models/contract/toml_file.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::models {

bool names_own_file(std::string_view choice) { return choice.ends_with(".toml"); }

std::size_t find_choice(std::vector<std::string> const& choices, std::string_view name) {
    auto const found = std::find(choices.begin(), choices.end(), name);
    if (found != choices.end() || !names_own_file(name)) return static_cast<std::size_t>(found - choices.begin());
    auto const end = std::filesystem::path("/") += std::filesystem::path(name).lexically_normal();
    auto const is_meant = [&](std::string const& choice) { return choice.ends_with(end.native()); };
    auto const first = std::find_if(choices.begin(), choices.end(), is_meant);
    bool const only = std::count_if(choices.begin(), choices.end(), is_meant) == 1;
    return only ? static_cast<std::size_t>(first - choices.begin()) : choices.size();
}

std::filesystem::path listing_beside(std::filesystem::path const& file) {
    auto const listing = read_toml(file)["listing"].value_or<std::string>("");
    return listing.empty() ? std::filesystem::path() : file.parent_path() / listing;
}

Parameter or_own_file(Parameter parameter, std::function<void(std::string const&)> check) {
    parameter.meaning += "; or a file of your own, a path that ends in .toml";
    parameter.accepts = [check = std::move(check)](std::string const& text) -> std::string {
        if (!names_own_file(text)) return "it is not one of its values, and no path that ends in .toml";
        check(text);
        return "";
    };
    return parameter;
}

}  // namespace pimdse::models
