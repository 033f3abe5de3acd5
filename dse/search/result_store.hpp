#pragma once

#include "dse/search/result_columns.hpp"
#include "dse/search/task_index.hpp"
#include "dse/space/result.hpp"
#include "models/contract/metric.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::search {

inline constexpr std::array<std::string_view, 6> status_names{"ok",           "infeasible", "exception",
                                                              "not_a_number", "timeout",    "crash"};
[[nodiscard]] Status status_of(models::Outcome const& outcome);
[[nodiscard]] constexpr std::string_view name_of(Status status) {
    return status_names[static_cast<std::size_t>(status)];
}

/// All results of a run, by point and fidelity; packed columns in memory, so that hundreds of millions fit. To be used
/// by one thread at a time, except for snapshot(). A copy shares packed blocks.
class ResultStore {
  public:
    explicit ResultStore(std::size_t metrics) : kept_(metrics) {}

    enum class Insertion : std::uint8_t { added, same, conflict };
    /// Stores a result. The first result of a task stays: a second one is `same` or, if it differs in anything but
    /// seconds and rank, `conflict`. A feasible result with the wrong number of metrics is a ContractViolation.
    Insertion insert(space::Result const& result);
    /// The same for many results; prefetches their slots in the index.
    void insert(std::span<space::Result const> results);
    /// Stores a block of which only the front was kept; a block that is known changes nothing.
    void insert(space::BlockSummary const& summary);
    /// Stores a part of an incomplete block; a part that is known, or one of a complete block, changes nothing.
    void add(space::BlockPart part);
    /// Marks a block as complete and sets its number of points; false if it was complete before. For readers of files.
    bool add_block(std::uint64_t block, models::Fidelity fidelity, std::uint64_t points);
    /// Counts points that were evaluated and not kept.
    void add_left_out(std::span<space::BlockSummary::Count const> left_out);

    /// A copy of the current content; may be called while another thread inserts.
    [[nodiscard]] ResultStore snapshot() const;

    [[nodiscard]] std::size_t size() const { return kept_.columns.size(); }
    [[nodiscard]] std::size_t metrics() const { return kept_.columns.metrics(); }
    /// Approximate memory of the results in bytes.
    [[nodiscard]] std::size_t bytes() const {
        return kept_.columns.bytes() + index_.bytes() + sorted_.capacity() * sizeof(Row);
    }
    [[nodiscard]] std::optional<Row> find(space::Task task) const;
    [[nodiscard]] bool contains(space::Task task) const { return find(task).has_value(); }
    /// Number of points of each complete block, by (block, fidelity); empty if every result is kept.
    using Blocks = std::map<std::pair<std::uint64_t, models::Fidelity>, std::uint64_t>;
    [[nodiscard]] Blocks const& blocks() const { return kept_.blocks; }

    /// Parts of incomplete blocks, by (block, fidelity) and first id. Their results are not rows yet.
    struct OpenBlock {
        std::map<std::uint64_t, space::BlockPart> parts;
        std::uint64_t points = 0;  ///< number of points in the parts
    };
    using OpenBlocks = std::map<std::pair<std::uint64_t, models::Fidelity>, OpenBlock>;
    [[nodiscard]] OpenBlocks const& open_blocks() const { return kept_.open_blocks; }
    /// Number of points in incomplete blocks; evaluated() does not count them yet.
    [[nodiscard]] std::uint64_t points_in_open_blocks() const;

    [[nodiscard]] space::Task task(Row row) const { return kept_.columns.task(row); }
    [[nodiscard]] Status status(Row row) const { return kept_.columns.status(row); }
    /// NaN where the point is not ok.
    [[nodiscard]] double value(Row row, std::size_t metric) const { return kept_.columns.value(row, metric); }
    [[nodiscard]] models::Estimate estimate(Row row, std::size_t metric) const {
        return kept_.columns.estimate(row, metric);
    }
    /// True if lower and upper bound equal the value in every row.
    [[nodiscard]] bool exact(std::size_t metric) const { return kept_.columns.exact(metric); }
    /// With seven significant digits.
    [[nodiscard]] double seconds(Row row) const { return kept_.columns.seconds(row); }
    [[nodiscard]] int rank(Row row) const { return kept_.columns.rank(row); }
    /// rule(): the rule that an infeasible point breaks, else "". reason(): the message of any point that is not ok.
    [[nodiscard]] std::string_view rule(Row row) const;
    [[nodiscard]] std::string_view reason(Row row) const;
    /// Of an infeasible point (models::Infeasible).
    [[nodiscard]] double violation(Row row) const { return kept_.failures.violation(kept_.columns.failure(row)); }
    [[nodiscard]] space::Result result(Row row) const;
    /// True if the result equals the row bit for bit, except for seconds, rank and the wording of defects.
    [[nodiscard]] bool same(Row row, space::Result const& result) const;

    /// All rows sorted by point, then fidelity. Valid until the next insertion.
    [[nodiscard]] std::vector<Row> const& sorted() const;

    /// Number of points per rule (infeasible) and per class of failure (others), of kept rows and left-out points
    /// together.
    [[nodiscard]] std::map<std::string, std::uint64_t> const& counts_per_rule() const { return kept_.rules; }
    [[nodiscard]] std::uint64_t count(Status status) const { return kept_.counts[static_cast<std::size_t>(status)]; }
    /// The finest fidelity of a kept row that is decided, ok or infeasible; analytic if there is none. A finer result
    /// overrides a coarse one that calls a point feasible.
    [[nodiscard]] models::Fidelity finest() const { return kept_.finest; }
    /// Number of points that were evaluated and not kept, by the rule they broke ("" = feasible but dominated).
    [[nodiscard]] std::vector<space::BlockSummary::Count> left_out() const;
    /// Number of results, including those left out of block fronts.
    [[nodiscard]] std::uint64_t evaluated() const { return kept_.evaluated; }

  private:
    /// The data that a snapshot copies.
    struct Kept {
        explicit Kept(std::size_t metrics) : columns(metrics) {}
        ResultColumns columns;
        FailureTexts failures;
        Blocks blocks;
        OpenBlocks open_blocks;
        std::map<std::string, std::uint64_t> rules;
        std::map<std::string, std::uint64_t> left_out;
        std::array<std::uint64_t, status_names.size()> counts{};
        std::uint64_t evaluated = 0;
        models::Fidelity finest = models::Fidelity::analytic;
        space::Task latest{};
        bool ascending = true;  ///< rows are in the order of their tasks
    };
    /// A mutex that is not copied: each store has its own.
    struct Lock {
        Lock() = default;
        Lock(Lock const&) {}
        Lock& operator=(Lock const&) { return *this; }
        std::mutex mutex;
    };

    Insertion insert_one(space::Result const& result);
    void insert_many(std::span<space::Result const> results);
    void append(space::Result const& result);
    std::uint32_t add_failure(models::Outcome const& outcome);
    void count_left_out(std::span<space::BlockSummary::Count const> left_out);
    void bring_index_up_to_date() const;

    Kept kept_;
    mutable TaskIndex index_;  ///< built on demand after a copy
    mutable std::vector<Row> sorted_;
    models::Metrics canonical_;  ///< buffer for the result being inserted
    mutable Lock lock_;          ///< held while kept_ changes, and while another thread copies it
};

/// The digest of a result file: of its space (identity_text() of its canonical text) and every kept result by point and
/// fidelity, bit for bit. Seconds, ranks and the wording of failures that are bugs are not included.
[[nodiscard]] std::string digest(std::string_view identity, ResultStore const& store);

}  // namespace pimdse::dse::search
