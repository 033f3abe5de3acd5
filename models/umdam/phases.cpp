#include "models/umdam/phases.hpp"

#include <algorithm>

namespace pimdse::models::umdam {
namespace {

using sim::Bound;
using sim::Bounded;

constexpr int flop_per_attended_pair = 4;  // multiply and add, for scores and for values

class Request {
  public:
    Request(Prepared const& prepared, System const& system, Fidelity fidelity)
        : d_(system),
          machine_(prepared.machine),
          costs_(prepared, system, fidelity),
          fidelity_(fidelity),
          layers_(static_cast<double>(system.model->layers)),
          batch_(static_cast<double>(system.design.batch)),
          prompt_(static_cast<double>(system.design.input)),
          steps_(static_cast<double>(system.design.decode_steps())) {}

    RequestCost run() {
        relayout();
        prefill();
        decode();
        return cost_;
    }

  private:
    Cost& part(Part part) { return cost_.parts[static_cast<std::size_t>(part)]; }
    /// Of one token in one layer.
    [[nodiscard]] double kv_bytes() const {
        return static_cast<double>(sim::kv_elements_per_token(*d_.model)) * machine_.element_bytes;
    }

    void relayout() {
        if (d_.design.baseline != Baseline::relayout) return;
        double bytes = 0.0;
        for (auto const& m : d_.matrices) bytes += m.stored * m.weights() * machine_.element_bytes;
        part(Part::relayout) = costs_.copy(bytes);
    }

    void prefill() {
        double layer = 0.0;
        for (auto const& m : d_.matrices) layer += m.head ? 0.0 : m.stored / layers_ * static_cast<double>(m.bytes);
        // the weights of a layer follow each other in memory: one stream
        weight_stream_ = cost_.npu_bandwidth = costs_.read_bandwidth(layer);
        for (auto const& m : d_.matrices) {
            if (m.head) {
                head_stream_ = costs_.read_bandwidth(static_cast<double>(m.bytes));
                part(Part::prefill_head) += head(m);
            } else {
                part(Part::prefill_weights) +=
                    costs_.gemm(m, batch_ * prompt_ * m.active / m.stored, weight_stream_).times(m.stored);
            }
        }
        double const width = static_cast<double>(d_.model->query_width());
        part(Part::prefill_attention) = costs_.cubes(2.0 * prompt_ * prompt_ * width * batch_ * layers_);
        part(Part::prefill_kv) = costs_.write(prompt_ * batch_ * kv_bytes()).times(layers_);
        double const scores = static_cast<double>(d_.model->heads) * prompt_ * (prompt_ + 1) / 2;
        part(Part::prefill_vector) = vector_work(prompt_, scores);
    }

    /// The LM head of the prefill sees the last position of each request only.
    [[nodiscard]] Cost head(Matrix const& m) {
        bool const on_pim = d_.design.lm_head == LmHead::pim && d_.uses_pim();
        if (!on_pim) return costs_.gemm(m, batch_, head_stream_);
        auto cost = costs_.gemv(m, batch_);
        cost.seconds += costs_.pim_ends();
        return cost;
    }

    void decode() {
        if (steps_ < 1.0) return;
        // at fidelity cycle the steps follow each other as they happen; otherwise equal steps are taken together
        double const together = fidelity_ == Fidelity::cycle ? 1.0 : steps_;
        for (double done = 0.0; done < steps_; done += together) {
            for (auto const& m : d_.matrices)
                part(m.head ? Part::decode_head : Part::decode_weights) += decode_product(m, together);
            for (double step = done + 1.0; step <= done + together; ++step)
                part(Part::decode_attention) += decode_attention(prompt_ + step);
        }
        if (d_.uses_pim()) part(Part::decode_weights).seconds += costs_.pim_ends();
        for (auto const& m : d_.matrices)
            cost_.pim_weight_bytes +=
                d_.uses_pim() ? m.active * batch_ * steps_ * m.weights() * machine_.element_bytes : 0.0;
        double const contexts = steps_ * prompt_ + steps_ * (steps_ + 1) / 2;  // sum of P + i over the steps
        part(Part::decode_kv) = costs_.write(kv_bytes()).times(layers_ * batch_ * steps_);
        if (d_.uses_pim()) share_memory();
        part(Part::decode_vector) = vector_work(steps_, static_cast<double>(d_.model->heads) * contexts);
    }

