#include "dse/cli/flag_values.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/run/best_by_scenario.hpp"
#include "dse/cli/run/front_table.hpp"
#include "dse/cli/verb.hpp"
#include "dse/space/expression_parser.hpp"
#include "dse/space/search_names.hpp"
#include "dse/store/result/result_file.hpp"
#include "dse/store/result/result_schema.hpp"
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
    std::vector<std::string> by_scenario, best_by_scenario;  ///< metrics
};

std::vector<std::string> words_by_comma(std::string const& text) {
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
    return words;
}

/// Throws UsageError if neither more nor less of a metric is better.
void refuse_neither(task::Columns const& columns, std::string const& name) {
    for (auto const& metric : columns.metrics) {
        if (metric.name == name && metric.better == models::Sense::none)
            throw UsageError(fmt::format("--best-by-scenario: neither more nor less of {} is better", name));
    }
}

Asked asked_of(po::variables_map const& values, task::Columns const& columns) {
    Asked asked{columns.objectives, std::nullopt, {}, {}};
    auto const metrics_in = [&](std::string const& flag) -> std::vector<std::string> {
        if (!values.contains(flag)) return {};
        auto const names = words_by_comma(values[flag].as<std::string>());
        return from_flag("--" + flag, [&] { return scenario_metrics(columns, names); });
    };
    asked.by_scenario = metrics_in("by-scenario");
    asked.best_by_scenario = metrics_in("best-by-scenario");
    for (auto const& name : asked.best_by_scenario) refuse_neither(columns, name);
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
    for (std::size_t m = 0; m < read.size(); ++m) {
        auto const [name, scenario] = store::result::schema::name_and_scenario(columns.metrics[m].name);
        bool const compared =
            !scenario.empty() && std::ranges::find(asked.best_by_scenario, name) != asked.best_by_scenario.end();
        read[m] = read[m] || compared || (asked.where && asked.where->reads_metric(m));
    }
    return read;
}

/// A table has no JSON of its own: `front --format json` has all metrics of all scenarios.
void print(TextTable const& table, Format format) {
    std::cout << (format == Format::text ? table.text() : table.csv());
}

void print(FrontTable const& front, Format format, std::uint64_t evaluated) {
    if (format == Format::json) {
        std::cout << front.json();
    } else if (format == Format::csv) {
        std::cout << front.csv();
    } else {
        std::cout << front.text() << fmt::format("{} on the front of {} points\n", front.size(), evaluated);
    }
}

}  // namespace

int run_front(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    flags.add_options()("objectives", po::value<std::string>(), "metrics by comma, instead of the run's")(
        "where", po::value<std::string>(), "a condition on parameters and metrics")(
        "by-scenario", po::value<std::string>(), "these metrics of the designs on the front, a row per scenario")(
        "best-by-scenario", po::value<std::string>(), "the best design in these metrics in each scenario");
    add_format(flags);
    auto const values = parse(manual, flags, arguments);
    if (!values) return complete;
    Format const format = format_of(*values);
    if (format == Format::json && (values->contains("by-scenario") || values->contains("best-by-scenario")))
        throw UsageError("a table by scenario is text or csv (--format json without it has all metrics)");
    Asked asked;
    auto const path = input_file(needed(*values, "file", manual));
    auto const file = store::result::load_result_file(path, [&](task::Columns const& columns) {
        asked = asked_of(*values, columns);
        return metrics_read(asked, columns);
    });
    check_kept(file, asked.objectives, asked.where.has_value() || !asked.best_by_scenario.empty());
    auto const* where = asked.where ? &*asked.where : nullptr;
    if (!asked.best_by_scenario.empty()) {
        print(best_by_scenario(file.columns, file.store, asked.best_by_scenario, where, format == Format::text),
              format);
        return complete;
    }
    auto front = make_front(file.columns, file.store, asked.objectives, where);
    if (format != Format::text || !asked.by_scenario.empty())
        front.add_metrics(store::result::load_metrics(path, front.tasks()));
    if (!asked.by_scenario.empty())
        print(scenario_table(file.columns, front.designs(), asked.by_scenario, format == Format::text), format);
    else
        print(front, format, file.store.evaluated());
    return front.size() == 0 ? no_feasible_point : complete;
}

}  // namespace pimdse::dse::cli::run
