#pragma once

#include "dse/space/result.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace pimdse::dse::search {

/// An immutable column of words in the smallest form that still gives random access: no data if all words are equal or
/// count up by one, an index of one or two bytes per word if few words are distinct, an offset from the smallest word
/// if they are close together. A copy shares the data.
class PackedWords {
  public:
    static constexpr std::size_t max = 65536;

    /// A column of zeros.
    PackedWords() = default;
    /// Packs at most `max` words.
    explicit PackedWords(std::span<std::uint64_t const> words);

    [[nodiscard]] std::uint64_t operator[](std::size_t i) const {
        switch (form_) {
            case Form::constant:
                return base_;
            case Form::sequence:
                return base_ + i;
            case Form::offsets:
                return base_ + number(0, i);
            case Form::picks:
                break;
        }
        return number_of_width<std::uint64_t>(0,
                                              static_cast<std::size_t>(number(distinct_ * sizeof(std::uint64_t), i)));
    }
    /// Heap memory in bytes.
    [[nodiscard]] std::size_t bytes() const { return size_; }

  private:
    enum class Form : std::uint8_t { constant, sequence, offsets, picks };

    void pack(std::span<std::uint64_t const> words);
    [[nodiscard]] bool pick(std::span<std::uint64_t const> words, std::size_t bytes_to_beat);
    void allocate(std::size_t bytes);
    /// Stores each word minus `base` in `width_` bytes, starting at byte `at`.
    void put_all(std::size_t at, std::span<std::uint64_t const> words, std::uint64_t base);
    template <class T>
    void put_of_width(std::size_t at, std::span<std::uint64_t const> words, std::uint64_t base);

    template <class T>
    [[nodiscard]] std::uint64_t number_of_width(std::size_t at, std::size_t i) const {
        T number;
        __builtin_memcpy(&number, data_.get() + at + i * sizeof(T), sizeof(T));
        return number;
    }
    [[nodiscard]] std::uint64_t number(std::size_t at, std::size_t i) const {
        switch (width_) {
            case 1:
                return number_of_width<std::uint8_t>(at, i);
            case 2:
                return number_of_width<std::uint16_t>(at, i);
            case 4:
                return number_of_width<std::uint32_t>(at, i);
            default:
                return number_of_width<std::uint64_t>(at, i);
        }
    }

    std::uint64_t base_ = 0;
    std::shared_ptr<std::byte[]> data_;  ///< the distinct words of `picks`; then a number of `width_` bytes per word
    std::uint32_t size_ = 0;
    std::uint16_t distinct_ = 0;
    Form form_ = Form::constant;
    std::uint8_t width_ = 0;
};

/// A column of words that are appended one by one, packed in blocks of 4096. A copy shares the packed blocks.
class PackedColumn {
  public:
    void push_back(std::uint64_t word) {
        open_.push_back(word);
        if (open_.size() < rows_per_block) return;
        full_.emplace_back(open_);
        open_.clear();
    }
    [[nodiscard]] std::uint64_t operator[](std::size_t row) const {
        std::size_t const block = row / rows_per_block;
        return block < full_.size() ? full_[block][row % rows_per_block] : open_[row % rows_per_block];
    }
    [[nodiscard]] std::size_t size() const { return full_.size() * rows_per_block + open_.size(); }
    [[nodiscard]] std::size_t bytes() const;

    static constexpr std::size_t rows_per_block = 4096;

  private:
    std::vector<PackedWords> full_;
    std::vector<std::uint64_t> open_;
};

/// The status of a result; the numbers are those of the result file.
enum class Status : std::uint8_t { ok, infeasible, exception, not_a_number, timeout, crash };

/// The value of a missing metric.
inline constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// Number of a result in a store, in the order of arrival.
using Row = std::uint32_t;

/// Results as append-only columns whose packed blocks never change again. A copy shares them, so that it is cheap and
/// another thread may read it while this object grows.
class ResultColumns {
  public:
    static constexpr std::size_t block_rows = PackedColumn::rows_per_block;

    explicit ResultColumns(std::size_t metrics) : metrics_(metrics) {}

    /// Appends a row: with one estimate per metric if the status is ok; else `metrics` is nullptr and `failure` is the
    /// number of its failure.
    void append(space::Result const& result, Status status, models::Metrics const* metrics, std::uint32_t failure);

    [[nodiscard]] std::size_t size() const { return points_.size(); }
    [[nodiscard]] std::size_t metrics() const { return metrics_.size(); }
    [[nodiscard]] space::Task task(Row row) const;
    [[nodiscard]] Status status(Row row) const;
    /// NaN where the row is not ok.
    [[nodiscard]] double value(Row row, std::size_t metric) const;
    [[nodiscard]] models::Estimate estimate(Row row, std::size_t metric) const;
    /// True if lower and upper bound equal the value in every row.
    [[nodiscard]] bool exact(std::size_t metric) const { return metrics_[metric].exact; }
    /// With seven significant digits.
    [[nodiscard]] double seconds(Row row) const;
    [[nodiscard]] int rank(Row row) const;
    /// The failure number of a row that is not ok.
    [[nodiscard]] std::uint32_t failure(Row row) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    /// A bound is `as_value` where it equals the value; there are none while all estimates are exact.
    struct Metric {
        void append(models::Estimate const& estimate);
        PackedColumn value, kinds, lower, upper;
        bool exact = true;
    };

    /// Whether a row is ok, and where its entry is: a metric has one for each row that is ok, `failures_` for each
    /// other.
    struct Place {
        bool ok;
        std::size_t at;
    };
    [[nodiscard]] Place place(Row row) const {
        auto const word = failed_[row];
        return {word % 2 == 0, word % 2 == 0 ? row - word / 2 : word / 2};
    }

    PackedColumn points_, kinds_, seconds_, ranks_, failures_;
    PackedColumn failed_;  ///< twice the number of failures before a row, and 1 more if it is one
    std::vector<Metric> metrics_;
};

}  // namespace pimdse::dse::search
