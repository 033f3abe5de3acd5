#include "dse/store/robust_tables.hpp"

#include "dse/store/file_table.hpp"
#include "dse/store/result_schema.hpp"

#include <fmt/format.h>
#include <deque>

namespace pimdse::dse::store::tables {
namespace {

using hdf5::Group;
using search::RobustFront;

template <class Front>
void constants(FileTable<Front>& root, Front& front) {
    using Constant = search::UncertainConstant;
    auto table = root.inner("constants");
    auto& rows = front.constants;
    table.column("name", rows, &Constant::name);
    table.column("unit", rows, &Constant::unit);
    table.column("source", rows, &Constant::source);
    table.column("distribution", rows, &Constant::distribution);
    table.column("nominal", rows, &Constant::nominal);
    table.column("lower", rows, &Constant::lower);
    table.column("upper", rows, &Constant::upper);
    table.column("mean", rows, &Constant::mean);
    table.column("deviation", rows, &Constant::deviation);
    table.column("whole", rows, &Constant::whole);
    std::deque<bool> effective(front.effective.begin(), front.effective.end());
    table.column("effective", effective);
    if constexpr (table.reads) front.effective.assign(effective.begin(), effective.end());
    table.meaning("numbers in SI; `unit` is that of texts; effective: a result depends on it");
}

template <class Front>
void draws(FileTable<Front>& root, Front& front) {
    auto table = root.inner("draws");
    table.meaning("one column per constant, by its position in constants; one row per draw; SI");
    table.column("front_size", front.front_sizes);
    if constexpr (table.reads)
        front.draws.assign(front.front_sizes.size(), std::vector<double>(front.constants.size()));
    for (std::size_t c = 0; c < front.constants.size(); ++c)
        table.column(
            fmt::format("{:04}", c), front.draws, [c](auto& values) -> auto& { return values[c]; });
}

template <class Front>
void designs(FileTable<Front>& root, Front& front) {
    using search::RobustDesign;
    auto table = root.inner("designs");
    table.meaning(
        "designs on the front as assumed (now), in a draw, or for all constants (certain); regret: by which share "
        "every objective is behind the front in the worst draw; quantiles of each objective, SI");
    auto& rows = front.designs;
    table.points(rows, &RobustDesign::point);
    table.column("now", rows, &RobustDesign::now);
    table.column("certain", rows, &RobustDesign::certain);
    table.column("draws_on_front", rows, &RobustDesign::draws_on_front);
    std::vector<double> shares;
    for (auto const& row : rows)
        shares.push_back(static_cast<double>(row.draws_on_front) / static_cast<double>(front.draws.size()));
    auto const follow = shares;
    table.column("front_share", shares);
    if (table.reads && shares != follow) table.group().damaged("front_share is not the share of the draws");
    table.column("regret", rows, &RobustDesign::regret);
    if constexpr (table.reads)
        for (auto& row : rows) row.quantiles.resize(front.objectives.size());
    for (std::size_t o = 0; o < front.objectives.size(); ++o) {
        auto const name = schema::dataset_name(front.objectives[o]);
        for (std::size_t q = 0; q < search::quantile_probabilities.size(); ++q)
            table.column(
                fmt::format("{}_q{:02.0f}", name, 100.0 * search::quantile_probabilities[q]), rows,
                [ o, q ](auto& row) -> auto& { return row.quantiles[o][q]; });
    }
}

template <class Front>
void machines(FileTable<Front>& root, Front& front) {
    using search::MachineStanding;
    auto table = root.inner("machines");
    table.meaning(
        "number of draws in which a machine has a design on the front, or the best in an objective, or none that is "
        "feasible, of those that the ends of the ranges do not exclude");
    auto& rows = front.machines;
    table.column("name", rows, &MachineStanding::name);
    table.column("draws_on_front", rows, &MachineStanding::draws_on_front);
    table.column("draws_infeasible", rows, &MachineStanding::draws_infeasible);
    if constexpr (table.reads)
        for (auto& row : rows) row.draws_best.resize(front.objectives.size());
    for (std::size_t o = 0; o < front.objectives.size(); ++o)
        table.column(
            "best_" + schema::dataset_name(front.objectives[o]),
            rows, [o](auto& row) -> auto& { return row.draws_best[o]; });
}

template <class Front>
void decisions(FileTable<Front>& root, Front& front) {
    using search::Decision;
    auto table = root.inner("decisions");
    table.meaning("parameters with one value in every design of a machine that is on a front of any draw");
    table.column("machine", front.decisions, &Decision::machine);
    table.column("parameter", front.decisions, &Decision::parameter);
    table.column("value", front.decisions, &Decision::value);
}

template <class Front>
void flips(FileTable<Front>& root, Front& front) {
    using search::MachineFlip;
    auto table = root.inner("flips");
    table.meaning(
        "values of one constant at which another machine becomes the best in an objective; positions in constants, "
        "objectives and machines; SI; both designs were evaluated there");
    auto& rows = front.flips;
    table.column("constant", rows, &MachineFlip::constant);
    table.column("objective", rows, &MachineFlip::objective);
    table.column("before", rows, &MachineFlip::before);
    table.column("after", rows, &MachineFlip::after);
    table.column("break_even", rows, &MachineFlip::break_even);
    table.column("old_best", rows, &MachineFlip::old_best);
    table.column("new_best", rows, &MachineFlip::new_best);
    table.column("old_value", rows, &MachineFlip::old_value);
    table.column("new_value", rows, &MachineFlip::new_value);
    for (auto const& flip : rows)
        if (flip.constant >= front.constants.size() || flip.objective >= front.objectives.size() ||
            flip.before >= front.machines.size() || flip.after >= front.machines.size())
            table.group().damaged("a position is out of range");
}

template <class Front, class Parent>
void robust_front(Parent& root, Front& front) {
    FileTable<Front> table(root, "uncertain");
    table.meaning("the front when constants of the machines are known within ranges only");
    table.attribute("statement", front.statement);
    table.attribute("key", front.key);
    table.attribute("objectives", front.objectives);
    table.attribute("seed", front.seed);
    table.attribute("refused_draws", front.refused_draws);
    table.attribute("considered", front.designs_considered);
    table.attribute("excluded", front.designs_excluded);
    table.attribute("linear", front.designs_linear);
    table.attribute("evaluated", front.designs_evaluated);
    table.list("remarks", front.remarks);
    table.list("not_stated", front.not_stated);
    constants(table, front);
    draws(table, front);
    designs(table, front);
    table.list("possible", front.possible);
    machines(table, front);
    decisions(table, front);
    flips(table, front);
}

}  // namespace

void write_robust_front(Group& root, RobustFront const& front) { robust_front(root, front); }

std::optional<RobustFront> read_robust_front(Group const& root) {
    if (!root.has("uncertain")) return std::nullopt;
    RobustFront front;
    robust_front(root, front);
    return front;
}

}  // namespace pimdse::dse::store::tables
