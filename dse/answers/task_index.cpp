#include "dse/answers/task_index.hpp"

#include "sim/base/random.hpp"

#include <algorithm>
#include <iterator>

namespace pimdse::dse::answers {
namespace {

/// Runs of eight ids stay together: answers come in runs, and then most of them find their slot in the cache.
std::uint64_t hash_of(task::Task task) {
    std::uint64_t const run = index_of(task.point) / 8 * 4 + static_cast<std::uint64_t>(task.fidelity);
    return sim::mixed_bits(run) * 8 + index_of(task.point) % 8;
}

}  // namespace

std::optional<TaskIndex::Row> TaskIndex::find(AnswerColumns const& columns, task::Task task) const {
    if (rows_ == 0 || greatest_ < task) return std::nullopt;
    if (expected_ < rows_ && columns.task(expected_) == task) return expected_++;
    auto const next = runs_.upper_bound(task);
    auto found = next == runs_.begin() ? std::nullopt : find_in(columns, std::prev(next)->second, task);
    if (!found) found = strays_.find(hash_of(task), [&](Row row) { return columns.task(row) == task; });
    if (found) expected_ = *found + 1;
    return found;
}

std::optional<TaskIndex::Row> TaskIndex::find_in(AnswerColumns const& columns, Run const& run, task::Task task) const {
    Row first = run.first;
    Row const end = run.first + run.rows;
    for (Row count = run.rows; count > 0;) {
        Row const half = count / 2;
        bool const before = columns.task(first + half) < task;
        first = before ? first + half + 1 : first;
        count = before ? count - half - 1 : half;
    }
    return first != end && columns.task(first) == task ? std::optional(first) : std::nullopt;
}

/// True if the task goes on with the run that ends with the last row.
bool TaskIndex::prolongs(AnswerColumns const& columns, task::Task task) const {
    if (!latest_) return false;
    auto const run = runs_.find(*latest_);
    auto const next = std::next(run);
    return last_of(columns, run->second) < task && (next == runs_.end() || task < next->first);
}

/// Runs must stay longer than strays on the average, or they cost more.
bool TaskIndex::may_begin_run(AnswerColumns const& columns, task::Task task) const {
    if (runs_.size() >= 64 + rows_ / 256) return false;
    auto const next = runs_.upper_bound(task);
    return next == runs_.begin() || last_of(columns, std::prev(next)->second) < task;
}

void TaskIndex::add(AnswerColumns const& columns) {
    auto const row = static_cast<Row>(rows_);
    task::Task const task = columns.task(row);
    if (prolongs(columns, task)) {
        ++runs_.at(*latest_).rows;
    } else if (may_begin_run(columns, task)) {
        runs_.emplace(task, Run{row, 1});
        latest_ = task;
    } else {
        strays_.add(row, [&](Row any) { return hash_of(columns.task(any)); });
        latest_.reset();
    }
    greatest_ = rows_ == 0 ? task : std::max(greatest_, task);
    ++rows_;
}

void TaskIndex::prefetch(task::Task task) const { strays_.prefetch(hash_of(task)); }

std::size_t TaskIndex::bytes() const {
    constexpr std::size_t bytes_per_node = 64;
    return runs_.size() * bytes_per_node + strays_.bytes();
}

}  // namespace pimdse::dse::answers
