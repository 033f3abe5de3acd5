#pragma once

#include "dse/answer.hpp"
#include "dse/answer_codec.hpp"
#include "dse/strategy/strategy.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace pimdse::dse {

/// What a part of a batch came to. Where every answer is kept, `kept` has one per task, in task order. Where only fronts are
/// kept, it has the failures and what nobody in the part dominates, and `left_out` counts the rest.
struct Findings {
    std::uint64_t points = 0;  ///< evaluated
    std::vector<Answer> kept;
    std::vector<BlockSummary::Count> left_out;
};

/// What is worth keeping of these answers, by the space's search settings. Sifting parts and then their union keeps what
/// sifting everything at once keeps, so it does not matter how a block was cut.
[[nodiscard]] Findings sift(Space const& space, std::vector<Answer> answers);

/// How many of `count` tasks from `first` on may travel together: where only fronts are kept, a part stays inside one block.
[[nodiscard]] std::uint64_t within_block(Space const& space, Batch const& batch, std::uint64_t first, std::uint64_t count);

/// The block of ids a point lies in.
[[nodiscard]] constexpr std::uint64_t block_of(PointId point) { return index_of(point) / BlockSummary::ids; }

/// Joins the findings of one block's parts, which arrive in task order.
class BlockBuilder {
  public:
    explicit BlockBuilder(Space const& space) : space_(&space) {}

    /// `expected` = tasks of this batch in the block of `first`. Returns the block once all of them are there.
    [[nodiscard]] std::optional<BlockSummary> add(Task first, std::uint64_t expected, Findings findings);
    /// Points of a block that is not complete.
    [[nodiscard]] std::uint64_t pending() const { return points_; }

  private:
    Space const* space_;
    std::uint64_t points_ = 0;
    std::vector<Answer> candidates_;
    std::vector<BlockSummary::Count> left_out_;
};

}  // namespace pimdse::dse
