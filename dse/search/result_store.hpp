#pragma once

#include "dse/search/result_columns.hpp"
#include "dse/search/task_index.hpp"
#include "dse/space/result.hpp"
#include "models/contract/architecture.hpp"

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

/// Every answer of a run, by point and fidelity; packed columns in memory, so that hundreds of millions fit. One thread
/// at a time, but for snapshot(). A copy shares what does not change any more.
class ResultStore {
  public:
    using Row = ResultColumns::Row;

    explicit ResultStore(std::size_t metrics) : kept_(metrics) {}

    enum class Insertion : std::uint8_t { added, same, conflict };
    /// Remembers an answer. The first answer to a task stays: a second one is `same` or, where it differs in anything
    /// but seconds and rank, `conflict`. A feasible answer with the wrong number of metrics is a ContractViolation.
    Insertion insert(space::Result const& result);
    /// The same for many, whose places in memory are fetched ahead.
    void insert(std::span<space::Result const> results);
    /// Remembers a block of which only the front was kept; a block it knows changes nothing.
    void insert(space::BlockSummary const& summary);
    /// Remembers a part of a block that is not complete; a part it knows, or one of a block that is complete, changes
    /// nothing.
    void add(space::BlockPart part);
    /// Says that a block is complete and how many points it has; false if it was known. For readers of files.
    bool add_block(std::uint64_t block, models::Fidelity fidelity, std::uint64_t points);
    /// Counts points that were evaluated and not kept.
    void add_left_out(std::span<space::BlockSummary::Count const> left_out);

    /// All that is there at this moment; may be called while another thread inserts.
    [[nodiscard]] ResultStore snapshot() const;

    [[nodiscard]] std::size_t size() const { return kept_.columns.size(); }
    [[nodiscard]] std::size_t metrics() const { return kept_.columns.metrics(); }
    /// Memory that the answers take, about.
    [[nodiscard]] std::size_t bytes() const {
        return kept_.columns.bytes() + index_.bytes() + sorted_.capacity() * sizeof(Row);
    }
    [[nodiscard]] std::optional<Row> find(space::Task task) const;
    [[nodiscard]] bool contains(space::Task task) const { return find(task).has_value(); }
    /// Points per complete block of ids, by (block, fidelity); empty where every answer is kept.
    using Blocks = std::map<std::pair<std::uint64_t, models::Fidelity>, std::uint64_t>;
    [[nodiscard]] Blocks const& blocks() const { return kept_.blocks; }

    /// Parts of blocks that are not complete, by (block, fidelity) and first id. Their answers are no rows yet.
    struct OpenBlock {
        std::map<std::uint64_t, space::BlockPart> parts;
        std::uint64_t points = 0;  ///< in them
    };
    using OpenBlocks = std::map<std::pair<std::uint64_t, models::Fidelity>, OpenBlock>;
    [[nodiscard]] OpenBlocks const& open_blocks() const { return kept_.open_blocks; }
    /// Points in them; evaluated() does not count them yet.
    [[nodiscard]] std::uint64_t points_in_open_blocks() const;

    [[nodiscard]] space::Task task(Row row) const { return kept_.columns.task(row); }
    [[nodiscard]] Status status(Row row) const { return kept_.columns.status(row); }
    /// NaN where the point is not ok.
    [[nodiscard]] double value(Row row, std::size_t metric) const { return kept_.columns.value(row, metric); }
    [[nodiscard]] models::Estimate estimate(Row row, std::size_t metric) const {
        return kept_.columns.estimate(row, metric);
    }
    /// True if low and high are the value in every row.
    [[nodiscard]] bool exact(std::size_t metric) const { return kept_.columns.exact(metric); }
    /// To seven digits.
    [[nodiscard]] double seconds(Row row) const { return kept_.columns.seconds(row); }
    [[nodiscard]] int rank(Row row) const { return kept_.columns.rank(row); }
    /// The rule an infeasible point broke, "" for others; and the sentence of any point that is not ok.
    [[nodiscard]] std::string_view rule(Row row) const;
    [[nodiscard]] std::string_view reason(Row row) const;
    [[nodiscard]] space::Result result(Row row) const;
    /// True if the answer says the same as the row, bit for bit; seconds, rank and the wording of defects do not count.
    [[nodiscard]] bool same(Row row, space::Result const& result) const;

    /// All rows by point, then fidelity. Kept until the next insertion.
    [[nodiscard]] std::vector<Row> const& sorted() const;

    /// Points per rule (infeasible) and per class of failure (others), kept rows and filtered blocks together.
    [[nodiscard]] std::map<std::string, std::uint64_t> const& counts_per_rule() const { return kept_.rules; }
    [[nodiscard]] std::uint64_t count(Status status) const { return kept_.counts[static_cast<std::size_t>(status)]; }
    /// The finest fidelity of a kept row that is decided, ok or infeasible; analytic if there is none. What coarse
    /// answers call feasible is not, where finer ones say so.
    [[nodiscard]] models::Fidelity finest() const { return kept_.finest; }
    /// Points that were evaluated and not kept, by the rule they broke ("" = feasible but dominated).
    [[nodiscard]] std::vector<space::BlockSummary::Count> left_out() const;
    /// Answers in all, those that a block's front left out included.
    [[nodiscard]] std::uint64_t evaluated() const { return kept_.evaluated; }

  private:
    /// What a snapshot copies.
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
    /// Each store has its own.
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
    mutable TaskIndex index_;  ///< of a snapshot: made when it is needed
    mutable std::vector<Row> sorted_;
    models::Metrics canonical_;  ///< of the answer that comes in
    mutable Lock lock_;          ///< held while kept_ changes, and while another thread copies it
};

}  // namespace pimdse::dse::search
