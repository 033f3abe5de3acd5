#include "dse/store/result/result_tools.hpp"

#include "dse/front/front.hpp"
#include "dse/store/differing_input.hpp"
#include "dse/store/digest.hpp"
#include "dse/store/result/column_comparison.hpp"
#include "sim/base/check.hpp"
#include "sim/base/mixed_bits.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

namespace pimdse::dse {
namespace {

using Row = ResultStore::Row;

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

void check_same_space(ResultFile const& a, ResultFile const& b) {
    if (a.columns.architecture != b.columns.architecture) {
        throw sim::InputError(fmt::format("{} is about {} and {} about {} (only files of one space can be compared)",
                                          a.path.string(), a.columns.architecture, b.path.string(),
                                          b.columns.architecture));
    }
    if (a.columns.canonical_text != b.columns.canonical_text) {
        throw sim::InputError(
            fmt::format("{} and {} are of different spaces (parameters, constraints or inputs differ)", a.path.string(),
                        b.path.string()));
    }
    auto const names = [](ResultFile const& file) {
        std::vector<std::string> list;
        for (auto const& metric : file.columns.metrics) list.push_back(metric.name);
        return list;
    };
    if (names(a) != names(b)) {
        throw sim::InputError(fmt::format("{} and {} have different metrics (they were written by different versions)",
                                          a.path.string(), b.path.string()));
    }
}

std::string task_text(Task task) {
    return fmt::format("point {} at {}", index_of(task.point), models::name_of(task.fidelity));
}

/// Which answer differs, in a sentence.
std::string conflict_text(ResultFile const& a, Row row_a, ResultFile const& b, Row row_b) {
    std::string const where = task_text(a.store.task(row_a));
    if (a.store.status(row_a) != b.store.status(row_b)) {
        return fmt::format("{} is {} in {} and {} in {}", where, name_of(a.store.status(row_a)), a.path.string(),
                           name_of(b.store.status(row_b)), b.path.string());
    }
    for (std::size_t m = 0; m < a.columns.metrics.size(); ++m) {
        auto const left = a.store.estimate(row_a, m), right = b.store.estimate(row_b, m);
        auto const& name = a.columns.metrics[m].name;
        if (!same_bits(left.value, right.value)) {
            return fmt::format("{}: {} is {} in {} and {} in {}", where, name, left.value, a.path.string(), right.value,
                               b.path.string());
        }
        if (!same_bits(left.low, right.low) || !same_bits(left.high, right.high) || left.kinds != right.kinds) {
            return fmt::format("{}: the bounds of {} are [{}, {}] in {} and [{}, {}] in {}", where, name, left.low,
                               left.high, a.path.string(), right.low, right.high, b.path.string());
        }
    }
    return fmt::format("{} is infeasible for different reasons: '{}: {}' in {} and '{}: {}' in {}", where,
                       a.store.rule(row_a), a.store.reason(row_a), a.path.string(), b.store.rule(row_b),
                       b.store.reason(row_b), b.path.string());
}

void check_no_conflict(ResultFile const& a, ResultFile const& b) {
    for (Row row = 0; row < b.store.size(); ++row) {
        auto const there = a.store.find(b.store.task(row));
        if (there && !a.store.same(*there, b.store.answer(row))) {
            throw MismatchError(conflict_text(a, *there, b, row) + " (a point has one answer)");
        }
    }
}

void add_rows(ResultFile& into, ResultFile const& from) {
    for (Row row = 0; row < from.store.size(); ++row) {
        if (into.store.insert(from.store.answer(row)) != ResultStore::Insertion::added) continue;
        for (std::size_t p = 0; p < into.values.size(); ++p) into.values[p].push_back(from.values[p][row]);
    }
    for (auto const& [block, points] : from.store.blocks()) {
        if (into.store.add_block(block.first, block.second, points)) continue;
        throw MismatchError(
            fmt::format("block {} ({} ids at {} fidelity) is in {} and in an earlier file (parts that keep fronts only "
                        "must not overlap)",
                        block.first, points, models::name_of(block.second), from.path.string()));
    }
    into.store.add_left_out(from.store.left_out());
    for (auto const& [block, open] : from.store.open_blocks()) {
        for (auto const& [first, part] : open.parts) into.store.add(part);
    }
}

/// Choices that were accepted in one shard only get a number in the other's table, too.
void unite_choices(ResultFile& into, ResultFile& from) {
    for (std::size_t p = 0; p < into.columns.parameters.size(); ++p) {
        auto& known = into.columns.parameters[p].choices;
        auto const& theirs = from.columns.parameters[p].choices;
        if (known == theirs) continue;
        std::vector<std::size_t> number;
        for (auto const& choice : theirs) {
            auto const found = std::find(known.begin(), known.end(), choice);
            number.push_back(static_cast<std::size_t>(found - known.begin()));
            if (found == known.end()) known.push_back(choice);
        }
        ValueColumn renumbered;
        for (std::size_t row = 0; row < from.values[p].size(); ++row) {
            auto const value = from.values[p][row];
            renumbered.push_back(
                value.kind() == models::Kind::choice ? models::Value::choice(number.at(value.as_choice())) : value);
        }
        from.values[p] = std::move(renumbered);
    }
}

/// The decoders of all files in turn would miss ids of later ones; the merged values know them all.
void renew(ResultFile& file) {
    file.columns.decode = decoder_of(file.store, file.values);
    file.digest = digest(file.columns.canonical_text, file.store);
    file.front_fidelity = finest_fidelity(file.store);
    file.front = front_of(file.store, file.columns.objectives, file.front_fidelity).ids();
}

void check_mergeable(ResultFile const& a, ResultFile const& b) {
    check_same_space(a, b);
    if (a.columns.objectives != b.columns.objectives) {
        throw sim::InputError(fmt::format("{} and {} have different objectives (a front needs one set of them)",
                                          a.path.string(), b.path.string()));
    }
    if (auto const input = differing_input(a.columns.input_hashes, b.columns.input_hashes)) {
        throw MismatchError(fmt::format(
            "{} and {} were computed from different inputs ({} changed in between). Explore one of them again?",
            a.path.string(), b.path.string(), *input));
    }
    auto differing = differing_definitions(a.columns, a.path.string(), b.columns, b.path.string());
    if (differing.empty()) differing = differing_values(a, b);
    if (!differing.empty())
        throw MismatchError(differing.front() + " (files of one space agree on what its points are)");
}

void check_finished(ResultFile const& file) {
    if (!file.provenance.unfinished()) return;
    throw MismatchError(
        fmt::format("{} is unfinished (its run is {} after {} points). Go on with it by --resume, or merge what is "
                    "there with --partial?",
                    file.path.string(), file.provenance.more_of("state"), file.store.evaluated()));
}

/// The makers of all files: what was one run each is named in `earlier`.
Provenance joined_provenance(std::vector<ResultFile> const& files) {
    Provenance joined = files.front().provenance;
    joined.earlier.clear();
    joined.hosts.clear();
    std::string_view state;
    for (auto const& file : files) {
        auto const& one = file.provenance;
        for (auto& run : with_itself(one)) joined.earlier.push_back(std::move(run));
        for (auto const& host : one.hosts) {
            if (std::find(joined.hosts.begin(), joined.hosts.end(), host) == joined.hosts.end())
                joined.hosts.push_back(host);
        }
        for (auto const& [name, text] : one.more) {
            if (joined.more_of(name).empty()) joined.set_more(name, text);
        }
        joined.start = std::min(joined.start, one.start);
        joined.stop = std::max(joined.stop, one.stop);
        if (one.unfinished())
            state = state_stopped;
        else if (state.empty() && !one.more_of("state").empty())
            state = state_complete;
    }
    if (!state.empty()) joined.set_more("state", state);
    return joined;
}

bool agree(double left, double right, double relative) {
    return same_bits(left, right) || left == right || std::abs(left - right) <= relative * std::abs(left);
}

void compare_answers(ResultFile const& left, Row l, ResultFile const& right, Row r, double relative,
                     std::vector<Difference>& into) {
    Task const task = left.store.task(l);
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

ResultFile merge(std::vector<ResultFile> files, Unfinished unfinished) {
    sim::expects(!files.empty(), "there is something to merge");
    if (unfinished == Unfinished::refuse) std::for_each(files.begin(), files.end(), check_finished);
    auto provenance = joined_provenance(files);
    ResultFile merged = std::move(files.front());
    for (std::size_t i = 1; i < files.size(); ++i) {
        check_mergeable(merged, files[i]);
        check_no_conflict(merged, files[i]);
        unite_choices(merged, files[i]);
        add_rows(merged, files[i]);
    }
    merged.provenance = std::move(provenance);
    renew(merged);
    return merged;
}

Comparison compare(ResultFile const& left, ResultFile const& right, double relative) {
    check_same_space(left, right);
    Comparison comparison;
    comparison.input = differing_input(left.columns.input_hashes, right.columns.input_hashes);
    comparison.columns = differing_definitions(left.columns, left.path.string(), right.columns, right.path.string());
    if (comparison.columns.empty()) comparison.columns = differing_values(left, right);
    auto const only_in = [](std::vector<PointId> a, std::vector<PointId> b) {
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        std::vector<PointId> rest;
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

namespace {

/// What was kept of the points in blocks and what was left out are all of their points.
bool blocks_add_up(ResultFile const& file) {
    auto const& blocks = file.store.blocks();
    std::uint64_t in_blocks = 0, kept = 0, left_out = 0;
    for (auto const& [block, points] : blocks) in_blocks += points;
    for (Row row = 0; row < file.store.size(); ++row) {
        auto const task = file.store.task(row);
        if (blocks.contains({index_of(task.point) / BlockSummary::ids, task.fidelity})) ++kept;
    }
    for (auto const& count : file.store.left_out()) left_out += count.points;
    return in_blocks == kept + left_out;
}

/// Values of the same front by another order of additions differ in their last bits.
bool same_share(double a, double b) {
    return std::isnan(a) || std::isnan(b) || agree(a, b, 1e-9) || std::abs(a - b) < 1e-12;
}

bool same_history(FrontHistory const& a, FrontHistory const& b) {
    return a.ids_per_row == b.ids_per_row && a.first_id == b.first_id && a.evaluations == b.evaluations &&
           a.size == b.size &&
           std::equal(a.hypervolume.begin(), a.hypervolume.end(), b.hypervolume.begin(), b.hypervolume.end(),
                      same_share) &&
           a.box.ideal == b.box.ideal && a.box.reference == b.box.reference;
}

}  // namespace

std::vector<std::string> check_consistency(ResultFile const& file) {
    std::vector<std::string> problems;
    auto const name = file.path.string();
    if (auto const sum = digest(file.columns.canonical_text, file.store); sum != file.digest) {
        problems.push_back(
            fmt::format("{} states the digest {} but holds answers with the digest {}", name, file.digest, sum));
    }
    if (!file.columns.objectives.empty() &&
        front_of(file.store, file.columns.objectives, file.front_fidelity).ids() != file.front) {
        problems.push_back(fmt::format("{} states a front that is not the front of its answers", name));
    }
    if (finest_fidelity(file.store) != file.front_fidelity) {
        problems.push_back(fmt::format("{} states a front of {} answers, which are not its finest", name,
                                       models::name_of(file.front_fidelity)));
    } else if (!file.columns.objectives.empty() &&
               !same_history(file.history, front_history(file.store, file.columns.objectives, file.front_fidelity))) {
        problems.push_back(fmt::format("{} states a history of its front that its answers do not have", name));
    }
    if (file.stated_rules != file.store.counts_per_rule()) {
        problems.push_back(fmt::format("{} states counts of broken rules that are not those of its answers", name));
    }
    if (!blocks_add_up(file))
        problems.push_back(fmt::format("{} states blocks that its answers do not add up to", name));
    return problems;
}

std::vector<Row> sample_rows(ResultFile const& file, std::size_t count, std::uint64_t seed) {
    std::vector<Row> rows = file.store.sorted();
    std::size_t const wanted = std::min(count, rows.size());
    for (std::size_t i = 0; i < wanted; ++i) {
        std::size_t const other =
            i + static_cast<std::size_t>(sim::mixed_bits(seed * 0x9E3779B97F4A7C15ULL + i) % (rows.size() - i));
        std::swap(rows[i], rows[other]);
    }
    rows.resize(wanted);
    return rows;
}

}  // namespace pimdse::dse
