#pragma once

#include "sim/base/bounded.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Equal passes of all requests of a batch, which follow each other through the layers of all kinds and the LM head:
/// each of these works for one request at a time. In seconds.
struct BatchPasses {
    struct Kind {
        double layers = 0.0;
        sim::Bounded layer{};  ///< one request in one of them
    };
    double requests = 1.0;
    std::vector<Kind> kinds{};
    double head = 0.0;  ///< one request

    /// One request through all layers and the head.
    [[nodiscard]] sim::Bounded route() const {
        sim::Bounded all;
        for (auto const& kind : kinds) all += kind.layers * kind.layer;
        return all + head;
    }
    /// All requests through the slowest of these.
    [[nodiscard]] sim::Bounded slowest() const {
        sim::Bounded most = head;
        for (auto const& kind : kinds) most = larger(most, kind.layer);
        return requests * most;
    }
    /// From the first request in an empty machine until the last one has left it.
    [[nodiscard]] sim::Bounded alone() const { return route() + (1.0 - 1.0 / requests) * slowest(); }
    /// Whether a round is as long as the slowest of these takes, for the value and either bound.
    [[nodiscard]] std::array<bool, 3> limits() const {
        auto const one = route(), all = slowest();
        return {all.value > one.value, all.lower > one.lower, all.upper > one.upper};
    }
    /// One pass of every request, each of which follows its last one.
    [[nodiscard]] sim::Bounded round() const { return larger(route(), slowest()); }
};

/// The reprogramming of the adapters of all layers before a prompt, once per `batches` prompts.
struct AdapterSwap {
    struct Kind {
        double layers = 0.0, time = 0.0;  ///< time: s, of a layer
    };
    std::vector<Kind> kinds{};
    double batches = 1.0;

    /// The first layer, before anything runs [s].
    [[nodiscard]] double first() const { return kinds.front().time / batches; }
    /// The part [s] that a prompt does not hide; `prompt(kind)`: its seconds in a layer. The longer a layer takes for
    /// it, the more of the reprogramming of the next layer it hides. Layers of a kind are taken to follow each other.
    template <class Prompt>
    [[nodiscard]] double later(Prompt const& prompt) const {
        double all = 0.0;
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            double const hidden = prompt(i);
            all += (kinds[i].layers - 1.0) * std::max(0.0, kinds[i].time - hidden) / batches;
            if (i + 1 < kinds.size()) all += std::max(0.0, kinds[i + 1].time - hidden) / batches;
        }
        return all;
    }
    /// What a batch waits for, at either end of the times of its prompts: a sum with these grows with them.
    [[nodiscard]] sim::Bounded before(BatchPasses const& prompts) const {
        auto const waited = [&](double sim::Bounded::*end) {
            return first() + later([&](std::size_t kind) { return prompts.kinds[kind].layer.*end; });
        };
        return {waited(&sim::Bounded::value), waited(&sim::Bounded::lower), waited(&sim::Bounded::upper),
                sim::Bound::proved};
    }
};

}  // namespace pimdse::models::cim_mesh
