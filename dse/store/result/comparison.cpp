#include "dse/store/result/comparison.hpp"

#include "dse/store/differing_input.hpp"
#include "dse/store/result/agreement.hpp"
#include "dse/store/result/column_comparison.hpp"

#include <algorithm>
#include <iterator>

namespace pimdse::dse::store::result {
namespace {

using Row = answers::ResultStore::Row;

void compare_answers(ResultFile const& left, Row l, ResultFile const& right, Row r, double relative,
                     std::vector<Difference>& into) {
    task::Task const task = left.store.task(l);
    if (left.store.status(l) != right.store.status(r)) {
        into.push_back({task, Difference::status_differs, 0.0, 0.0, std::string(name_of(left.store.status(l))),
                        std::string(name_of(right.store.status(r)))});
        return;
    }
    for (std::size_t m = 0; m < left.columns.metrics.size(); ++m) {
        double const a = left.store.value(l, m), b = right.store.value(r, m);
        if (!agree(a, b, relative)) into.push_back({task, m, a, b, {}, {}});
    }
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
