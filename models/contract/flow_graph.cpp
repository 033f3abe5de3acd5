#include "models/contract/flow_graph.hpp"

#include "sim/base/check.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

namespace pimdse::models {

std::size_t FlowGraph::add(std::string name, double seconds) {
    stages.push_back({std::move(name), seconds});
    return stages.size() - 1;
}

double FlowGraph::together() const {
    double all = 0.0;
    for (auto const& stage : stages) all += stage.seconds;
    return all;
}

double critical_path(FlowGraph const& graph) {
    std::vector<std::size_t> waits(graph.stages.size(), 0);
    for (auto const& edge : graph.data) ++waits[edge.to];
    std::vector<double> ends(graph.stages.size(), 0.0);
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < waits.size(); ++i)
        if (waits[i] == 0) ready.push_back(i);
    double longest = 0.0;
    std::size_t done = 0;
    while (!ready.empty()) {
        auto const now = ready.back();
        ready.pop_back();
        ++done;
        ends[now] += graph.stages[now].seconds;
        longest = std::max(longest, ends[now]);
        for (auto const& edge : graph.data) {
            if (edge.from != now) continue;
            ends[edge.to] = std::max(ends[edge.to], ends[now]);
            if (--waits[edge.to] == 0) ready.push_back(edge.to);
        }
    }
    sim::ensures(done == graph.stages.size(), "a data flow has no cycle");
    return longest;
}

std::string dot_of(FlowGraph const& graph) {
    auto text = fmt::format("// critical path {:.6g} s, all stages one after another {:.6g} s\ndigraph \"{}\" {{\n",
                            critical_path(graph), graph.together(), graph.title);
    for (std::size_t i = 0; i < graph.stages.size(); ++i) {
        auto const& stage = graph.stages[i];
        text += fmt::format("  s{} [label=\"{}\\n{}\"];\n", i, stage.name, sim::print_quantity(stage.seconds, "s"));
    }
    for (auto const& edge : graph.data)
        text += fmt::format("  s{} -> s{} [label=\"{}\"];\n", edge.from, edge.to, sim::print_quantity(edge.bytes, "B"));
    return text + "}\n";
}

}  // namespace pimdse::models
