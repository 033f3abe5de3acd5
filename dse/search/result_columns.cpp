#include "dse/search/result_columns.hpp"

#include "sim/base/check.hpp"
#include "sim/base/random.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace pimdse::dse::search {
namespace {

constexpr unsigned status_bits = 4;
/// A bit pattern that no calculation gives.
constexpr std::uint64_t as_value = ~std::uint64_t{0};

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

void ResultColumns::append(space::Result const& result, Status status, models::Metrics const* metrics,
                           std::uint32_t failure) {
    points_.push_back(index_of(result.task.point));
    kinds_.push_back(static_cast<std::uint64_t>(result.task.fidelity) << status_bits |
                     static_cast<std::uint64_t>(status));
    seconds_.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(result.seconds)));
    ranks_.push_back(static_cast<std::uint32_t>(result.rank));
    failed_.push_back(2 * failures_.size() + (metrics == nullptr ? 1 : 0));
    if (metrics == nullptr) return failures_.push_back(failure);
    for (std::size_t m = 0; m < metrics->size(); ++m) metrics_[m].append((*metrics)[m]);
}

void ResultColumns::Metric::append(models::Estimate const& estimate) {
    auto const word = word_of(estimate.value);
    auto const bound = [word](double end) { return word_of(end) == word ? as_value : word_of(end); };
    auto const below = bound(estimate.lower), above = bound(estimate.upper);
    if (exact && (below != as_value || above != as_value)) {
        exact = false;
        for (auto* const bounds : {&lower, &upper})
            while (bounds->size() < value.size()) bounds->push_back(as_value);
    }
    value.push_back(word);
    kinds.push_back(number_of(estimate.kinds));
    if (exact) return;
    lower.push_back(below);
    upper.push_back(above);
}

std::size_t ResultColumns::bytes() const {
    std::size_t sum = 0;
    for (auto const* column : {&points_, &kinds_, &seconds_, &ranks_, &failed_, &failures_}) sum += column->bytes();
    for (auto const& m : metrics_) sum += m.value.bytes() + m.kinds.bytes() + m.lower.bytes() + m.upper.bytes();
    return sum;
}

space::Task ResultColumns::task(Row row) const {
    return {space::PointId{points_[row]}, static_cast<models::Fidelity>(kinds_[row] >> status_bits)};
}

Status ResultColumns::status(Row row) const { return static_cast<Status>(kinds_[row] % (1U << status_bits)); }

double ResultColumns::value(Row row, std::size_t metric) const {
    auto const [ok, at] = place(row);
    return ok ? double_of(metrics_[metric].value[at]) : no_number;
}

models::Estimate ResultColumns::estimate(Row row, std::size_t metric) const {
    auto const [ok, at] = place(row);
    if (!ok) return {no_number, no_number, no_number, models::Bound::none};
    auto const& column = metrics_[metric];
    auto const value = column.value[at];
    auto const bound = [&, at = at](PackedColumn const& bounds) {
        auto const word = column.exact ? as_value : bounds[at];
        return double_of(word == as_value ? value : word);
    };
    return {double_of(value), bound(column.lower), bound(column.upper), sim::all_bound_kinds[column.kinds[at]]};
}

double ResultColumns::seconds(Row row) const { return std::bit_cast<float>(static_cast<std::uint32_t>(seconds_[row])); }

int ResultColumns::rank(Row row) const { return static_cast<int>(static_cast<std::uint32_t>(ranks_[row])); }

std::uint32_t ResultColumns::failure(Row row) const { return static_cast<std::uint32_t>(failures_[place(row).at]); }

std::size_t PackedColumn::bytes() const {
    std::size_t sum = open_.size() * sizeof(std::uint64_t);
    for (auto const& block : full_) sum += sizeof(PackedWords) + block.bytes();
    return sum;
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
    data_ = std::make_shared_for_overwrite<std::byte[]>(bytes);
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
