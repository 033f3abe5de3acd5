#include "models/cim_mesh/layer/serial_layer.hpp"

#include "models/cim_mesh/layer/analytic.hpp"
#include "sim/base/counting.hpp"
#include "sim/noc/closed_form.hpp"
#include "sim/noc/phase.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::cim_mesh {
namespace {

namespace noc = sim::noc;

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
          flits_(static_cast<std::int32_t>(std::ceil(static_cast<double>(design.crossbar) * machine.value_bits /
                                                     static_cast<double>(design.link_bits)))),
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
            if (fidelity == Fidelity::hybrid) {
                auto const sets = static_cast<double>(sim::divide_up(matrix.cols, design_.parallel_columns));
                // Services of whole hops come from the closed form: a fraction of a cycle per column would add up.
                cycles += sets * (columns(matrix, 0, 0) + fraction(matrix.rows - 1));
                continue;
            }
            for (std::int64_t col = 0; col < matrix.cols; col += design_.parallel_columns) {
                cycles += columns(matrix, col, hops);
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
    [[nodiscard]] double fraction(std::int64_t hops) const { return fraction(hops, machine_.hop_service); }
    [[nodiscard]] static double fraction(std::int64_t hops, double service) {
        double const all = static_cast<double>(hops) * service;
        return all - std::floor(all);
    }

    [[nodiscard]] double columns(PlacedMatrix const& matrix, std::int64_t first, std::int64_t hops_before) const {
        noc::Phase phase;
        for (std::int64_t col = first; col < std::min(matrix.cols, first + design_.parallel_columns); ++col) {
            auto const path = matrix.column(col);
            phase.messages.emplace_back(
                noc::Chain{{path.begin(), path.end()}, flits_, machine_.hop_service, hops_before});
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

/// Communication of the layer: partial sums of a token, keys of the mean token, vectors of the prompt.
struct Communication {
    sim::Bounded partial_sums, keys, vectors;
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

Communication closed(MachineConstants const& machine, Design const& design, Partition const& p, double context) {
    ClosedForm const form(machine, design, p);
    auto const decode = form.decode(context);
    auto const prefill = form.prefill(static_cast<double>(prompt_tokens(design)));
    auto const flits = static_cast<int>(
        std::ceil(static_cast<double>(design.crossbar) * machine.value_bits / static_cast<double>(design.link_bits)));
    auto const shortest = static_cast<double>(noc::closed_form::transfer(router_timing(machine, design), flits));
    double const transfer = form.vector_transfer(), share = transfer / form.hop();
    auto const scaled = [&](double value, double of_it) {
        return rounded(machine.allowance, value, shortened(value, transfer, shortest, of_it));
    };
    return {scaled(decode.partial_sums, share), scaled(decode.key_stream, 1.0), scaled(prefill.vectors, share)};
}

Communication simulated(MachineConstants const& machine, Design const& design, Partition const& p,
                        Placement const& placement, Fidelity fidelity) {
    SerialMesh const mesh(machine, design, p, placement);
    ClosedForm const form(machine, design, p);
    // The multipliers' time hides under the transfer; what does not is service.
    auto const flits = static_cast<int>(
        std::ceil(static_cast<double>(design.crossbar) * machine.value_bits / static_cast<double>(design.link_bits)));
    auto const transfer = static_cast<double>(noc::closed_form::transfer(router_timing(machine, design), flits));
    double const key_service = std::max(
        machine.hop_service, 2.0 * static_cast<double>(sim::divide_up(design.crossbar, design.dmacs)) - transfer);
    double const hops =
        static_cast<double>(prompt_tokens(design)) * machine.prefill_vectors * static_cast<double>(p.n + p.f);
    double keys = 0.0;
    if (fidelity == Fidelity::hybrid) {
        keys = mesh.stream(static_cast<double>(design.input) + static_cast<double>(design.output) / 2.0, key_service);
    } else {
        auto const contexts = static_cast<std::int64_t>(machine.allowance.contexts);
        for (auto const& sample : sampled_contexts(design.input, design.output, contexts))
            keys += sample.weight * mesh.stream_all(sample.context, key_service);
    }
    auto const answer = [&](double v) {
        return fidelity == Fidelity::cycle ? sim::Bounded(v) : rounded(machine.allowance, v, v);
    };
    return {answer(mesh.partial_sums(fidelity)), answer(keys), answer(mesh.stream(hops, machine.hop_service))};
}

}  // namespace

LayerTime serial_layer(MachineConstants const& machine, Design const& design, Partition const& p,
                       Placement const& placement, Fidelity fidelity) {
    ClosedForm const form(machine, design, p);
    double const context = static_cast<double>(design.input) + static_cast<double>(design.output) / 2.0;
    auto const services = form.decode(context);
    auto const prompt = form.prefill(static_cast<double>(prompt_tokens(design)));
    auto const moved = fidelity == Fidelity::analytic ? closed(machine, design, p, context)
                                                      : simulated(machine, design, p, placement, fidelity);
    LayerTime t;
    t.prefill = {{"partial sums", moved.vectors}, {"adapters", prompt.adapters}, {"attention", prompt.attention}};
    if (design.model->attention == sim::Attention::bidirectional) {
        t.decode = t.prefill;
        return t;
    }
    t.decode = {{"partial sums", moved.partial_sums},
                {"key and value stream", moved.keys},
                {"way to keys and values", services.key_distance},
                {"softmax", services.softmax},
                {"adapters", services.adapters},
                {"crossbars", services.crossbars}};
    return t;
}

}  // namespace pimdse::models::cim_mesh
