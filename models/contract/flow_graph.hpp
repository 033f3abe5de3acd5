#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pimdse::models {

/// The data flow of one layer for one token, a graph without cycles: what runs, how long it takes, and what it hands
/// on.
struct FlowGraph {
    struct Stage {
        std::string name;
        double seconds = 0.0;
    };
    struct Data {
        std::size_t from = 0, to = 0;  ///< indices into `stages`
        double bytes = 0.0;
    };
    std::string title;
    std::vector<Stage> stages;
    std::vector<Data> data;

    /// Adds a stage that receives data from earlier ones; returns its index.
    std::size_t add(std::string name, double seconds);
    void hand_on(std::size_t from, std::size_t to, double bytes) { data.push_back({from, to, bytes}); }
    [[nodiscard]] double together() const;  ///< s, all stages one after the other
};

/// The longest time [s] over all paths. Throws ContractViolation if the graph has a cycle.
[[nodiscard]] double critical_path(FlowGraph const& graph);

/// The graph in the language of Graphviz. Its first line is a comment with the critical path and the sum of all stages.
[[nodiscard]] std::string dot_of(FlowGraph const& graph);

}  // namespace pimdse::models
