#include "dse/search/task_index.hpp"

#include "sim/base/check.hpp"
#include "sim/base/random.hpp"

#include <functional>
#include <iterator>
#include <limits>

namespace pimdse::dse::search {
namespace {

/// Keeps runs of eight ids together: results arrive in runs, and then most of them find their slot in the cache.
std::uint64_t hash_of(space::Task task) {
    std::uint64_t const run = index_of(task.point) / 8 * 4 + static_cast<std::uint64_t>(task.fidelity);
    return sim::mixed_bits(run) * 8 + index_of(task.point) % 8;
}

std::uint64_t hash(std::string_view rule, std::string_view reason) {
    return std::hash<std::string_view>()(rule) * 31 + std::hash<std::string_view>()(reason);
}

}  // namespace

std::optional<Row> TaskIndex::find(ResultColumns const& columns, space::Task task) const {
    if (rows_ == 0 || greatest_ < task) return std::nullopt;
    if (expected_ < rows_ && columns.task(expected_) == task) return expected_++;
    auto const next = runs_.upper_bound(task);
    auto found = next == runs_.begin() ? std::nullopt : find_in(columns, std::prev(next)->second, task);
    if (!found) found = strays_.find(hash_of(task), [&](Row row) { return columns.task(row) == task; });
    if (found) expected_ = *found + 1;
    return found;
}

std::optional<Row> TaskIndex::find_in(ResultColumns const& columns, Run const& run, space::Task task) const {
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

/// True if the task continues the run that ends with the last row.
bool TaskIndex::prolongs(ResultColumns const& columns, space::Task task) const {
    if (!latest_) return false;
    auto const run = runs_.find(*latest_);
    auto const next = std::next(run);
    return last_of(columns, run->second) < task && (next == runs_.end() || task < next->first);
}

/// The average run must be long enough to cost less than strays.
bool TaskIndex::may_begin_run(ResultColumns const& columns, space::Task task) const {
    if (runs_.size() >= 64 + rows_ / 256) return false;
    auto const next = runs_.upper_bound(task);
    return next == runs_.begin() || last_of(columns, std::prev(next)->second) < task;
}

void TaskIndex::add(ResultColumns const& columns) {
    auto const row = static_cast<Row>(rows_);
    space::Task const task = columns.task(row);
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

void TaskIndex::prefetch(space::Task task) const { strays_.prefetch(hash_of(task)); }

std::size_t TaskIndex::bytes() const {
    constexpr std::size_t bytes_per_node = 64;
    return runs_.size() * bytes_per_node + strays_.bytes();
}

std::uint64_t FailureTexts::hash_of(std::uint32_t number) const { return hash(rule(number), reason(number)); }

std::uint32_t FailureTexts::add(std::string_view rule, std::string_view reason, double violation) {
    auto const hash_of_any = [this](std::uint32_t number) { return hash_of(number); };
    while (known_.size() < size()) known_.add(static_cast<std::uint32_t>(known_.size()), hash_of_any);
    auto const same = [&](std::uint32_t number) {
        return this->rule(number) == rule && this->reason(number) == reason && this->violation(number) == violation;
    };
    if (auto const known = known_.find(hash(rule, reason), same)) return *known;
    sim::expects(size() < std::numeric_limits<std::uint32_t>::max() - 1, "fewer than 2^32 different failures");
    last_.push_back({std::string(rule).append(reason), static_cast<std::uint32_t>(rule.size()), violation});
    if (last_.size() == per_chunk) full_.push_back(std::make_shared<Chunk const>(std::exchange(last_, {})));
    auto const number = static_cast<std::uint32_t>(size() - 1);
    known_.add(number, hash_of_any);
    return number;
}

}  // namespace pimdse::dse::search
