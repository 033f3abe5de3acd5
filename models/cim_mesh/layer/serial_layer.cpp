#include "models/cim_mesh/layer/serial_layer.hpp"

#include "models/cim_mesh/layer/macros.hpp"
#include "models/cim_mesh/layer/spaced_contexts.hpp"
#include "models/cim_mesh/layer/stage_cost.hpp"
#include "sim/base/counting.hpp"
#include "sim/noc/closed_form.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

namespace pimdse::models::cim_mesh {
namespace {

namespace noc = sim::noc;

std::int32_t flits_of(MachineConstants const& machine, Design const& design, std::int64_t pieces) {
    double const bits = static_cast<double>(design.crossbar) * machine.value_bits;
    return static_cast<std::int32_t>(std::ceil(bits / static_cast<double>(design.link_bits * pieces)));
}

/// Cycles of the multipliers for one of `pieces` of a vector.
double additions_of(Design const& design, std::int64_t pieces) {
    return static_cast<double>(sim::divide_up(sim::divide_up(design.crossbar, pieces), design.dmacs));
}

/// The part of the arithmetic that the transfer does not hide, which counts as service.
double unhidden(double arithmetic, double transfer) { return std::max(0.0, arithmetic - transfer); }

/// The chains of the serial schedule. No two of them share a router, so that the closed form gives exactly the time of
/// the network for each of them, with any FIFO (tested). Nothing needs to be simulated.
class Chains {
  public:
    Chains(MachineConstants const& machine, Design const& design, Partition const& partition, bool alone)
        : machine_(machine),
          design_(design),
          partition_(partition),
          alone_(alone),
          timing_(router_timing(machine, design)),
          flits_(flits_of(machine, design, 1)),
          stretch_(static_cast<std::int64_t>(machine.allowance.stretch_hops)) {}

    /// Cycles of the partial sums of one token: `parallel_columns` output columns at a time, one set after another.
    [[nodiscard]] double partial_sums() const {
        noc::Cycle cycles = 0;
        std::int64_t hops = 0;
        for (auto const& tiling : partition_.matrices) {
            auto const hop = hop_of(tiling.name);
            auto const sets = sim::divide_up(tiling.summed, design_.parallel_columns) * tiling.active;
            std::int64_t const more = sets * (tiling.rows - 1);
            cycles += noc::closed_form::chain(timing_, more, hop.flits, hop.service, hops);
            hops += more;
        }
        return static_cast<double>(cycles);
    }

    /// Cycles of a stream of `hops` vectors past one router, each with its transfer and service.
    [[nodiscard]] double stream(double hops, double service) const {
        if (alone_) return hops * (static_cast<double>(noc::closed_form::transfer(timing_, flits_)) + service);
        double const all = static_cast<double>(stretch_) * service;
        double const one = walk(stretch_, service) / static_cast<double>(stretch_);
        return hops * (one + (all - std::floor(all)) / static_cast<double>(stretch_));
    }

    /// The same for a whole number of hops, in whole cycles.
    [[nodiscard]] double stream_all(std::int64_t hops, double service) const {
        return alone_ ? stream(static_cast<double>(hops), service) : walk(hops, service);
    }

  private:
    /// Flits and service of one hop of a chain. On leap-d, every router sums only a piece of the vectors of q, k, v.
    struct Hop {
        std::int32_t flits;
        double service;
    };
    [[nodiscard]] Hop hop_of(std::string_view matrix) const {
        bool const scattered = design_.machine == Machine::leap_d && (matrix == "q" || matrix == "k" || matrix == "v");
        std::int64_t const pieces = scattered ? partition_.n : 1;
        auto const flits = flits_of(machine_, design_, pieces);
        auto const transfer = static_cast<double>(noc::closed_form::transfer(timing_, flits));
        return {flits, machine_.hop_service + unhidden(additions_of(design_, pieces), transfer)};
    }

    /// A chain between two neighbours, with a vector per hop.
    [[nodiscard]] double walk(std::int64_t hops, double service) const {
        return static_cast<double>(noc::closed_form::chain(timing_, hops, flits_, service));
    }

