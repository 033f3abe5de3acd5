#include "models/llm/config_values.hpp"

#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>

namespace pimdse::models {
namespace {

using sim::Json;

/// Keys that a wrapper may state in place of its text model.
constexpr std::array of_wrappers{std::string_view("tie_word_embeddings")};

/// The position of the comma or the closing parenthesis that ends an operand which begins at `from`.
std::size_t end_of_operand(std::string_view text, std::size_t from) {
    int depth = 0;
    for (std::size_t at = from; at < text.size(); ++at) {
        if (depth == 0 && (text[at] == ',' || text[at] == ')')) return at;
        if (text[at] == '(') ++depth;
        if (text[at] == ')') --depth;
    }
    return text.size();
}

bool is_one_number(Json const& node) {
    return node.is_array() && node.size() > 1 &&
           std::ranges::all_of(node, [&](Json const& entry) { return entry == node.front(); });
}

}  // namespace

std::vector<std::string> ConfigValues::names_of(std::string_view key) const {
    auto const own = family_.names.find(key);
    return own == family_.names.end() ? std::vector{std::string(key)} : own->second.get<std::vector<std::string>>();
}

ConfigValues::Found ConfigValues::find(std::string_view key) {
    auto const names = names_of(key);
    Found best{names.empty() ? std::string(key) : names.front()};
    for (auto const& name : names) {
        auto const* value = file_.value(name);
        if (value != nullptr && *value == Json("auto")) continue;  // as if it were absent
        if (value == nullptr || (best.value != nullptr && value->is_null())) continue;
        if (best.value == nullptr || best.value->is_null()) {
            best = {name, value};
        } else if (key.starts_with("num_") && *value != *best.value) {
            file_.mistake(name, fmt::format("{} = {}, but {} = {} (two names of one number)", name,
                                            sim::clipped(value->dump()), best.name, sim::clipped(best.value->dump())));
        }
    }
    if (best.value == nullptr && std::ranges::find(of_wrappers, key) != of_wrappers.end())
        best.value = around_.value(best.name);
    return best;
}

Json const* ConfigValues::given(std::string_view key) {
    auto const found = find(key);
    return found.value == nullptr || found.value->is_null() ? nullptr : found.value;
}

std::string ConfigValues::name_of(std::string_view key) { return find(key).name; }

std::int64_t ConfigValues::of_family(std::string_view key, Found const& found) {
    auto const& values = found.value == nullptr ? family_.defaults : family_.nulls;
    auto const entry = values.find(key);
    if (entry == values.end()) {
        file_.mistake(found.name, fmt::format("'{}' is {} (a whole number)", found.name,
                                              found.value == nullptr ? "missing" : "null"));
        return 1;
    }
    auto const& value = entry->second;
    return value.is_string() ? evaluated(value.get<std::string>()) : value.get<std::int64_t>();
}

std::int64_t ConfigValues::number(std::string_view key, std::int64_t least, std::int64_t most) {
    if (auto const before = known_.find(key); before != known_.end()) return before->second;
    auto const found = find(key);
    std::int64_t result = 0;
    if (found.value == nullptr || found.value->is_null()) {
        result = of_family(key, found);
        if (result < least || result > most) {
            file_.mistake(found.name,
                          fmt::format("{} is not given, and {} by the rule of {} (a whole number in {}..{})",
                                      found.name, result, family_.name, least, most));
            result = least;
        } else if (auto const own = family_.defaults.find(key);
                   found.value == nullptr && result > 1 && own != family_.defaults.end() && !own->second.is_string()) {
            auto text = fmt::format("{} = {}", found.name, result);
            if (std::ranges::find(by_family_, text) == by_family_.end()) by_family_.push_back(std::move(text));
        }
    } else if (found.value->is_array() && !is_one_number(*found.value)) {
        file_.mistake(found.name, fmt::format("{} = {} differs between layers, which is not modelled", found.name,
                                              sim::clipped(found.value->dump())));
        result = least;
    } else {
        auto const& one = found.value->is_array() ? found.value->front() : *found.value;
        result = file_.whole(found.name, one, least, most).value_or(least);
    }
    known_.emplace(key, result);
    return result;
}

bool ConfigValues::flag(std::string_view key) {
    auto const found = find(key);
    if (found.value != nullptr && found.value->is_boolean()) return found.value->get<bool>();
    if (found.value != nullptr && found.value->is_null()) return false;
    if (found.value == nullptr) return of_family(key, found) != 0;
    file_.mistake(found.name,
                  fmt::format("{} = {} is neither true nor false", found.name, sim::clipped(found.value->dump())));
    return false;
}

/// The operand that counts: that of an `if`, or the text itself.
std::string ConfigValues::branch_of(std::string_view text) {
    constexpr std::string_view word = "if(";
    if (!text.starts_with(word)) return std::string(text);
    auto const condition = end_of_operand(text, word.size());
    auto const first = end_of_operand(text, condition + 1), second = end_of_operand(text, first + 1);
    sim::expects(second < text.size(), "an expression of a family is whole");
    bool const holds = term(sim::trimmed(text.substr(word.size(), condition - word.size()))) != 0;
    auto const branch =
        holds ? text.substr(condition + 1, first - condition - 1) : text.substr(first + 1, second - first - 1);
    return branch_of(sim::trimmed(branch));
}

std::int64_t ConfigValues::term(std::string_view text) {
    constexpr std::string_view negation = "not ";
    if (text.starts_with(negation)) return term(sim::trimmed(text.substr(negation.size()))) == 0 ? 1 : 0;
    std::int64_t number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ptr == text.data() + text.size()) return number;
    auto const entry = family_.defaults.find(text);
    if (entry != family_.defaults.end() && entry->second.is_boolean()) return flag(text) ? 1 : 0;
    constexpr std::int64_t most = std::int64_t{1} << 40;
    return this->number(text, 0, most);
}

std::int64_t ConfigValues::evaluated(std::string_view text) {
    auto const branch = branch_of(text);
    auto const at = branch.find_first_of("*/+-", 1);
    if (at == branch.npos) return term(branch);
    std::string_view const whole(branch);
    auto const left = term(sim::trimmed(whole.substr(0, at))), right = evaluated(sim::trimmed(whole.substr(at + 1)));
    constexpr std::int64_t most = std::int64_t{1} << 31;
    if (branch[at] == '*') return left > most || right > most ? most * most / 2 : left * right;
    if (branch[at] == '/') return right == 0 ? 0 : left / right;
    return branch[at] == '+' ? left + right : left - right;
}

std::int64_t ConfigValues::of_shape(std::string_view name) {
    auto const value = family_.of_shape(name);
    if (value.is_null()) return 0;
    return value.is_string() ? evaluated(value.get<std::string>()) : value.get<std::int64_t>();
}

bool ConfigValues::is_shape(std::string_view name) { return of_shape(name) != 0; }

std::string ConfigValues::shape_text(std::string_view name) {
    auto const value = family_.of_shape(name);
    return value.is_string() ? branch_of(value.get<std::string>()) : std::string();
}

}  // namespace pimdse::models
