#include "dse/cli/front_table.hpp"
#include "dse/cli/near_front.hpp"
#include "dse/cli/run_summary.hpp"
#include "dse/cli/scenario_table.hpp"
#include "dse/cli/verb.hpp"
#include "dse/search/point_counts.hpp"
#include "dse/space/columns.hpp"
#include "dse/space/search_settings.hpp"
#include "dse/store/result_file.hpp"
#include "dse/store/result_schema.hpp"
#include "models/expression/expression_parser.hpp"

#include <ranges>

namespace pimdse::dse::cli {
namespace {

/// Throws InputError if the front needs points that a file with fronts only has left out.
void check_kept(store::ResultFile const& file, std::vector<space::Objective> const& objectives, bool conditional) {
    if (file.store.blocks().empty()) return;
    auto const& kept = file.columns.objectives;
    bool const among_kept = std::all_of(objectives.begin(), objectives.end(), [&](space::Objective const& o) {
        return std::find(kept.begin(), kept.end(), o) != kept.end();
    });
    if (among_kept && !conditional) return;
    auto const name_of = [&](space::Objective const& one) { return file.columns.metrics[one.metric].name; };
    throw sim::InputError(
        "{}: keeps only the front of {} (a front of other metrics or under a condition needs the points "
        "that were left out). Explore with --keep all?",
        file.path.string(), fmt::join(kept | std::views::transform(name_of), ", "));
}

/// The metrics that every machine has; they come first.
models::MetricList metrics_of_all(space::Columns const& columns) {
    auto metrics = columns.metrics;
    std::erase_if(metrics, [](models::Metric const& m) { return !space::machine_and_name(m.name).first.empty(); });
    return metrics;
}

/// The tables that the flags request; values without a flag are those of the run.
struct Requested {
    std::vector<space::Objective> objectives;
    std::vector<space::MetricFormula> formulas;  ///< placed after the metrics of the file
    std::optional<models::Expression> where;
    std::optional<models::Fidelity> fidelity;
    std::string per;                                         ///< a parameter, "scenario" or ""
    std::vector<std::string> by_scenario, best_by_scenario;  ///< metrics
};

/// Throws UsageError if a metric has no direction that is better.
void refuse_undirected(space::Columns const& columns, std::string const& name) {
    for (auto const& metric : columns.metrics) {
        if (metric.name == name && metric.better == models::Sense::none)
            throw UsageError("--best-by-scenario: {} has no best value (neither lower nor higher is better)", name);
    }
}

/// Sets the objectives; formulas are numbered after the metrics of the file.
void set_objectives(std::vector<std::string> const& names, space::Columns const& columns, Requested& requested) {
    auto const of_all = metrics_of_all(columns);
    auto found = space::parse_objectives(of_all, names);
    auto const place = space::place_of_formulas(of_all);
    requested.objectives.clear();
    for (auto objective : found.list) {
        bool const formula = objective.metric >= place && objective.metric - place < found.formulas.size();
        if (formula)
            objective.metric = columns.metrics.size() + objective.metric - place;
        else if (objective.metric >= place)
            objective.metric -= found.formulas.size();
        requested.objectives.push_back(objective);
    }
    requested.formulas = std::move(found.formulas);
}

models::Metrics with_formulas(models::Metrics metrics, std::vector<space::MetricFormula> const& formulas) {
    auto const plain = metrics;
    for (auto const& formula : formulas) metrics.push_back(formula.of(plain));
    return metrics;
}

/// All metrics of a front; the file was read only as far as the front needs it.
std::vector<models::Metrics> all_metrics(std::filesystem::path const& path, FrontTable const& front,
                                         Requested const& requested) {
    auto all = store::load_metrics(path, front.tasks());
    for (auto& metrics : all) metrics = with_formulas(std::move(metrics), requested.formulas);
    return all;
}

/// Adds formulas to the file as metrics, so that they can be objectives of a front.
void add_formulas(store::ResultFile& file, std::vector<space::MetricFormula> const& formulas) {
    if (formulas.empty()) return;
    search::ResultStore store(file.store.metrics() + formulas.size());
    for (auto const row : file.store.sorted()) {
        auto result = file.store.result(row);
        if (auto* metrics = std::get_if<models::Metrics>(&result.outcome))
            *metrics = with_formulas(std::move(*metrics), formulas);
        (void)store.insert(result);
    }
    file.store = std::move(store);
    for (auto const& formula : formulas) file.columns.metrics.push_back(formula.metric());
}

Requested requested_by(CommandLine const& values, space::Columns const& columns) {
    Requested requested{columns.objectives, {}, std::nullopt, std::nullopt, {}, {}, {}};
    auto const metrics_in = [&](std::string const& flag) -> std::vector<std::string> {
        if (!values.contains(flag)) return {};
        return from_flag("--" + flag, [&] { return scenario_metrics(columns, values.words(flag)); });
    };
    requested.by_scenario = metrics_in("by-scenario");
    requested.best_by_scenario = metrics_in("best-by-scenario");
    for (auto const& name : requested.best_by_scenario) refuse_undirected(columns, name);
    if (values.contains("objectives"))
        from_flag("--objectives", [&] { set_objectives(values.words("objectives"), columns, requested); });
    if (values.contains("fidelity"))
        requested.fidelity = choice_of<models::Fidelity>(values, "fidelity", models::fidelity_names);
    if (values.contains("per")) {
        requested.per = values.text("per");
        from_flag("--per", [&] { check_key(columns, requested.objectives, requested.per); });
    }
    if (values.contains("where"))
        requested.where = models::parse_condition(values.text("where"), {columns.parameters, columns.metrics});
    return requested;
}

/// The metrics to read from the file: only those that the requested tables need.
std::vector<bool> metrics_read(Requested const& requested, space::Columns const& columns) {
    std::vector<bool> read(columns.metrics.size(), false);
    space::LimitCrossings const limits(columns);
    for (auto const& objective : requested.objectives)
        if (objective.metric < read.size()) read[objective.metric] = true;
    for (auto const& formula : requested.formulas)
        for (auto const metric : formula.reads()) read[metric] = true;
    for (auto const metric : metrics_per(columns, requested.objectives, requested.per)) read[metric] = true;
    for (auto const metric : warning_metrics(columns)) read[metric] = true;
    for (std::size_t m = 0; m < read.size(); ++m) {
        auto const [name, scenario] = store::schema::name_and_scenario(columns.metrics[m].name);
        bool const compared = !scenario.empty() &&
                              std::ranges::find(requested.best_by_scenario, name) != requested.best_by_scenario.end();
        read[m] =
            read[m] || compared || limits.reads_metric(m) || (requested.where && requested.where->reads_metric(m));
    }
    return read;
}

/// "9 on the front of 168 points"; for an incomplete file with the number of missing points.
std::string size_line(std::size_t size, store::ResultFile const& file) {
    auto line = fmt::format("{} on the front of {}", size, counted(search::count_points(file.store).points, "point"));
    if (auto const incomplete = incomplete_text(file); !incomplete.empty())
        line += fmt::format(" (the file is incomplete: {})", incomplete);
    return line + "\n";
}

/// A front with what was found about it.
struct ShownFront {
    FrontTable table;
    std::size_t size = 0;  ///< before it was thinned
    std::optional<double> within, thin;
    std::vector<NearDesigns> near;  ///< with `within`
};

void print(ShownFront const& front, Format format, store::ResultFile const& file) {
    if (format == Format::csv) {
        std::cout << front.table.csv();
    } else if (format == Format::json) {
        auto json = front.table.json();
        if (front.within) json["near"] = near_json(file.columns, file.store, front.near);
        if (front.thin) json["front_size"] = front.size;
        print_json(json);
    } else {
        std::cout << front.table.text() << size_line(front.size, file);
        if (front.thin)
            std::cout << fmt::format("{} of them shown: each other one is within {:.3g} % of one of these\n",
                                     front.table.size(), 100.0 * *front.thin);
        if (front.within) std::cout << near_text(file.columns, file.store, front.near, *front.within);
    }
}

constexpr std::size_t max_design_columns = 4;  ///< more designs are rows of the table by scenario

FrontQuery query_of(Requested const& requested) {
    return {requested.objectives, requested.where ? &*requested.where : nullptr, requested.fidelity};
}

int print_per(std::filesystem::path const& path, store::ResultFile const& file, Requested const& requested,
              Format format) {
    auto fronts = fronts_per(file.columns, file.store, query_of(requested), requested.per);
    std::size_t members = 0;
    for (auto& per : fronts) {
        members += per.front.size();
        if (format != Format::text) per.front.add_metrics(all_metrics(path, per.front, requested));
    }
    std::cout << fronts_text(fronts, requested.per, format);
    return members == 0 ? no_feasible_point : complete;
}

/// Throws UsageError if the file has no results at the requested fidelity: the front would be empty without a reason.
void check_fidelity(store::ResultFile const& file, Requested const& requested) {
    if (!requested.fidelity) return;
    for (search::Row row = 0; row < file.store.size(); ++row) {
        if (file.store.task(row).fidelity == *requested.fidelity) return;
    }
    throw UsageError("--fidelity {}: {} has no results at this fidelity (its front is at {} fidelity)",
                     models::name_of(*requested.fidelity), file.path.string(), models::name_of(file.front_fidelity));
}

/// Throws UsageError for flags that exclude each other.
void check_flags(CommandLine const& values, Format format) {
    bool const by_scenarios = values.contains("by-scenario") || values.contains("best-by-scenario");
    if (format == Format::json && by_scenarios)
        throw UsageError(
            "tables by scenario can be printed as text or csv only (--format json without them has all metrics)");
    if (by_scenarios && values.contains("per"))
        throw UsageError("--per cannot be combined with --by-scenario or --best-by-scenario. Use one of them?");
    for (char const* flag : {"within", "thin"})
        if (values.contains(flag) && (by_scenarios || values.contains("per")))
            throw UsageError("--{} is for one front and cannot be combined with tables by scenario or --per", flag);
    if (values.contains("within") && format == Format::csv)
        throw UsageError("--within prints text or json (csv has the front only)");
    if (values.contains("best-by-scenario") && values.contains("fidelity"))
        throw UsageError("--best-by-scenario always uses the finest fidelity. Leave out --fidelity?");
}

}  // namespace

int run_front(CommandLine const& values) {
    Format const format = format_of(values);
    check_flags(values, format);
    auto const within = given_share(values, "within"), thin = given_share(values, "thin");
    Requested requested;
    auto const path = input_file(values.needed("file"));
    auto file = store::load_result_file(path, [&](space::Columns const& columns) {
        requested = requested_by(values, columns);
        return metrics_read(requested, columns);
    });
    check_kept(file, requested.objectives,
               requested.where.has_value() || !requested.best_by_scenario.empty() || !requested.per.empty() ||
                   within.has_value());
    check_fidelity(file, requested);
    add_formulas(file, requested.formulas);
    auto const* where = requested.where ? &*requested.where : nullptr;
    bool const has_size_line = format == Format::text && requested.per.empty() && requested.by_scenario.empty() &&
                               requested.best_by_scenario.empty();
    if (!has_size_line) warn_incomplete(file);
    if (!requested.per.empty()) return print_per(path, file, requested, format);
    if (!requested.best_by_scenario.empty()) {
        print_table(
            best_by_scenario(file.columns, file.store, requested.best_by_scenario, where, format == Format::text),
            format);
        if (format == Format::text) std::cout << machines_left_out(file.columns, file.store);
        return complete;
    }
    auto front = make_front(file.columns, file.store, query_of(requested));
    auto const size = front.size();
    std::vector<NearDesigns> near;
    if (within)
        near = near_front(file.columns, file.store, requested.objectives, front.rows(),
                          rows_of(file.columns, file.store, query_of(requested)), *within);
    if (thin) front.keep(thinned(file.store, requested.objectives, front.rows(), *thin));
    if (format != Format::text || !requested.by_scenario.empty())
        front.add_metrics(all_metrics(path, front, requested));
    if (!requested.by_scenario.empty() && format == Format::text && front.size() > max_design_columns)
        print_table(by_design(file.columns, file.store, front, requested.by_scenario), format);
    else if (!requested.by_scenario.empty())
        print_table(scenario_table(file.columns, front.designs(), requested.by_scenario, format == Format::text),
                    format);
    else
        print(ShownFront{std::move(front), size, within, thin, std::move(near)}, format, file);
    return size == 0 ? no_feasible_point : complete;
}

}  // namespace pimdse::dse::cli
