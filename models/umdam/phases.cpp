#include "models/umdam/phases.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <vector>

namespace pimdse::models::umdam {
namespace {

using sim::Bound;
using sim::Bounded;

constexpr int flop_per_attended_pair = 4;  // multiply and add, for scores and for values

/// Where the costs of a denoising step belong.
struct StepParts {
    Part weights, head, attention, kv, vector;
};
constexpr StepParts first_step{Part::prefill_weights, Part::prefill_head, Part::prefill_attention, Part::prefill_kv,
                               Part::prefill_vector};
constexpr StepParts steps_behind{Part::decode_weights, Part::decode_head, Part::decode_attention, Part::decode_kv,
                                 Part::decode_vector};

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
          steps_(static_cast<double>(system.design.decode_steps())),
          block_(static_cast<double>(system.design.block_length)) {}

    RequestCost run() {
        measure_streams();
        if (d_.design.diffuses()) {
            denoise();
            return cost_;
        }
        if (d_.design.baseline == Baseline::relayout) part(Part::relayout) = relayout();
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

    /// All weights from one layout to the other.
    [[nodiscard]] Cost relayout() const {
        double bytes = 0.0;
        for (auto const& m : d_.matrices) bytes += m.stored * m.weights() * machine_.element_bytes;
        return costs_.copy(bytes);
    }

    /// The weights of a layer follow each other in memory: one stream.
    void measure_streams() {
        double layer = 0.0;
        for (auto const& m : d_.matrices) layer += m.head ? 0.0 : m.stored / layers_ * static_cast<double>(m.bytes);
        if (fidelity_ == Fidelity::cycle) foresee_weights(layer);
        for (auto const& m : d_.matrices) {
            if (m.head) head_stream_ = costs_.read_bandwidth(static_cast<double>(m.bytes));
        }
        weight_stream_ = cost_.npu_bandwidth = costs_.read_bandwidth(layer);
    }

    /// A layer's, and those of each matrix, all of which some product reads.
    void foresee_weights(double layer) {
        std::vector<double> bytes{layer};
        for (auto const& m : d_.matrices) bytes.push_back(static_cast<double>(m.bytes));
        costs_.foresee_reads(bytes);
    }

    /// A matrix of all layers with this many rows of inputs on the NPU, `steps` times. Of experts those are read that
    /// some row chooses; rows are shared out evenly among these.
    [[nodiscard]] Cost product(Matrix const& m, double rows, double steps = 1.0) const {
        auto const& model = *d_.model;
        double const touched = m.experts ? sim::touched_experts(model, rows) / static_cast<double>(model.experts) : 1.0;
        double const used = m.stored * touched, share = m.experts ? rows * m.active / used : rows;
        return costs_.gemm(m, share, m.head ? head_stream_ : weight_stream_).times(used * steps);
    }

    void prefill() {
        for (auto const& m : d_.matrices) {
            if (m.head)
                part(Part::prefill_head) += head(m);
            else
                part(Part::prefill_weights) += product(m, batch_ * prompt_);
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
        if (!attends_in_memory()) costs_.foresee_reads({d_.design.input + 1, sim::whole_part(steps_)}, kv_bytes());
        for (double done = 0.0; done < steps_; done += together) {
            for (auto const& m : d_.matrices)
                part(m.head ? Part::decode_head : Part::decode_weights) += decode_product(m, together);
            part(Part::decode_attention) += decode_attention(done, together);
        }
        if (d_.uses_pim()) part(Part::decode_weights).seconds += cost_.refreshed = costs_.pim_ends();
        for (auto const& m : d_.matrices)
            cost_.pim_weight_bytes +=
                d_.uses_pim() ? m.active * batch_ * steps_ * m.weights() * machine_.element_bytes : 0.0;
        double const contexts = steps_ * prompt_ + steps_ * (steps_ + 1) / 2;  // sum of P + i over the steps
        part(Part::decode_kv) = costs_.write(kv_bytes()).times(layers_ * batch_ * steps_);
        if (d_.uses_pim()) share_memory();
        part(Part::decode_vector) = vector_work(steps_, static_cast<double>(d_.model->heads) * contexts);
    }

    /// What a denoising step asks for: positions it computes, and all it sees.
    struct Step {
        double queries = 0.0, context = 0.0;
    };
    struct StepCost {
        Cost weights, head, attention, kv, vector;
    };

    /// A step on the NPU; where all positions are computed, keys and values do not come from memory.
    [[nodiscard]] StepCost step(Step const& s) const {
        StepCost cost;
        for (auto const& m : d_.matrices) {
            if (m.head)
                cost.head += costs_.gemm(m, batch_ * block_, head_stream_);
            else
                cost.weights += product(m, batch_ * s.queries);
        }
        auto const width = static_cast<double>(d_.model->query_width());
        if (s.queries < s.context) cost.attention = costs_.read(s.context * kv_bytes()).times(layers_ * batch_);
        cost.attention += costs_.cubes(flop_per_attended_pair * s.queries * s.context * width * batch_ * layers_);
        cost.kv = costs_.write(s.queries * batch_ * kv_bytes()).times(layers_);
        cost.vector = vector_work(s.queries, static_cast<double>(d_.model->heads) * s.queries * s.context);
        cost.vector += costs_.vector(batch_ * block_ * static_cast<double>(d_.model->vocabulary) *
                                     machine_.npu.softmax_operations);
        return cost;
    }

    void add(StepCost const& cost, StepParts const& to, double times) {
        part(to.weights) += cost.weights.times(times);
        part(to.head) += cost.head.times(times);
        part(to.attention) += cost.attention.times(times);
        part(to.kv) += cost.kv.times(times);
        part(to.vector) += cost.vector.times(times);
    }

    /// Each block is a step over all positions and `steps` - 1 over what the cache leaves.
    void denoise() {
        double const context = prompt_ + static_cast<double>(d_.design.output);
        double const blocks = static_cast<double>(d_.design.output) / block_;
        double const later = static_cast<double>(d_.design.steps - 1);
        auto const whole = step({context, context});
        add(whole, first_step, 1.0);
        add(whole, steps_behind, blocks - 1.0);
        if (later == 0.0) return;
        if (d_.design.step_cache != StepCache::prefix) {
            later_steps({d_.design.step_cache == StepCache::none ? context : block_, context}, blocks * later);
        } else {
            steps_of_prefixes(later, context);
        }
        if (in_banks()) turns(blocks, blocks * later);
    }

    /// A step computes the block and all behind it; of very many blocks one stands for its neighbours.
    void steps_of_prefixes(double later, double context) {
        std::int64_t const blocks = d_.design.output / d_.design.block_length;
        auto const together = sim::divide_up(blocks, sim::whole_part(machine_.prefix_blocks));
        for (std::int64_t first = 0; first < blocks; first += together) {
            auto const behind = std::min(blocks, first + together);
            auto const left = blocks - (first + behind - 1) / 2;
            later_steps({static_cast<double>(left * d_.design.block_length), context},
                        later * static_cast<double>(behind - first));
        }
    }

    [[nodiscard]] bool in_banks() const { return d_.design.denoising == Denoiser::pim && d_.uses_pim(); }

    void later_steps(Step const& s, double times) {
        auto cost = step(s);
        if (in_banks()) cost.weights = cost.head = {};
        add(cost, steps_behind, times);
        if (!in_banks()) return;
        for (auto const& m : d_.matrices) {
            double const vectors = batch_ * times * (m.head ? block_ : s.queries);
            part(m.head ? Part::decode_head : Part::decode_weights) += costs_.gemv(m, m.active * vectors);
            cost_.pim_weight_bytes += m.active * vectors * m.weights() * machine_.element_bytes;
        }
    }

    /// Banks and NPU take turns twice a layer of every step in the banks; a layout for either moves weights to and fro.
    void turns(double blocks, double steps) {
        part(Part::decode_weights).seconds += cost_.refreshed = costs_.pim_ends();
        part(Part::decode_switch).seconds =
            2.0 * 2.0 * layers_ * steps * machine_.pim.mode_switch * d_.standard.clock.si;
        if (d_.design.baseline == Baseline::relayout)
            part(Part::decode_relayout) = relayout().times(2.0 * blocks - 1.0);
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
        // The ends are those that add up, with PIM's, to the longer of both.
        beside = {std::max(0.0, traffic.value - pim.value), std::max(0.0, traffic.low - pim.low),
                  std::max(0.0, traffic.high - pim.high), traffic.kinds.weaker(pim.kinds)};
    }

    [[nodiscard]] Cost decode_product(Matrix const& m, double steps) {
        if (d_.uses_pim()) return costs_.gemv(m, m.active * batch_ * steps);
        return product(m, batch_, steps);
    }

    [[nodiscard]] bool attends_in_memory() const { return d_.design.attention == AttentionPlace::pim && d_.uses_pim(); }

    /// All layers of `count` steps behind `done` others.
    [[nodiscard]] Cost decode_attention(double done, double count) {
        Contexts const contexts{d_.design.input + sim::whole_part(done) + 1, sim::whole_part(count)};
        if (attends_in_memory()) {
            auto const token = sim::whole_part(kv_bytes());
            auto const queries = static_cast<double>(d_.model->heads / d_.model->kv_heads);
            return costs_.attention(contexts, token, queries, layers_ * batch_);
        }
        Cost cost = costs_.growing_reads(contexts, kv_bytes(), layers_ * batch_);
        double const tokens = count * (prompt_ + done) + count * (count + 1) / 2;
        cost += costs_.cubes(flop_per_attended_pair * tokens * batch_ * static_cast<double>(d_.model->query_width()) *
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
    double layers_, batch_, prompt_, steps_, block_;
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
