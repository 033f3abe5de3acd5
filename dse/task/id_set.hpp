#pragma once

#include "dse/task/answer.hpp"

#include <boost/icl/interval_set.hpp>
#include <cstdint>

namespace pimdse::dse::task {

/// A set of ids that costs what its runs cost, however many ids they have: what a run has done of a space of 10^12
/// points is a few runs.
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

    /// Ids from one on that are all in the set, or all outside of it.
    struct Stretch {
        bool inside = false;
        std::uint64_t end = 0;  ///< behind the last of them; 2^64 - 1 where nothing follows
    };
    [[nodiscard]] Stretch stretch(std::uint64_t id) const;

  private:
    using Interval = boost::icl::right_open_interval<std::uint64_t>;
    boost::icl::interval_set<std::uint64_t, std::less, Interval> runs_;
};

}  // namespace pimdse::dse::task
