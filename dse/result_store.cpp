#include "dse/result_store.hpp"

#include "sim/check.hpp"
#include "sim/mixed_bits.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <variant>

namespace pimdse::dse {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// Every NaN is stored as the same one, so that equal answers are equal bytes.
double canonical(double value) { return std::isnan(value) ? no_number : value; }

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

models::Estimate canonical(models::Estimate const& e) { return {canonical(e.value), canonical(e.low), canonical(e.high), e.bound}; }

bool same_bits(models::Estimate const& a, models::Estimate const& b) {
    return same_bits(a.value, b.value) && same_bits(a.low, b.low) && same_bits(a.high, b.high) && a.bound == b.bound;
}

/// Runs of eight ids stay together: answers come in runs, and then most of them find their slot in the cache.
std::uint64_t hash_of(Task task) {
    std::uint64_t z = index_of(task.point) / 8 * 4 + static_cast<std::uint64_t>(task.fidelity) + 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return (z ^ (z >> 31)) * 8 + index_of(task.point) % 8;
}

std::string const& sentence_of(models::Outcome const& outcome) {
    if (auto const* infeasible = std::get_if<models::Infeasible>(&outcome)) return infeasible->reason;
    return std::get<models::Defect>(outcome).what;
}

}  // namespace

Status status_of(models::Outcome const& outcome) {
    if (std::holds_alternative<models::Metrics>(outcome)) return Status::ok;
    if (std::holds_alternative<models::Infeasible>(outcome)) return Status::infeasible;
    switch (std::get<models::Defect>(outcome).kind) {
        case models::DefectKind::exception:
            return Status::exception;
        case models::DefectKind::not_a_number:
            return Status::not_a_number;
        case models::DefectKind::timeout:
            return Status::timeout;
        case models::DefectKind::crash:
            return Status::crash;
    }
    return Status::exception;
}

ResultStore::Insertion ResultStore::insert(Answer const& answer) {
    if (index_.size() < 2 * (size() + 1)) grow_index();
    std::size_t const slot = slot_of(answer.task);
    if (index_[slot] != 0) return same(index_[slot] - 1, answer) ? Insertion::same : Insertion::conflict;
    append(answer);
    index_[slot] = static_cast<std::uint32_t>(size());
    return Insertion::added;
}

void ResultStore::insert(std::span<Answer const> answers) {
    constexpr std::size_t ahead = 24;   // three runs of ids
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (i + ahead < answers.size() && !index_.empty()) __builtin_prefetch(&index_[hash_of(answers[i + ahead].task) & (index_.size() - 1)], 1);
        insert(answers[i]);
    }
}

void ResultStore::insert(BlockSummary const& summary) {
    if (!add_block(summary.block, summary.fidelity, summary.points())) return;
    insert(summary.kept);
    add_left_out(summary.left_out);
}

void ResultStore::add(BlockPart part) {
    std::pair const key{part.first / BlockSummary::ids, part.fidelity};
    if (blocks_.contains(key)) return;
    auto& open = open_blocks_[key];
    std::uint64_t const points = part.points;
    if (open.parts.emplace(part.first, std::move(part)).second) open.points += points;
}

bool ResultStore::add_block(std::uint64_t block, models::Fidelity fidelity, std::uint64_t points) {
    open_blocks_.erase({block, fidelity});
    return blocks_.emplace(std::pair{block, fidelity}, points).second;
}

void ResultStore::add_left_out(std::span<BlockSummary::Count const> left_out) {
    for (auto const& count : left_out) {
        evaluated_ += count.points;
        left_out_[count.rule] += count.points;
        counts_[static_cast<std::size_t>(count.rule.empty() ? Status::ok : Status::infeasible)] += count.points;
        if (!count.rule.empty()) rules_[count.rule] += count.points;
    }
}

std::vector<BlockSummary::Count> ResultStore::left_out() const {
    std::vector<BlockSummary::Count> counts;
    for (auto const& [rule, points] : left_out_) counts.push_back({rule, points});
    return counts;
}

std::optional<ResultStore::Row> ResultStore::find(Task task) const {
    if (index_.empty()) return std::nullopt;
    std::uint32_t const row = index_[slot_of(task)];
    return row == 0 ? std::nullopt : std::optional<Row>(row - 1);
}

std::size_t ResultStore::slot_of(Task wanted) const {
    std::size_t const mask = index_.size() - 1;
    std::size_t slot = hash_of(wanted) & mask;
    while (index_[slot] != 0 && task(index_[slot] - 1) != wanted) slot = (slot + 1) & mask;
    return slot;
}

void ResultStore::grow_index() {
    index_.assign(std::max<std::size_t>(1024, 2 * index_.size()), 0);
    for (std::size_t row = 0; row < size(); ++row) index_[slot_of(task(static_cast<Row>(row)))] = static_cast<std::uint32_t>(row + 1);
}

