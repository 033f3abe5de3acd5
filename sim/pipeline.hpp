#pragma once

#include "sim/base/units.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pimdse::sim {

/// When a piece of work ran.
struct Interval {
    Time start, end;
    [[nodiscard]] Time duration() const { return end - start; }
};

/// Overlap of stages on shared resources. Every resource (a link, a memory bank, a processor) does one stage at a time,
/// in the order in which the stages were added; a stage starts as soon as all its resources are free and everything it
/// follows has ended, and holds its resources to its end. Ordering rules are stated as `after`, mutual exclusion as
/// shared resources: a two-buffer pipeline is two banks, an exclusive lock is one. Knows nothing of what the stages do.
class Pipeline {
  public:
    using Stage = std::size_t;
    using Resource = std::size_t;

    explicit Pipeline(std::size_t resources) : free_(resources) {}

    /// Room for as many stages.
    void expect(std::size_t stages) { stages_.reserve(stages); }

    /// Places the next stage. `duration` >= 0; `resources` and `after` are known. Cost: their number.
    Stage add(Time duration, std::span<Resource const> resources, std::span<Stage const> after = {});

    [[nodiscard]] Interval const& at(Stage stage) const;
    [[nodiscard]] std::vector<Interval> const& stages() const { return stages_; }
    /// The end of the last stage; zero without stages.
    [[nodiscard]] Time makespan() const { return makespan_; }

  private:
    std::vector<Time> free_;
    std::vector<Interval> stages_;
    Time makespan_{};
};

/// Length of time covered by at least one of `intervals` and by none of `others`. O((n + m) log(n + m)).
[[nodiscard]] Time covered_alone(std::span<Interval const> intervals, std::span<Interval const> others);

}  // namespace pimdse::sim
