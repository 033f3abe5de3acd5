#include "models/umdam/request.hpp"

#include "sim/base/counting.hpp"

#include <vector>

/// What all phases of a request have in common, and the prefill.
namespace pimdse::models::umdam {

using sim::Bounded;

Request::Request(Prepared const& prepared, System const& system, Fidelity fidelity)
    : d_(system),
      machine_(prepared.machine),
      costs_(prepared, system, fidelity),
      fidelity_(fidelity),
      layers_(static_cast<double>(system.model->layers)),
      batch_(static_cast<double>(system.design.batch)),
      prompt_(static_cast<double>(system.design.input)),
      steps_(static_cast<double>(system.design.decode_steps())),
      block_(static_cast<double>(system.design.block_length)) {
    measure_streams();
}

/// Of one token in one layer.
double Request::kv_bytes() const {
    return static_cast<double>(sim::kv_elements_per_token(*d_.model)) * machine_.element_bytes;
}

double Request::queries_per_key() const { return static_cast<double>(d_.model->heads / d_.model->kv_heads); }

/// All weights from one layout to the other.
Cost Request::relayout() const {
    double bytes = 0.0;
    for (auto const& m : d_.matrices) bytes += m.stored * m.weights() * machine_.element_bytes;
    return costs_.copy(bytes);
}

/// The weights of a layer follow each other in memory: one stream.
void Request::measure_streams() {
    double layer = 0.0;
    for (auto const& m : d_.matrices) layer += m.head ? 0.0 : m.stored / layers_ * static_cast<double>(m.bytes);
    if (fidelity_ == Fidelity::cycle) foresee_weights(layer);
    for (auto const& m : d_.matrices) {
        if (m.head) head_stream_ = costs_.read_bandwidth(static_cast<double>(m.bytes));
    }
    weight_stream_ = cost_.npu_bandwidth = costs_.read_bandwidth(layer);
}

/// A layer's, and those of each matrix, all of which some product reads.
void Request::foresee_weights(double layer) {
    std::vector<double> bytes{layer};
    for (auto const& m : d_.matrices) bytes.push_back(static_cast<double>(m.bytes));
    costs_.foresee_reads(bytes);
}

/// A matrix of all layers with this many rows of inputs on the NPU, `steps` times. Of experts those are read that some
/// row chooses; rows are shared out evenly among these.
Cost Request::product(Matrix const& m, double rows, double steps) const {
    auto const& model = *d_.model;
    double const touched = m.experts ? sim::touched_experts(model, rows) / static_cast<double>(model.experts) : 1.0;
    double const used = m.stored * touched, share = m.experts ? rows * m.active / used : rows;
    return costs_.gemm(m, share, m.head ? head_stream_ : weight_stream_).times(used * steps);
}

/// Two norms per layer and token, and the softmax of the scores.
Cost Request::vector_work(double tokens, double scores) const {
    double const norms = 2.0 * tokens * static_cast<double>(d_.model->hidden) * machine_.npu.norm_operations;
    return costs_.vector(batch_ * layers_ * (norms + scores * machine_.npu.softmax_operations));
}

/// A turn of the banks begins and ends with a switch.
void Request::switch_modes(Part to, double turns) {
    part(to).seconds += 2.0 * turns * machine_.pim.mode_switch * d_.standard.clock.si;
}

void Request::begin() {
    if (d_.design.diffuses()) {
        first_of_blocks();
        return;
    }
    if (in_banks(Choice::prefill)) {
        prefill_in_banks();
    } else {
        if (d_.design.baseline == Baseline::relayout) part(Part::relayout) = relayout();
        prefill_on_npu();
    }
    part(Part::prefill_kv) = costs_.write(prompt_ * batch_ * kv_bytes()).times(layers_);
    double const scores = static_cast<double>(d_.model->heads) * prompt_ * (prompt_ + 1) / 2;
    part(Part::prefill_vector) = vector_work(prompt_, scores);
    part(Part::prefill_launch).seconds = launches(1.0);
}

void Request::end_prefill() {
    if (d_.design.diffuses()) return;
    for (auto const& m : d_.matrices) {
        if (m.head) head(m);
    }
}

void Request::prefill_on_npu() {
    for (auto const& m : d_.matrices) {
        if (!m.head) part(Part::prefill_weights) += product(m, batch_ * prompt_);
    }
    part(Part::prefill_attention) = costs_.causal_attention(d_.design.input).times(batch_ * layers_);
}

/// Token after token, as in decode; matrices meet all tokens before the next one is opened.
void Request::prefill_in_banks() {
    for (auto const& m : d_.matrices) {
        if (!m.head) part(Part::prefill_weights) += costs_.gemv(m, batch_ * prompt_, m.active);
    }
    Contexts const contexts{1, d_.design.input};
    part(Part::prefill_attention) =
        costs_.attention(contexts, sim::whole_part(kv_bytes()), queries_per_key(), layers_ * batch_);
    part(Part::prefill_weights).seconds += costs_.pim_ends();
    if (d_.design.concurrency == Concurrency::exclusive) switch_modes(Part::prefill_switch, layers_ * batch_ * prompt_);
}

/// The LM head of the prefill sees the last position of each request only.
void Request::head(Matrix const& m) {
    auto& cost = part(Part::prefill_head);
    if (!in_banks(Choice::head)) {
        cost = costs_.gemm(m, batch_, head_stream_);
        return;
    }
    cost = costs_.gemv(m, batch_, 1.0);
    cost.seconds += costs_.pim_ends();
    if (d_.design.concurrency == Concurrency::exclusive) switch_modes(Part::prefill_head, batch_);
}

void Request::finish() {
    if (d_.design.diffuses())
        steps_of_blocks();
    else
        decode();
}

}  // namespace pimdse::models::umdam
