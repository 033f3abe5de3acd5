#include "dse/space/canonical_space.hpp"

#include "dse/space/scenarios.hpp"
#include "models/contract/common_parameters.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/expression/expression_parser.hpp"
#include "models/find_architecture.hpp"
#include "sim/base/check.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/json.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <iterator>

/// Spaces reconstructed from the canonical text in a result file, whose content is not trusted.
namespace pimdse::dse::space {
namespace {

using sim::Json;

/// A mistake in a canonical text; the caller adds the name of the file.
class Malformed : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

void need(bool holds, std::string const& what) {
    if (!holds) throw Malformed(what);
}

Json const& member(Json const& object, char const* name) {
    need(object.is_object() && object.contains(name), std::string("it has no ") + name);
    return object.at(name);
}

std::string text_of(Json const& text, std::string const& what) {
    need(text.is_string(), what + " is not a text");
    return text.get<std::string>();
}

void check_limits(models::Parameter const& parameter, double value) {
    bool const limited = parameter.lower != 0.0 || parameter.upper != 0.0;
    need(std::isfinite(value) && (!limited || (value >= parameter.lower && value <= parameter.upper)),
         fmt::format("{} = {} is out of range", parameter.name, value));
}

models::Value read_value(models::Parameter& parameter, Json const& text) {
    switch (parameter.kind) {
        case models::Kind::integer:
            need(text.is_number_integer(), parameter.name + " is not a whole number");
            need(!text.is_number_unsigned() || text.get<std::uint64_t>() <= std::uint64_t{INT64_MAX},
                 parameter.name + " is too large");
            check_limits(parameter, text.get<double>());
            return models::Value::integer(text.get<std::int64_t>());
        case models::Kind::quantity:
            need(text.is_number(), parameter.name + " is not a number");
            check_limits(parameter, text.get<double>());
            return models::Value::quantity(text.get<double>());
        case models::Kind::flag:
            need(text.is_boolean(), parameter.name + " is neither true nor false");
            return models::Value::flag(text.get<bool>());
        default:
            return models::read_value(parameter, text_of(text, parameter.name));
    }
}

Axis read_axis(models::Parameter& parameter, Json const& text) {
    constexpr std::size_t max_items = 20;
    if (text.is_object()) {
        need(!parameter.items.empty() && parameter.items.size() <= max_items,
             parameter.name + " has no items to permute");
        need(member(text, "permute") == Json(parameter.items), parameter.name + " permutes other items");
        return Axis::permutations(parameter.items.size());
    }
    need(text.is_array() && !text.empty(), parameter.name + " has no values");
    std::vector<models::Value> values;
    for (auto const& value : text) values.push_back(read_value(parameter, value));
    return Axis::list(std::move(values));
}

std::vector<std::pair<std::string, std::string>> settings_in(Json const& text, std::string const& what) {
    need(text.is_object(), what + " is not a table");
    std::vector<std::pair<std::string, std::string>> settings;
    for (auto const& [name, value] : text.items()) settings.emplace_back(name, text_of(value, what));
    return settings;
}

Aggregate aggregate_named(std::string const& name) {
    auto const found = std::find(aggregate_names.begin(), aggregate_names.end(), name);
    need(found != aggregate_names.end(), fmt::format("'{}' is not an aggregate", name));
    return static_cast<Aggregate>(found - aggregate_names.begin());
}

/// Whether some scenario has traffic. Mistakes are reported by scenarios_in.
bool has_traffic(Json const& machine) {
    auto const* scenarios = machine.member("scenarios");
    if (scenarios == nullptr || !scenarios->is_array()) return false;
    return std::ranges::any_of(*scenarios, [](Json const& entry) {
        auto const* asks = entry.member("asks");
        if (asks == nullptr || !asks->is_object()) return false;
        for (auto const& [key, _] : asks->items())
            if (models::service::is_traffic_key(key)) return true;
        return false;
    });
}

using KeptFiles = std::vector<models::SourceFile>;

/// Space::canonical_text() has a name, or { "pair": [name, name] }.
models::Architecture const& architecture_in(Json const& text, KeptFiles const& kept) {
    if (!text.is_object()) return models::find_kept_architecture(text_of(text, "its architecture"), kept);
    auto const& pair = member(text, "pair");
    need(pair.is_array() && pair.size() == 2, "its pair does not have two architectures");
    return models::find_pair(models::find_kept_architecture(text_of(pair[0], "its architecture"), kept),
                             models::find_kept_architecture(text_of(pair[1], "its architecture"), kept));
}

Scenarios scenarios_in(Json const& text, models::Architecture const& architecture, models::Parameters& parameters,
                       models::Assumptions const& assumptions, models::MetricList tables, KeptFiles const& kept) {
    if (!text.contains("scenarios")) return {};
    need(text["scenarios"].is_array() && !text["scenarios"].empty(), "its scenarios are not a list");
    Scenarios::Parts parts;
    parts.tables = std::move(tables);
    for (auto const& entry : text["scenarios"]) {
        auto const& weight = member(entry, "weight");
        need(weight.is_number() && weight.get<double>() > 0.0, "the weight of a scenario is not a number above 0");
        WrittenScenario work{text_of(member(entry, "name"), "a scenario's name"), weight.get<double>(),
                             settings_in(member(entry, "asks"), "the settings of a scenario")};
        parts.list.push_back(scenario_of(std::move(work), architecture, parameters));
    }
    for (auto const& [metric, name] : settings_in(member(text, "aggregates"), "its aggregates"))
        parts.aggregates.emplace_back(metric, aggregate_named(name));
    if (text.contains("baseline")) {
        auto settings = settings_in(member(text["baseline"], "settings"), "the baseline");
        auto const* of = text["baseline"].member("architecture");
        parts.baseline = of == nullptr
                             ? design_itself(architecture, std::move(settings), parameters, parts.list)
                             : one_design(architecture_in(*of, kept), std::move(settings), parts.list, assumptions);
    }
    return Scenarios(std::move(parts), architecture.metrics());
}

models::ModelOptions options_in(Json const& text) {
    models::ModelOptions options;
    if (text.contains("constants")) options.constants = text_of(text["constants"], "its file of constants");
    if (!text.contains("assumptions")) return options;
    for (auto const& [key, value] : settings_in(text["assumptions"], "its assumptions"))
        models::set_assumption(options.assumptions, key, value);
    return options;
}

TableHead table_head_in(Json const& text) {
    TableHead head;
    head.file = text_of(member(text, "file"), "the file of a table");
    if (text.contains("machine")) head.machine = text_of(text["machine"], "the machine of a table");
    for (auto const* list : {"keys", "metrics"})
        need(member(text, list).is_array() && !text[list].empty(),
             fmt::format("the {} of a table are not a list", list));
    for (auto const& key : text["keys"]) head.keys.push_back(text_of(key, "a key of a table"));
    for (auto const& metric : text["metrics"])
        head.columns.push_back(space::table_column(text_of(member(metric, "name"), "a metric of a table"),
                                                   text_of(member(metric, "better"), "a metric of a table"),
                                                   text_of(member(metric, "unit"), "a metric of a table"), head.file));
    return head;
}

std::vector<std::shared_ptr<MetricTable const>> tables_in(Json const& text, KeptFiles const& kept) {
    std::vector<std::shared_ptr<MetricTable const>> tables;
    if (!text.contains("tables")) return tables;
    need(text["tables"].is_array(), "its tables are not a list");
    for (auto const& entry : text["tables"]) {
        auto head = table_head_in(entry);
        auto const file = std::ranges::find(kept, head.file, &models::SourceFile::path);
        need(file != kept.end(), fmt::format("the text of {} was not kept", head.file));
        tables.push_back(std::make_shared<MetricTable const>(space::read_metric_table(std::move(head), file->text)));
    }
    return tables;
}

/// `one_of_several`: the space has several machines.
Machine machine_in(Json const& text, KeptFiles const& kept, bool one_of_several) {
    Machine machine;
    machine.architecture = &architecture_in(member(text, "architecture"), kept);
    machine.name = text.contains("name") ? text_of(text["name"], "a machine's name") : machine.architecture->name;
    auto options = options_in(text);
    auto parameters = machine_parameters(*machine.architecture, options.assumptions, has_traffic(text));
    auto const tables = tables_in(text, kept);
    for (auto const& table : tables) {
        auto const metrics = space::metrics_of(table->head);
        machine.table_metrics.insert(machine.table_metrics.end(), metrics.begin(), metrics.end());
    }
    machine.scenarios =
        scenarios_in(text, *machine.architecture, parameters, options.assumptions, machine.table_metrics, kept);
    auto const& axes = member(text, "parameters");
    need(axes.is_object(), "its parameters are not a table");
    for (auto& parameter : parameters) {
        auto const* axis = axes.member(parameter.name);
        machine.axes.push_back(axis == nullptr ? Axis::list({parameter.default_value}) : read_axis(parameter, *axis));
    }
    for (auto const& table : tables)
        machine.tables.emplace_back(table, machine.name, one_of_several && table->head.machine.empty(), parameters);
    auto const& constraints = member(text, "constraints");
    need(constraints.is_array(), "its constraints are not a list");
    auto const metrics = machine.metrics();
    for (auto const& constraint : constraints) {
        auto expression =
            models::parse_condition(text_of(member(constraint, "expr"), "a constraint"), {parameters, metrics});
        bool const parameters_only = !expression.uses_metrics();
        machine.constraints.push_back(
            {text_of(member(constraint, "name"), "a constraint's name"), std::move(expression), parameters_only});
    }
    machine.inputs = models::prepare(*machine.architecture, std::move(parameters), std::move(options));
    return machine;
}

std::vector<Machine> machines_in(Json const& text, KeptFiles const& kept) {
    std::vector<Machine> machines;
    if (!text.contains("machines")) {
        machines.push_back(machine_in(text, kept, false));
    } else {
        need(text["machines"].is_array() && !text["machines"].empty(), "its machines are not a list");
        for (auto const& machine : text["machines"]) machines.push_back(machine_in(machine, kept, true));
    }
    std::uint64_t points = 0;
    for (auto const& machine : machines) {
        auto const more = points_of(machine.axes);
        need(more.has_value() && *more <= UINT64_MAX - points, "it has more than 2^64 points");
        points += *more;
    }
    return machines;
}

Space space_in(Columns const& columns) {
    auto const text = Json::parse(columns.canonical_text);
    need(text.is_object(), "it is not a table");
    Space::Parts space;
    space.machines = machines_in(text, columns.machine_files);
    auto const metrics = metrics_of(space.machines);
    models::MetricList const common{metrics.list.begin(),
                                    metrics.list.begin() + static_cast<std::ptrdiff_t>(metrics.common)};
    if (text.contains("formulas")) {
        need(text["formulas"].is_array(), "its formulas are not a list");
        for (auto const& formula : text["formulas"]) {
            try {
                space.formulas.emplace_back(common, text_of(formula, "a formula"));
            } catch (sim::InputError const& error) {
                throw Malformed(error.what());
            }
        }
    }
    for (auto const& objective : columns.objectives)
        need(objective.metric < metrics.list.size() + space.formulas.size(),
             "its objectives are not metrics of the space");
    space.objectives = columns.objectives;
    space.search.seed = columns.seed;
    space.search.keep = text.contains("kept_front_of") ? Keep::front : Keep::all;
    space.text = columns.space_text;
    return Space(std::move(space));
}

}  // namespace

Space space_of_columns(Columns const& columns, std::filesystem::path const& file) {
    auto const refuse = [&](std::string const& why) -> Space {
        throw sim::StorageError(file, "{} is damaged (the text of its space cannot be read: {})", file.string(), why);
    };
    try {
        return space_in(columns);
    } catch (sim::Json::Error const& error) {
        return refuse(error.what());
    } catch (Malformed const& error) {
        return refuse(error.what());
    }
}

std::optional<models::Assumptions> assumptions_of(Columns const& columns) {
    auto const text = sim::Json::parse_or_null(columns.canonical_text);
    if (!text.is_object()) return std::nullopt;
    auto const* several = text.member("machines");
    bool const joint = several != nullptr && several->is_array() && !several->empty();
    auto const& machine = joint ? several->front() : text;
    if (!machine.is_object() || (!joint && !machine.contains("assumptions"))) return std::nullopt;
    models::Assumptions found;
    if (!machine.contains("assumptions") || !machine["assumptions"].is_object()) return found;
    try {
        for (auto const& [key, value] : machine["assumptions"].items())
            models::set_assumption(found, key, value.is_string() ? value.get<std::string>() : value.dump());
    } catch (sim::InputError const&) {
        return std::nullopt;  // written by another version of the program
    }
    return found;
}

std::string assumed_text(Columns const& columns) {
    auto const found = assumptions_of(columns);
    if (!found) return "";
    auto text = "assuming " + models::sentence_of(*found);
    auto const add = [&](std::string const& machine, models::Parameters const& parameters) {
        if (auto const why = models::unreached_by_view(machine, parameters, *found); !why.empty()) text += "; " + why;
    };
    if (columns.machines.empty()) add(columns.architecture, columns.parameters);
    for (auto const& machine : columns.machines) {
        models::Parameters own;
        std::ranges::copy_if(columns.parameters, std::back_inserter(own),
                             [&](models::Parameter const& one) { return one.name.starts_with(machine.name + "."); });
        add(machine.name, own);
    }
    return text;
}

}  // namespace pimdse::dse::space
