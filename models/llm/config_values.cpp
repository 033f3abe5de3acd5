#include "models/llm/config_values.hpp"

#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

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

/// The position of the last of these operators, a space around it, that stands in no parentheses.
std::size_t last_operator(std::string_view text, std::string_view operators) {
    int depth = 0;
    for (std::size_t at = text.size(); at-- > 1;) {
        if (text[at] == ')') ++depth;
        if (text[at] == '(') --depth;
        if (depth == 0 && text[at - 1] == ' ' && operators.find(text[at]) != operators.npos) return at;
    }
    return text.npos;
}

bool is_one_number(Json const& node) {
    return node.is_array() && node.size() > 1 &&
           std::ranges::all_of(node, [&](Json const& entry) { return entry == node.front(); });
}

/// Keys that files may have a list of, with an entry for each layer.
bool is_by_layer(std::string_view key) {
    constexpr std::string_view keys =
        "num_attention_heads num_key_value_heads head_dim intermediate_size num_experts "
        "num_experts_per_tok moe_intermediate_size sliding_window";
    return std::ranges::count(sim::split(keys, ' '), key) > 0;
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
        if (best.value != nullptr && best.name.starts_with(name + ".")) continue;  // the list whose entry counts
        if (best.value == nullptr || best.value->is_null()) {
            best = {name, value};
        } else if (key.starts_with("num_") && *value != *best.value && !best.value->is_array()) {
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
    return value_of(entry->second);
}

std::int64_t ConfigValues::number(std::string_view key, std::int64_t least, std::int64_t most) {
    if (auto const before = known_.find(key); before != known_.end()) return before->second;
    auto const found = find(key);
    std::int64_t result = 0;
    if (found.value == nullptr || found.value->is_null()) {
        result = of_family(key, found);
        if (result < least || result > most) {
            if (!file_.has_mistakes())  // else it may follow from one of them
                file_.mistake(found.name,
                              fmt::format("{} is not given, and {} by the rule of {} (a whole number in {}..{})",
                                          found.name, result, family_.name, least, most));
            result = least;
        } else if (auto const own = family_.defaults.find(key);
                   found.value == nullptr && result > 1 && own != family_.defaults.end() && !own->second.is_string()) {
            auto text = fmt::format("{} = {}", found.name, result);
            if (std::ranges::find(by_family_, text) == by_family_.end()) by_family_.push_back(std::move(text));
        }
    } else if (found.value->is_array() && is_by_layer(key)) {
        auto const list = by_layer(key, least, most);
        result = list.empty() ? least : std::ranges::max(list);
    } else {
        auto const& one = is_one_number(*found.value) ? found.value->front() : *found.value;
        result = file_.whole(found.name, one, least, most).value_or(least);
    }
    known_.emplace(key, result);
    return result;
}

std::vector<std::int64_t> ConfigValues::by_layer(std::string_view key, std::int64_t least, std::int64_t most) {
    auto const found = find(key);
    std::vector<std::int64_t> numbers;
    if (found.value == nullptr || !found.value->is_array()) return numbers;
    for (auto const& entry : *found.value)
        numbers.push_back(entry.is_null() && least == 0 ? 0
                                                        : file_.whole(found.name, entry, least, most).value_or(least));
    return numbers;
}

std::vector<std::string> ConfigValues::texts_of_family(std::string_view key) const {
    auto const found = family_.defaults.find(key);
    return found == family_.defaults.end() ? std::vector<std::string>{} : found->second.get<std::vector<std::string>>();
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
    bool const holds = evaluated(text.substr(word.size(), condition - word.size())) != 0;
    auto const branch =
        holds ? text.substr(condition + 1, first - condition - 1) : text.substr(first + 1, second - first - 1);
    return branch_of(sim::trimmed(branch));
}

std::int64_t ConfigValues::term(std::string_view text) {
    constexpr std::string_view negation = "not ";
    if (text.starts_with(negation)) return term(sim::trimmed(text.substr(negation.size()))) == 0 ? 1 : 0;
    constexpr std::string_view counting = "count ";
    if (text.starts_with(counting)) {
        auto const* list = given(sim::trimmed(text.substr(counting.size())));
        return list == nullptr || !list->is_array() ? 0 : static_cast<std::int64_t>(list->size());
    }
    std::int64_t number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ptr == text.data() + text.size()) return number;
    if (auto const sign = text.find('='); sign != text.npos)
        return file_.says(text.substr(0, sign), text.substr(sign + 1));
    auto const entry = family_.defaults.find(text);
    if (entry != family_.defaults.end() && entry->second.is_boolean()) return flag(text) ? 1 : 0;
    constexpr std::int64_t most = std::int64_t{1} << 40;
    return this->number(text, 0, most);
}

std::optional<double> ConfigValues::fraction(std::string_view key) {
    constexpr double most = 1 << 20;
    auto const* value = family_.defaults.contains(key) ? given(key) : nullptr;
    if (value == nullptr || !value->is_number()) return std::nullopt;
    auto const number = value->get<double>();
    return number == std::floor(number) || number < 0 || number > most ? std::nullopt : std::optional(number);
}

std::int64_t ConfigValues::evaluated(std::string_view text) {
    constexpr std::int64_t most = std::int64_t{1} << 31;
    text = sim::trimmed(text);
    auto at = last_operator(text, "+-");
    if (at == text.npos) at = last_operator(text, "*/");
    if (at == text.npos) {
        if (text.starts_with("if(")) return evaluated(branch_of(text));
        return text.starts_with('(') ? evaluated(text.substr(1, text.size() - 2)) : term(text);
    }
    if (auto const factor = text[at] == '*' ? fraction(text.substr(0, at - 1)) : std::nullopt)
        return static_cast<std::int64_t>(*factor * static_cast<double>(evaluated(text.substr(at + 2))));
    auto const left = evaluated(text.substr(0, at - 1)), right = evaluated(text.substr(at + 2));
    if (text[at] == '*') return left > most || right > most ? most * most / 2 : left * right;
    if (text[at] == '/') return right == 0 ? 0 : left / right;
    return text[at] == '+' ? left + right : left - right;
}

std::int64_t ConfigValues::value_of(Json const& value) {
    return value.is_string() ? evaluated(value.get<std::string>()) : value.get<std::int64_t>();
}

std::int64_t ConfigValues::value_of(Json const& value, std::int64_t least, std::int64_t most) {
    bool const is_key = value.is_string() && family_.defaults.contains(value.get<std::string>());
    return is_key ? number(value.get<std::string>(), least, most) : value_of(value);
}

std::string ConfigValues::key_of(Json const& value) {
    return value.is_string() ? branch_of(value.get<std::string>()) : std::string();
}

std::int64_t ConfigValues::of_shape(std::string_view name, std::int64_t least, std::int64_t most) {
    auto const value = family_.of_shape(name);
    return value.is_null() ? 0 : value_of(value, least, most);
}

std::int64_t ConfigValues::of_shape(std::string_view name) {
    auto const value = family_.of_shape(name);
    return value.is_null() ? 0 : value_of(value);
}

bool ConfigValues::is_shape(std::string_view name) { return of_shape(name) != 0; }

std::string ConfigValues::shape_text(std::string_view name) { return key_of(family_.of_shape(name)); }

}  // namespace pimdse::models
