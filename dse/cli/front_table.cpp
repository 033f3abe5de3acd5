#include "dse/cli/front_table.hpp"

#include "dse/cli/verb.hpp"
#include "dse/search/front.hpp"
#include "dse/search/point_counts.hpp"
#include "dse/space/canonical_space.hpp"
#include "dse/store/result_schema.hpp"
#include "models/contract/assumptions.hpp"
#include "models/contract/common_metrics.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/random.hpp"

#include <functional>
#include <numeric>

namespace pimdse::dse::cli {
namespace {

std::vector<models::Estimate> estimates(search::ResultStore const& store, search::Row row) {
    std::vector<models::Estimate> all;
    for (std::size_t i = 0; i < store.metrics(); ++i) all.push_back(store.estimate(row, i));
    return all;
}

/// Whether a metric is one of power, energy or what these cost, or a formula with the name of one.
bool follows_power(space::Columns const& columns, models::Metric const& metric) {
    if (space::is_formula(metric.name))
        return std::ranges::any_of(columns.metrics, [&](models::Metric const& part) {
            return !space::is_formula(part.name) && metric.name.find(part.name) != std::string::npos &&
                   follows_power(columns, part);
        });
    models::MetricList one{metric};
    one.front().name = store::schema::name_and_scenario(metric.name).first;
    models::leave_out_power(one, "power");
    return one.front().absent == "power";
}

/// A line for each machine of the space whose energy is partial; none for files that this program no longer reads.
std::string partial_lines(space::Columns const& columns) {
    std::vector<std::string> lines;
    try {
        auto const space = space::space_of_columns(columns);
        for (auto const& machine : space.machines()) {
            auto line = partial_line(*machine.architecture);
            if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
        }
    } catch (sim::InputError const&) {
        lines.clear();
    } catch (sim::StorageError const&) {
        lines.clear();
    }
    return fmt::format("{}", fmt::join(lines, ""));
}

bool has_parameter(std::size_t parameter, space::Columns const& columns, space::PointId id) {
    return space::applies(columns.parameters[parameter].name, space::machine_of(columns, id));
}

/// The predicate that selects the rows of a query; empty if it selects all.
std::function<bool(search::Row)> condition_of(space::Columns const& columns, search::ResultStore const& store,
                                              FrontQuery const& query) {
    if (query.where == nullptr && !query.with) return {};
    return [&columns, &store, where = query.where, with = query.with,
            absent = space::absent_by_machine(columns)](search::Row row) {
        auto const id = store.task(row).point;
        auto const point = columns.point(store.task(row).point);
        if (with && !(point[with->first] == with->second && has_parameter(with->first, columns, id))) return false;
        if (where == nullptr) return true;
        return where->holds(point, estimates(store, row), absent[space::machine_index(columns, id)]);
    };
}

/// All rows if they are few, else a pseudo-random sample.
std::vector<search::Row> sample_of(search::ResultStore const& store) {
    constexpr std::size_t max = 65536;
    std::vector<search::Row> rows(std::min(max, store.size()));
    std::iota(rows.begin(), rows.end(), search::Row{0});
    if (store.size() > max) {
        for (auto& row : rows) row = static_cast<search::Row>(sim::mixed_bits(row) % store.size());
    }
    return rows;
}

}  // namespace

std::vector<search::Row> rows_of(space::Columns const& columns, search::ResultStore const& store,
                                 FrontQuery const& query) {
    auto const fidelity = query.fidelity.value_or(search::finest_fidelity(store));
    auto const keep = condition_of(columns, store, query);
    std::vector<search::Row> rows;
    for (auto const row : store.sorted()) {
        if (store.status(row) == search::Status::ok && store.task(row).fidelity == fidelity && (!keep || keep(row)))
            rows.push_back(row);
    }
    return rows;
}

FrontTable make_front(space::Columns const& columns, search::ResultStore const& store, FrontQuery const& query) {
    return make_front(columns, store, query, space::LimitCrossings(columns, query.where));
}

FrontTable make_front(space::Columns const& columns, search::ResultStore const& store, FrontQuery const& query,
                      space::LimitCrossings const& limits) {
    auto const fidelity = query.fidelity.value_or(search::finest_fidelity(store));
    auto const& objectives = query.objectives;
    auto const keep = condition_of(columns, store, query);
    std::vector<search::Row> rows;
    for (auto const id : search::front_of(store, objectives, fidelity, keep).ids())
        rows.push_back(*store.find({id, fidelity}));
    std::ranges::stable_sort(rows, {}, [&](search::Row row) {
        return space::minimised(store.value(row, objectives[0].metric), objectives[0].better);
    });
    FrontTable front(columns, store, objectives, rows, fidelity);
    if (limits.empty()) return front;
    std::vector<FrontTable::Crossings> crossings;
    for (auto const row : rows)
        crossings.push_back(
            limits.of(store.task(row).point, columns.point(store.task(row).point), estimates(store, row)));
    front.add_crossings(std::move(crossings));
    return front;
}

void FrontTable::keep(std::vector<std::size_t> const& positions) {
    auto const only = [&](auto& list) {
        if (list.empty()) return;
        std::remove_cvref_t<decltype(list)> kept;
        for (auto const at : positions) kept.push_back(list[at]);
        list = std::move(kept);
    };
    only(rows_);
    only(crossings_);
    only(metrics_);
}

std::vector<std::string> FrontTable::remarks(std::size_t shown) const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < std::min(shown, crossings_.size()); ++i) {
        for (auto const& crossing : crossings_[i]) {
            auto text = space::text_of(crossing);
            if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
        }
    }
    return texts;
}

