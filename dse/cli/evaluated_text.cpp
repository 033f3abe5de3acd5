#include "dse/cli/evaluated_text.hpp"

#include "dse/cli/verb.hpp"
#include "dse/report/explanation.hpp"
#include "models/contract/assumptions.hpp"
#include "models/contract/common_parameters.hpp"
#include "models/contract/parameter.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/llm/language_models.hpp"
#include "models/llm/weight_format.hpp"
#include "sim/base/json.hpp"

#include <array>
#include <cmath>
#include <set>

namespace pimdse::dse::cli {
namespace {

/// What a machine that follows the file of a model stores.
std::string followed_text(models::Architecture const& machine, models::Inputs const& inputs, models::Point point,
                          models::LanguageModel const& model, std::string_view name) {
    auto const products = machine.products ? machine.products(inputs, point) : std::string();
    if (machine.files.empty()) return fmt::format("this machine has {} bits a weight", models::whole_bits(model));
    return products.starts_with(models::stored_name(model))
               ? fmt::format("so does this machine, whose products are {}", products)
               : fmt::format("this machine stores and multiplies {} (--set {}=... changes it)", products, name);
}

/// "this machine", or "the prefill machine" of a pair, whose parameters begin with "prefill.".
std::string subject_of(std::string_view prefix) {
    return prefix.empty() ? "this machine" : fmt::format("the {} machine", prefix.substr(0, prefix.size() - 1));
}

/// What the file of the model says of its weights, and whether the machine follows it; "" if it says nothing.
std::string weight_note(models::Architecture const& machine, models::Inputs const& inputs, models::Point point,
                        std::string const& file, models::LanguageModel const& model, std::string const& prefix) {
    auto const& parameters = inputs.parameters;
    auto const& format = model.weight_format;
    if (format.method.empty()) return "";
    auto does = subject_of(prefix) + " has a format of its own, which stays";
    for (std::string_view const own_name : {"weights", "weight_bits"}) {
        auto const name = fmt::format("{}{}", prefix, own_name);
        int const own = models::find_parameter(parameters, name);
        auto const i = static_cast<std::size_t>(own);
        if (own < 0 || parameters[i].choices.size() == 1) continue;
        auto const value = models::print_value(parameters[i], point[i]);
        does = value != models::as_model_says
                   ? fmt::format("{} has {} = {}, which --set changes", subject_of(prefix), name, value)
               : prefix.empty() ? followed_text(machine, inputs, point, model, name)
                                : fmt::format("{} follows the file ({} = {})", subject_of(prefix), name, value);
    }
    return fmt::format("{} stores weights as {}; {}\n", file, models::text_of(format), does);
}

/// What the file says of keys and values, and whether the machine follows it; "" if it says nothing.
std::string cache_note(models::Parameters const& parameters, models::Point point, std::string const& file,
                       models::LanguageModel const& model, std::string const& prefix) {
    auto const bits = models::cache_bits(model);
    if (bits == 0.0) return "";
    auto const subject = subject_of(prefix);
    auto does = subject + " has a format of its own, which stays";
    if (int const own = models::find_parameter(parameters, prefix + "kv_cache"); own >= 0) {
        auto const& row = parameters[static_cast<std::size_t>(own)];
        auto const value = models::print_value(row, point[static_cast<std::size_t>(own)]);
        bool const there = bits == 8.0 && std::ranges::find(row.choices, "8bit") != row.choices.end();
        does = value != models::as_model_says
                   ? fmt::format("{} has {} = {}, which --set changes", subject, row.name, value)
               : there ? "so does " + subject
                       : fmt::format("{} has {}", subject, row.choices.front());
    }
    return fmt::format("{} has keys and values of {:.4g} bits; {}\n", file, bits, does);
}

/// Lines on the models of a point: how their files store weights and what the machine does, what the files did not say,
/// and what is not counted.
std::string model_note(PointRequest const& requested) {
    auto const& machine = requested.machine;
    auto const& parameters = machine.parameters();
    int const llm = models::find_parameter(parameters, "llm");
    if (llm < 0) return "";
    auto const at = static_cast<std::size_t>(llm);
    std::vector<std::string> prefixes{""};
    if (!machine.architecture->parts.empty()) prefixes = {"prefill.", "decode."};
    std::string text;
    std::set<std::string> told{"none"};
    auto const tell = [&](models::Point point) {
        auto const file = models::print_value(parameters[at], point[at]);
        if (!told.insert(file).second) return;
        auto const model = models::load_language_model(file);
        for (auto const& prefix : prefixes)
            text += weight_note(*machine.architecture, machine.inputs, point, file, model, prefix) +
                    cache_note(parameters, point, file, model, prefix);
        for (auto const& remark : model.remarks) text += fmt::format("{}: {}\n", file, remark);
    };
    for (auto const& scenario : machine.scenarios.list()) tell(scenario.of(requested.point));
    if (machine.scenarios.empty()) tell(requested.point);
    return text;
}

using sim::Json;

std::string_view status_of(models::Outcome const& outcome) {
    constexpr std::array<std::string_view, 3> names{"ok", "infeasible", "defect"};
    return names[outcome.index()];
}

Json metrics_json(Evaluated const& e, models::Metrics const& metrics) {
    Json all;
    auto const table = e.requested.machine.metrics();
    for (std::size_t i = 0; i < table.size(); ++i) {
        all[table[i].name] = {{"value", metrics[i].value},
                              {"unit", table[i].unit},
                              {"low", metrics[i].lower},
                              {"high", metrics[i].upper},
                              {"bound", name_of(metrics[i].kinds)},
                              {"low_kind", name_of(metrics[i].kinds.lower)},
                              {"high_kind", name_of(metrics[i].kinds.upper)}};
        if (!table[i].absent.empty()) all[table[i].name]["absent"] = table[i].absent;
    }
    return all;
}

Json evaluated_json(Evaluated const& e) {
    Json text{{"architecture", e.requested.machine.architecture->name},
              {"fidelity", models::name_of(e.requested.fidelity)},
              {"status", status_of(e.outcome)}};
    if (auto const& hybrid = e.requested.hybrid)
        text["hybrid"] = {{"why", hybrid->why},
                          {"metric", hybrid->metric.empty() ? Json(nullptr) : Json(hybrid->metric)},
                          {"widest", std::isfinite(hybrid->widest) ? Json(hybrid->widest) : Json(nullptr)},
                          {"proved", hybrid->proved}};
    auto const& parameters = e.requested.machine.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i)
        text["point"][parameters[i].name] = models::value_json(parameters[i], e.requested.point[i]);
    if (auto const rows = energy_not_stated(*e.requested.machine.architecture); !rows.empty()) text["partial"] = rows;
    if (!e.without_effect.empty()) text["without_effect"] = e.without_effect;
    if (auto const* metrics = std::get_if<models::Metrics>(&e.outcome)) {
        text["metrics"] = metrics_json(e, *metrics);
        text["breakdown"] = report::breakdown_json(e.breakdown);
        for (auto const& service : e.services) text["services"].push_back(service_json(service));
    } else if (auto const* infeasible = std::get_if<models::Infeasible>(&e.outcome)) {
        text["rule"] = infeasible->rule;
        text["reason"] = infeasible->reason;
    } else {
        text["reason"] = std::get<models::Defect>(e.outcome).what;
    }
    return text;
}

/// The kind of both bounds ("proved"), or of each one if they differ.
std::string kinds_text(sim::BoundKinds kinds) {
    if (kinds.lower == kinds.upper) return std::string(name_of(kinds));
    return fmt::format("lower {}, upper {}", name_of(kinds.lower), name_of(kinds.upper));
}

/// The interval in which the cycle-level result lies. Errors of constants and of the model itself are not included. A
/// machine without a cycle level states none.
std::string bound_text(models::Estimate const& estimate, std::string const& unit, bool has_cycle_level) {
    if (estimate.kinds == models::Bound::none) return "";
    if (estimate.lower == estimate.upper) return has_cycle_level ? "exact" : "no interval";
    return fmt::format("{} .. {} ({})", sim::print_quantity(estimate.lower, unit),
                       sim::print_quantity(estimate.upper, unit), kinds_text(estimate.kinds));
}

/// "not stated" where the machine has no value.
std::string value_text(models::Estimate const& value, models::Metric const& metric) {
    return std::isnan(value.value) ? "not stated" : sim::print_quantity(value.value, metric.unit);
}

/// The metrics of a point. In text, a single scenario with traffic is not repeated under its name.
TextTable metrics_table(Evaluated const& e, models::Metrics const& metrics, Format format) {
    auto table = e.requested.machine.metrics();
    auto const& scenarios = e.requested.machine.scenarios;
    bool const has_cycle_level = e.requested.machine.architecture->fidelities.size() > 1;
    if (format == Format::text && scenarios.serve() && scenarios.list().size() == 1) table = scenarios.metrics();
    TextTable text(format == Format::csv ? std::vector<std::string>{"metric", "value", "unit", "low", "high", "bound"}
                                         : std::vector<std::string>{"metric", "value", "bounds", "meaning"});
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (format == Format::csv) {
            text.add({table[i].name, fmt::format("{}", metrics[i].value), table[i].unit,
                      fmt::format("{}", metrics[i].lower), fmt::format("{}", metrics[i].upper),
                      std::string(name_of(metrics[i].kinds))});
        } else if (!std::isnan(metrics[i].value) || !table[i].absent.empty()) {
            text.add({table[i].name, value_text(metrics[i], table[i]),
                      bound_text(metrics[i], table[i].unit, has_cycle_level),
                      table[i].meaning + (table[i].assumed ? " (rests on assumed constants)" : "")});
        }
    }
    return text;
}

