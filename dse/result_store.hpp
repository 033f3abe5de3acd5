#pragma once

#include "dse/answer.hpp"
#include "dse/answer_codec.hpp"
#include "models/architecture.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse {

/// What became of a point; the numbers are those of the result file.
enum class Status : std::uint8_t { ok, infeasible, exception, not_a_number, timeout, crash };
inline constexpr std::array<std::string_view, 6> status_names{"ok", "infeasible", "exception", "not_a_number", "timeout", "crash"};
[[nodiscard]] Status status_of(models::Outcome const& outcome);
[[nodiscard]] constexpr std::string_view name_of(Status status) { return status_names[static_cast<std::size_t>(status)]; }

/// Every answer of a run, by point and fidelity; columns in memory, so that millions fit. One thread at a time.
class ResultStore {
  public:
    using Row = std::uint32_t;

    explicit ResultStore(std::size_t metrics) : metrics_(metrics) {}

    enum class Insertion : std::uint8_t { added, same, conflict };
    /// Remembers an answer. The first answer to a task stays: a second one is `same` or, where it differs in anything
    /// but seconds and rank, `conflict`. A feasible answer with the wrong number of metrics is a ContractViolation.
    Insertion insert(Answer const& answer);
    /// The same for many, whose places in memory are fetched ahead.
    void insert(std::span<Answer const> answers);
    /// Remembers a block of which only the front was kept; a block it knows changes nothing.
    void insert(BlockSummary const& summary);
    /// Remembers a part of a block that is not complete; a part it knows, or one of a block that is complete, changes nothing.
    void add(BlockPart part);
    /// Says that a block is complete and how many points it has; false if it was known. For readers of files.
    bool add_block(std::uint64_t block, models::Fidelity fidelity, std::uint64_t points);
    /// Counts points that were evaluated and not kept.
    void add_left_out(std::span<BlockSummary::Count const> left_out);

    [[nodiscard]] std::size_t size() const { return points_.size(); }
    [[nodiscard]] std::size_t metrics() const { return metrics_.size(); }
    [[nodiscard]] std::optional<Row> find(Task task) const;
    [[nodiscard]] bool contains(Task task) const { return find(task).has_value(); }
    /// Points per complete block of ids, by (block, fidelity); empty where every answer is kept.
    using Blocks = std::map<std::pair<std::uint64_t, models::Fidelity>, std::uint64_t>;
    [[nodiscard]] Blocks const& blocks() const { return blocks_; }
    [[nodiscard]] bool contains_block(std::uint64_t block, models::Fidelity fidelity) const { return blocks_.contains({block, fidelity}); }

    /// Parts of blocks that are not complete, by (block, fidelity) and first id. Their answers are no rows yet.
    struct OpenBlock {
        std::map<std::uint64_t, BlockPart> parts;
        std::uint64_t points = 0;   ///< in them
    };
    using OpenBlocks = std::map<std::pair<std::uint64_t, models::Fidelity>, OpenBlock>;
    [[nodiscard]] OpenBlocks const& open_blocks() const { return open_blocks_; }

    [[nodiscard]] Task task(Row row) const { return {points_[row], fidelities_[row]}; }
    [[nodiscard]] Status status(Row row) const { return statuses_[row]; }
    /// NaN where the point is not ok.
    [[nodiscard]] double value(Row row, std::size_t metric) const { return metrics_[metric].value[row]; }
    [[nodiscard]] models::Estimate estimate(Row row, std::size_t metric) const;
    /// True if low and high are the value in every row.
    [[nodiscard]] bool exact(std::size_t metric) const { return metrics_[metric].low.empty(); }
    [[nodiscard]] double seconds(Row row) const { return seconds_[row]; }
    [[nodiscard]] int rank(Row row) const { return ranks_[row]; }
    /// The rule an infeasible point broke, "" for others; and the sentence of any point that is not ok.
    [[nodiscard]] std::string_view rule(Row row) const;
    [[nodiscard]] std::string_view reason(Row row) const;
    [[nodiscard]] Answer answer(Row row) const;
    /// True if the answer says the same as the row, bit for bit; seconds, rank and the wording of defects do not count.
    [[nodiscard]] bool same(Row row, Answer const& answer) const;

    /// All rows by point, then fidelity. Kept until the next insertion.
    [[nodiscard]] std::vector<Row> const& sorted() const;

    /// Points per rule (infeasible) and per class of failure (others), kept rows and filtered blocks together.
    [[nodiscard]] std::map<std::string, std::uint64_t> const& counts_per_rule() const { return rules_; }
    [[nodiscard]] std::uint64_t count(Status status) const { return counts_[static_cast<std::size_t>(status)]; }
    /// Points that were evaluated and not kept, by the rule they broke ("" = feasible but dominated).
    [[nodiscard]] std::vector<BlockSummary::Count> left_out() const;
    /// Answers in all, those that a block's front left out included.
    [[nodiscard]] std::uint64_t evaluated() const { return evaluated_; }

  private:
    struct MetricColumn {
        std::vector<double> value;
        std::vector<models::Bound> bound;
        std::vector<double> low, high;  ///< empty while every answer is exact
    };
    struct Failure {
        std::uint32_t rule;
        std::string reason;
    };
    void append(Answer const& answer);
    void append_metrics(models::Metrics const* metrics);
    void append_failure(models::Outcome const& outcome);
    void grow_index();
    [[nodiscard]] std::size_t slot_of(Task task) const;

    std::vector<PointId> points_;
    std::vector<models::Fidelity> fidelities_;
    std::vector<Status> statuses_;
    std::vector<MetricColumn> metrics_;
    std::vector<std::uint32_t> failure_of_;  ///< position in failures_ plus one
    std::vector<Failure> failures_;
    std::vector<std::string> rule_names_;
    std::vector<double> seconds_;
    std::vector<int> ranks_;
    std::vector<std::uint32_t> index_;  ///< open addressing over (point, fidelity): row plus one
    Blocks blocks_;
    OpenBlocks open_blocks_;
    std::map<std::string, std::uint64_t> rules_;
    std::map<std::string, std::uint64_t> left_out_;
    std::array<std::uint64_t, status_names.size()> counts_{};
    std::uint64_t evaluated_ = 0;
    mutable std::vector<Row> sorted_;
};

}  // namespace pimdse::dse
