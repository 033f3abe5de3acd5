#include "dse/store/robust_tables.hpp"

#include "dse/store/result_schema.hpp"
#include "dse/store/result_tables.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace pimdse::dse::store::tables {
namespace {

using hdf5::Group;
using search::Distribution;
using search::RobustFront;

constexpr std::array<Distribution, 4> distributions{Distribution::uniform, Distribution::log_uniform,
                                                    Distribution::normal, Distribution::choices};

/// A member or a number of each row as a column.
template <class T, class Rows, class Get>
void put(Group& group, std::string const& name, Rows const& rows, Get const& get) {
    std::vector<T> values;
    values.reserve(rows.size());
    for (auto const& row : rows) values.push_back(static_cast<T>(get(row)));
    group.put(name, values);
}

template <class Rows, class Get>
void put_texts(Group& group, std::string const& name, Rows const& rows, Get const& get) {
    std::vector<std::string> texts;
    for (auto const& row : rows) texts.push_back(get(row));
    group.put_texts(name, texts);
}

/// Reads a column of a table whose first column had `rows` rows.
template <class T>
std::vector<T> column(Group const& group, std::string const& name, std::size_t rows) {
    auto values = group.open_column(name).read<T>();
    if (values.size() != rows) group.damaged("columns of different length");
    return values;
}

std::vector<std::string> texts(Group const& group, std::string const& name, std::size_t rows) {
    auto values = group.open_column(name).read_texts();
    if (values.size() != rows) group.damaged("columns of different length");
    return values;
}

std::vector<bool> flags(Group const& group, std::string const& name, std::size_t rows) {
    auto const values = column<std::uint8_t>(group, name, rows);
    if (std::ranges::any_of(values, [](std::uint8_t value) { return value > 1; }))
        group.damaged(name + " is not 0 or 1");
    return {values.begin(), values.end()};
}

std::string quantile_name(std::string const& objective, std::size_t q) {
    return fmt::format("{}_q{:02.0f}", schema::dataset_name(objective), 100.0 * search::quantile_probabilities[q]);
}

void write_constants(Group& root, RobustFront const& front) {
    auto group = root.create_group("constants");
    auto const& rows = front.constants;
    put_texts(group, "name", rows, [](auto const& c) { return c.name; });
    put_texts(group, "unit", rows, [](auto const& c) { return c.unit; });
    put_texts(group, "source", rows, [](auto const& c) { return c.source; });
    put_texts(group, "distribution", rows, [](auto const& c) { return std::string(name_of(c.distribution)); });
    put<double>(group, "nominal", rows, [](auto const& c) { return c.nominal; });
    put<double>(group, "lower", rows, [](auto const& c) { return c.lower; });
    put<double>(group, "upper", rows, [](auto const& c) { return c.upper; });
    put<double>(group, "mean", rows, [](auto const& c) { return c.mean; });
    put<double>(group, "deviation", rows, [](auto const& c) { return c.deviation; });
    put<std::uint8_t>(group, "whole", rows, [](auto const& c) { return c.whole; });
    put<std::uint8_t>(group, "effective", front.effective, [](bool effective) { return effective; });
    group.attribute("meaning", "numbers in SI; `unit` is that of texts; effective: a result depends on it");
}

void read_constants(Group const& group, RobustFront& front) {
    auto const names = group.open_column("name").read_texts();
    auto const rows = names.size();
    auto const units = texts(group, "unit", rows), sources = texts(group, "source", rows);
    auto const kinds = texts(group, "distribution", rows);
    auto const nominal = column<double>(group, "nominal", rows), lower = column<double>(group, "lower", rows);
    auto const upper = column<double>(group, "upper", rows), mean = column<double>(group, "mean", rows);
    auto const deviation = column<double>(group, "deviation", rows);
    auto const whole = flags(group, "whole", rows);
    front.effective = flags(group, "effective", rows);
    for (std::size_t i = 0; i < rows; ++i) {
        auto const kind = std::ranges::find(distributions, kinds[i], [](auto one) { return name_of(one); });
        if (kind == distributions.end()) group.damaged("unknown distribution");
        front.constants.push_back({names[i],
                                   units[i],
                                   nominal[i],
                                   lower[i],
                                   upper[i],
                                   *kind,
                                   mean[i],
                                   deviation[i],
                                   {},
                                   whole[i],
                                   sources[i],
                                   {}});
    }
}

void write_draws(Group& root, RobustFront const& front) {
    auto group = root.create_group("draws");
    group.attribute("meaning", "one column per constant, by its position in constants; one row per draw; SI");
    for (std::size_t c = 0; c < front.constants.size(); ++c) {
        put<double>(group, fmt::format("{:04}", c), front.draws, [c](auto const& values) { return values[c]; });
    }
    group.put("front_size", front.front_sizes);
}

void read_draws(Group const& group, RobustFront& front) {
    front.front_sizes = group.open_column("front_size").read<std::uint64_t>();
    front.draws.resize(front.front_sizes.size());
    for (std::size_t c = 0; c < front.constants.size(); ++c) {
        auto const values = column<double>(group, fmt::format("{:04}", c), front.draws.size());
        for (std::size_t n = 0; n < values.size(); ++n) front.draws[n].push_back(values[n]);
    }
}

void write_designs(Group& root, RobustFront const& front) {
    auto group = root.create_group("designs");
    group.attribute(
        "meaning",
        "designs on the front as assumed (now), in a draw, or for all constants (certain); regret: by which "
        "share every objective is behind the front in the worst draw; quantiles of each objective, SI");
    auto const& rows = front.designs;
    auto const draws = static_cast<double>(front.draws.size());
    put<std::uint64_t>(group, points_of_group, rows, [](auto const& d) { return index_of(d.point); });
    put<std::uint8_t>(group, "now", rows, [](auto const& d) { return d.now; });
    put<std::uint8_t>(group, "certain", rows, [](auto const& d) { return d.certain; });
    put<std::uint64_t>(group, "draws_on_front", rows, [](auto const& d) { return d.draws_on_front; });
    put<double>(group, "front_share", rows,
                [&](auto const& d) { return static_cast<double>(d.draws_on_front) / draws; });
    put<double>(group, "regret", rows, [](auto const& d) { return d.regret; });
    for (std::size_t o = 0; o < front.objectives.size(); ++o) {
        for (std::size_t q = 0; q < search::quantile_probabilities.size(); ++q)
            put<double>(group, quantile_name(front.objectives[o], q), rows,
                        [&](auto const& d) { return d.quantiles[o][q]; });
    }
}

void read_designs(Group const& group, RobustFront& front) {
    auto const ids = group.open_column(name_of_points(group)).read<std::uint64_t>();
    auto const rows = ids.size();
    auto const now = flags(group, "now", rows), certain = flags(group, "certain", rows);
    auto const draws = column<std::uint64_t>(group, "draws_on_front", rows);
    auto const share = column<double>(group, "front_share", rows), regret = column<double>(group, "regret", rows);
    for (std::size_t i = 0; i < rows; ++i) {
        if (share[i] != static_cast<double>(draws[i]) / static_cast<double>(front.draws.size()))
            group.damaged("front_share is not the share of the draws");
        front.designs.push_back({space::PointId{ids[i]}, now[i], true, certain[i], draws[i], regret[i],
                                 std::vector<search::Quantiles>(front.objectives.size())});
    }
    for (std::size_t o = 0; o < front.objectives.size(); ++o) {
        for (std::size_t q = 0; q < search::quantile_probabilities.size(); ++q) {
            auto const values = column<double>(group, quantile_name(front.objectives[o], q), rows);
            for (std::size_t i = 0; i < rows; ++i) front.designs[i].quantiles[o][q] = values[i];
        }
    }
}

void write_machines(Group& root, RobustFront const& front) {
    auto group = root.create_group("machines");
    group.attribute(
        "meaning",
        "number of draws in which a machine has a design on the front, or the best in an objective, or none "
        "that is feasible, of those that the ends of the ranges do not exclude");
    put_texts(group, "name", front.machines, [](auto const& m) { return m.name; });
    put<std::uint64_t>(group, "draws_on_front", front.machines, [](auto const& m) { return m.draws_on_front; });
    put<std::uint64_t>(group, "draws_infeasible", front.machines, [](auto const& m) { return m.draws_infeasible; });
    for (std::size_t o = 0; o < front.objectives.size(); ++o)
        put<std::uint64_t>(group, "best_" + schema::dataset_name(front.objectives[o]), front.machines,
                           [o](auto const& m) { return m.draws_best[o]; });
}

void read_machines(Group const& group, RobustFront& front) {
    for (auto const& name : group.open_column("name").read_texts()) front.machines.push_back({name, 0, {}});
    auto const rows = front.machines.size();
    auto const draws = column<std::uint64_t>(group, "draws_on_front", rows);
    auto const infeasible = column<std::uint64_t>(group, "draws_infeasible", rows);
    for (std::size_t i = 0; i < rows; ++i) {
        front.machines[i].draws_on_front = draws[i];
        front.machines[i].draws_infeasible = infeasible[i];
    }
    for (auto const& objective : front.objectives) {
        auto const best = column<std::uint64_t>(group, "best_" + schema::dataset_name(objective), rows);
        for (std::size_t i = 0; i < rows; ++i) front.machines[i].draws_best.push_back(best[i]);
    }
}

void write_decisions(Group& root, RobustFront const& front) {
    auto group = root.create_group("decisions");
    group.attribute("meaning", "parameters with one value in every design of a machine that is on a front of any draw");
    put_texts(group, "machine", front.decisions, [](auto const& d) { return d.machine; });
    put_texts(group, "parameter", front.decisions, [](auto const& d) { return d.parameter; });
    put_texts(group, "value", front.decisions, [](auto const& d) { return d.value; });
}

void read_decisions(Group const& group, RobustFront& front) {
    auto const machines = group.open_column("machine").read_texts();
    auto const parameters = texts(group, "parameter", machines.size()), values = texts(group, "value", machines.size());
    for (std::size_t i = 0; i < machines.size(); ++i)
        front.decisions.push_back({machines[i], parameters[i], values[i]});
}

void write_flips(Group& root, RobustFront const& front) {
    auto group = root.create_group("flips");
    group.attribute("meaning",
                    "values of one constant at which another machine becomes the best in an objective; positions in "
                    "constants, objectives and machines; SI; both designs were evaluated there");
    auto const& rows = front.flips;
    put<std::uint64_t>(group, "constant", rows, [](auto const& f) { return f.constant; });
    put<std::uint64_t>(group, "objective", rows, [](auto const& f) { return f.objective; });
    put<std::uint64_t>(group, "before", rows, [](auto const& f) { return f.before; });
    put<std::uint64_t>(group, "after", rows, [](auto const& f) { return f.after; });
    put<double>(group, "break_even", rows, [](auto const& f) { return f.break_even; });
    put<std::uint64_t>(group, "old_best", rows, [](auto const& f) { return index_of(f.old_best); });
    put<std::uint64_t>(group, "new_best", rows, [](auto const& f) { return index_of(f.new_best); });
    put<double>(group, "old_value", rows, [](auto const& f) { return f.old_value; });
    put<double>(group, "new_value", rows, [](auto const& f) { return f.new_value; });
}

void read_flips(Group const& group, RobustFront& front) {
    auto const constants = group.open_column("constant").read<std::uint64_t>();
    auto const rows = constants.size();
    auto const objectives = column<std::uint64_t>(group, "objective", rows);
    auto const before = column<std::uint64_t>(group, "before", rows),
               after = column<std::uint64_t>(group, "after", rows);
    auto const at = column<double>(group, "break_even", rows);
    auto const old_best = column<std::uint64_t>(group, "old_best", rows);
    auto const new_best = column<std::uint64_t>(group, "new_best", rows);
    auto const old_value = column<double>(group, "old_value", rows);
    auto const new_value = column<double>(group, "new_value", rows);
    for (std::size_t i = 0; i < rows; ++i) {
        if (constants[i] >= front.constants.size() || objectives[i] >= front.objectives.size() ||
            before[i] >= front.machines.size() || after[i] >= front.machines.size())
            group.damaged("a position is out of range");
        front.flips.push_back({constants[i], objectives[i], before[i], after[i], at[i], space::PointId{old_best[i]},
                               space::PointId{new_best[i]}, old_value[i], new_value[i]});
    }
}

}  // namespace

