#include "dse/search/point_counts.hpp"

#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

namespace pimdse::dse::search {
namespace {

bool one_fidelity(ResultStore const& store) {
    for (Row row = 1; row < store.size(); ++row) {
        if (store.task(row).fidelity != store.task(0).fidelity) return false;
    }
    return true;
}

/// Counts evaluations, which equal points if all have one fidelity.
EvaluatedPoints counts_of_all(ResultStore const& store) {
    EvaluatedPoints counts{store.evaluated(), store.count(Status::ok), store.count(Status::infeasible), 0};
    counts.failed = counts.points - counts.feasible - counts.infeasible;
    return counts;
}

void count(EvaluatedPoints& counts, Status status) {
    ++counts.points;
    ++(status == Status::ok ? counts.feasible : status == Status::infeasible ? counts.infeasible : counts.failed);
}

/// Joins consecutive ids before adding them: most rows have the next id.
class RunJoiner {
  public:
    explicit RunJoiner(space::IdSet& into) : into_(into) {}
    ~RunJoiner() { into_.add(first_, last_); }
    RunJoiner(RunJoiner const&) = delete;
    RunJoiner& operator=(RunJoiner const&) = delete;

    void add(std::uint64_t id) {
        if (id != last_) {
            into_.add(first_, last_);
            first_ = id;
        }
        last_ = id + 1;
    }

  private:
    space::IdSet& into_;
    std::uint64_t first_ = 0, last_ = 0;
};

/// The end of the interval that the value violates, if that end is proved.
std::optional<double> broken_end(models::Estimate const& coarse, double value) {
    constexpr double for_rounding = 1e-9;
    if (std::isnan(value) || std::isnan(coarse.value)) return std::nullopt;
    double const share = coarse.is_exact() ? 0.0 : for_rounding;
    if (coarse.kinds.lower == models::Bound::proved && value < coarse.lower - share * std::abs(coarse.lower))
        return coarse.lower;
    if (coarse.kinds.upper == models::Bound::proved && value > coarse.upper + share * std::abs(coarse.upper))
        return coarse.upper;
    return std::nullopt;
}

std::optional<BoundViolation> broken_in(ResultStore const& fine, Row row, ResultStore const& coarse, Row bounds,
                                        std::size_t metrics) {
    for (std::size_t m = 0; m < metrics; ++m) {
        double const value = fine.value(row, m);
        if (auto const end = broken_end(coarse.estimate(bounds, m), value))
            return BoundViolation{fine.task(row).point, m, value, *end};
    }
    return std::nullopt;
}

}  // namespace

EvaluatedPoints count_points(ResultStore const& store) {
    if (!store.blocks().empty() || one_fidelity(store)) return counts_of_all(store);
    EvaluatedPoints counts;
    auto const& rows = store.sorted();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        bool const finest = i + 1 == rows.size() || store.task(rows[i + 1]).point != store.task(rows[i]).point;
        if (finest) count(counts, store.status(rows[i]));
    }
    return counts;
}

space::IdSet evaluated_ids(ResultStore const& store, models::Fidelity fidelity) {
    space::IdSet ids;
    bool in_blocks = false;
    for (auto const& [block, points] : store.blocks()) {
        if (block.second != fidelity) continue;
        std::uint64_t const first = block.first * space::BlockSummary::ids;
        ids.add(first, first + space::BlockSummary::ids);
        in_blocks = true;
    }
    for (auto const& [block, open] : store.open_blocks()) {
        if (block.second != fidelity) continue;
        for (auto const& [first, part] : open.parts) ids.add(first, first + part.points);
    }
    if (in_blocks) return ids;  // every row lies in a block, or is a failure of a block
    RunJoiner rows(ids);
    for (auto const row : store.sorted()) {
        space::Task const task = store.task(row);
        if (task.fidelity == fidelity) rows.add(index_of(task.point));
    }
    return ids;
}

std::string_view failure_of(ResultStore const& store, Row row) {
    auto const status = store.status(row);
    return status == Status::infeasible ? store.rule(row) : name_of(status);
}

std::vector<FailureKind> failure_kinds(ResultStore const& store) {
    std::map<std::string, FailureKind> found;
    for (auto const& [rule, points] : store.counts_per_rule()) found[rule] = {rule, points, std::nullopt};
    for (auto const row : store.sorted()) {
        if (store.status(row) == Status::ok) continue;
        auto& example = found[std::string(failure_of(store, row))].example;
        if (!example) example = row;
    }
    std::vector<FailureKind> kinds;
    for (auto& [rule, kind] : found) {
        if (!rule.empty() && kind.points > 0) kinds.push_back(std::move(kind));
    }
    std::ranges::stable_sort(kinds, std::greater<>(), &FailureKind::points);
    return kinds;
}

std::optional<BoundViolation> first_broken_bound(ResultStore const& fine, ResultStore const& coarse,
                                                 std::size_t metrics) {
    std::optional<BoundViolation> first;
    if (fine.finest() != models::Fidelity::cycle) return first;
    for (Row row = 0; row < fine.size(); ++row) {
        auto const task = fine.task(row);
        if (task.fidelity != models::Fidelity::cycle || fine.status(row) != Status::ok) continue;
        if (first && first->point < task.point) continue;
        auto const bounds = coarse.find({task.point, models::Fidelity::analytic});
        if (!bounds || coarse.status(*bounds) != Status::ok) continue;
        if (auto const broken = broken_in(fine, row, coarse, *bounds, metrics)) first = broken;
    }
    return first;
}

std::string text_of(BoundViolation const& broken, models::MetricList const& metrics) {
    auto const& metric = metrics[broken.metric];
    auto const shown = [&](double value) {
        return fmt::format("{} ({})", sim::print_quantity(value, metric.unit), value);
    };
    return fmt::format("point {}: {} is {} at cycle level, outside its proved analytic bound {} (a bug of the model)",
                       index_of(broken.point), metric.name, shown(broken.value), shown(broken.bound));
}

}  // namespace pimdse::dse::search
