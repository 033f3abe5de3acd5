#include "dse/base/durable_file.hpp"
#include "dse/cli/kernel_tables.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/phrases.hpp"
#include "dse/cli/point_request.hpp"
#include "dse/cli/schedule_trace.hpp"
#include "dse/cli/served_scenario.hpp"
#include "dse/cli/verb.hpp"
#include "dse/space/requested_machine.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/llm/language_models.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::cli {
namespace {

Manual const export_manual{
    "pimdse export FILE.h5 TO --point ID --as FORMAT [flags]",
    "Writes how a point of a result file serves the traffic of a scenario, for other programs. llmservingsim: the "
    "times "
    "of its steps as the tables of LLMServingSim, into the folder TO. perfetto: what its engines and requests do over "
    "time, into the file TO, for ui.perfetto.dev.",
    "  pimdse export service.h5 h100.json --point 12 --as perfetto\n"
    "writes a timeline with a track for each engine and each request.",
    {"file", "to"}};

constexpr std::string_view tables_format = "llmservingsim", trace_format = "perfetto";

std::string format_named(po::variables_map const& values) {
    auto const format = needed(values, "as", export_manual);
    std::vector<std::string> const known{std::string(tables_format), std::string(trace_format)};
    if (std::ranges::find(known, format) == known.end())
        throw UsageError(fmt::format("--as: '{}' is not a format that can be written ({}).{}", format,
                                     fmt::join(known, ", "), sim::suggestion(format, known)));
    return format;
}

/// Throws UsageError for a file that exists, unless it may be replaced.
void refuse_existing(std::filesystem::path const& file, bool force) {
    std::error_code error;
    if (!force && std::filesystem::exists(file, error))
        throw UsageError(
            fmt::format("{} exists already (it is kept). Use --force to replace it, or another name?", file.string()));
}

/// The scenario with traffic that is exported. Throws InputError if there is none, UsageError if there are several.
space::Scenario const& scenario_in(PointRequest const& requested, po::variables_map const& values) {
    std::vector<space::Scenario const*> with_traffic;
    std::vector<std::string> names;
    for (auto const& scenario : requested.machine.scenarios.list()) {
        if (!scenario.traffic) continue;
        with_traffic.push_back(&scenario);
        names.push_back(scenario.written.name);
    }
    if (names.empty())
        throw sim::InputError(
            fmt::format("{}: none of its scenarios has traffic, so it has no schedule to export "
                        "(docs/traffic.md)",
                        requested.origin));
    if (!values.contains("service")) {
        if (names.size() == 1) return *with_traffic.front();
        throw UsageError(fmt::format("the space has several scenarios with traffic ({}). Choose one with --service?",
                                     fmt::join(names, ", ")));
    }
    auto const name = values["service"].as<std::string>();
    auto const found = std::ranges::find(names, name);
    if (found == names.end())
        throw UsageError(fmt::format("--service: no scenario with traffic is called '{}' ({}).{}", name,
                                     fmt::join(names, ", "), sim::suggestion(name, names)));
    return *with_traffic[static_cast<std::size_t>(found - names.begin())];
}

void write(std::filesystem::path const& file, std::string const& text) {
    base::replace_file(file, std::as_bytes(std::span(text)));
}

/// "h100", "rtx_4090" or the architecture's name: a name for the machine.
std::string hardware_name(PointRequest const& requested) {
    auto const& parameters = requested.machine.parameters();
    int const device = models::find_parameter(parameters, "device");
    if (device < 0) return requested.machine.name;
    auto const at = static_cast<std::size_t>(device);
    return models::print_value(parameters[at], requested.point[at]);
}

models::LanguageModel model_of(PointRequest const& requested, models::Point point) {
    auto const& parameters = requested.machine.parameters();
    int const llm = models::find_parameter(parameters, "llm");
    if (llm < 0) throw sim::InputError("the machine has no language model");
    auto const at = static_cast<std::size_t>(llm);
    return models::load_language_model(models::print_value(parameters[at], point[at]));
}

int write_tables(PointRequest const& requested, space::Scenario const& scenario, ServedScenario const& served,
                 std::filesystem::path const& folder, bool force) {
    auto const point = point_in(requested, scenario);
    auto const engine = models::service::engine_for(*requested.machine.architecture, requested.machine.inputs, point,
                                                    requested.fidelity, *scenario.traffic);
    auto const tables = kernel_tables(std::get<models::ServiceEngine>(engine), served.served.settings,
                                      model_of(requested, point), hardware_name(requested));
    for (auto const& file : tables.files) refuse_existing(folder / file.name, force);
    std::error_code error;
    std::filesystem::create_directories(folder / "tp1", error);
    if (error)
        throw base::StorageError(folder,
                                 fmt::format("{} cannot be made ({})", (folder / "tp1").string(), error.message()));
    std::vector<std::string> counts;
    for (auto const& file : tables.files) {
        write(folder / file.name, file.text);
        if (file.rows > 0) counts.push_back(fmt::format("{} ({})", file.name, counted(file.rows, "row")));
    }
    std::cout << fmt::format("{}: meta.yaml, {}. Copy it to profiler/perf/{}/MODEL/VARIANT of LLMServingSim\n",
                             folder.string(), fmt::join(counts, ", "), hardware_name(requested));
    return complete;
}

int write_trace_of(PointRequest const& requested, ServedScenario const& served, std::filesystem::path const& file) {
    std::ostringstream text;
    write_schedule_trace(text, served, requested.machine.architecture->name);
    write(file, text.str());
    std::cout << fmt::format("{}: {} of {}, {} of {}\n", file.string(), counted(served.activities.size(), "slice"),
                             counted(static_cast<std::uint64_t>(served.served.schedule.engines), "engine"),
                             counted(static_cast<std::uint64_t>(served.served.schedule.steps), "step"),
                             counted(served.traffic->load.requests.size(), "request"));
    return complete;
}

/// Prints why a point has no metrics; the exit code that goes with it.
int explain_failure(models::Outcome const& outcome) {
    if (auto const* infeasible = std::get_if<models::Infeasible>(&outcome)) {
        std::cerr << fmt::format("pimdse: the point is infeasible, so there is nothing to export: {}: {}\n",
                                 infeasible->rule, infeasible->reason);
        return no_feasible_point;
    }
    std::cerr << fmt::format("pimdse: the point failed: {}\n", std::get<models::Defect>(outcome).what);
    return some_points_failed;
}

}  // namespace