/// The marks of a row: "*" if the table has one remark, "*1*3" if it has several.
std::string FrontTable::marks(std::size_t i, std::vector<std::string> const& remarks) const {
    if (i >= crossings_.size()) return "";
    std::string text;
    for (auto const& crossing : crossings_[i]) {
        auto const at = std::ranges::find(remarks, space::text_of(crossing)) - remarks.begin();
        text += remarks.size() == 1 ? "*" : fmt::format("*{}", at + 1);
    }
    return text;
}

std::vector<models::Value> FrontTable::point(search::Row row) const { return columns_.point(store_.task(row).point); }

std::vector<space::Task> FrontTable::tasks() const {
    std::vector<space::Task> tasks;
    for (auto const row : rows_) tasks.push_back(store_.task(row));
    return tasks;
}

std::vector<EvaluatedDesign> FrontTable::designs() const {
    std::vector<EvaluatedDesign> designs;
    for (std::size_t i = 0; i < rows_.size(); ++i) designs.push_back({store_.task(rows_[i]).point, metrics(i)});
    return designs;
}

models::Metrics FrontTable::metrics(std::size_t i) const {
    return metrics_.empty() ? estimates(store_, rows_[i]) : metrics_[i];
}

std::vector<std::size_t> FrontTable::varying() const {
    std::vector<bool> varies(columns_.parameters.size(), false);
    if (store_.size() == 0) return {};
    std::vector<std::optional<models::Value>> first(varies.size());
    auto const compare = [&](search::Row row) {
        auto const other = point(row);
        auto const* machine = space::machine_of(columns_, store_.task(row).point);
        for (std::size_t p = 0; p < varies.size(); ++p) {
            if (!space::applies(columns_.parameters[p].name, machine)) continue;
            if (!first[p]) first[p] = other[p];
            varies[p] = varies[p] || other[p] != *first[p];
        }
    };
    for (auto const row : rows_) compare(row);
    for (auto const row : sample_of(store_)) compare(row);
    std::vector<std::size_t> which;
    for (std::size_t p = 0; p < varies.size(); ++p) {
        if (varies[p]) which.push_back(p);
    }
    return which;
}

