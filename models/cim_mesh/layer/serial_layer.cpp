#include "models/cim_mesh/layer/serial_layer.hpp"

#include "models/cim_mesh/layer/analytic.hpp"
#include "models/cim_mesh/layer/stage_cost.hpp"
#include "sim/base/counting.hpp"
#include "sim/noc/closed_form.hpp"
#include "sim/noc/phase.hpp"

#include <algorithm>
#include <cmath>

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

/// What of the arithmetic does not hide under the transfer is service.
double unhidden(double arithmetic, double transfer) { return std::max(0.0, arithmetic - transfer); }

/// The chains of the serial schedule on the simulated mesh.
class SerialMesh {
  public:
    SerialMesh(MachineConstants const& machine, Design const& design, Partition const& partition,
               Placement const& placement)
        : machine_(machine),
          design_(design),
          partition_(partition),
          placement_(placement),
          timing_(router_timing(machine, design)),
          flits_(flits_of(machine, design, 1)),
          stretch_(static_cast<std::int64_t>(machine.allowance.stretch_hops)),
          at_once_(static_cast<std::int64_t>(machine.allowance.stretches_together) * stretch_) {}

    /// Partial sums of one token: output columns `parallel_columns` at a time, hybrid one set per matrix, cycle all of
    /// them.
    [[nodiscard]] double partial_sums(Fidelity fidelity) const {
        double cycles = 0.0;
        std::int64_t hops = 0;
        std::vector<std::int64_t> used(partition_.matrices.size(), 0);
        for (auto const& matrix : placement_.matrices) {
            auto const& tiling = partition_.matrices[matrix.tiling];
            if (used[matrix.tiling]++ >= tiling.active || matrix.rows < 2) continue;
            auto const hop = hop_of(tiling.name);
            if (fidelity == Fidelity::hybrid) {
                auto const sets = static_cast<double>(sim::divide_up(tiling.summed, design_.parallel_columns));
                // Services of whole hops come from the closed form: a fraction of a cycle per column would add up.
                cycles += sets * (columns(matrix, hop, 0, 0) + fraction(matrix.rows - 1, hop.service));
                continue;
            }
            for (std::int64_t col = 0; col < tiling.summed; col += design_.parallel_columns) {
                cycles += columns(matrix, hop, col, hops);
                hops += matrix.rows - 1;
            }
        }
        return cycles;
    }

    /// A stream of `hops` vectors past one router, each its transfer and service.
    [[nodiscard]] double stream(double hops, double service) const {
        if (placement_.mesh.nodes() < 2)
            return hops * (static_cast<double>(noc::closed_form::transfer(timing_, flits_)) + service);
        double const one = walk(stretch_, service) / static_cast<double>(stretch_);
        return hops * (one + fraction(stretch_, service) / static_cast<double>(stretch_));
    }

    /// The same, every one of a whole number of hops simulated.
    [[nodiscard]] double stream_all(std::int64_t hops, double service) const {
        double cycles = 0.0;
        if (placement_.mesh.nodes() < 2) return stream(static_cast<double>(hops), service);
        for (std::int64_t done = 0; done < hops; done += at_once_)
            cycles += walk(std::min(at_once_, hops - done), service, done);
        return cycles;
    }

  private:
    /// Flits and service of one hop of a chain: on leap-d, every router sums a piece of the vectors of q, k, v only.
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
    [[nodiscard]] static double fraction(std::int64_t hops, double service) {
        double const all = static_cast<double>(hops) * service;
        return all - std::floor(all);
    }

    [[nodiscard]] double columns(PlacedMatrix const& matrix, Hop const& hop, std::int64_t first,
                                 std::int64_t hops_before) const {
        noc::Phase phase;
        auto const summed = partition_.matrices[matrix.tiling].summed;
        for (std::int64_t col = first; col < std::min(summed, first + design_.parallel_columns); ++col) {
            auto const path = matrix.column(col);
            phase.messages.emplace_back(noc::Chain{{path.begin(), path.end()}, hop.flits, hop.service, hops_before});
        }
        return static_cast<double>(noc::simulate(placement_.mesh, timing_, phase).cycles);
    }

    /// To and fro between two neighbours, a vector per hop.
    [[nodiscard]] double walk(std::int64_t hops, double service, std::int64_t hops_before = 0) const {
        noc::Mesh const pair{1, 2};
        noc::Chain chain{{}, flits_, service, hops_before};
        for (std::int64_t i = 0; i <= hops; ++i) chain.path.push_back(static_cast<noc::Node>(i % 2));
        return static_cast<double>(noc::simulate(pair, timing_, {{chain}, 1}).cycles);
    }

    MachineConstants const& machine_;
    Design const& design_;
    Partition const& partition_;
    Placement const& placement_;
    noc::RouterTiming timing_;
    std::int32_t flits_;
    std::int64_t stretch_;  // hops of one simulated stretch; longer ones are whole numbers of it, hop for hop the same
    std::int64_t at_once_;
};

/// Communication of the layer: partial sums of a token, keys of the mean token, vectors of the prompt (or first
/// denoising step) and of the mean later step.
struct Communication {
    sim::Bounded partial_sums, keys, vectors, later_vectors;
};

/// A simulated sum is rounded to whole cycles once per piece.
sim::Bounded rounded(MachineConstants::Allowances const& allowed, double value, double low) {
    return {value, std::min(low, value) * (1.0 - allowed.rounding_share) - allowed.rounding_cycles,
            value * (1.0 + allowed.rounding_share) + allowed.rounding_cycles, sim::Bound::calibrated};
}

/// Where the simulated transfer lies when the FIFO is short: between what its credits allow and the closed form's
/// stretch.
double shortened(double value, double transfer, double shortest, double share) {
    return value * (1.0 - share * (1.0 - shortest / transfer));
}

