#include "models/contract/constants.hpp"

#include "models/contract/constant_reader.hpp"
#include "models/contract/read_once.hpp"
#include "models/contract/technology.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <utility>

namespace pimdse::models {
namespace {

std::string place_of(Constant const& constant) { return fmt::format("{}:{}", constant.file, constant.line); }

/// An SI value in the unit in which the constant is written.
std::string in_unit(double si, Constant const& constant) {
    auto const& unit = constant.unit;
    double const value = si / sim::parse_unit(unit.empty() ? "1" : unit).in_si;
    return unit.empty() || unit == "1" ? fmt::format("{:.6g}", value) : fmt::format("{:.6g} {}", value, unit);
}

Allowance read_allowance(toml::table const& table, std::filesystem::path const& file,
                         std::vector<std::string>& mistakes) {
    TableReader reader(table, file, mistakes);
    Allowance allowance;
    allowance.value = reader.number("value");
    allowance.allows_for = reader.text("allows_for");
    allowance.evidence = reader.text("evidence");
    allowance.command = reader.text("command");
    (void)reader.text_or("formerly", "");
    allowance.line = table.source().begin.line;
    reader.refuse_unknown_keys();
    return allowance;
}

std::map<std::string, Allowance, std::less<>> read_allowances(toml::table const& all, std::filesystem::path const& file,
                                                              std::vector<std::string>& mistakes) {
    std::map<std::string, Allowance, std::less<>> allowances;
    for (auto const& [key, node] : all) {
        if (auto const* table = node.as_table()) {
            allowances.emplace(std::string(key.str()), read_allowance(*table, file, mistakes));
        } else {
            mistakes.push_back(fmt::format(
                "{}: allowance '{}' is not a table (write one with value, allows_for, evidence and command)",
                place(file, node.source()), key.str()));
        }
    }
    return allowances;
}

template <class Rows>
std::vector<std::string> names_in(Rows const& rows) {
    std::vector<std::string> names;
    for (auto const& [key, row] : rows) names.push_back(key);
    return names;
}

/// Row by name. Throws InputError that lists the known names.
template <class Rows>
auto const& row_named(Rows const& rows, std::string_view what, std::string_view name, std::string const& file) {
    auto const found = rows.find(name);
    if (found != rows.end()) return found->second;
    throw sim::InputError("{}: {} '{}' is missing.{}", file, what, name, sim::suggestion(name, names_in(rows)));
}

/// Row by its name, or by the former one that `file` states with `formerly`; the end if there is none.
template <class Rows>
auto row_called(Rows& rows, std::string const& name, std::string const& file) {
    auto const found = rows.find(name);
    if (found != rows.end() || !std::filesystem::exists(file)) return found;
    auto const content = read_toml(file);
    return std::ranges::find_if(rows, [&](auto const& row) {
        auto const* table = content->get_as<toml::table>(row.first);
        if (table == nullptr) table = (*content)["allowance"][row.first].as_table();
        return table != nullptr && (*table)["formerly"].value_or(std::string()) == name;
    });
}

sim::Dimension dimension_of(Constant const& constant) {
    return sim::parse_unit(constant.unit.empty() ? "1" : constant.unit).dimension;
}

/// Equal except for counted operations: a multiply-accumulate in J becomes J/FLOP.
bool same_but_for_operations(sim::Dimension a, sim::Dimension b) {
    a.operation = b.operation = 0;
    return a == b;
}

std::int64_t count_of(double value, std::string_view what, std::string_view name, std::string const& where) {
    auto const count = sim::exact_whole(value);
    if (!count || *count < 0 || value > 1e12)
        throw sim::InputError("{}: {} '{}' = {} is not a count (a whole number from 0 to 10^12)", where, what, name,
                              value);
    return *count;
}

}  // namespace

void Constants::take_from(Technology const& technology, std::vector<std::string>& mistakes) {
    for (auto& [name, constant] : constants_) {
        if (constant.technology.empty()) continue;
        auto const& row = technology.row(constant.technology).constant;
        if (!same_but_for_operations(dimension_of(constant), dimension_of(row))) {
            mistakes.push_back(
                fmt::format("{}: constant '{}' in {} cannot get the value of {} in {} (the units differ)",
                            place_of(constant), name, constant.unit, constant.technology, row.unit));
            continue;
        }
        constant.si = row.si * constant.technology_scale;
        constant.source = fmt::format("technology.toml, {}: {}", constant.technology, row.source);
        constant.assumed = row.assumed;
    }
}

/// `table`: constants of a draw that belong to this file begin with it; "": those without any.
void Constants::take_from(DrawnConstants const& drawn, std::string_view table) {
    for (auto const& [full, si] : drawn) {
        auto const dot = full.find('.');
        auto const owner = dot == std::string::npos ? std::string_view{} : std::string_view(full).substr(0, dot);
        if (owner != table) continue;
        auto const name = dot == std::string::npos ? full : full.substr(dot + 1);
        auto& constant = find(name);
        if (auto const why = beyond_magnitudes(si, constant.unit); !why.empty())
            throw sim::InputError("{} = {}", full, why);
        shipped_.try_emplace(name, constant.si);
        constant.si = si;
        constant.source = "drawn from its range";
    }
}

void Constants::take_from(AssumptionTexts const& changed, std::string_view table, std::vector<std::string>& mistakes) {
    for (auto const& [name, text] : changed) {
        if (table == economy_table && name == basis_row) continue;
        auto const known = constants_.find(name);
        if (known == constants_.end()) {
            mistakes.push_back(fmt::format("assumption {}.{} is unknown.{}", table, name,
                                           sim::suggestion(name, names_in(constants_))));
            continue;
        }
        auto& constant = known->second;
        auto const value = sim::parse_quantity(text);
        if (value.dimension != dimension_of(constant)) {
            mistakes.push_back(fmt::format("assumption {}.{} = '{}' is {} (it must be {}, in {})", table, name, text,
                                           sim::a_dimension(value.dimension), sim::a_dimension(dimension_of(constant)),
                                           constant.unit));
            continue;
        }
        if (auto const why = beyond_magnitudes(value.si, constant.unit); !why.empty())
            mistakes.push_back(fmt::format("assumption {}.{} = '{}': {}", table, name, text, why));
        if (value.si < 0.0)
            mistakes.push_back(fmt::format("assumption {}.{} = '{}' must not be below 0", table, name, text));
        constant.si = value.si;
        constant.source = fmt::format("set under [assumptions.{}]", table);
    }
}

Constants Constants::load(std::string_view architecture, ModelOptions const& options, ConstantRules const& rules) {
    auto constants = load(data_directory() / "models" / std::string(architecture) / "constants.toml");
    constants.apply(options, rules);
    return constants;
}

Constants Constants::load(std::map<std::string, Constant, std::less<>> rows, std::string file,
                          ModelOptions const& options, ConstantRules const& rules, Constants const& below) {
    Constants constants;
    constants.constants_ = std::move(rows);
    constants.file_ = std::move(file);
    constants.add(below);
    constants.apply(options, rules);
    return constants;
}

void Constants::add(Constants const& more) {
    constants_.insert(more.constants_.begin(), more.constants_.end());
    allowances_.insert(more.allowances_.begin(), more.allowances_.end());
}

void Constants::apply(ModelOptions const& options, ConstantRules const& rules) {
    std::vector<std::string> mistakes;
    std::filesystem::path const own = options.constants;
    if (options.assumptions.constants == ConstantSource::technology)
        take_from(Technology::load(options.assumptions), mistakes);
    if (!own.empty()) replace_by(own, rules, mistakes);
    take_from(options.drawn, "");
    if (mistakes.empty()) {
        for (auto const& rule : rules) {
            if (auto sentence = broken(rule); !sentence.empty()) mistakes.push_back(std::move(sentence));
        }
    }
    if (!mistakes.empty()) throw sim::InputError(mistakes);
}

void Constants::replace_by(std::filesystem::path const& own, ConstantRules const& rules,
                           std::vector<std::string>& mistakes) {
    auto const given = read(own, mistakes);
    auto const has_range = [&](std::string const& name) {
        return std::ranges::any_of(
            rules, [&](ConstantRule const& rule) { return rule.names == ConstantNames{name} && rule.allows_zero; });
    };
    for (auto const& [name, constant] : given.constants_) {
        auto const known = row_called(constants_, name, file_);
        auto const where = place_of(constant);
        if (known == constants_.end()) {
            mistakes.push_back(fmt::format("{}: unknown constant '{}' (it is not in {}).{}", where, name, file_,
                                           sim::suggestion(name, names_in(constants_))));
        } else if (dimension_of(constant) != dimension_of(known->second)) {
            mistakes.push_back(fmt::format(
                "{}: constant '{}' is {} (it must be {}, in {})", where, name, sim::a_dimension(dimension_of(constant)),
                sim::a_dimension(dimension_of(known->second)), known->second.unit.empty() ? "1" : known->second.unit));
        } else if (known->second.si > 0.0 && !(constant.si > 0.0) && !has_range(known->first)) {
            mistakes.push_back(fmt::format("{}: constant '{}' must be above 0", where, name));
        } else if (known->second.si == 0.0 && constant.si < 0.0) {
            mistakes.push_back(fmt::format("{}: constant '{}' must not be below 0", where, name));
        } else {
            shipped_[known->first] = known->second.si;
            auto acts_as = std::move(known->second.acts_as);
            known->second = constant;
            known->second.acts_as = std::move(acts_as);  // the machine's, not the file's
        }
    }
    for (auto const& [name, allowance] : given.allowances_) {
        auto const known = row_called(allowances_, name, file_);
        if (known != allowances_.end() && known->second.value == allowance.value)
            continue;  // as in a copy of the whole file
        auto const hint = known != allowances_.end() ? "" : sim::suggestion(name, names_in(allowances_));
        mistakes.push_back(
            fmt::format("{}:{}: allowance '{}' cannot be replaced (a file of your own replaces constants only; "
                        "allowances belong to the bounds of the architecture, see {}).{}",
                        own.string(), allowance.line, name, file_, hint));
    }
}

double Constants::value_of(std::string_view name) const {
    constexpr std::string_view allowance_prefix = "allowance.";
    if (name.starts_with(allowance_prefix))
        return row_named(allowances_, "allowance", name.substr(allowance_prefix.size()), file_).value;
    return find(name).si;
}

std::string Constants::broken(ConstantRule const& rule) const {
    if (rule.holds([this](std::string_view name) { return value_of(name); })) return "";
    auto const is_own = [this](std::string const& name) { return shipped_.contains(name); };
    auto const own = std::ranges::find_if(rule.names, is_own);
    auto const& name = own == rule.names.end() ? rule.names.front() : *own;
    if (!constants_.contains(name))
        return fmt::format("{}: the rule '{}' does not hold ({})", file_, rule.relation, rule.why);
    auto const& constant = find(name);
    return fmt::format("{}: constant '{}' = {} violates the rule '{}' ({}){}", place_of(constant), name,
                       in_unit(constant.si, constant), rule.relation, rule.why, accepted(rule, name));
}

/// The range of a constant in which the rule holds with all other constants unchanged: from the shipped value, which is
/// inside, to the limit on the way to the given value.
std::string Constants::accepted(ConstantRule const& rule, std::string_view name) const {
    auto const shipped = shipped_.find(name);
    if (rule.names.size() == 1 || shipped == shipped_.end()) return "";
    auto const holds_with = [&](double si) {
        return rule.holds([&](std::string_view other) { return other == name ? si : value_of(other); });
    };
    auto const& constant = find(name);
    double inside = shipped->second, outside = constant.si;
    if (!holds_with(inside)) return "";
    constexpr int halvings = 100;
    for (int i = 0; i < halvings; ++i) {
        double const middle = inside / 2.0 + outside / 2.0;
        (holds_with(middle) ? inside : outside) = middle;
    }
    constexpr double apart = 0x1p-20;  // a rule about divisors has no limit between the two
    if (std::abs(inside - constant.si) <= apart * std::abs(constant.si)) return "";
    return fmt::format(". With the other constants as they are, {} {} is accepted",
                       constant.si > shipped->second ? "at most" : "at least", in_unit(inside, constant));
}

Constants Constants::load(std::filesystem::path const& file, ModelOptions const& options, std::string_view table) {
    std::vector<std::string> mistakes;
    auto constants = read(file, mistakes);
    if (options.assumptions.constants == ConstantSource::technology)
        constants.take_from(Technology::load(options.assumptions), mistakes);
    if (table == economy_table) constants.take_from(options.assumptions.economy, table, mistakes);
    constants.take_from(options.drawn, table);
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    return constants;
}

Constants Constants::read(std::filesystem::path const& path, std::vector<std::string>& mistakes) {
    struct Found {
        Constants constants;
        std::vector<std::string> mistakes;
    };
    auto const in_table = [](toml::table const& content, std::filesystem::path const& file) {
        Found found;
        found.constants.file_ = file.string();
        for (auto const& [key, node] : content) {
            if (auto const* table = node.as_table(); table != nullptr && key.str() == "allowance") {
                found.constants.allowances_ = read_allowances(*table, file, found.mistakes);
            } else if (table != nullptr) {
                auto const before = found.mistakes.size();
                auto constant = read_constant(key.str(), *table, file, found.mistakes);
                if (found.mistakes.size() == before)
                    found.constants.constants_.emplace(std::string(key.str()), std::move(constant));
            } else {
                found.mistakes.push_back(
                    fmt::format("{}: '{}' has no unit and no source (write a table with value, unit and source)",
                                place(file, node.source()), key.str()));
            }
        }
        return found;
    };
    auto const found = read_once<Found>(path, in_table);
    mistakes.insert(mistakes.end(), found->mistakes.begin(), found->mistakes.end());
    return found->constants;
}

Constant& Constants::find(std::string_view name) { return const_cast<Constant&>(std::as_const(*this).find(name)); }

Constant const& Constants::find(std::string_view name) const { return row_named(constants_, "constant", name, file_); }

void Constants::bind_allowance(double& member, std::string_view name) const {
    member = row_named(allowances_, "allowance", name, file_).value;
}

void Constants::bind_allowance(std::int64_t& member, std::string_view name) const {
    member = count_of(row_named(allowances_, "allowance", name, file_).value, "allowance", name, file_);
}

double Constants::checked(std::string_view name, sim::Dimension wanted) const {
    auto const& constant = find(name);
    auto const given = dimension_of(constant);
    if (given != wanted) {
        throw sim::InputError("{}: constant '{}' in {} is {} (it must be {})", file_, name, constant.unit,
                              sim::a_dimension(given), sim::a_dimension(wanted));
    }
    return constant.si;
}

double Constants::in_si(std::string_view name, std::string_view unit) const {
    return checked(name, sim::parse_unit(unit).dimension);
}

double Constants::number(std::string_view name) const { return checked(name, {}); }

std::int64_t Constants::whole(std::string_view name) const {
    return count_of(number(name), "constant", name, place_of(find(name)));
}

}  // namespace pimdse::models