int run_export(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    auto add = flags.add_options();
    add("point", po::value<std::string>(), "the id of the point");
    add("as", po::value<std::string>(), "the format: llmservingsim or perfetto");
    add("service", po::value<std::string>(), "the scenario, if several have traffic");
    add("set", po::value<std::vector<std::string>>()->composing(), "name=value: changes a parameter of the point");
    add("fidelity", po::value<std::string>(), "analytic or cycle (default: that of the front)");
    add("force", "replace files that exist");
    auto values = parse(export_manual, flags, arguments);
    if (!values) return complete;
    auto const file = needed(*values, "file", export_manual);
    std::filesystem::path const to = needed(*values, "to", export_manual);
    auto const format = format_named(*values);
    bool const force = values->contains("force"), trace = format == trace_format;
    if (trace) {
        refuse_existing(to, force);
        base::check_writable(to);
    }
    values->insert({"from", po::variable_value(boost::any(file), false)});
    auto const requested = point_request(*values, export_manual);
    auto const& scenario = scenario_in(requested, *values);
    auto const outcome = space::evaluate_machine(requested.machine, requested.point, requested.fidelity);
    auto const* metrics = std::get_if<models::Metrics>(&outcome);
    if (metrics == nullptr) return explain_failure(outcome);
    auto const all = served_scenarios(requested, *metrics, {});
    auto const served = std::ranges::find(all, scenario.written.name, &ServedScenario::name);
    sim::expects(served != all.end(), "a feasible point serves its traffic");
    if (trace) return write_trace_of(requested, *served, to);
    return write_tables(requested, scenario, *served, to, force);
}

}  // namespace pimdse::dse::cli