/// What the serial schedule is made of at one design.
struct Serial {
    MachineConstants const& machine;
    Design const& design;
    Partition const& parts;
    PlacedLayer const& layer;
    MeshCounts const& counts;
    ClosedForm form{machine, design, parts, counts};
    double context = static_cast<double>(design.input) + static_cast<double>(design.output) / 2.0;
    double first_queries = static_cast<double>(prompt_tokens(design)), mean_queries = later_queries(design);

    [[nodiscard]] PrefillTime pass(double queries) const { return form.pass(queries, first_queries); }
};

Communication closed(Serial const& s) {
    auto const decode = s.form.decode(s.context);
    auto const timing = router_timing(s.machine, s.design);
    auto const shortest = static_cast<double>(noc::closed_form::transfer(timing, flits_of(s.machine, s.design, 1)));
    double const transfer = s.form.vector_transfer(), share = transfer / s.form.hop();
    auto const scaled = [&](double value, double of_it) {
        return rounded(s.machine.allowance, value, shortened(value, transfer, shortest, std::min(1.0, of_it)));
    };
    return {scaled(decode.partial_sums, share), scaled(decode.key_stream, 1.0),
            scaled(s.pass(s.first_queries).vectors, share), scaled(s.pass(s.mean_queries).vectors, share)};
}

Communication simulated(Serial const& s, Fidelity fidelity) {
    SerialMesh const mesh(s.machine, s.design, s.parts, s.layer.placement());
    auto const transfer = static_cast<double>(
        noc::closed_form::transfer(router_timing(s.machine, s.design), flits_of(s.machine, s.design, 1)));
    double const key_service = std::max(s.machine.hop_service, 2.0 * s.form.arithmetic() - transfer);
    double const vector_service = s.machine.hop_service + unhidden(s.form.arithmetic(), transfer);
    double keys = 0.0;
    if (fidelity == Fidelity::hybrid) {
        keys = mesh.stream(s.context, key_service);
    } else {
        auto const contexts = static_cast<std::int64_t>(s.machine.allowance.contexts);
        for (auto const& sample : sampled_contexts(s.design.input, s.design.output, contexts))
            keys += sample.weight * mesh.stream_all(sample.context, key_service);
    }
    auto const answer = [&](double v) {
        return fidelity == Fidelity::cycle ? sim::Bounded(v) : rounded(s.machine.allowance, v, v);
    };
    double const sums = mesh.partial_sums(fidelity) + s.form.way(s.counts.chain_borders);
    auto const vectors = [&](double queries) {
        return answer(mesh.stream(queries * s.form.prompt_hops(), vector_service));
    };
    return {answer(sums), answer(keys), vectors(s.first_queries), vectors(s.mean_queries)};
}

/// leap-d, at the middle context: the query to all routers of the decode region that hold keys, their products, and the
/// sum back over a border each way.
sim::Bounded in_decode_region(Serial const& s, Fidelity fidelity) {
    auto const context = s.design.input + s.design.output / 2;
    auto const timing = router_timing(s.machine, s.design);
    auto const flits = vector_flits(s.machine, s.design);
    auto const& allowed = s.machine.allowance;
    auto const& program = s.layer.program();
    auto const heads = static_cast<double>(sim::divide_up(s.parts.q, s.parts.kv));
    double const products = 2.0 * heads * static_cast<double>(program.keys_per_router(context)) * s.form.arithmetic();
    auto const with = [&](sim::Bounded const& query, sim::Bounded const& sum) {
        return query + sum + sim::Bounded(products + 2.0 * s.form.way(s.machine.border_hops));
    };
    if (fidelity == Fidelity::analytic) {
        auto const& shapes = s.layer.holders(context);
        return with(closed_cost(allowed, timing, shapes.query, flits).first,
                    closed_cost(allowed, timing, shapes.sum, flits).first);
    }
    auto const carrying = program.carrying(flits);
    auto const holders = carrying.holder_count(context);
    auto const cost = [&](Stage const& stage) {
        return simulated_cost(allowed, carrying.mesh(), timing, stage, fidelity).first;
    };
    return with(cost(carrying.query(holders)), cost(carrying.attention_sum(holders)));
}

std::vector<LayerPart> pass_of(Serial const& s, double queries, sim::Bounded const& vectors) {
    auto const pass = s.pass(queries);
    return {{"partial sums", vectors},
            {"ways between matrices", pass.ways},
            {"adapters", pass.adapters},
            {"attention", pass.attention}};
}

}  // namespace

LayerTime serial_layer(MachineConstants const& machine, Design const& design, Partition const& p,
                       PlacedLayer const& layer, MeshCounts const& counts, Fidelity fidelity) {
    Serial const s{machine, design, p, layer, counts};
    auto const services = s.form.decode(s.context);
    auto const moved = fidelity == Fidelity::analytic ? closed(s) : simulated(s, fidelity);
    LayerTime t{pass_of(s, s.first_queries, moved.vectors), {}};
    if (design.diffuses()) {
        t.decode = pass_of(s, s.mean_queries, moved.later_vectors);
        return t;
    }
    t.decode = {{"partial sums", moved.partial_sums}, {"ways between matrices", services.ways}};
    if (design.machine == Machine::leap_d) {
        t.decode.push_back({"attention in the decode region", in_decode_region(s, fidelity)});
    } else {
        t.decode.push_back({"key and value stream", moved.keys});
        t.decode.push_back({"way to keys and values", services.key_distance});
    }
    t.decode.push_back({"softmax", services.softmax});
    t.decode.push_back({"adapters", services.adapters});
    t.decode.push_back({"crossbars", services.crossbars});
    return t;
}

}  // namespace pimdse::models::cim_mesh
