#include "dse/search/result_store.hpp"

#include "sim/base/check.hpp"
#include "sim/base/digest.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <variant>

namespace pimdse::dse::search {
namespace {

/// Every NaN is stored with the same bit pattern, so that equal results have equal bytes.
double canonical(double value) { return std::isnan(value) ? no_number : value; }

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

models::Estimate canonical(models::Estimate const& e) {
    return {canonical(e.value), canonical(e.lower), canonical(e.upper), e.kinds};
}

bool same_bits(models::Estimate const& a, models::Estimate const& b) {
    return same_bits(a.value, b.value) && same_bits(a.lower, b.lower) && same_bits(a.upper, b.upper) &&
           a.kinds == b.kinds;
}

/// The words of a row; the texts of an infeasible row follow them.
void put_words(ResultStore const& store, Row row, std::vector<std::uint64_t>& into) {
    space::Task const task = store.task(row);
    Status const status = store.status(row);
    into.insert(into.end(),
                {index_of(task.point), static_cast<std::uint64_t>(task.fidelity), static_cast<std::uint64_t>(status)});
    if (status != Status::ok) return;
    for (std::size_t metric = 0; metric < store.metrics(); ++metric) {
        auto const e = store.estimate(row, metric);  // a store contains only one bit pattern of NaN
        into.insert(into.end(), {std::bit_cast<std::uint64_t>(e.value), std::bit_cast<std::uint64_t>(e.lower),
                                 std::bit_cast<std::uint64_t>(e.upper), std::uint64_t{number_of(e.kinds)}});
    }
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

ResultStore::Insertion ResultStore::insert(space::Result const& result) {
    std::scoped_lock const hold(lock_.mutex);
    return insert_one(result);
}

void ResultStore::insert(std::span<space::Result const> results) {
    std::scoped_lock const hold(lock_.mutex);
    insert_many(results);
}

void ResultStore::insert(space::BlockSummary const& summary) {
    std::scoped_lock const hold(lock_.mutex);
    if (!kept_.blocks.emplace(std::pair{summary.block, summary.fidelity}, summary.points()).second) return;
    kept_.open_blocks.erase({summary.block, summary.fidelity});
    insert_many(summary.kept);
    count_left_out(summary.left_out);
}

void ResultStore::add(space::BlockPart part) {
    std::pair const key{part.first / space::BlockSummary::ids, part.fidelity};
    std::scoped_lock const hold(lock_.mutex);
    if (kept_.blocks.contains(key)) return;
    auto& open = kept_.open_blocks[key];
    std::uint64_t const points = part.points;
    if (open.parts.emplace(part.first, std::move(part)).second) open.points += points;
}

std::uint64_t ResultStore::points_in_open_blocks() const {
    std::uint64_t sum = 0;
    for (auto const& [key, open] : kept_.open_blocks) sum += open.points;
    return sum;
}

bool ResultStore::add_block(std::uint64_t block, models::Fidelity fidelity, std::uint64_t points) {
    std::scoped_lock const hold(lock_.mutex);
    kept_.open_blocks.erase({block, fidelity});
    return kept_.blocks.emplace(std::pair{block, fidelity}, points).second;
}

void ResultStore::add_left_out(std::span<space::BlockSummary::Count const> left_out) {
    std::scoped_lock const hold(lock_.mutex);
    count_left_out(left_out);
}

ResultStore ResultStore::snapshot() const {
    ResultStore copy(metrics());
    std::scoped_lock const hold(lock_.mutex);
    copy.kept_ = kept_;
    return copy;
}

ResultStore::Insertion ResultStore::insert_one(space::Result const& result) {
    if (auto const row = find(result.task)) return same(*row, result) ? Insertion::same : Insertion::conflict;
    append(result);
    return Insertion::added;
}

void ResultStore::insert_many(std::span<space::Result const> results) {
    constexpr std::size_t ahead = 24;  // three runs of ids
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (i + ahead < results.size()) index_.prefetch(results[i + ahead].task);
        insert_one(results[i]);
    }
}

void ResultStore::count_left_out(std::span<space::BlockSummary::Count const> left_out) {
    for (auto const& count : left_out) {
        kept_.evaluated += count.points;
        kept_.left_out[count.rule] += count.points;
        kept_.counts[static_cast<std::size_t>(count.rule.empty() ? Status::ok : Status::infeasible)] += count.points;
        if (!count.rule.empty()) kept_.rules[count.rule] += count.points;
    }
}

std::vector<space::BlockSummary::Count> ResultStore::left_out() const {
    std::vector<space::BlockSummary::Count> counts;
    for (auto const& [rule, points] : kept_.left_out) counts.push_back({rule, points});
    return counts;
}

std::optional<Row> ResultStore::find(space::Task task) const {
    bring_index_up_to_date();
    return index_.find(kept_.columns, task);
}

void ResultStore::bring_index_up_to_date() const {
    while (index_.rows() < size()) index_.add(kept_.columns);
}

void ResultStore::append(space::Result const& result) {
    sim::expects(size() < std::numeric_limits<Row>::max() - 1, "a store holds fewer than 2^32 results");
    Status const status = status_of(result.outcome);
    if (auto const* const metrics = std::get_if<models::Metrics>(&result.outcome)) {
        sim::expects(metrics->size() == this->metrics(), "a result has one estimate per declared metric");
        canonical_.assign(metrics->begin(), metrics->end());
        for (auto& estimate : canonical_) estimate = canonical(estimate);
        kept_.columns.append(result, status, &canonical_, 0);
    } else {
        kept_.columns.append(result, status, nullptr, add_failure(result.outcome));
    }
    if (status == Status::ok || status == Status::infeasible)
        kept_.finest = std::max(kept_.finest, result.task.fidelity);
    ++kept_.counts[static_cast<std::size_t>(status)];
    ++kept_.evaluated;
    kept_.ascending = kept_.ascending && (size() == 1 || kept_.latest < result.task);
    kept_.latest = result.task;
    index_.add(kept_.columns);
    sorted_.clear();
}

std::uint32_t ResultStore::add_failure(models::Outcome const& outcome) {
    auto const* const infeasible = std::get_if<models::Infeasible>(&outcome);
    ++kept_.rules[infeasible != nullptr ? infeasible->rule : std::string(name_of(status_of(outcome)))];
    if (infeasible == nullptr) return kept_.failures.add({}, std::get<models::Defect>(outcome).what);
    return kept_.failures.add(infeasible->rule, infeasible->reason, infeasible->violation);
}

bool ResultStore::same(Row row, space::Result const& result) const {
    if (status(row) != status_of(result.outcome)) return false;
    if (auto const* const metrics = std::get_if<models::Metrics>(&result.outcome)) {
        if (metrics->size() != this->metrics()) return false;
        for (std::size_t i = 0; i < metrics->size(); ++i) {
            if (!same_bits(estimate(row, i), canonical((*metrics)[i]))) return false;
        }
        return true;
    }
    if (auto const* const infeasible = std::get_if<models::Infeasible>(&result.outcome)) {
        return infeasible->rule == rule(row) && infeasible->reason == reason(row);
    }
    return true;
}

std::string_view ResultStore::rule(Row row) const {
    return status(row) == Status::ok ? std::string_view{} : kept_.failures.rule(kept_.columns.failure(row));
}

std::string_view ResultStore::reason(Row row) const {
    return status(row) == Status::ok ? std::string_view{} : kept_.failures.reason(kept_.columns.failure(row));
}

space::Result ResultStore::result(Row row) const {
    space::Result result{task(row), {}, seconds(row), rank(row)};
    if (status(row) == Status::ok) {
        models::Metrics metrics;
        metrics.reserve(this->metrics());
        for (std::size_t i = 0; i < this->metrics(); ++i) metrics.push_back(estimate(row, i));
        result.outcome = std::move(metrics);
    } else if (status(row) == Status::infeasible) {
        result.outcome = models::Infeasible{std::string(rule(row)), std::string(reason(row)), violation(row)};
    } else {
        auto const kind = static_cast<unsigned>(status(row)) - static_cast<unsigned>(Status::exception);
        result.outcome = models::Defect{std::string(reason(row)), static_cast<models::DefectKind>(kind)};
    }
    return result;
}

std::vector<Row> const& ResultStore::sorted() const {
    if (sorted_.size() == size()) return sorted_;
    sorted_.resize(size());
    std::iota(sorted_.begin(), sorted_.end(), Row{0});
    if (kept_.ascending) return sorted_;
    // Reading a task takes two look-ups in packed columns, so each is read once rather than in every comparison.
    std::vector<std::pair<space::Task, Row>> keyed;
    keyed.reserve(size());
    for (Row row = 0; row < size(); ++row) keyed.emplace_back(task(row), row);
    std::sort(keyed.begin(), keyed.end());
    std::transform(keyed.begin(), keyed.end(), sorted_.begin(), [](auto const& key) { return key.second; });
    return sorted_;
}

std::string digest(std::string_view identity, ResultStore const& store) {
    constexpr std::size_t words_at_once = 65536;
    sim::Sha256 sum;
    sum.add(identity).add(static_cast<std::uint64_t>(store.metrics()));
    std::vector<std::uint64_t> words;
    auto const flush = [&] {
        static_assert(std::endian::native == std::endian::little);
        sum.add(std::as_bytes(std::span(words)));
        words.clear();
    };
    for (auto const row : store.sorted()) {
        put_words(store, row, words);
        bool const has_texts = store.status(row) == Status::infeasible;
        if (has_texts || words.size() >= words_at_once) flush();
        if (has_texts) sum.add(store.rule(row)).add(store.reason(row));
    }
    flush();
    return sum.hex();
}

}  // namespace pimdse::dse::search
