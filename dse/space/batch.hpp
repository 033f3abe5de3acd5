#pragma once

#include "dse/space/result.hpp"

#include <boost/icl/interval_set.hpp>
#include <cstdint>
#include <vector>

namespace pimdse::dse::space {

/// Points to evaluate at one fidelity, in the order in which results are reported: a range of consecutive ids (8 bytes
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
    /// The same points, marked for evaluation in a child process, because an earlier run died while it
    /// evaluated them.
    [[nodiscard]] Batch quarantined() const;
    [[nodiscard]] bool is_quarantined() const { return quarantined_; }

  private:
    std::vector<PointId> points_;
    std::uint64_t first_ = 0;
    std::uint64_t count_ = 0;
    models::Fidelity fidelity_ = models::Fidelity::analytic;
    bool quarantined_ = false;
};

/// A set of ids, stored as runs of consecutive ids: memory grows with the number of runs and not of ids. The evaluated
/// part of a space of 10^12 points is a few runs.
class IdSet {
  public:
    /// The ids [first, last).
    void add(std::uint64_t first, std::uint64_t last);
    void add(PointId point) { add(index_of(point), index_of(point) + 1); }
    void subtract(IdSet const& other) { runs_ -= other.runs_; }

    [[nodiscard]] bool empty() const { return runs_.empty(); }
    [[nodiscard]] std::uint64_t size() const;
    [[nodiscard]] std::size_t runs() const { return runs_.iterative_size(); }
    [[nodiscard]] bool contains(PointId point) const { return stretch(index_of(point)).inside; }

    /// A maximal range of ids, from a given id on, that are all in the set or all outside it.
    struct Stretch {
        bool inside = false;
        std::uint64_t end = 0;  ///< one past the last of them; 2^64 - 1 if the range has no end
    };
    [[nodiscard]] Stretch stretch(std::uint64_t id) const;

  private:
    using Interval = boost::icl::right_open_interval<std::uint64_t>;
    boost::icl::interval_set<std::uint64_t, std::less, Interval> runs_;
};

}  // namespace pimdse::dse::space
