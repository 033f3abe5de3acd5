#pragma once

#include "dse/answers/packed_words.hpp"
#include "dse/task/answer.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace pimdse::dse::answers {

/// What became of a point; the numbers are those of the result file.
enum class Status : std::uint8_t { ok, infeasible, exception, not_a_number, timeout, crash };

/// The value of a metric where there is none.
inline constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// Answers as columns that only grow: blocks of 4096 rows, packed when they are full and never changed again. A copy
/// shares them, so that it costs little and another thread may read it while this one grows.
class AnswerColumns {
  public:
    using Row = std::uint32_t;
    static constexpr std::size_t block_rows = 4096;

    explicit AnswerColumns(std::size_t metrics);

    /// Appends a row: with one estimate per metric if it is ok, else with `metrics` nullptr and the number of its
    /// failure.
    void append(task::Answer const& answer, Status status, models::Metrics const* metrics, std::uint32_t failure);

    [[nodiscard]] std::size_t size() const { return full_.size() * block_rows + open_.points.size(); }
    [[nodiscard]] std::size_t metrics() const { return exact_.size(); }
    [[nodiscard]] task::Task task(Row row) const;
    [[nodiscard]] Status status(Row row) const;
    /// NaN where the row is not ok.
    [[nodiscard]] double value(Row row, std::size_t metric) const;
    [[nodiscard]] models::Estimate estimate(Row row, std::size_t metric) const;
    /// True if low and high are the value in every row.
    [[nodiscard]] bool exact(std::size_t metric) const { return exact_[metric]; }
    /// To seven digits.
    [[nodiscard]] double seconds(Row row) const;
    [[nodiscard]] int rank(Row row) const;
    /// Of a row that is not ok.
    [[nodiscard]] std::uint32_t failure(Row row) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    using Words = std::vector<std::uint64_t>;
    struct OpenMetric {
        Words value, bound;
        Words low, high;  ///< empty while they are the value
    };
    /// Metrics have an entry per row that is ok, failures one per other row; `places` says which.
    struct OpenBlock {
        void clear();
        Words points, kinds, seconds, ranks, failures, places;
        std::vector<OpenMetric> metrics;
    };
    struct FullMetric {
        PackedWords value, bound, low, high;
        bool exact = true;
    };
    struct FullBlock {
        explicit FullBlock(OpenBlock const& open);
        PackedWords points, kinds, seconds, ranks, failures, places;
        std::vector<FullMetric> metrics;
        [[nodiscard]] std::size_t bytes() const;
    };

    void append_estimate(OpenMetric& column, models::Estimate const& estimate, std::size_t metric);
    [[nodiscard]] bool is_full(Row row) const { return row / block_rows < full_.size(); }
    [[nodiscard]] FullBlock const& full(Row row) const { return *full_[row / block_rows]; }
    /// The row's entry in a column that every block has.
    [[nodiscard]] std::uint64_t word(Row row, Words OpenBlock::*open, PackedWords FullBlock::*packed) const {
        return is_full(row) ? (full(row).*packed)[row % block_rows] : (open_.*open)[row % block_rows];
    }

    std::vector<std::shared_ptr<FullBlock const>> full_;
    OpenBlock open_;
    std::vector<bool> exact_;
};

}  // namespace pimdse::dse::answers
