#include "dse/search/result_columns.hpp"

#include "sim/base/check.hpp"
#include "sim/base/random.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace pimdse::dse::search {
namespace {

constexpr unsigned status_bits = 4;

std::uint64_t word_of(double value) { return std::bit_cast<std::uint64_t>(value); }
double double_of(std::uint64_t word) { return std::bit_cast<double>(word); }

/// Bytes needed for numbers up to `largest`.
std::uint8_t width_of(std::uint64_t largest) {
    if (largest <= std::numeric_limits<std::uint8_t>::max()) return 1;
    if (largest <= std::numeric_limits<std::uint16_t>::max()) return 2;
    return largest <= std::numeric_limits<std::uint32_t>::max() ? 4 : 8;
}

bool counts_up(std::span<std::uint64_t const> words) {
    return std::adjacent_find(words.begin(), words.end(),
                              [](std::uint64_t a, std::uint64_t b) { return b != a + 1; }) == words.end();
}

/// Numbers distinct words in the order of their first appearance, up to a limit.
class Numbering {
  public:
    static constexpr std::size_t limit = 1024;

    /// The word's number; `limit` when there are too many.
    std::size_t number(std::uint64_t word) {
        std::size_t slot = sim::mixed_bits(word) % slots_.size();
        while (slots_[slot] != 0) {
            std::size_t const known = slots_[slot] - 1U;
            if (words_[known] == word) return known;
            slot = (slot + 1) % slots_.size();
        }
        if (words_.size() == limit) return limit;
        words_.push_back(word);
        slots_[slot] = static_cast<std::uint16_t>(words_.size());
        return words_.size() - 1;
    }
    [[nodiscard]] std::vector<std::uint64_t> const& words() const { return words_; }

  private:
    std::array<std::uint16_t, 4 * limit> slots_{};
    std::vector<std::uint64_t> words_;
};

}  // namespace

ResultColumns::ResultColumns(std::size_t metrics) : exact_(metrics, true) { open_.metrics.resize(metrics); }

void ResultColumns::append(space::Result const& result, Status status, models::Metrics const* metrics,
                           std::uint32_t failure) {
    open_.points.push_back(index_of(result.task.point));
    open_.kinds.push_back(static_cast<std::uint64_t>(result.task.fidelity) << status_bits |
                          static_cast<std::uint64_t>(status));
    open_.seconds.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(result.seconds)));
    open_.ranks.push_back(static_cast<std::uint32_t>(result.rank));
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

/// Keeps the allocated memory for the next block.
void ResultColumns::OpenBlock::clear() {
    for (auto* const words : {&points, &kinds, &seconds, &ranks, &failures, &places}) words->clear();
    for (auto& metric : metrics) {
        for (auto* const words : {&metric.value, &metric.bound, &metric.lower, &metric.upper}) words->clear();
    }
}

void ResultColumns::append_estimate(OpenMetric& column, models::Estimate const& estimate, std::size_t metric) {
    auto const value = word_of(estimate.value);
    auto const lower = word_of(estimate.lower);
    auto const upper = word_of(estimate.upper);
    bool const exact = lower == value && upper == value;
    if (!exact) exact_[metric] = false;
    if (!exact && column.lower.empty()) column.lower = column.upper = column.value;
    if (!exact || !column.lower.empty()) {
        column.lower.push_back(lower);
        column.upper.push_back(upper);
    }
    column.value.push_back(value);
    column.bound.push_back(number_of(estimate.kinds));
}

ResultColumns::FullBlock::FullBlock(OpenBlock const& open)
    : points(open.points),
      kinds(open.kinds),
      seconds(open.seconds),
      ranks(open.ranks),
      failures(open.failures),
      places(open.places),
      metrics(open.metrics.size()) {
    for (std::size_t m = 0; m < metrics.size(); ++m) {
        auto const& column = open.metrics[m];
        metrics[m] = {PackedWords(column.value), PackedWords(column.bound), PackedWords(column.lower),
                      PackedWords(column.upper), column.lower.empty()};
    }
}

std::size_t ResultColumns::FullBlock::bytes() const {
    std::size_t sum = sizeof(*this) + points.bytes() + kinds.bytes() + seconds.bytes() + ranks.bytes() +
                      failures.bytes() + places.bytes();
    for (auto const& m : metrics)
        sum += sizeof(m) + m.value.bytes() + m.bound.bytes() + m.lower.bytes() + m.upper.bytes();
    return sum;
}

std::size_t ResultColumns::bytes() const {
    std::size_t sum = 0;
    for (auto const& block : full_) sum += block->bytes();
    return sum + open_.points.size() * sizeof(std::uint64_t) * (6 + 4 * metrics());
}