void write_robust_front(Group& root, RobustFront const& front) {
    auto group = root.create_group("uncertain");
    group.attribute("meaning", "the front when constants of the machines are known within ranges only");
    group.attribute("statement", front.statement);
    group.attribute("key", front.key);
    group.attribute("objectives", front.objectives);
    group.attribute("seed", front.seed);
    group.attribute("refused_draws", front.refused_draws);
    group.attribute("considered", front.designs_considered);
    group.attribute("excluded", front.designs_excluded);
    group.attribute("linear", front.designs_linear);
    group.attribute("evaluated", front.designs_evaluated);
    group.put_texts("remarks", front.remarks);
    group.put_texts("not_stated", front.not_stated);
    write_constants(group, front);
    write_draws(group, front);
    write_designs(group, front);
    put<std::uint64_t>(group, "possible", front.possible, [](space::PointId id) { return index_of(id); });
    write_machines(group, front);
    write_decisions(group, front);
    write_flips(group, front);
}

std::optional<RobustFront> read_robust_front(Group const& root) {
    if (!root.has("uncertain")) return std::nullopt;
    auto const group = root.open_group("uncertain");
    RobustFront front;
    front.statement = group.text("statement");
    front.key = group.text("key");
    front.objectives = group.texts("objectives");
    front.seed = group.number("seed");
    front.refused_draws = group.number("refused_draws");
    front.designs_considered = group.number("considered");
    front.designs_excluded = group.number("excluded");
    front.designs_linear = group.number("linear");
    front.designs_evaluated = group.number("evaluated");
    front.remarks = group.open_column("remarks").read_texts();
    front.not_stated = group.open_column("not_stated").read_texts();
    read_constants(group.open_group("constants"), front);
    read_draws(group.open_group("draws"), front);
    read_designs(group.open_group("designs"), front);
    for (auto const id : group.open_column("possible").read<std::uint64_t>())
        front.possible.push_back(space::PointId{id});
    read_machines(group.open_group("machines"), front);
    read_decisions(group.open_group("decisions"), front);
    read_flips(group.open_group("flips"), front);
    return front;
}

}  // namespace pimdse::dse::store::tables
