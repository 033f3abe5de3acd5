#include "dse/answers/answer_columns.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <span>

namespace pimdse::dse::answers {
namespace {

constexpr unsigned status_bits = 4;

std::uint64_t word_of(double value) { return std::bit_cast<std::uint64_t>(value); }
double double_of(std::uint64_t word) { return std::bit_cast<double>(word); }

}  // namespace

AnswerColumns::AnswerColumns(std::size_t metrics) : exact_(metrics, true) { open_.metrics.resize(metrics); }

void AnswerColumns::append(task::Answer const& answer, Status status, models::Metrics const* metrics,
                           std::uint32_t failure) {
    open_.points.push_back(index_of(answer.task.point));
    open_.kinds.push_back(static_cast<std::uint64_t>(answer.task.fidelity) << status_bits |
                          static_cast<std::uint64_t>(status));
    open_.seconds.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(answer.seconds)));
    open_.ranks.push_back(static_cast<std::uint32_t>(answer.rank));
    if (metrics != nullptr) {
        open_.places.push_back(open_.places.size() - open_.failures.size());
        for (std::size_t m = 0; m < metrics->size(); ++m) append_estimate(open_.metrics[m], (*metrics)[m], m);
    } else {
        open_.places.push_back(open_.failures.size());
        open_.failures.push_back(failure);
    }
    if (open_.points.size() < block_rows) return;
    full_.push_back(std::make_shared<FullBlock const>(open_));
    open_.clear();
}

/// Keeps the memory for the next block.
void AnswerColumns::OpenBlock::clear() {
    for (auto* const words : {&points, &kinds, &seconds, &ranks, &failures, &places}) words->clear();
    for (auto& metric : metrics) {
        for (auto* const words : {&metric.value, &metric.bound, &metric.low, &metric.high}) words->clear();
    }
}

void AnswerColumns::append_estimate(OpenMetric& column, models::Estimate const& estimate, std::size_t metric) {
    auto const value = word_of(estimate.value);
    auto const low = word_of(estimate.low);
    auto const high = word_of(estimate.high);
    bool const exact = low == value && high == value;
    if (!exact) exact_[metric] = false;
    if (!exact && column.low.empty()) column.low = column.high = column.value;
    if (!exact || !column.low.empty()) {
        column.low.push_back(low);
        column.high.push_back(high);
    }
    column.value.push_back(value);
    column.bound.push_back(number_of(estimate.kinds));
}

AnswerColumns::FullBlock::FullBlock(OpenBlock const& open)
    : points(open.points),
      kinds(open.kinds),
      seconds(open.seconds),
      ranks(open.ranks),
      failures(open.failures),
      places(open.places),
      metrics(open.metrics.size()) {
    for (std::size_t m = 0; m < metrics.size(); ++m) {
        auto const& column = open.metrics[m];
        metrics[m] = {PackedWords(column.value), PackedWords(column.bound), PackedWords(column.low),
                      PackedWords(column.high), column.low.empty()};
    }
}

std::size_t AnswerColumns::FullBlock::bytes() const {
    std::size_t sum = sizeof(*this) + points.bytes() + kinds.bytes() + seconds.bytes() + ranks.bytes() +
                      failures.bytes() + places.bytes();
    for (auto const& m : metrics) sum += sizeof(m) + m.value.bytes() + m.bound.bytes() + m.low.bytes() + m.high.bytes();
    return sum;
}

std::size_t AnswerColumns::bytes() const {
    std::size_t sum = 0;
    for (auto const& block : full_) sum += block->bytes();
    return sum + open_.points.size() * sizeof(std::uint64_t) * (6 + 4 * metrics());
}

task::Task AnswerColumns::task(Row row) const {
    auto const kind = word(row, &OpenBlock::kinds, &FullBlock::kinds);
    return {task::PointId{word(row, &OpenBlock::points, &FullBlock::points)},
            static_cast<models::Fidelity>(kind >> status_bits)};
}

Status AnswerColumns::status(Row row) const {
    return static_cast<Status>(word(row, &OpenBlock::kinds, &FullBlock::kinds) % (1U << status_bits));
}

double AnswerColumns::value(Row row, std::size_t metric) const {
    if (status(row) != Status::ok) return no_number;
    std::size_t const place = word(row, &OpenBlock::places, &FullBlock::places);
    return double_of(is_full(row) ? full(row).metrics[metric].value[place] : open_.metrics[metric].value[place]);
}

models::Estimate AnswerColumns::estimate(Row row, std::size_t metric) const {
    if (status(row) != Status::ok) return {no_number, no_number, no_number, models::Bound::none};
    std::size_t const place = word(row, &OpenBlock::places, &FullBlock::places);
    auto const taken = [place](auto const& column, bool exact) {
        double const value = double_of(column.value[place]);
        auto const bound = sim::all_bound_kinds[column.bound[place]];
        return exact ? models::Estimate{value, value, value, bound}
                     : models::Estimate{value, double_of(column.low[place]), double_of(column.high[place]), bound};
    };
    if (!is_full(row)) return taken(open_.metrics[metric], open_.metrics[metric].low.empty());
    auto const& column = full(row).metrics[metric];
    return taken(column, column.exact);
}

double AnswerColumns::seconds(Row row) const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(word(row, &OpenBlock::seconds, &FullBlock::seconds)));
}

int AnswerColumns::rank(Row row) const {
    return static_cast<int>(static_cast<std::uint32_t>(word(row, &OpenBlock::ranks, &FullBlock::ranks)));
}

std::uint32_t AnswerColumns::failure(Row row) const {
    std::size_t const place = word(row, &OpenBlock::places, &FullBlock::places);
    return static_cast<std::uint32_t>(is_full(row) ? full(row).failures[place] : open_.failures[place]);
}

}  // namespace pimdse::dse::answers
