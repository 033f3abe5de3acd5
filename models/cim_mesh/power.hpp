#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/layer/partition.hpp"
#include "sim/base/bounded.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Times of passes [cycles]: one layer in the first pass (the prompt, or the first denoising step), one layer in the
/// mean later pass, and the LM head in either.
struct PassCycles {
    sim::Bounded first, later;
    double head = 0.0, later_head = 0.0;
};

/// Times of a whole batch [s]. Its requests follow each other through the layers, so that a pass of one request is in
/// each layer once, and an active layer serves one request.
struct RequestTime {
    double load = 0.0;  ///< cells are programmed, before anything runs
    double reprogram_first =
        0.0;  ///< LoRA of the first layer, before anything runs, mean over the requests that use it
    sim::Bounded reprogram_later;  ///< part that the previous layer does not hide, likewise
    sim::Bounded prefill;          ///< first pass of one request, all layers
    double head = 0.0;             ///< the LM head in the first pass of one request
    double later_head = 0.0;       ///< the same in a later pass
    sim::Bounded behind;           ///< first passes after that of the first request
    sim::Bounded round;            ///< one later pass of every request
    double waiting = 0.0;          ///< part of a round in which a request waits for the others
    sim::Bounded first_ttft;       ///< until the first request of the batch has its first token
    sim::Bounded ttft;             ///< until every request of the batch has its first token
    sim::Bounded itl;              ///< does not apply to a single output token
    sim::Bounded latency;
    sim::Bounded rounds;           ///< all later passes
    sim::Bounded prompts_at_work;  ///< layer-seconds of the first passes of all requests
    sim::Bounded later_at_work;    ///< layer-seconds of the later passes of all requests
    double passes = 0.0;           ///< number of later passes of a request
};

/// Time [s] to reprogram the adapters of one layer.
[[nodiscard]] double reprogram_time(MachineConstants const& machine, Design const& design, Partition const& partition);

/// The reprogramming of the adapters of all layers before a prompt, once per `batches` prompts.
struct AdapterSwap {
    std::vector<double> times;  ///< s, of a layer of each kind
    std::vector<double> layers;
    double batches = 1.0;

    /// The first layer, before anything runs [s].
    [[nodiscard]] double first() const { return times.front() / batches; }
    /// The part [s] that a prompt does not hide; `prompt(kind)`: its seconds in a layer. The longer a layer takes for
    /// it, the more of the reprogramming of the next layer it hides. Layers of a kind are taken to follow each other.
    template <class Prompt>
    [[nodiscard]] double later(Prompt const& prompt) const {
        double all = 0.0;
        for (std::size_t i = 0; i < times.size(); ++i) {
            double const hidden = prompt(i);
            all += (layers[i] - 1.0) * std::max(0.0, times[i] - hidden) / batches;
            if (i + 1 < times.size()) all += std::max(0.0, times[i + 1] - hidden) / batches;
        }
        return all;
    }
};

/// The passes of the layers of one kind.
struct KindPasses {
    Design const* design = nullptr;
    Partition const* partition = nullptr;
    PassCycles pass;
};
/// The times of a batch from those of its passes. Layers of a kind are taken to follow each other: it matters for the
/// part of the reprogramming that the layer before does not hide.
[[nodiscard]] RequestTime compose(MachineConstants const& machine, std::span<KindPasses const> kinds);
/// The same times with the layer-seconds of one kind.
[[nodiscard]] RequestTime of_kind(RequestTime time, KindPasses const& kind);

/// The papers' own accounting: active power [W] of one router-PE pair by macro, from published powers, scaled as
/// README.md describes. The metrics of energy and power are counted from events (events.hpp); this is for comparison.
struct PairPower {
    double crossbar = 0.0;                   ///< RRAM with its converters
    double adapters = 0.0, retention = 0.0;  ///< SRAM-DCIM: active; retaining its adapters
    double scratchpad = 0.0;                 ///< active or waiting
    double router = 0.0;
    double region_pads = 0.0, region_router = 0.0;  ///< leap-d: in a macro of the decode region
    bool gated = false;                             ///< crossbar and router are off while the pair waits

    [[nodiscard]] double active() const { return crossbar + adapters + scratchpad + router; }
    [[nodiscard]] double kept() const { return scratchpad + retention; }
    [[nodiscard]] double ungated() const { return crossbar + router + kept(); }
    [[nodiscard]] double idle() const { return gated ? kept() : ungated(); }
};
[[nodiscard]] PairPower pair_power(MachineConstants const& machine, Design const& design);

/// Numbers of powered pairs: whole mesh columns, because a column is switched as a unit.
struct Powered {
    double crossbars = 0.0;      ///< pairs of a layer with weights
    double active = 0.0;         ///< the same, times the share of this kind in all layers
    double layer = 0.0;          ///< pairs of a layer, in whole columns
    double tables = 0.0;         ///< pairs of embedding and LM head, in whole columns
    double layers = 0.0;         ///< layers of the model
    double decode_macros = 0.0;  ///< macros of the decode region, all layers
    double control = 0.0;        ///< power of the control of all tiles, W
};
/// `columns`: number of mesh columns of a layer with a crossbar.
[[nodiscard]] Powered powered(MachineConstants const& machine, Design const& design, Partition const& partition,
                              std::int64_t columns);

/// Power [W] by the states of the published figures: one layer active, all others and the tables idle.
[[nodiscard]] double average_power(Powered const& counts, PairPower const& power);
/// leap-a and leap-d: the power [W] in LEAP, of the same number of macros for every model; otherwise `average`.
[[nodiscard]] double paper_power(MachineConstants const& machine, Design const& design, PairPower const& power,
                                 double average);

/// Area [m2] of the macros of one compute tile.
struct MacroArea {
    double rram = 0.0, sram = 0.0, scratchpad = 0.0;
    double fifos = 0.0, links = 0.0, multipliers = 0.0;  ///< parts of the routers
    double control = 0.0;
    double softmax = 0.0;             ///< units of their own, besides what a router has
    double die_links = 0.0;           ///< links of their own to other tiles
    double rram_at_full_speed = 0.0;  ///< with converters for products that a transfer hides
    double routers_of_a_pair = 1.0;   ///< leap-d: two

    [[nodiscard]] double routers() const { return fifos + links + multipliers + softmax; }
    [[nodiscard]] double pairs() const { return rram + sram + scratchpad + routers(); }
    [[nodiscard]] double tile() const {
        return rram + sram + scratchpad + fifos + links + multipliers + control + softmax + die_links;
    }
};
[[nodiscard]] MacroArea tile_area(MachineConstants const& machine, Design const& design, Partition const& partition);

/// Area [m2] for keys and values besides the compute tiles, all layers: arrays, or digital units. 0 for routers.
[[nodiscard]] double dynamic_area(MachineConstants const& machine, Design const& design, Partition const& partition);

}  // namespace pimdse::models::cim_mesh
