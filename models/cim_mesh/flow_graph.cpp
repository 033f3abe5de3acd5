#include "models/cim_mesh/flow_graph.hpp"

#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/tree_layer.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace pimdse::models::cim_mesh {
namespace {

/// Bytes of the data between the stages of a token.
struct Bytes {
    double input, query, keys, scores, inner;
};

Bytes bytes_of(MachineConstants const& m, Design const& d, Partition const& p) {
    double const vector = m.vector_bytes(static_cast<double>(d.crossbar));
    double const context = mean_decoded_keys(d);
    auto const vectors = [&](std::int64_t slices) { return vector * static_cast<double>(slices); };
    return {vectors(p.n), vectors(p.q), vectors(p.kv), m.vector_bytes(static_cast<double>(d.model->heads)) * context,
            vectors(p.f)};
}

/// Seconds of the parts of a decoded token in a layer, by name.
struct SecondsOfParts {
    LayerParts const& parts;
    double frequency;

    [[nodiscard]] double operator()(std::initializer_list<std::string_view> names) const {
        double seconds = 0.0;
        for (auto const& part : parts)
            if (std::ranges::find(names, part.what) != names.end()) seconds += part.cycles.value / frequency;
        return seconds;
    }
};

double share(double part, double whole) { return whole > 0.0 ? part / whole : 0.0; }

/// Adds the launch of the layer, if it takes time, and the stage from which q, k, v start; returns the latter.
std::size_t begin(FlowGraph& graph, SecondsOfParts const& parts, double input) {
    double const launch = parts({"launch of the layer"});
    auto const before = launch > 0.0 ? graph.add("launch of the layer", launch) : 0;
    auto const first = graph.add("input to q, k, v", input);
    if (launch > 0.0) graph.hand_on(before, first, 0.0);
    return first;
}

void add_adapters(FlowGraph& graph, SecondsOfParts const& parts, Bytes const& b, std::size_t from, std::size_t to) {
    double const seconds = parts({"adapters"});
    if (seconds <= 0.0) return;
    auto const adapters = graph.add("adapters", seconds);
    graph.hand_on(from, adapters, b.input);
    graph.hand_on(adapters, to, b.query);
}

/// Adds activation and product of gate and up if they are counted; returns the stage, or 0, which is another one.
std::size_t add_activation(FlowGraph& graph, SecondsOfParts const& parts) {
    double const seconds = parts({activations_part});
    return seconds > 0.0 ? graph.add(std::string(activations_part), seconds) : 0;
}

/// scores -> softmax -> values, with the cache; returns the stages of scores and of values.
struct AttentionStages {
    std::size_t scores = 0, values = 0;
};

AttentionStages attend(FlowGraph& graph, Design const& d, Bytes const& b, double products, double softmax,
                       std::size_t append) {
    double const context = mean_decoded_keys(d);
    AttentionStages a;
    a.scores = graph.add("queries x keys", products / 2.0);
    auto const exponents = graph.add("softmax", softmax);
    a.values = graph.add("scores x values", products / 2.0);
    graph.hand_on(append, a.scores, b.keys * context);
    graph.hand_on(append, a.values, b.keys * context);
    graph.hand_on(a.scores, exponents, b.scores);
    graph.hand_on(exponents, a.values, b.scores);
    return a;
}

/// The serial schedule: a matrix is a stage of its own.
FlowGraph serial_graph(Design const& d, Partition const& p, Bytes const& b, PlacedLayer const& layer,
                       SecondsOfParts const& parts) {
    FlowGraph graph;
    double const sums = parts({"partial sums"}), routes = parts({"routes between matrices"}),
                 crossbars = parts({"crossbars"});
    double const attention = parts({"key and value stream", "routes to keys and values",
                                    "products with keys and values", "attention in the decode region"});
    double hops = 0.0, work = 0.0;
    for (double const leg : layer.fill_legs()) hops += leg + 1.0;  // a leg without hops takes time as well
    auto const additions = [&](Tiling const& t) {
        std::int64_t const rows = d.shares_aggregator() ? t.rows : t.rows - 1;
        return static_cast<double>(rows * sim::divide_up(t.summed, d.parallel_columns) * t.active);
    };
    for (auto const& t : p.matrices) work += additions(t);
    auto const leg = [&](std::size_t i) { return routes * share(layer.fill_legs()[i] + 1.0, hops); };
    auto const matrix = [&](std::string_view name) {
        // A shared expert has matrices of the same name.
        double own = 0.0, named = 0.0;
        for (auto const& t : p.matrices) {
            if (t.name != name) continue;
            own += additions(t);
            named += 1.0;
        }
        if (named == 0.0) return graph.stages.size();
        auto const all = static_cast<double>(p.matrices.size());
        double const one = work > 0.0 ? sums * own / work : sums * named / all;
        return graph.add(std::string(name), one + crossbars * named / all);
    };
    auto const start = begin(graph, parts, leg(0) + leg(1));
    auto const q = matrix("q"), k = matrix("k"), v = matrix("v"), append = graph.add("append k, v", 0.0);
    for (auto const to : {q, k, v}) graph.hand_on(start, to, b.input);
    graph.hand_on(k, append, b.keys);
    graph.hand_on(v, append, b.keys);
    auto const attended = attend(graph, d, b, attention, parts({"softmax"}), append);
    graph.hand_on(q, attended.scores, b.query);
    add_adapters(graph, parts, b, start, attended.scores);
    auto const to_o = graph.add("attention to o", leg(2)), o = matrix("o");
    graph.hand_on(attended.values, to_o, b.query);
    graph.hand_on(to_o, o, b.query);
    auto const to_up = graph.add("input to gate, up", leg(3) + leg(4));
    graph.hand_on(o, to_up, b.input);
    auto const to_down = graph.add("input to down", leg(5) + leg(6));
    auto const activated = add_activation(graph, parts);
    for (auto const* name : {"gate", "up"}) {
        auto const wide = matrix(name);
        if (wide == graph.stages.size()) continue;
        graph.hand_on(to_up, wide, b.input);
        graph.hand_on(wide, activated > 0 ? activated : to_down, b.inner);
    }
    if (activated > 0) graph.hand_on(activated, to_down, b.inner);
    auto const down = matrix("down");
    graph.hand_on(to_down, down, b.inner);
    return graph;
}

/// Tree collectives: one stage of the network after another.
FlowGraph tree_graph(MachineConstants const& m, Design const& d, Bytes const& b, PlacedLayer const& layer,
                     SecondsOfParts const& parts) {
    FlowGraph graph;
    auto const stages = tree_stages(m, d, layer);
    double all = 0.0;
    for (auto const& stage : stages) all += stage.cycles;
    double const collectives = parts({"collectives"}), crossbars = parts({"crossbars"});
    auto const seconds = [&](TreeStageTime const& stage) { return collectives * share(stage.cycles, all); };
    auto const is = [](TreeStageTime const& stage, std::string_view name) { return stage.name == name; };
    std::size_t before = 0;
    double bytes = b.input;
    for (auto const& stage : stages) {
        std::size_t now = 0;
        if (is(stage, "input to q, k, v")) {
            now = begin(graph, parts, seconds(stage) + parts({"walk back to the first layer"}));
        } else if (is(stage, "attention to o")) {
            auto const append = graph.add("append k, v", 0.0);
            graph.hand_on(before, append, 2.0 * b.keys);
            auto const attended = attend(graph, d, b, parts({"keys and values"}), parts({"softmax"}), append);
            graph.hand_on(before, attended.scores, b.query);
            add_adapters(graph, parts, b, before, attended.scores);
            now = graph.add(std::string(stage.name), seconds(stage));
            before = attended.values;
            bytes = b.query;
        } else {
            now = graph.add(std::string(stage.name), seconds(stage) + (is(stage, "down") ? crossbars : 0.0));
        }
        if (now > 0 && !is(stage, "hand over")) graph.hand_on(before, now, bytes);
        if (is(stage, "o") || is(stage, "gather o")) bytes = b.input;
        if (is(stage, "gate, up")) bytes = b.inner;
        before = now;
        auto const activated = is(stage, "gate, up") ? add_activation(graph, parts) : 0;
        if (activated > 0) {
            graph.hand_on(now, activated, b.inner);
            before = activated;
        }
    }
    return graph;
}

}  // namespace

FlowGraph flow_graph_of(MachineConstants const& m, Design const& d, Partition const& p, PlacedLayer const& layer,
                        LayerParts const& token) {
    sim::expects(!d.diffuses(), "a denoising step is a pipeline, not one token");
    auto const b = bytes_of(m, d, p);
    SecondsOfParts const parts{token, d.frequency};
    auto graph =
        d.schedule == Schedule::serial ? serial_graph(d, p, b, layer, parts) : tree_graph(m, d, b, layer, parts);
    graph.title = "one token in one layer of " + d.model->name;
    if (p.all_layers > d.model->layers) graph.title += " (of the first kind)";
    return graph;
}

}  // namespace pimdse::models::cim_mesh