/// The text of a cell; empty if the parameter belongs to another machine.
std::string FrontTable::cell(search::Row row, std::size_t parameter, models::Value const& value, bool readable) const {
    auto const& known = columns_.parameters[parameter];
    if (!space::applies(known.name, space::machine_of(columns_, store_.task(row).point))) return "";
    return readable ? space::shown_value(known, value) : models::value_cell(known, value);
}

/// "front of latency, energy at cycle fidelity; 148 rows of other fidelities not shown".
std::string FrontTable::title() const {
    std::vector<std::string> names;
    for (auto const& objective : objectives_) names.push_back(columns_.metrics[objective.metric].name);
    std::size_t others = 0;
    for (search::Row row = 0; row < store_.size(); ++row) others += store_.task(row).fidelity == fidelity_ ? 0 : 1;
    auto const assumed = space::assumed_text(columns_);
    return fmt::format("front of {} at {} fidelity{}\n{}", fmt::join(names, ", "), models::name_of(fidelity_),
                       others == 0 ? "" : fmt::format("; {} of other fidelities not shown", counted(others, "row")),
                       assumed.empty() ? "" : assumed + "\n");
}

/// A column per parameter; in a space of several machines a column for the machine and one for its parameters.
std::vector<std::string> FrontTable::design_head(std::vector<std::size_t> const& varying) const {
    if (!columns_.machines.empty()) return {"machine", "design"};
    std::vector<std::string> head;
    for (auto const p : varying) head.push_back(columns_.parameters[p].name);
    return head;
}

std::vector<std::string> FrontTable::design_cells(search::Row row, std::vector<std::size_t> const& varying,
                                                  bool readable) const {
    auto const values = point(row);
    std::vector<std::string> cells, own;
    for (auto const p : varying) cells.push_back(cell(row, p, values[p], readable));
    if (columns_.machines.empty()) return cells;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        auto const name = space::machine_and_name(columns_.parameters[varying[i]].name).second;
        if (varying[i] != space::at_machine_parameter && !cells[i].empty())
            own.push_back(fmt::format("{} {}", name, cells[i]));
    }
    return {cell(row, space::at_machine_parameter, values[space::at_machine_parameter]),
            fmt::format("{}", fmt::join(own, ", "))};
}

std::string FrontTable::footing() const {
    std::vector<std::string> assumed;
    bool powers = false;
    for (auto const& objective : objectives_) {
        auto const& metric = columns_.metrics[objective.metric];
        if (metric.assumed) assumed.push_back(metric.name);
        powers = powers || follows_power(columns_, metric);
    }
    return wrapped((rows_.empty() ? "" : assumed_line(assumed)) + (powers ? partial_lines(columns_) : ""),
                   screen_width());
}

std::string FrontTable::text(std::size_t max, bool with_footing) const {
    auto const parameters = varying();
    std::vector<std::string> head{"point"};
    for (auto const& objective : objectives_) head.push_back(columns_.metrics[objective.metric].name);
    for (auto& word : design_head(parameters)) head.push_back(std::move(word));
    TextTable table(head);
    std::size_t const shown = max == 0 ? rows_.size() : std::min(max, rows_.size());
    auto const notes = remarks(shown);
    for (std::size_t i = 0; i < shown; ++i) {
        search::Row const row = rows_[i];
        std::vector<std::string> cells{fmt::format("{}{}", index_of(store_.task(row).point), marks(i, notes))};
        for (auto const& objective : objectives_) {
            cells.push_back(
                sim::print_quantity(store_.value(row, objective.metric), columns_.metrics[objective.metric].unit));
        }
        for (auto& word : design_cells(row, parameters)) cells.push_back(std::move(word));
        table.add(std::move(cells));
    }
    std::string text = wrapped(title(), screen_width()) + table.text(screen_width());
    for (std::size_t i = 0; i < notes.size(); ++i)
        text +=
            wrapped(fmt::format("*{} {}\n", notes.size() == 1 ? "" : fmt::to_string(i + 1), notes[i]), screen_width());
    if (with_footing) text += footing();
    text += wrapped(warnings(shown), screen_width());
    if (shown < rows_.size()) text += fmt::format("... and {} more on the front\n", rows_.size() - shown);
    return text;
}

