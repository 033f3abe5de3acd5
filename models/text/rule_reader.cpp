#include "models/text/rule_reader.hpp"

#include "models/text/component_kinds.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <set>

namespace pimdse::models::text {
namespace {

bool is_of_products(std::string const& pattern) {
    return std::ranges::any_of(std::array{"weights", "attention", "lm_head"},
                               [&](char const* op) { return pattern.find(op) != std::string::npos; });
}

}  // namespace

/// A rule, or a list of rules that are followed one after the other.
void RuleReader::read(std::string const& pattern, toml::node const& node) {
    auto const* list = node.as_array();
    chooses_alone_ = list == nullptr;
    if (list == nullptr) return read_rule(pattern, node, false);
    if (list->empty())
        mistakes_->push_back(fmt::format("{}: \"{}\" is an empty list", place(file_, node.source()), pattern));
    for (std::size_t i = 0; i < list->size(); ++i) read_rule(pattern, (*list)[i], i > 0);
}

void RuleReader::read_rule(std::string const& pattern, toml::node const& node, bool continues) {
    WrittenRule rule;
    rule.continues = continues;
    rule.pattern = pattern;
    rule.place = place(file_, node.source());
    rule.number = fmt::format("run.{}", machine_->rules.size());
    toml::table const none;
    auto const* one = node.as_table();
    if (node.is_string()) {
        rule.on = node.value_or(std::string());
    } else if (one == nullptr) {
        mistakes_->push_back(fmt::format("{}: \"{}\" is neither a component nor a table", rule.place, pattern));
        return;
    }
    TableReader keys(one == nullptr ? none : *one, file_, *mistakes_);
    std::vector<std::string> several;
    if (one != nullptr) {
        several = read_choice(keys, *one, rule);
        if (rule.on.empty()) rule.on = keys.text_or("on", "");
        rule.free = keys.text_or("free", "");
        rule.name = keys.text_or("name", "");
        rule.beside = keys.text_or("beside", "");
        rule.together = keys.flag_or("together", false) || !rule.beside.empty();
        rule.masked = keys.flag_or("masked", false);
        if (keys.node("repeat") != nullptr) rule.per_token = keys.one_of("repeat", {"tokens"}) == "tokens";
    }
    if (rule.choose != Choose::nothing && (continues || !chooses_alone_))
        keys.mistake("choose", "'choose' stands in a list of rules (a choice is a rule of its own)");
    do {
        for (auto key : rule_keys()) {
            // Of logits, the operator before may leave what a unit keeps; weights, keys and values come from memory.
            if (key.name == "reads" && !pattern.ends_with("sampling")) key.range = NumberRange::factor;
            numbers_->read(keys, key, rule.number + "." + key.name);
        }
        check_cost(rule, one != nullptr && std::ranges::any_of(std::array{"wait", "kernel", "sends", "results"},
                                                               [&](char const* key) { return one->contains(key); }));
        machine_->rules.push_back(rule);
        if (several.empty()) break;
        rule.alternative = true;
        rule.choose = Choose::nothing;
        rule.on = several.front();
        rule.number = fmt::format("run.{}", machine_->rules.size());
        several.erase(several.begin());
    } while (true);
    keys.refuse_unknown_keys();
}

/// Several components, of which each pass takes one: sets the first, and returns the others.
std::vector<std::string> RuleReader::read_choice(TableReader& keys, toml::table const& one, WrittenRule& rule) {
    auto const* list = one.get_as<toml::array>("on");
    if (list == nullptr) {
        if (keys.node("choose") != nullptr)
            keys.mistake("choose", "'choose' needs a list of components, on = [\"a\", \"b\"]");
        return {};
    }
    (void)keys.node("on");
    std::vector<std::string> names;
    for (auto const& entry : *list) names.push_back(entry.value_or(std::string()));
    if (!names.empty()) rule.on = names.front();
    rule.choose = keys.one_of("choose", {"time", "energy"}) == "energy" ? Choose::energy : Choose::time;
    if (names.size() < 2 || std::ranges::find(names, "") != names.end() ||
        std::set(names.begin(), names.end()).size() < names.size()) {
        keys.mistake("on", "'on' is not a list of two or more different components in quotes");
        return {};
    }
    if (!is_of_products(rule.pattern))
        keys.mistake("choose", fmt::format("\"{}\" is not chosen (passes choose who multiplies: \"*.weights\", "
                                           "\"*.attention\", \"*.lm_head\", or parts of them)",
                                           rule.pattern));
    return {names.begin() + 1, names.end()};
}

void RuleReader::check_cost(WrittenRule const& rule, bool waits) {
    bool const works = !rule.on.empty() || waits;
    if (!works && rule.free.empty())
        mistakes_->push_back(fmt::format(
            "{}: \"{}\" says neither a component (on), nor a time (wait, kernel), nor why it costs nothing (free)",
            rule.place, rule.pattern));
    if (works && !rule.free.empty())
        mistakes_->push_back(fmt::format("{}: \"{}\" is free and has a component or a time", rule.place, rule.pattern));
}

}  // namespace pimdse::models::text