space::Task ResultColumns::task(Row row) const {
    auto const kind = word(row, &OpenBlock::kinds, &FullBlock::kinds);
    return {space::PointId{word(row, &OpenBlock::points, &FullBlock::points)},
            static_cast<models::Fidelity>(kind >> status_bits)};
}

Status ResultColumns::status(Row row) const {
    return static_cast<Status>(word(row, &OpenBlock::kinds, &FullBlock::kinds) % (1U << status_bits));
}

double ResultColumns::value(Row row, std::size_t metric) const {
    if (status(row) != Status::ok) return no_number;
    std::size_t const place = word(row, &OpenBlock::places, &FullBlock::places);
    return double_of(is_full(row) ? full(row).metrics[metric].value[place] : open_.metrics[metric].value[place]);
}

models::Estimate ResultColumns::estimate(Row row, std::size_t metric) const {
    if (status(row) != Status::ok) return {no_number, no_number, no_number, models::Bound::none};
    std::size_t const place = word(row, &OpenBlock::places, &FullBlock::places);
    auto const taken = [place](auto const& column, bool exact) {
        double const value = double_of(column.value[place]);
        auto const bound = sim::all_bound_kinds[column.bound[place]];
        return exact ? models::Estimate{value, value, value, bound}
                     : models::Estimate{value, double_of(column.lower[place]), double_of(column.upper[place]), bound};
    };
    if (!is_full(row)) return taken(open_.metrics[metric], open_.metrics[metric].lower.empty());
    auto const& column = full(row).metrics[metric];
    return taken(column, column.exact);
}

double ResultColumns::seconds(Row row) const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(word(row, &OpenBlock::seconds, &FullBlock::seconds)));
}

int ResultColumns::rank(Row row) const {
    return static_cast<int>(static_cast<std::uint32_t>(word(row, &OpenBlock::ranks, &FullBlock::ranks)));
}

std::uint32_t ResultColumns::failure(Row row) const {
    std::size_t const place = word(row, &OpenBlock::places, &FullBlock::places);
    return static_cast<std::uint32_t>(is_full(row) ? full(row).failures[place] : open_.failures[place]);
}

PackedWords::PackedWords(std::span<std::uint64_t const> words) {
    sim::expects(words.size() <= max, "a packed column is short");
    if (!words.empty()) pack(words);
}

void PackedWords::pack(std::span<std::uint64_t const> words) {
    auto const [smallest, largest] = std::minmax_element(words.begin(), words.end());
    base_ = *smallest;
    if (*smallest == *largest) return;
    if (words.front() == base_ && counts_up(words)) {
        form_ = Form::sequence;
        return;
    }
    std::uint8_t const width = width_of(*largest - *smallest);
    if (width > 1 && pick(words, width * words.size())) return;
    form_ = Form::offsets;
    width_ = width;
    allocate(width_ * words.size());
    put_all(0, words, base_);
}

/// False if there are too many distinct words for this form to save space.
bool PackedWords::pick(std::span<std::uint64_t const> words, std::size_t bytes_to_beat) {
    Numbering numbering;
    std::vector<std::uint64_t> numbers;
    numbers.reserve(words.size());
    for (auto const word : words) {
        std::size_t const number = numbering.number(word);
        if (number == Numbering::limit) return false;
        numbers.push_back(number);
    }
    auto const& distinct = numbering.words();
    std::uint8_t const width = width_of(distinct.size() - 1);
    std::size_t const table = distinct.size() * sizeof(std::uint64_t);
    if (table + width * words.size() >= bytes_to_beat) return false;
    form_ = Form::picks;
    allocate(table + width * words.size());
    distinct_ = static_cast<std::uint16_t>(distinct.size());
    width_ = sizeof(std::uint64_t);
    put_all(0, distinct, 0);
    width_ = width;
    put_all(table, numbers, 0);
    return true;
}

void PackedWords::allocate(std::size_t bytes) {
    data_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    size_ = static_cast<std::uint32_t>(bytes);
}

template <class T>
void PackedWords::put_of_width(std::size_t at, std::span<std::uint64_t const> words, std::uint64_t base) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        auto const number = static_cast<T>(words[i] - base);
        __builtin_memcpy(data_.get() + at + i * sizeof(T), &number, sizeof(T));
    }
}

void PackedWords::put_all(std::size_t at, std::span<std::uint64_t const> words, std::uint64_t base) {
    switch (width_) {
        case 1:
            return put_of_width<std::uint8_t>(at, words, base);
        case 2:
            return put_of_width<std::uint16_t>(at, words, base);
        case 4:
            return put_of_width<std::uint32_t>(at, words, base);
        default:
            return put_of_width<std::uint64_t>(at, words, base);
    }
}

}  // namespace pimdse::dse::search