    MachineConstants const& machine_;
    Design const& design_;
    Partition const& partition_;
    bool alone_;  // whether there is a single router and no link
    noc::RouterTiming timing_;
    std::int32_t flits_;
    std::int64_t stretch_;
};

/// Inputs and terms of the serial schedule for one design.
struct Serial {
    Serial(MachineConstants const& m, Design const& d, Partition const& p, MeshCounts const& on_layer)
        : machine(m), design(d), parts(p), counts(on_layer), sums(partial_sums()), still(form.without_keys()) {}

    MachineConstants const& machine;
    Design const& design;
    Partition const& parts;
    MeshCounts const& counts;
    ClosedForm form{machine, design, parts, counts};
    Chains chains{machine, design, parts, design.pairs_per_tile() * parts.placed_tiles < 2};
    double transfer =
        static_cast<double>(noc::closed_form::transfer(router_timing(machine, design), flits_of(machine, design, 1)));
    double sums;       ///< cycles of the partial sums of a token
    DecodeTime still;  ///< what does not depend on its keys
    double shared = form.queries_per_key();
    double key_service =
        std::max(machine.hop_service + form.slower_keys(), 2.0 * shared * form.arithmetic() - transfer);

    /// Cycles of the keys and values of `context` tokens. If a group shares keys, each of its slices takes a share.
    [[nodiscard]] double keys(std::int64_t context) const {
        if (shared == 1.0) return chains.stream_all(context, key_service);
        return chains.stream(static_cast<double>(context) / shared, key_service);
    }
    [[nodiscard]] double partial_sums() const {
        double const all = design.shares_aggregator() ? form.shared_additions() : chains.partial_sums();
        return all + form.route(counts.chain_borders);
    }
    /// Busy times of units per token of a prompt.
    [[nodiscard]] PromptUnits units() const {
        double const service = machine.hop_service + unhidden(form.arithmetic(), transfer);
        return form.units(chains.stream(form.prompt_hops(), service));
    }
};

/// leap-d: the query to all routers of the decode region that hold keys, their products, and the sum back, with a
/// border in each direction.
sim::Bounded with_products(Serial const& s, std::int64_t keys_per_router, sim::Bounded const& query,
                           sim::Bounded const& sum) {
    auto const heads = static_cast<double>(sim::divide_up(s.parts.q, s.parts.kv));
    double const products = 2.0 * heads * static_cast<double>(keys_per_router) * s.form.arithmetic();
    return query + sum + sim::Bounded(products + 2.0 * s.form.route(border_hops(s.machine, s.design)));
}

/// leap-d: the query to the routers of the decode region that hold the keys of `context` tokens, and the sum back.
std::pair<sim::Bounded, sim::Bounded> region_stages(Serial const& s, std::int64_t context, PlacedLayer const& layer,
                                                    Fidelity fidelity) {
    auto const timing = router_timing(s.machine, s.design);
    auto const flits = vector_flits(s.machine, s.design);
    auto const& allowed = s.machine.allowance;
    auto const& shapes = layer.owners(context);
    auto const carrying = layer.program().carrying(flits);
    auto const cost = [&](StageShape const& shape, auto const& stage) {
        bool const simulated = fidelity == Fidelity::cycle && !is_exact(timing, shape.kind);
        return (simulated ? simulated_cost(allowed, carrying.mesh(), timing, stage())
                          : closed_cost(allowed, timing, shape, flits))
            .first;
    };
    auto const owners = carrying.holder_count(context);
    return {cost(shapes.query, [&] { return carrying.query(owners); }),
            cost(shapes.sum, [&] { return carrying.attention_sum(owners); })};
}

/// Attention with the keys of `context` tokens.
sim::Bounded in_decode_region(Serial const& s, std::int64_t context, PlacedLayer const& layer, Fidelity fidelity) {
    auto const [query, sum] = region_stages(s, context, layer, fidelity);
    return with_products(s, layer.program().keys_per_router(context), query, sum);
}

/// The same where stages are simulated at some contexts.
struct SpacedRegion {
    PlacedLayer const& layer;
    SpacedContexts contexts;
};
sim::Bounded in_decode_region(Serial const& s, std::int64_t context, SpacedRegion const& region) {
    auto const both = [&](std::int64_t at, Fidelity fidelity) {
        auto const [query, sum] = region_stages(s, at, region.layer, fidelity);
        return query + sum;
    };
    auto const simulated = [&](std::int64_t at) { return both(at, Fidelity::cycle); };
    double const stages = region.contexts.at(context, simulated, both(context, Fidelity::analytic));
    return with_products(s, region.layer.program().keys_per_router(context), stages, 0.0);
}

/// Its lower bound for every placement of the keys.
sim::Bounded in_decode_region(Serial const& s, std::int64_t context, LayerLowerBound const& layer) {
    auto const timing = router_timing(s.machine, s.design);
    auto const flits = vector_flits(s.machine, s.design);
    auto const min = [&](StageShape const& shape) {
        return sim::Bounded(closed_cost(s.machine.allowance, timing, shape, flits).first.lower);
    };
    return with_products(s, layer.keys_per_router(context), min(layer.query(context)), min(layer.sum(context)));
}

/// Sets the parts of one token, as LayerPasses::position. `layer` and `options` are passed to in_decode_region().
template <class Layer, class... Options>
void token(Serial const& s, std::int64_t keys, LayerParts& parts, Layer const& layer, Options... options) {
    auto const context = static_cast<double>(keys);
    if (!parts.empty() && s.design.multiplies_in_routers() && s.design.machine != Machine::leap_d) {
        auto const of_keys = parts.end() - 5;  // all others are the same for any keys
        of_keys[0].cycles = s.keys(keys);
        of_keys[1].cycles = s.form.key_routes(context);
        of_keys[2].cycles = s.form.softmax(context);
        return;
    }
    parts.clear();
    parts.reserve(max_parts);
    parts.push_back({"partial sums", s.sums});
    parts.push_back({"routes between matrices", s.still.routes});
    add_activations(parts, s.still.activations);
    if (s.design.machine == Machine::leap_d) {
        parts.push_back({"attention in the decode region", in_decode_region(s, keys, layer, options...)});
    } else if (!s.design.multiplies_in_routers()) {
        auto const services = s.form.with_keys(s.still, context);
        parts.push_back({"products with keys and values", services.key_stream, true});
        parts.push_back({"routes to keys and values", services.key_distance});
    } else {
        parts.push_back({"key and value stream", s.keys(keys), true});
        parts.push_back({"routes to keys and values", s.form.key_routes(context)});
    }
    parts.push_back({"softmax", s.form.softmax(context), true});
    parts.push_back({"adapters", s.still.adapters, true});
    parts.push_back({"crossbars", s.still.crossbars, true});
}

LayerPasses passes_of(std::shared_ptr<Serial const> const& s, std::function<void(std::int64_t, LayerParts&)> position) {
    return {std::move(position), [s, units = s->units()](LayerParts const& last, Before const& before) {
                return pipelined(last, before(units));
            }};
}

}  // namespace

bool simulates_trees(MachineConstants const& machine, Design const& design) {
    if (design.machine != Machine::leap_d || design.diffuses()) return false;
    auto const timing = router_timing(machine, design);
    return !is_exact(timing, StageKind::broadcast) || !is_exact(timing, StageKind::reduction);
}

LayerPasses serial_passes(MachineConstants const& machine, Design const& design, Partition const& p,
                          PlacedLayer const& layer, MeshCounts const& counts, Fidelity fidelity) {
    auto const s = std::make_shared<Serial const>(machine, design, p, counts);
    if (fidelity == Fidelity::cycle && simulates_trees(machine, design)) {
        auto const contexts = static_cast<std::int64_t>(machine.allowance.contexts);
        auto const region =
            std::shared_ptr<SpacedRegion const>(new SpacedRegion{layer, {layer.program().filling_context(), contexts}});
        return passes_of(s, [s, region](std::int64_t keys, LayerParts& to) { token(*s, keys, to, *region); });
    }
    return passes_of(
        s, [s, &layer, fidelity](std::int64_t keys, LayerParts& to) { token(*s, keys, to, layer, fidelity); });
}

LayerPasses serial_lower_bound(MachineConstants const& machine, Design const& design, Partition const& p,
                               LayerLowerBound const& layer, MeshCounts const& counts) {
    auto const s = std::make_shared<Serial const>(machine, design, p, counts);
    return passes_of(s, [s, &layer](std::int64_t keys, LayerParts& to) { token(*s, keys, to, layer); });
}

}  // namespace pimdse::models::cim_mesh
