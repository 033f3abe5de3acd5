#include "dse/store/result/comparison.hpp"

#include "dse/store/differing_input.hpp"
#include "dse/store/result/agreement.hpp"
#include "dse/store/result/column_comparison.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <iterator>

namespace pimdse::dse::store::result {
namespace {

using Row = answers::ResultStore::Row;

/// What a row comes to where it has no metrics.
std::string status_text(ResultFile const& file, Row row) {
    auto const status = file.store.status(row);
    if (status != answers::Status::infeasible) return std::string(name_of(status));
    return fmt::format("{} ({}: {})", name_of(status), file.store.rule(row), file.store.reason(row));
}

bool same_bounds(models::Estimate const& a, models::Estimate const& b, double relative) {
    return agree(a.low, b.low, relative) && agree(a.high, b.high, relative) && a.kinds == b.kinds;
}

std::string bounds_text(models::Estimate const& estimate) {
    return fmt::format("{} within [{}, {}] ({})", estimate.value, estimate.low, estimate.high, name_of(estimate.kinds));
}

void compare_metrics(ResultFile const& left, Row l, ResultFile const& right, Row r, double relative,
                     std::vector<Difference>& into) {
    for (std::size_t m = 0; m < left.columns.metrics.size(); ++m) {
        auto const a = left.store.estimate(l, m), b = right.store.estimate(r, m);
        if (!agree(a.value, b.value, relative))
            into.push_back({left.store.task(l), m, a.value, b.value, {}, {}});
        else if (!same_bounds(a, b, relative))
            into.push_back({left.store.task(l), m, a.value, b.value, bounds_text(a), bounds_text(b)});
    }
}

void compare_answers(ResultFile const& left, Row l, ResultFile const& right, Row r, double relative,
                     std::vector<Difference>& into) {
    auto const status = left.store.status(l);
    bool const same_rule = left.store.rule(l) == right.store.rule(r);
    bool const same_reason =
        status != answers::Status::infeasible || relative > 0.0 || left.store.reason(l) == right.store.reason(r);
    if (status == answers::Status::ok && right.store.status(r) == status)
        compare_metrics(left, l, right, r, relative, into);
    else if (status != right.store.status(r) || !same_rule || !same_reason)
        into.push_back(
            {left.store.task(l), Difference::status_differs, 0.0, 0.0, status_text(left, l), status_text(right, r)});
}

}  // namespace

Comparison compare(ResultFile const& left, ResultFile const& right, double relative) {
    Comparison comparison;
    comparison.conditions = differing_conditions(left, right);
    comparison.input = differing_input(left.columns.input_hashes, right.columns.input_hashes);
    comparison.columns = differing_definitions(left.columns, left.path.string(), right.columns, right.path.string());
    if (comparison.columns.empty()) comparison.columns = differing_values(left, right);
    auto const only_in = [](std::vector<task::PointId> a, std::vector<task::PointId> b) {
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        std::vector<task::PointId> rest;
        std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
        return rest;
    };
    comparison.gained = only_in(right.front, left.front);
    comparison.lost = only_in(left.front, right.front);
    for (Row const row : left.store.sorted()) {
        if (auto const there = right.store.find(left.store.task(row))) {
            compare_answers(left, row, right, *there, relative, comparison.differences);
        } else {
            comparison.only_left.push_back(left.store.task(row));
        }
    }
    for (Row const row : right.store.sorted()) {
        if (!left.store.contains(right.store.task(row))) comparison.only_right.push_back(right.store.task(row));
    }
    return comparison;
}

}  // namespace pimdse::dse::store::result