std::string FrontTable::warnings(std::size_t shown) const {
    constexpr std::size_t max_named = 10;
    std::string text;
    for (auto const metric : warning_metrics(columns_)) {
        auto const [name, scenario] = store::schema::name_and_scenario(columns_.metrics[metric].name);
        bool const rejects = space::machine_and_name(name).second == "rejected";
        std::vector<std::string> points;
        for (std::size_t i = 0; i < shown; ++i) {
            double const value = store_.value(rows_[i], metric);
            if (!(value > 0.0)) continue;
            auto const index = index_of(store_.task(rows_[i]).point);
            points.push_back(rejects ? fmt::format("{} ({:g})", index, value) : fmt::to_string(index));
        }
        if (points.empty()) continue;
        auto const count = points.size();
        if (count > max_named) {
            points.resize(max_named);
            points.push_back(fmt::format("{} more", count - max_named));
        }
        text += fmt::format(
            "{} in {}: point{} {}. {}\n", rejects ? "requests rejected" : "saturated", scenario, count == 1 ? "" : "s",
            fmt::join(points, ", "),
            rejects ? "They exceed the cache or the context, and times and rates are those of the rest"
                    : "More arrive than are served, so times and goodput describe the length of the traffic");
    }
    return text;
}

std::vector<std::string> FrontTable::csv_head() const {
    std::vector<std::string> head{"point", "fidelity"};
    for (auto const& parameter : columns_.parameters) head.push_back(parameter.name);
    for (auto const& metric : columns_.metrics) head.push_back(metric.name);
    return head;
}

std::vector<std::vector<std::string>> FrontTable::csv_rows() const {
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        auto const values = point(rows_[i]);
        std::vector<std::string> cells{fmt::format("{}", index_of(store_.task(rows_[i]).point)),
                                       std::string(models::name_of(fidelity_))};
        for (std::size_t p = 0; p < columns_.parameters.size(); ++p) cells.push_back(cell(rows_[i], p, values[p]));
        for (auto const& estimate : metrics(i)) cells.push_back(fmt::format("{}", estimate.value));
        rows.push_back(std::move(cells));
    }
    return rows;
}

std::string FrontTable::csv() const {
    TextTable table(csv_head());
    for (auto& row : csv_rows()) table.add(std::move(row));
    return table.csv();
}

sim::Json FrontTable::entry_json(std::size_t i) const {
    auto const id = store_.task(rows_[i]).point;
    auto const estimates = metrics(i);
    sim::Json entry{{"point", index_of(id)}, {"parameters", parameters_json(columns_, id)}};
    auto const* machine = space::machine_of(columns_, id);
    for (std::size_t m = 0; m < estimates.size(); ++m) {
        if (!space::applies(columns_.metrics[m].name, machine)) continue;
        entry["metrics"][columns_.metrics[m].name] = {{"value", estimates[m].value},
                                                      {"unit", columns_.metrics[m].unit},
                                                      {"low", estimates[m].lower},
                                                      {"high", estimates[m].upper}};
    }
    for (auto const& crossing : i < crossings_.size() ? crossings_[i] : Crossings{})
        entry["meets_by_estimate_only"].push_back(
            {{"constraint", crossing.constraint}, {"expr", crossing.comparison}, {"beyond", crossing.end}});
    return entry;
}

