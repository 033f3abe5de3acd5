#include "sim/pipeline.hpp"

#include "sim/base/check.hpp"

#include <algorithm>

namespace pimdse::sim {

Pipeline::Stage Pipeline::add(Time duration, std::span<Resource const> resources, std::span<Stage const> after) {
    expects(duration.si >= 0.0, "a stage takes no negative time");
    Time start{};
    for (Stage const stage : after) start = std::max(start, at(stage).end);
    for (Resource const resource : resources) {
        expects(resource < free_.size(), "a stage uses known resources");
        start = std::max(start, free_[resource]);
    }
    Time const end = start + duration;
    for (Resource const resource : resources) free_[resource] = end;
    stages_.push_back({start, end});
    makespan_ = std::max(makespan_, end);
    return stages_.size() - 1;
}

Interval const& Pipeline::at(Stage stage) const {
    expects(stage < stages_.size(), "a stage follows stages added before it");
    return stages_[stage];
}

Time covered_alone(std::span<Interval const> intervals, std::span<Interval const> others) {
    struct Edge {
        double at;
        int wanted, other;
    };
    std::vector<Edge> edges;
    edges.reserve(2 * (intervals.size() + others.size()));
    for (auto const& i : intervals) edges.insert(edges.end(), {{i.start.si, 1, 0}, {i.end.si, -1, 0}});
    for (auto const& i : others) edges.insert(edges.end(), {{i.start.si, 0, 1}, {i.end.si, 0, -1}});
    std::stable_sort(edges.begin(), edges.end(), [](Edge const& a, Edge const& b) { return a.at < b.at; });
    Time sum{};
    int wanted = 0, other = 0;
    double last = 0.0;
    for (auto const& edge : edges) {
        if (wanted > 0 && other == 0) sum += Time{edge.at - last};
        wanted += edge.wanted;
        other += edge.other;
        last = edge.at;
    }
    return sum;
}

}  // namespace pimdse::sim