/// Times, rate, power, energy, cost and memory: of one batch, and of traffic.
constexpr std::array<std::string_view, 8> of_batch{
    "ttft", "itl", "latency", "tokens_per_second", "power", "energy", "cost_per_million_tokens", "footprint"};
constexpr std::array<std::string_view, 8> of_traffic{
    "ttft_p99", "tpot_p99", "goodput", "output_rate", "peak_power", "energy_per_good_token", "cost_per_million_tokens",
    "kv_peak"};

/// A line for each of these that applies to the point.
std::string usual_figures(Evaluated const& e, models::Metrics const& metrics) {
    auto const table = e.requested.machine.metrics();
    auto const& names = e.requested.machine.scenarios.serve() ? of_traffic : of_batch;
    TextTable text({"metric", "value", "bounds"});
    std::size_t shown = 0;
    for (auto const name : names) {
        int const at = models::find_metric(table, name);
        if (at < 0) continue;
        auto const& value = metrics[static_cast<std::size_t>(at)];
        auto const& metric = table[static_cast<std::size_t>(at)];
        if (std::isnan(value.value) && metric.absent.empty()) continue;
        if (!std::isnan(value.value)) ++shown;
        text.add({std::string(name), value_text(value, metric),
                  bound_text(value, metric.unit, e.requested.machine.architecture->fidelities.size() > 1)});
    }
    auto const others = std::ranges::count_if(metrics, [](auto const& metric) { return !std::isnan(metric.value); });
    auto const more = fmt::format("--all prints {} with their meaning, and where time, energy and area go\n",
                                  counted(static_cast<std::uint64_t>(others) - shown, "more metric"));
    return text.text(screen_width()) + wrapped(more, screen_width());
}

