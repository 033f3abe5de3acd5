#include "dse/report/flips_of_file.hpp"

#include "dse/flips/space_digest.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>

namespace pimdse::dse::report {
namespace {

using nlohmann::ordered_json;

bool has_texts(ordered_json const& one, std::initializer_list<char const*> names) {
    return std::ranges::all_of(names, [&](char const* name) { return one.contains(name) && one[name].is_string(); });
}

bool is_text_or_null(ordered_json const& one, char const* name) {
    return one.contains(name) && (one[name].is_string() || one[name].is_null());
}

bool is_winner(ordered_json const& one) {
    bool const named = has_texts(one, {"scenario", "metric", "under", "unit", "better"}) &&
                       is_text_or_null(one, "machine") && is_text_or_null(one, "runner_up") &&
                       one.contains("machines") && one["machines"].is_object() && one.contains("survives_all") &&
                       one["survives_all"].is_boolean();
    if (!named) return false;
    auto const& machines = one["machines"];
    auto const answered = [&](char const* which) { return one[which].is_null() || machines.contains(one[which]); };
    return answered("machine") && answered("runner_up") && std::ranges::all_of(machines, [](auto const& best) {
               return best.is_object() && best.contains("value") && best["value"].is_number();
           });
}

bool is_flip(ordered_json const& one) {
    if (!has_texts(one, {"assumption", "from", "to", "scenario", "metric", "under"}) ||
        !is_text_or_null(one, "before") || !is_text_or_null(one, "after") || !one.contains("break_even"))
        return false;
    auto const& even = one["break_even"];
    return even.is_null() ||
           (even.is_object() && has_texts(even, {"unit"}) && even.contains("value") && even["value"].is_number());
}

bool is_list_of(ordered_json const& text, char const* name, bool (*is_one)(ordered_json const&)) {
    return text.contains(name) && text[name].is_array() &&
           std::ranges::all_of(text[name], [&](auto const& one) { return one.is_object() && is_one(one); });
}

bool is_flips(ordered_json const& text) {
    return text.is_object() && has_texts(text, {"space", "assumptions"}) && text.contains("points") &&
           text["points"].is_number_unsigned() && text.contains("candidates") &&
           text["candidates"].is_number_unsigned() && is_list_of(text, "winners", is_winner) &&
           is_list_of(text, "flips", is_flip) && is_list_of(text, "variations", [](ordered_json const& one) {
               return has_texts(one, {"assumption", "from", "to"});
           });
}

}  // namespace

ordered_json flips_of_file(std::filesystem::path const& path, store::result::ResultFile const& answers) {
    std::ifstream file(path, std::ios::binary);
    std::string const bytes{std::istreambuf_iterator<char>(file), {}};
    auto text = ordered_json::parse(bytes, nullptr, false);
    if (!is_flips(text))
        throw sim::InputError(
            fmt::format("{} is not what pimdse flips prints. Make it by pimdse flips SPACE --format json > {}?",
                        path.string(), path.filename().string()));
    if (text["space"] != flips::space_digest(answers.columns.canonical_text))
        throw sim::InputError(fmt::format(
            "{} is of another space than {} (other machines, parameters, scenarios, conditions or assumptions). Run "
            "pimdse flips with the space, --set and --assume that the answers are of?",
            path.string(), answers.path.string()));
    return text;
}

}  // namespace pimdse::dse::report
