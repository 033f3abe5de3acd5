#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/layer/partition.hpp"
#include "sim/base/bounded.hpp"

namespace pimdse::models::cim_mesh {

/// What a pass takes, cycles: one layer in the first pass (the prompt, or the first denoising step) and in the mean
/// later one, and the LM head.
struct PassCycles {
    sim::Bounded first, later;
    double head = 0.0;
};

/// Times of a whole batch, s. Its requests follow each other through the layers, so that a pass of one request is in
/// each layer once, and a layer at work has one request.
struct RequestTime {
    double reprogram_first = 0.0;  ///< LoRA of the first layer, before anything runs
    sim::Bounded reprogram_later;  ///< what does not hide under the layer before
    sim::Bounded prefill;          ///< first pass of one request, all layers
    double head = 0.0;             ///< the LM head in one pass of one request
    sim::Bounded behind;           ///< first passes that follow the first request's
    sim::Bounded round;            ///< one later pass of every request
    double waiting = 0.0;          ///< of a round: the request waits for the others
    sim::Bounded first_ttft;       ///< until the first request of the batch has its first token
    sim::Bounded ttft;             ///< until every request of the batch has its first token
    sim::Bounded itl;              ///< does not apply to a single token
    sim::Bounded latency;
    sim::Bounded rounds;           ///< all later passes
    sim::Bounded prompts_at_work;  ///< layer-seconds of first passes of all requests
    sim::Bounded later_at_work;    ///< the same of later passes
    double passes = 0.0;           ///< later ones of a request
};

/// Seconds to reprogram the adapters of one layer.
[[nodiscard]] double reprogram_time(MachineConstants const& machine, Design const& design, Partition const& partition);

/// Composes layers, passes and requests.
[[nodiscard]] RequestTime compose(MachineConstants const& machine, Design const& design, Partition const& partition,
                                  PassCycles const& pass);

/// What `f` of numbers is at their values and at both ends, where it grows with all of them together.
template <class F, class... Numbers>
[[nodiscard]] sim::Bounded growing(F const& f, Numbers const&... numbers) {
    sim::BoundKinds kinds = sim::Bound::proved;
    ((kinds = kinds.weaker(numbers.kinds)), ...);
    return {f(numbers.value...), f(numbers.lower...), f(numbers.upper...), kinds};
}

/// The papers' own account: power of one router-PE pair by what draws it while it works, W, the published unit powers,
/// scaled as README.md says. What a design draws is counted from events (events.hpp); this stands beside it.
struct PairPower {
    double crossbar = 0.0;                   ///< RRAM with its converters
    double adapters = 0.0, retention = 0.0;  ///< of the SRAM-DCIM: at work; keeping its adapters
    double scratchpad = 0.0;                 ///< at work or not
    double router = 0.0;
    double region_pads = 0.0, region_router = 0.0;  ///< leap-d: of a macro of the decode region
    bool gated = false;                             ///< crossbar and router are off while the pair waits

    [[nodiscard]] double active() const { return crossbar + adapters + scratchpad + router; }
    [[nodiscard]] double kept() const { return scratchpad + retention; }
    [[nodiscard]] double ungated() const { return crossbar + router + kept(); }
    [[nodiscard]] double idle() const { return gated ? kept() : ungated(); }
};
[[nodiscard]] PairPower pair_power(MachineConstants const& machine, Design const& design);

/// Pairs that are powered: whole mesh columns, since a column is switched as one.
struct Powered {
    double crossbars = 0.0;      ///< of a layer, with weights
    double layer = 0.0;          ///< of a layer, whole columns
    double tables = 0.0;         ///< of embedding and LM head, whole columns
    double layers = 0.0;         ///< of the model
    double decode_macros = 0.0;  ///< of the decode region, all layers
    double control = 0.0;        ///< W, all tiles
};
/// columns: mesh columns of a layer with a crossbar.
[[nodiscard]] Powered powered(MachineConstants const& machine, Design const& design, Partition const& partition,
                              std::int64_t columns);

/// Static state count of the published figures: one layer active, all others and the tables idle, W.
[[nodiscard]] double average_power(Powered const& counts, PairPower const& power);
/// Share of the average power that gating saves against no gating, 0..1.
[[nodiscard]] double gating_saving(MachineConstants const& machine, Design const& design, Powered const& counts);
/// leap-a and leap-d: the power LEAP prints, of as many macros as it counts for every model, W; else `average`.
[[nodiscard]] double paper_power(MachineConstants const& machine, Design const& design, PairPower const& power,
                                 double average);

/// Macros of a design, m2.
struct MacroArea {
    double rram = 0.0, sram = 0.0, scratchpad = 0.0;     ///< of one compute tile
    double fifos = 0.0, links = 0.0, multipliers = 0.0;  ///< of its routers
    double control = 0.0;
    double rram_at_full_speed = 0.0;  ///< with the converters of products that hide under a transfer
    double routers_of_a_pair = 1.0;   ///< leap-d: two

    [[nodiscard]] double tile() const { return rram + sram + scratchpad + fifos + links + multipliers + control; }
};
[[nodiscard]] MacroArea tile_area(MachineConstants const& machine, Design const& design, Partition const& partition);

}  // namespace pimdse::models::cim_mesh