    /// Turns cost a mode switch each way; side by side, only what outlasts PIM is seen.
    void share_memory() {
        bool const npu_attention = d_.design.attention == AttentionPlace::npu;
        if (d_.design.concurrency == Concurrency::exclusive) {
            double const turns = layers_ * batch_ * steps_ * (npu_attention ? 2.0 : 1.0);
            part(Part::decode_switch).seconds = 2.0 * turns * machine_.pim.mode_switch * d_.standard.clock.si;
            return;
        }
        Bounded pim = part(Part::decode_weights).seconds + part(Part::decode_head).seconds;
        if (!npu_attention) pim += part(Part::decode_attention).seconds;
        auto& beside = part(npu_attention ? Part::decode_attention : Part::decode_kv).seconds;
        Bounded const traffic = npu_attention ? beside + part(Part::decode_kv).seconds : beside;
        part(Part::decode_kv).seconds = {};
        beside = {std::max(0.0, traffic.value - pim.value), std::max(0.0, traffic.low - pim.high),
                  std::max(0.0, traffic.high - pim.low), Bound::calibrated};
    }

    [[nodiscard]] Cost decode_product(Matrix const& m, double steps) {
        if (d_.uses_pim()) return costs_.gemv(m, m.active * batch_ * steps);
        return costs_.gemm(m, batch_, m.head ? head_stream_ : weight_stream_).times(m.active * steps);
    }

    /// All layers of one step that sees `context` tokens.
    [[nodiscard]] Cost decode_attention(double context) {
        double const bytes = context * kv_bytes();
        if (d_.design.attention == AttentionPlace::pim && d_.uses_pim()) {
            return costs_.attention(bytes, static_cast<double>(d_.model->heads / d_.model->kv_heads), layers_ * batch_);
        }
        Cost cost = costs_.read(bytes).times(layers_ * batch_);
        cost += costs_.cubes(flop_per_attended_pair * context * batch_ * static_cast<double>(d_.model->query_width()) *
                             layers_);
        return cost;
    }

    /// Two norms per layer and token, and the softmax of the scores.
    [[nodiscard]] Cost vector_work(double tokens, double scores) const {
        double const norms = 2.0 * tokens * static_cast<double>(d_.model->hidden) * machine_.npu.norm_operations;
        return costs_.vector(batch_ * layers_ * (norms + scores * machine_.npu.softmax_operations));
    }

    System const& d_;
    MachineConstants const& machine_;
    OperationCosts costs_;
    Fidelity fidelity_;
    Bounded weight_stream_, head_stream_;
    double layers_, batch_, prompt_, steps_;
    RequestCost cost_;
};

}  // namespace

Bounded RequestCost::prefill() const {
    Bounded sum;
    for (std::size_t i = 0; i < static_cast<std::size_t>(Part::decode_weights); ++i) sum += parts[i].seconds;
    return sum;
}

Bounded RequestCost::decode() const {
    Bounded sum;
    for (auto i = static_cast<std::size_t>(Part::decode_weights); i < part_count; ++i) sum += parts[i].seconds;
    return sum;
}

Commands RequestCost::commands(Part first, Part behind) const {
    Commands sum;
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(behind); ++i) sum += parts[i].commands;
    return sum;
}

Commands RequestCost::commands() const { return commands(Part::relayout, Part::end); }

RequestCost run_request(Prepared const& prepared, System const& system, Fidelity fidelity) {
    return Request(prepared, system, fidelity).run();
}

}  // namespace pimdse::models::umdam
