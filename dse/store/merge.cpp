#include "dse/store/merge.hpp"

#include "dse/search/front.hpp"
#include "dse/search/result_store.hpp"
#include "dse/space/input_hashes.hpp"
#include "dse/store/comparison.hpp"
#include "sim/base/check.hpp"
#include "sim/base/file_error.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::dse::store {
namespace {

using search::Row;

std::string task_text(space::Task task) {
    return fmt::format("point {} at {}", index_of(task.point), models::name_of(task.fidelity));
}

/// One sentence that states how two results of one task differ.
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
        if (!same_bits(left.lower, right.lower) || !same_bits(left.upper, right.upper) || left.kinds != right.kinds) {
            return fmt::format("{}: the bounds of {} are [{}, {}] in {} and [{}, {}] in {}", where, name, left.lower,
                               left.upper, a.path.string(), right.lower, right.upper, b.path.string());
        }
    }
    return fmt::format("{} is infeasible for different reasons: '{}: {}' in {} and '{}: {}' in {}", where,
                       a.store.rule(row_a), a.store.reason(row_a), a.path.string(), b.store.rule(row_b),
                       b.store.reason(row_b), b.path.string());
}

void check_no_conflict(ResultFile const& a, ResultFile const& b) {
    for (Row row = 0; row < b.store.size(); ++row) {
        auto const found = a.store.find(b.store.task(row));
        if (found && !a.store.same(*found, b.store.result(row))) {
            throw sim::MismatchError(conflict_text(a, *found, b, row) + " (a point has one result)");
        }
    }
}

void add_rows(ResultFile& into, ResultFile const& from) {
    for (Row row = 0; row < from.store.size(); ++row) {
        if (into.store.insert(from.store.result(row)) != search::ResultStore::Insertion::added) continue;
        for (std::size_t p = 0; p < into.values.size(); ++p) into.values[p].push_back(from.values[p][row]);
    }
    for (auto const& [block, points] : from.store.blocks()) {
        if (into.store.add_block(block.first, block.second, points)) continue;
        throw sim::MismatchError(
            "block {} ({} ids at {} fidelity) is in {} and in an earlier file (parts that keep fronts only must not "
            "overlap)",
            block.first, points, models::name_of(block.second), from.path.string());
    }
    into.store.add_left_out(from.store.left_out());
    for (auto const& [block, open] : from.store.open_blocks()) {
        for (auto const& [first, part] : open.parts) into.store.add(part);
    }
}

/// Adds the choices that only `from` has to the table of `into`, and renumbers the values of `from` accordingly.
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

/// Recomputes what follows from the merged rows. The decoder must be new, because that of one file lacks the ids of the
/// others.
void renew(ResultFile& file) {
    file.columns.decode = decoder_of(file.store, file.values);
    file.digest =
        search::digest(space::identity_text(file.columns.canonical_text, file.columns.input_hashes), file.store);
    file.front_fidelity = search::finest_fidelity(file.store);
    file.front = search::front_of(file.store, file.columns.objectives, file.front_fidelity).ids();
}

void check_mergeable(ResultFile const& a, ResultFile const& b) {
    check_same_space(a, b);
    if (a.columns.objectives != b.columns.objectives) {
        throw sim::InputError("{} and {} have different objectives (a front needs one set of them)", a.path.string(),
                              b.path.string());
    }
    if (auto const input = space::differing_input(a.columns.input_hashes, b.columns.input_hashes)) {
        throw sim::MismatchError(
            "{} and {} were computed from different inputs ({} changed in between). Explore one of them again?",
            a.path.string(), b.path.string(), *input);
    }
    auto differing = differing_definitions(a.columns, a.path.string(), b.columns, b.path.string());
    if (differing.empty()) differing = differing_values(a, b);
    if (!differing.empty())
        throw sim::MismatchError(differing.front() + " (files of one space must agree on its points)");
}

void check_finished(ResultFile const& file) {
    bool const finished = !file.provenance.unfinished();
    if (finished || file.provenance.more_of("state") == state_shards_missing) return;
    throw sim::MismatchError(
        "{} is unfinished (its run is {} after {} points). Continue it with --resume, or merge the existing results "
        "with --partial?",
        file.path.string(), file.provenance.more_of("state"), file.store.evaluated());
}

/// Appends the plans of one file. It is not known which positions a stopped run did not reach, so its plans count as
/// empty.
void add_plans(std::vector<Plan>& plans, Provenance const& from, bool stopped) {
    for (auto plan : from.plans) {
        if (stopped) plan.last = plan.first;
        plans.push_back(std::move(plan));
    }
}

/// The provenance of the merged file; the run of each file becomes an entry of `earlier`.
Provenance joined_provenance(std::vector<ResultFile> const& files) {
    Provenance joined = files.front().provenance;
    joined.earlier.clear();
    joined.hosts.clear();
    joined.plans.clear();
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
        bool const shards_only = one.more_of("state") == state_shards_missing;
        add_plans(joined.plans, one, one.unfinished() && !shards_only);
        if (one.unfinished() && !shards_only)
            state = state_stopped;
        else if (state.empty() && !one.more_of("state").empty())
            state = state_complete;
    }
    if (!state.empty()) joined.set_more("state", state);
    joined.plans = united(std::move(joined.plans));
    if (!joined.plans.empty()) joined.set_more("planned", fmt::to_string(planned_in(joined.plans)));
    return joined;
}

/// Marks the merged file as incomplete if shards are missing, unless other files evaluated the same points.
void note_missing_shards(ResultFile& merged) {
    if (merged.provenance.more_of("state") == state_complete && missing_points(merged) > 0)
        merged.provenance.set_more("state", state_shards_missing);
}

}  // namespace

ResultFile merge(std::vector<ResultFile> files, Unfinished unfinished) {
    sim::expects(!files.empty(), "there is a file to merge");
    if (unfinished == Unfinished::refuse) std::for_each(files.begin(), files.end(), check_finished);
    auto provenance = joined_provenance(files);
    ResultFile merged = std::move(files.front());
    for (std::size_t i = 1; i < files.size(); ++i) {
        space::rename_own_files(files[i].columns,
                                space::same_content(files[i].columns.input_hashes, merged.columns.input_hashes));
        check_mergeable(merged, files[i]);
        check_no_conflict(merged, files[i]);
        unite_choices(merged, files[i]);
        add_rows(merged, files[i]);
    }
    merged.provenance = std::move(provenance);
    renew(merged);
    note_missing_shards(merged);
    return merged;
}

}  // namespace pimdse::dse::store