/// "umdam at analytic fidelity (point 12 of a.h5): input 128"
std::string title(PointRequest const& requested) {
    auto const changed = changed_parameters(requested);
    return fmt::format("{} at {} fidelity{}: {}\n", requested.machine.architecture->name,
                       models::name_of(requested.fidelity),
                       requested.origin.empty() ? "" : fmt::format(" ({})", requested.origin),
                       changed.empty() ? "every parameter at its default" : changed);
}

/// The footing of the values. By default each machine has its own, so that two machines cannot be compared.
std::string footing(Evaluated const& e) {
    auto const& assumptions = e.requested.machine.inputs.options.assumptions;
    if (models::texts_of(assumptions).empty())
        return "assuming what the papers of this machine assume (to compare machines: --assume view=hardware --assume "
               "constants=technology)\n";
    auto const unreached = models::unreached_by_view(e.requested.machine.architecture->name,
                                                     e.requested.machine.parameters(), assumptions);
    auto others = e.without_effect;
    if (!unreached.empty()) std::erase_if(others, [](std::string const& word) { return word.starts_with("view="); });
    return fmt::format("assuming {}{}{}{}{}\n", models::sentence_of(assumptions), unreached.empty() ? "" : "; ",
                       unreached, others.empty() ? "" : "; without effect here: ", fmt::join(others, ", "));
}

/// "fidelity hybrid: simulated: latency is known within 4.1 % only"; "" at another fidelity.
std::string level_note(PointRequest const& requested) {
    return requested.hybrid ? fmt::format("fidelity hybrid: {}\n", requested.hybrid->why) : "";
}

/// What the devices share and over which links; "" for one device.
std::string group_line(PointRequest const& requested) {
    auto const& machine = requested.machine;
    auto const group = report::group_of(*machine.architecture, machine.inputs, requested.point);
    return group ? report::group_text(*group) + "\n" : "";
}

void print_csv(Evaluated const& e) {
    std::cerr << level_note(e.requested);
    if (auto const* metrics = std::get_if<models::Metrics>(&e.outcome)) {
        std::cout << metrics_table(e, *metrics, Format::csv).csv();
        return;
    }
    TextTable table({"status", "rule", "reason"});
    if (auto const* infeasible = std::get_if<models::Infeasible>(&e.outcome))
        table.add({"infeasible", infeasible->rule, infeasible->reason});
    else
        table.add({"defect", "", std::get<models::Defect>(e.outcome).what});
    std::cout << table.csv();
}

void print_text(Evaluated const& e, bool all) {
    std::cout << wrapped(title(e.requested) + level_note(e.requested), screen_width())
              << wrapped(footing(e) + partial_line(*e.requested.machine.architecture), screen_width())
              << wrapped(model_note(e.requested) + group_line(e.requested), screen_width()) << "\n";
    if (auto const* metrics = std::get_if<models::Metrics>(&e.outcome)) {
        if (all)
            std::cout << metrics_table(e, *metrics, Format::text).text(screen_width()) << breakdown_text(e.breakdown);
        else
            std::cout << usual_figures(e, *metrics);
        for (auto const& service : e.services) std::cout << service_text(service, screen_width());
    } else if (auto const* infeasible = std::get_if<models::Infeasible>(&e.outcome)) {
        std::cout << fmt::format("infeasible: {}: {}\n", infeasible->rule, infeasible->reason);
    } else {
        std::cout << fmt::format("defect: {}\n", std::get<models::Defect>(e.outcome).what);
    }
}

}  // namespace

void print_evaluated(Evaluated const& evaluated, Format format, bool all) {
    if (format == Format::json)
        print_json(evaluated_json(evaluated));
    else
        format == Format::csv ? print_csv(evaluated) : print_text(evaluated, all);
}

}  // namespace pimdse::dse::cli
