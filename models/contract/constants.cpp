#include "models/contract/constants.hpp"

#include "models/contract/data_directory.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/dimension_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <cmath>

namespace pimdse::models {
namespace {

Constant read_constant(toml::table const& table, std::filesystem::path const& file,
                       std::vector<std::string>& mistakes) {
    TableReader reader(table, file, mistakes);
    Constant constant;
    constant.unit = reader.text("unit");
    constant.source = reader.text("source");
    constant.assumed = reader.flag_or("assumed", false);
    constant.si = reader.number("value");
    constant.line = table.source().begin.line;
    (void)reader.text_or("note", "");
    reader.refuse_unknown_keys();
    if (constant.source.empty() && table.contains("source")) {
        reader.mistake("source", "'source' is empty (every number says where it comes from)");
    }
    try {
        constant.si *= sim::parse_unit(constant.unit.empty() ? "1" : constant.unit).in_si;
        if (!std::isfinite(constant.si))
            reader.mistake("value", fmt::format("'value' is {} in SI (that is no quantity)", constant.si));
    } catch (sim::InputError const& error) {
        reader.mistake("unit", error.what());
    }
    return constant;
}

Allowance read_allowance(toml::table const& table, std::filesystem::path const& file,
                         std::vector<std::string>& mistakes) {
    TableReader reader(table, file, mistakes);
    Allowance allowance;
    allowance.value = reader.number("value");
    allowance.allows_for = reader.text("allows_for");
    allowance.evidence = reader.text("evidence");
    allowance.command = reader.text("command");
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
            mistakes.push_back(
                fmt::format("{}: allowance '{}' says not what for (write a table with value, allows_for, "
                            "evidence and command)",
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

/// The row of this name; throws InputError with what there is.
template <class Rows>
auto const& row_named(Rows const& rows, std::string_view what, std::string_view name, std::string const& file) {
    auto const found = rows.find(name);
    if (found != rows.end()) return found->second;
    throw sim::InputError(
        fmt::format("{}: {} '{}' is missing.{}", file, what, name, sim::suggestion(name, names_in(rows))));
}

sim::Dimension dimension_of(Constant const& constant) {
    return sim::parse_unit(constant.unit.empty() ? "1" : constant.unit).dimension;
}

std::int64_t count_of(double value, std::string_view what, std::string_view name, std::string const& file) {
    auto const count = sim::exact_whole(value);
    if (!count || *count < 0 || value > 1e12)
        throw sim::InputError(
            fmt::format("{}: {} '{}' = {} is no count (whole numbers from 0 to 10^12 are)", file, what, name, value));
    return *count;
}

}  // namespace

Constants Constants::load(std::string_view architecture, std::filesystem::path const& own) {
    auto constants = load(data_directory() / "models" / std::string(architecture) / "constants.toml");
    if (!own.empty()) constants.replace_by(own);
    return constants;
}

void Constants::replace_by(std::filesystem::path const& own) {
    std::vector<std::string> mistakes;
    auto const given = read(own, mistakes);
    for (auto const& [name, constant] : given.constants_) {
        auto const known = constants_.find(name);
        if (known == constants_.end())
            mistakes.push_back(fmt::format("{}:{}: unknown constant '{}' ({} has none of this name).{}", own.string(),
                                           constant.line, name, file_, sim::suggestion(name, names_in(constants_))));
        else if (dimension_of(constant) != dimension_of(known->second))
            mistakes.push_back(fmt::format("{}:{}: constant '{}' is {} (it must be {}, in {})", own.string(),
                                           constant.line, name, sim::a_dimension(dimension_of(constant)),
                                           sim::a_dimension(dimension_of(known->second)),
                                           known->second.unit.empty() ? "1" : known->second.unit));
        else if (known->second.si > 0.0 && !(constant.si > 0.0))
            mistakes.push_back(fmt::format("{}:{}: constant '{}' must be above 0", own.string(), constant.line, name));
        else
            known->second = constant;
    }
    for (auto const& [name, allowance] : given.allowances_) {
        if (!allowances_.contains(name))
            mistakes.push_back(fmt::format("{}: unknown allowance '{}'.{}", own.string(), name,
                                           sim::suggestion(name, names_in(allowances_))));
        allowances_[name] = allowance;
    }
    if (!mistakes.empty()) throw sim::InputError(mistakes);
}

Constants Constants::load(std::filesystem::path const& file) {
    std::vector<std::string> mistakes;
    auto constants = read(file, mistakes);
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    return constants;
}

Constants Constants::read(std::filesystem::path const& file, std::vector<std::string>& mistakes) {
    Constants result;
    result.file_ = file.string();
    auto const content = read_toml(file);
    for (auto const& [key, node] : content) {
        if (auto const* table = node.as_table(); table != nullptr && key.str() == "allowance") {
            result.allowances_ = read_allowances(*table, file, mistakes);
        } else if (table != nullptr) {
            auto const before = mistakes.size();
            auto constant = read_constant(*table, file, mistakes);
            if (mistakes.size() == before) result.constants_.emplace(std::string(key.str()), std::move(constant));
        } else {
            mistakes.push_back(
                fmt::format("{}: '{}' has no unit and no source (write a table with value, unit and source)",
                            place(file, node.source()), key.str()));
        }
    }
    return result;
}

Constant const& Constants::find(std::string_view name) const { return row_named(constants_, "constant", name, file_); }

void Constants::bind_allowance(double& member, std::string_view name) const {
    member = row_named(allowances_, "allowance", name, file_).value;
}

void Constants::bind_allowance(std::int64_t& member, std::string_view name) const {
    member = count_of(row_named(allowances_, "allowance", name, file_).value, "allowance", name, file_);
}

double Constants::checked(std::string_view name, signed char s, signed char j, signed char b, signed char m,
                          signed char f) const {
    auto const& constant = find(name);
    sim::Dimension const wanted{s, j, b, m, f};
    auto const given = dimension_of(constant);
    if (given != wanted) {
        throw sim::InputError(fmt::format("{}: constant '{}' in {} is {} (it must be {})", file_, name, constant.unit,
                                          sim::a_dimension(given), sim::a_dimension(wanted)));
    }
    return constant.si;
}

double Constants::number(std::string_view name) const { return checked(name, 0, 0, 0, 0, 0); }

std::int64_t Constants::whole(std::string_view name) const { return count_of(number(name), "constant", name, file_); }

}  // namespace pimdse::models
