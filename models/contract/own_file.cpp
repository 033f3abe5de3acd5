#include "models/contract/own_file.hpp"

#include "models/contract/toml_file.hpp"

#include <utility>

namespace pimdse::models {

bool names_own_file(std::string_view choice) { return choice.ends_with(".toml"); }

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
