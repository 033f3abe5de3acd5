#include "dse/cli/flag_values.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/run/front_table.hpp"
#include "dse/cli/verb.hpp"
#include "dse/space/expression_parser.hpp"
#include "dse/space/search_names.hpp"
#include "dse/store/result/result_file.hpp"
#include "dse/task/machine_name.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <iostream>
#include <sstream>

namespace pimdse::dse::cli::run {
namespace {

Manual const manual{
    "pimdse front FILE.h5 [flags]",
    "Prints the front of a result file: the points nobody dominates, recomputed for any objectives and any condition.",
    "  pimdse front quick.h5 --objectives ttft,energy --where \"channels <= 4 and footprint <= 8 GiB\"\n"
    "prints the front of ttft and energy among the points that meet the condition.",
    {"file"}};

/// A file that keeps fronts only cannot answer for what was left out of it.
void check_kept(store::result::ResultFile const& file, std::vector<task::Objective> const& objectives,
                bool conditional) {
    if (file.store.blocks().empty()) return;
    auto const& kept = file.columns.objectives;
    bool const among_kept = std::all_of(objectives.begin(), objectives.end(), [&](task::Objective const& o) {
        return std::find(kept.begin(), kept.end(), o) != kept.end();
    });
    if (among_kept && !conditional) return;
    std::string names;
    for (auto const& objective : kept)
        names += (names.empty() ? "" : ", ") + file.columns.metrics[objective.metric].name;
    throw sim::InputError(
        fmt::format("{}: keeps only the front of {} (a front of other metrics or under a condition needs the points "
                    "that were left out). Explore with --keep all?",
                    file.path.string(), names));
}

/// Those that every machine has, which come first.
models::MetricList metrics_of_all(task::Columns const& columns) {
    auto metrics = columns.metrics;
    std::erase_if(metrics, [](models::Metric const& m) { return !task::machine_and_name(m.name).first.empty(); });
    return metrics;
}

/// What the flags ask of a file, or else the run asked.
struct Asked {
    std::vector<task::Objective> objectives;
    std::optional<space::Expression> where;
    std::vector<std::string> by_scenario;  ///< metrics
};

std::vector<std::string> words_by_comma(std::string const& text) {
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
    return words;
}

Asked asked_of(po::variables_map const& values, task::Columns const& columns) {
    Asked asked{columns.objectives, std::nullopt, {}};
    if (values.contains("by-scenario")) {
        auto const names = words_by_comma(values["by-scenario"].as<std::string>());
        asked.by_scenario = from_flag("--by-scenario", [&] { return scenario_metrics(columns, names); });
    }
    if (values.contains("objectives")) {
        auto const names = words_by_comma(values["objectives"].as<std::string>());
        asked.objectives =
            from_flag("--objectives", [&] { return space::parse_objectives(metrics_of_all(columns), names); });
    }
    if (values.contains("where"))
        asked.where = space::parse_condition(values["where"].as<std::string>(), {columns.parameters, columns.metrics});
    return asked;
}

/// A front needs its objectives and what its condition reads, of however many metrics.
std::vector<bool> metrics_read(Asked const& asked, task::Columns const& columns) {
    std::vector<bool> read(columns.metrics.size(), false);
    for (auto const& objective : asked.objectives) read[objective.metric] = true;
    for (std::size_t m = 0; m < read.size(); ++m) read[m] = read[m] || (asked.where && asked.where->reads_metric(m));
    return read;
}

}  // namespace

int run_front(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    flags.add_options()("objectives", po::value<std::string>(), "metrics by comma, instead of the run's")(
        "where", po::value<std::string>(), "a condition on parameters and metrics")(
        "by-scenario", po::value<std::string>(), "these metrics of the designs on the front, a row per scenario");
    add_format(flags);
    auto const values = parse(manual, flags, arguments);
    if (!values) return complete;
    Format const format = format_of(*values);
    Asked asked;
    auto const path = input_file(needed(*values, "file", manual));
    auto const file = store::result::load_result_file(path, [&](task::Columns const& columns) {
        asked = asked_of(*values, columns);
        return metrics_read(asked, columns);
    });
    check_kept(file, asked.objectives, asked.where.has_value());
    auto front = make_front(file.columns, file.store, asked.objectives, asked.where ? &*asked.where : nullptr);
    if (format != Format::text || !asked.by_scenario.empty())
        front.add_metrics(store::result::load_metrics(path, front.tasks()));
    if (!asked.by_scenario.empty() && format != Format::json) {
        auto const table = scenario_table(file.columns, front.designs(), asked.by_scenario, format == Format::text);
        std::cout << (format == Format::text ? table.text() : table.csv());
        return front.size() == 0 ? no_feasible_point : complete;
    }
    if (format == Format::json)
        std::cout << front.json();
    else
        std::cout << (format == Format::csv ? front.csv() : front.text());
    if (format == Format::text)
        std::cout << fmt::format("{} on the front of {} points\n", front.size(), file.store.evaluated());
    return front.size() == 0 ? no_feasible_point : complete;
}

}  // namespace pimdse::dse::cli::run
