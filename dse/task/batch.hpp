#pragma once

#include "dse/task/answer.hpp"

#include <cstdint>
#include <vector>

namespace pimdse::dse::task {

/// Points to evaluate at one fidelity, in the order in which answers are told: a run of consecutive ids (8 bytes
/// however long it is) or a list.
class Batch {
  public:
    Batch() = default;
    static Batch range(PointId first, std::uint64_t count, models::Fidelity fidelity);
    static Batch list(std::vector<PointId> points, models::Fidelity fidelity);

    [[nodiscard]] std::uint64_t size() const { return points_.empty() ? count_ : points_.size(); }
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] bool is_range() const { return points_.empty(); }
    [[nodiscard]] models::Fidelity fidelity() const { return fidelity_; }
    [[nodiscard]] Task task(std::uint64_t index) const;
    /// The part [first, first + count) of this batch.
    [[nodiscard]] Batch part(std::uint64_t first, std::uint64_t count) const;
    /// The same points, to be evaluated by a worker process: an earlier run died while it worked on them.
    [[nodiscard]] Batch quarantined() const;
    [[nodiscard]] bool is_quarantined() const { return quarantined_; }

  private:
    std::vector<PointId> points_;
    std::uint64_t first_ = 0;
    std::uint64_t count_ = 0;
    models::Fidelity fidelity_ = models::Fidelity::analytic;
    bool quarantined_ = false;
};

}  // namespace pimdse::dse::task
