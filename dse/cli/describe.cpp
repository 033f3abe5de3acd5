#include "dse/cli/describe_model.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/text_table.hpp"
#include "dse/cli/verb.hpp"
#include "dse/space/replay.hpp"
#include "dse/store/result_schema.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/find_architecture.hpp"
#include "models/free_of_cost.hpp"
#include "sim/base/json.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <array>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <span>
#include <utility>

namespace pimdse::dse::cli {
namespace {

using sim::Json;

Manual const describe_manual{
    "pimdse describe ARCH [NAME] | model NAME|FILE [flags]",
    "Prints every parameter (unit, default, values, meaning) and every metric of an "
    "architecture, or the full description of one of them; or the layers, parameters, "
    "multiplications and cache of a language model. ARCH is a name (pimdse list architectures) or the file of a "
    "machine.",
    "  pimdse describe upmem\nprints the parameters of UPMEM: kernel, elements, tasklets, ...\n"
    "  pimdse describe model ./config.json\nprints the layers of the model of that file.",
    {"architecture", "name"}};

std::string_view better_text(models::Sense sense) {
    return sense == models::Sense::minimize ? "lower" : sense == models::Sense::maximize ? "higher" : "-";
}

std::string in_unit(models::Parameter const& p, double si) {
    return space::shown_value(p, models::Value::quantity(si));
}

/// A limit of an integer parameter.
std::string count_text(models::Parameter const& p, double limit) {
    if (!(std::abs(limit) < 0x1p63)) return fmt::format("{}", limit);
    return space::shown_value(p, models::Value::integer(static_cast<std::int64_t>(limit)));
}

/// All choices of a parameter, or the first ones if there are many.
std::string names_text(std::string_view architecture, models::Parameter const& p) {
    constexpr std::size_t max = 8;
    if (p.choices.size() <= max) return fmt::format("{}", fmt::join(p.choices, " "));
    auto const end = p.choices.begin() + static_cast<std::ptrdiff_t>(max / 2);
    return fmt::format("{} and {} more: pimdse describe {} {}", fmt::join(p.choices.begin(), end, " "),
                       p.choices.size() - max / 2, architecture, p.name);
}

std::string values_text(std::string_view architecture, models::Parameter const& p) {
    if (p.kind == models::Kind::flag) return "true false";
    if (p.kind == models::Kind::choice)
        return p.name == "llm" && p.choices.size() > 4
                   ? "a model (pimdse list models)"
                   : fmt::format("{}{}", names_text(architecture, p), p.accepts ? " or text" : "");
    bool const limited = p.lower != 0.0 || p.upper != 0.0;
    if (limited && p.kind == models::Kind::quantity)
        return fmt::format("{} .. {}", in_unit(p, p.lower), in_unit(p, p.upper));
    if (limited) return fmt::format("{}..{}", count_text(p, p.lower), count_text(p, p.upper));
    return p.kind == models::Kind::integer ? "whole numbers" : "a quantity";
}

std::string remark(models::Parameter const& p) {
    std::string text = p.meaning;
    if (p.assumed) text += " (assumed)";
    if (p.resource) text += " (hardware)";
    for (auto const& missing : p.not_built)
        text += fmt::format(" [{} is not implemented yet: {}]",
                            missing.choice == "*" ? "any other value" : missing.choice, missing.sentence);
    return text;
}

Json parameter_json(std::string_view architecture, models::Parameter const& p) {
    Json text{{"name", p.name},       {"unit", p.unit},       {"default", models::print_value(p, p.default_value)},
              {"meaning", p.meaning}, {"assumed", p.assumed}, {"resource", p.resource}};
    text["kind"] = store::schema::name_of(p.kind);
    if (p.kind == models::Kind::choice) text["choices"] = p.choices;
    if (p.lower != 0.0 || p.upper != 0.0) {
        double const unit = p.kind == models::Kind::quantity && !p.unit.empty() ? sim::parse_unit(p.unit).in_si : 1.0;
        text["limits"] = {p.lower / unit, p.upper / unit};
    }
    if (auto const why = models::free_because(architecture, p.name); !why.empty()) text["free_because"] = why;
    if (!p.aliases.empty()) text["aliases"] = p.aliases;
    if (!p.items.empty()) text["permutes"] = p.items;
    for (auto const& missing : p.not_built)
        text["not_built"].push_back({{"choice", missing.choice}, {"why", missing.sentence}});
    return text;
}

Json metric_json(models::Metric const& m) {
    return {{"name", m.name},
            {"unit", m.unit},
            {"better", better_text(m.better)},
            {"meaning", m.meaning},
            {"assumed", m.assumed}};
}

std::string meaning_of(models::Metric const& m) {
    return m.meaning + (m.assumed ? " (rests on assumed constants)" : "");
}

void print_json(models::Architecture const& architecture) {
    Json text{{"architecture", architecture.name},
              {"summary", architecture.summary},
              {"results_version", architecture.results_version}};
    for (auto const fidelity : architecture.fidelities) text["fidelities"].push_back(models::name_of(fidelity));
    for (auto const& p : architecture.parameters()) text["parameters"].push_back(parameter_json(architecture.name, p));
    for (auto const& m : architecture.metrics()) text["metrics"].push_back(metric_json(m));
    std::cout << text.dump(2) << "\n";
}

/// `called`: as the command line calls it.
void print_text(models::Architecture const& architecture, std::string const& called, Format format) {
    TextTable parameters({"parameter", "unit", "default", "values", "meaning"});
    for (auto const& p : architecture.parameters())
        parameters.add(
            {p.name, p.unit,
             format == Format::csv ? models::print_value(p, p.default_value) : space::shown_value(p, p.default_value),
             values_text(called, p), remark(p)});
    TextTable metrics({"metric", "unit", "better", "meaning"});
    for (auto const& m : architecture.metrics())
        metrics.add({m.name, m.unit, std::string(better_text(m.better)), meaning_of(m)});
    if (format == Format::csv) {
        std::cout << parameters.csv() << "\n" << metrics.csv();
        return;
    }
    std::vector<std::string_view> fidelities;
    for (auto const fidelity : architecture.fidelities) fidelities.push_back(models::name_of(fidelity));
    auto const head = fmt::format("{}: {}\n", architecture.name, architecture.summary);
    std::cout << fmt::format("{}fidelities: {}\n\n{}\n{}", wrapped(head, screen_width()), fmt::join(fidelities, ", "),
                             parameters.text(screen_width()), metrics.text(screen_width()));
}

/// The full description of one parameter.
void print_parameter(std::string_view architecture, models::Parameter const& p, Format format) {
    if (format == Format::json) {
        std::cout << parameter_json(architecture, p).dump(2) << "\n";
        return;
    }
    TextTable table({p.name, "description"});
    table.add({"meaning", remark(p)});
    if (!p.unit.empty()) table.add({"unit", p.unit});
    table.add({"default", models::print_value(p, p.default_value)});
    if (auto const why = models::free_because(architecture, p.name); !why.empty())
        table.add({"may be faster at no cost", std::string(why)});
    if (!p.aliases.empty()) table.add({"also called", fmt::format("{}", fmt::join(p.aliases, " "))});
    for (auto const& choice : p.choices) table.add({"value", choice});
    if (p.choices.empty()) table.add({"values", values_text("", p)});
    if (p.accepts) table.add({"values", "or any text"});
    if (!p.items.empty()) table.add({"permutes", fmt::format("{}", fmt::join(p.items, " "))});
    print_table(table, format);
}

void print_metric(models::Metric const& m, models::MetricList const& metrics, Format format) {
    if (format == Format::json) {
        std::cout << metric_json(m).dump(2) << "\n";
        return;
    }
    TextTable table({m.name, "description"});
    table.add({"meaning", meaning_of(m)});
    table.add({"unit", m.unit.empty() ? "1" : m.unit});
    table.add({"better", std::string(better_text(m.better))});
    if (m.name == "power" || m.name.starts_with("power@")) {
        bool const has_peak = models::find_metric(metrics, "peak_power") >= 0;
        table.add({"note", has_peak ? "the average over the whole request, which a long phase of low power reduces. "
                                      "peak_power is the largest mean of a phase; use it for a limit in watts"
                                    : "the average over the whole request, which a long phase of low power reduces"});
    }
    print_table(table, format);
}

/// Prints the parameter or metric of this name.
void print_named(models::Architecture const& architecture, std::string const& name, Format format) {
    auto const parameters = architecture.parameters();
    auto const& metrics = architecture.metrics();
    if (int const p = models::find_parameter(parameters, name); p >= 0)
        return print_parameter(architecture.name, parameters[static_cast<std::size_t>(p)], format);
    if (int const m = models::find_metric(metrics, name); m >= 0)
        return print_metric(metrics[static_cast<std::size_t>(m)], metrics, format);
    std::vector<std::string> names;
    for (auto const& parameter : parameters) names.push_back(parameter.name);
    for (auto const& metric : metrics) names.push_back(metric.name);
    throw UsageError(fmt::format("'{}' is neither a parameter nor a metric of {}.{}", name, architecture.name,
                                 sim::suggestion(name, names)));
}

using Rows = std::span<models::LedgerRow const>;

Json rows_json(Rows rows, std::vector<models::LedgerEntry> const& entries) {
    Json list = Json::array();
    for (std::size_t i = 0; i < entries.size(); ++i)
        list.push_back({{"row", entries[i].row},
                        {"what", rows[i].meaning},
                        {"account", models::name_of(entries[i].account)},
                        {"why", entries[i].why}});
    return list;
}

void add_rows(TextTable& table, std::string const& quantity, Rows rows,
              std::vector<models::LedgerEntry> const& entries) {
    for (std::size_t i = 0; i < entries.size(); ++i)
        table.add({quantity, std::string(entries[i].row), std::string(models::name_of(entries[i].account)),
                   std::string(rows[i].meaning), std::string(entries[i].why)});
}

/// The ledger of an architecture: the account of every row of energy and area.
void print_ledger(models::Architecture const& architecture, Format format) {
    auto const ledger = architecture.ledger();
    if (format == Format::json) {
        Json const text{{"architecture", architecture.name},
                        {"energy", rows_json(models::energy_rows, ledger.energy)},
                        {"area", rows_json(models::area_rows, ledger.area)}};
        std::cout << text.dump(2) << "\n";
        return;
    }
    TextTable table({"quantity", "row", "account", "meaning", "source, assumption or reason"});
    add_rows(table, "energy", models::energy_rows, ledger.energy);
    add_rows(table, "area", models::area_rows, ledger.area);
    print_table(table, format);
}

constexpr std::array<std::pair<char const*, char const*>, 3> division_flags{
    {{"tensor", "of a model: parts into which heads and widths are divided; one of them is described"},
     {"expert", "of a model: parts into which the experts are divided"},
     {"pipeline", "of a model: parts into which the layers are divided"}}};

models::Division division_of(po::variables_map const& values) {
    constexpr std::int64_t max_parts = 1 << 16;
    auto const parts = [&](char const* flag) { return number_of<std::int64_t>(values, flag, {1, max_parts}); };
    return {parts("tensor"), parts("expert"), parts("pipeline")};
}

}  // namespace

int run_describe(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    add_format(flags);
    flags.add_options()("ledger", "the energy and area accounting: which rows are counted, assumed or absent, and why");
    for (auto const& [flag, meaning] : division_flags)
        flags.add_options()(flag, po::value<std::string>()->default_value("1"), meaning);
    auto const values = parse(describe_manual, flags, arguments);
    if (!values) return complete;
    Format const format = format_of(*values);
    auto const what = needed(*values, "architecture", describe_manual);
    if (what == "model") {
        if (values->contains("ledger")) throw UsageError("--ledger is of an architecture. Leave it out?");
        print_model(needed(*values, "name", describe_manual), division_of(*values), format);
        return complete;
    }
    for (auto const& [flag, meaning] : division_flags) {
        if (!(*values)[flag].defaulted())
            throw UsageError(fmt::format("--{} is of a model. Use pimdse describe model NAME --{} N?", flag, flag));
    }
    auto const& architecture = models::find_architecture(what);
    if (values->contains("name")) {
        if (values->contains("ledger"))
            throw UsageError(
                "--ledger prints the ledger of the whole architecture. Leave out the name of the parameter or metric?");
        print_named(architecture, (*values)["name"].as<std::string>(), format);
    } else if (values->contains("ledger"))
        print_ledger(architecture, format);
    else
        format == Format::json ? print_json(architecture) : print_text(architecture, space::shell_word(what), format);
    return complete;
}

}  // namespace pimdse::dse::cli