sim::Json FrontTable::json() const {
    sim::Json text;
    text["architecture"] = columns_.architecture;
    text["fidelity"] = models::name_of(fidelity_);
    text["points"] = search::count_points(store_).points;
    if (auto const assumed = space::assumptions_of(columns_)) {
        text["assumptions"] = sim::Json::object();
        for (auto const& [key, value] : models::texts_of(*assumed)) text["assumptions"][key] = value;
    }
    for (auto const& objective : objectives_) {
        auto const& metric = columns_.metrics[objective.metric];
        text["objectives"].push_back(
            {{"name", metric.name}, {"unit", metric.unit}, {"better", space::name_of_better(objective.better)}});
    }
    text["front"] = sim::Json::array();
    for (std::size_t i = 0; i < rows_.size(); ++i) text["front"].push_back(entry_json(i));
    return text;
}

sim::Json parameters_json(space::Columns const& columns, space::PointId point) {
    auto json = sim::Json::object();
    auto const values = columns.point(point);
    for (std::size_t p = 0; p < values.size(); ++p)
        if (has_parameter(p, columns, point))
            json[columns.parameters[p].name] = models::value_json(columns.parameters[p], values[p]);
    return json;
}

namespace schema = store::schema;

std::vector<std::size_t> warning_metrics(space::Columns const& columns) {
    std::vector<std::size_t> list;
    for (std::size_t m = 0; m < columns.metrics.size(); ++m) {
        auto const [name, scenario] = schema::name_and_scenario(columns.metrics[m].name);
        auto const metric = space::machine_and_name(name).second;
        if (!scenario.empty() && (metric == "saturated" || metric == "rejected")) list.push_back(m);
    }
    return list;
}

std::vector<std::string> scenarios_of(space::Columns const& columns) { return schema::scenarios_in(columns.metrics); }

std::vector<std::size_t> in_scenarios(space::Columns const& columns, std::string_view metric) {
    std::vector<std::size_t> places;
    for (std::size_t m = 0; m < columns.metrics.size(); ++m) {
        auto const& name = columns.metrics[m].name;
        if (name.size() > metric.size() && name.starts_with(metric) && name[metric.size()] == '@' &&
            !space::is_formula(name))
            places.push_back(m);
    }
    return places;
}

std::vector<std::string> scenario_metrics(space::Columns const& columns, std::vector<std::string> const& names) {
    auto const scenarios = scenarios_of(columns);
    if (scenarios.empty()) throw sim::InputError("the file has no scenarios");
    std::vector<std::string> known, metrics;
    for (auto const& metric : columns.metrics) {
        auto const parts = schema::name_and_scenario(metric.name);
        if (parts.second == scenarios.front() && in_scenarios(columns, parts.first).size() == scenarios.size())
            known.push_back(parts.first);
    }
    for (auto const& name : names) {
        auto const metric = schema::name_and_scenario(name).first;
        if (std::ranges::find(known, metric) == known.end())
            throw sim::InputError("'{}' is not a metric of a scenario.{}", metric, sim::suggestion(metric, known));
        if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
    }
    if (metrics.empty()) throw sim::InputError("no metric is named");
    return metrics;
}

TextTable scenario_table(space::Columns const& columns, std::span<EvaluatedDesign const> designs,
                         std::vector<std::string> const& metrics, bool readable) {
    std::vector<std::string> head{"scenario"};
    for (auto const& metric : metrics) {
        for (auto const& design : designs)
            head.push_back(designs.size() == 1 ? metric : fmt::format("{} #{}", metric, index_of(design.point)));
    }
    TextTable table(head);
    std::vector<std::vector<std::size_t>> places;
    for (auto const& metric : metrics) places.push_back(in_scenarios(columns, metric));
    auto const scenarios = scenarios_of(columns);
    for (std::size_t s = 0; s < scenarios.size(); ++s) {
        std::vector<std::string> cells{scenarios[s]};
        for (auto const& of_metric : places) {
            auto const at = of_metric[s];
            for (auto const& design : designs) {
                double const value = design.metrics[at].value;
                cells.push_back(readable ? sim::print_quantity(value, columns.metrics[at].unit)
                                         : fmt::format("{}", value));
            }
        }
        table.add(std::move(cells));
    }
    return table;
}

}  // namespace pimdse::dse::cli