void ResultStore::append(Answer const& answer) {
    sim::expects(size() < std::numeric_limits<Row>::max(), "a store holds fewer than 2^32 answers");
    auto const* const metrics = std::get_if<models::Metrics>(&answer.outcome);
    sim::expects(metrics == nullptr || metrics->size() == metrics_.size(), "an answer has one estimate per declared metric");
    Status const status = status_of(answer.outcome);
    points_.push_back(answer.task.point);
    fidelities_.push_back(answer.task.fidelity);
    statuses_.push_back(status);
    seconds_.push_back(answer.seconds);
    ranks_.push_back(answer.rank);
    append_metrics(metrics);
    failure_of_.push_back(0);
    if (metrics == nullptr) append_failure(answer.outcome);
    ++counts_[static_cast<std::size_t>(status)];
    ++evaluated_;
    sorted_.clear();
}

void ResultStore::append_metrics(models::Metrics const* metrics) {
    models::Estimate const nothing{no_number, no_number, no_number, models::Bound::none};
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
        auto& column = metrics_[i];
        models::Estimate const e = metrics != nullptr ? canonical((*metrics)[i]) : nothing;
        if (column.low.empty() && (!same_bits(e.low, e.value) || !same_bits(e.high, e.value))) column.low = column.high = column.value;
        if (!column.low.empty() || !same_bits(e.low, e.value) || !same_bits(e.high, e.value)) {
            column.low.push_back(e.low);
            column.high.push_back(e.high);
        }
        column.value.push_back(e.value);
        column.bound.push_back(e.bound);
    }
}

void ResultStore::append_failure(models::Outcome const& outcome) {
    auto const* const infeasible = std::get_if<models::Infeasible>(&outcome);
    std::string const rule = infeasible != nullptr ? infeasible->rule : "";
    auto const known = std::find(rule_names_.begin(), rule_names_.end(), rule);
    auto const number = static_cast<std::uint32_t>(known - rule_names_.begin());
    if (known == rule_names_.end()) rule_names_.push_back(rule);
    failures_.push_back({number, sentence_of(outcome)});
    failure_of_.back() = static_cast<std::uint32_t>(failures_.size());
    ++rules_[infeasible != nullptr ? rule : std::string(name_of(status_of(outcome)))];
}

bool ResultStore::same(Row row, Answer const& answer) const {
    if (statuses_[row] != status_of(answer.outcome)) return false;
    if (auto const* const metrics = std::get_if<models::Metrics>(&answer.outcome)) {
        if (metrics->size() != metrics_.size()) return false;
        for (std::size_t i = 0; i < metrics_.size(); ++i) {
            if (!same_bits(estimate(row, i), canonical((*metrics)[i]))) return false;
        }
        return true;
    }
    if (auto const* const infeasible = std::get_if<models::Infeasible>(&answer.outcome)) {
        return infeasible->rule == rule(row) && infeasible->reason == reason(row);
    }
    return true;
}

models::Estimate ResultStore::estimate(Row row, std::size_t metric) const {
    auto const& column = metrics_[metric];
    double const value = column.value[row];
    if (column.low.empty()) return {value, value, value, column.bound[row]};
    return {value, column.low[row], column.high[row], column.bound[row]};
}

std::string_view ResultStore::rule(Row row) const {
    return failure_of_[row] == 0 ? std::string_view{} : rule_names_[failures_[failure_of_[row] - 1].rule];
}

std::string_view ResultStore::reason(Row row) const {
    return failure_of_[row] == 0 ? std::string_view{} : failures_[failure_of_[row] - 1].reason;
}

Answer ResultStore::answer(Row row) const {
    Answer answer{task(row), {}, seconds(row), rank(row)};
    if (status(row) == Status::ok) {
        models::Metrics metrics;
        for (std::size_t i = 0; i < metrics_.size(); ++i) metrics.push_back(estimate(row, i));
        answer.outcome = std::move(metrics);
    } else if (status(row) == Status::infeasible) {
        answer.outcome = models::Infeasible{std::string(rule(row)), std::string(reason(row))};
    } else {
        auto const kind = static_cast<unsigned>(status(row)) - static_cast<unsigned>(Status::exception);
        answer.outcome = models::Defect{std::string(reason(row)), static_cast<models::DefectKind>(kind)};
    }
    return answer;
}

std::vector<ResultStore::Row> const& ResultStore::sorted() const {
    if (sorted_.size() != size()) {
        sorted_.resize(size());
        std::iota(sorted_.begin(), sorted_.end(), Row{0});
        auto const before = [&](Row a, Row b) { return task(a) < task(b); };
        if (!std::is_sorted(sorted_.begin(), sorted_.end(), before)) std::sort(sorted_.begin(), sorted_.end(), before);
    }
    return sorted_;
}

}  // namespace pimdse::dse
