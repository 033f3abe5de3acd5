#include "models/umdam/serving.hpp"

#include <cmath>
#include <vector>

namespace pimdse::models::umdam {

Serving::Serving(Prepared const& prepared, System const& of, Fidelity at)
    : system(of),
      machine(prepared.machine),
      fidelity(at),
      costs(prepared, of, at),
      layers(static_cast<double>(of.model->layers)),
      batch(static_cast<double>(of.design.batch)),
      prompt(static_cast<double>(of.design.input)),
      steps(static_cast<double>(of.design.decode_steps())),
      block(static_cast<double>(of.design.block_length)) {
    measure_streams();
}

double Serving::kv_bytes() const {
    return static_cast<double>(sim::kv_elements_per_token(*system.model)) * machine.element_bytes;
}

double Serving::queries_per_key() const { return static_cast<double>(system.model->heads / system.model->kv_heads); }

double Serving::whole_blocks() const { return std::floor(prompt / machine.npu.cube_edge) * machine.npu.cube_edge; }

double Serving::whole_rows() const {
    double const edge = machine.npu.cube_edge;
    return std::floor(std::floor(batch * prompt / edge) * edge / batch);
}

Cost Serving::relayout() const {
    double bytes = 0.0;
    for (auto const& m : system.matrices) bytes += m.stored * m.weights() * machine.element_bytes;
    return costs.copy(bytes);
}

/// The weights of a layer follow each other in memory: one stream.
void Serving::measure_streams() {
    double layer = 0.0;
    for (auto const& m : system.matrices) layer += m.head ? 0.0 : m.stored / layers * static_cast<double>(m.bytes);
    if (fidelity == Fidelity::cycle) foresee_weights(layer);
    for (auto const& m : system.matrices) {
        if (m.head) head_stream = costs.read_bandwidth(static_cast<double>(m.bytes));
    }
    weight_stream_ = cost.npu_bandwidth = costs.read_bandwidth(layer);
}

/// A layer's, and those of each matrix, all of which some product reads.
void Serving::foresee_weights(double layer) {
    std::vector<double> bytes{layer};
    for (auto const& m : system.matrices) bytes.push_back(static_cast<double>(m.bytes));
    costs.foresee_reads(bytes);
}

/// Of experts those are read that some row chooses; rows are shared out evenly among these.
Cost Serving::product(Matrix const& m, double rows, double times) const {
    auto const& model = *system.model;
    double const touched = m.experts ? sim::touched_experts(model, rows) / static_cast<double>(model.experts) : 1.0;
    double const used = m.stored * touched, share = m.experts ? rows * m.active / used : rows;
    return costs.gemm(m, share, m.head ? head_stream : weight_stream_).times(used * times);
}

Cost Serving::vector_work(double tokens, double scores) const {
    double const norms = 2.0 * tokens * static_cast<double>(system.model->hidden) * machine.npu.norm_operations;
    return costs.vector(batch * layers * (norms + scores * machine.npu.softmax_operations));
}

void Serving::switch_modes(Part to, double turns) {
    part(to).seconds += 2.0 * turns * machine.pim.mode_switch * system.standard.clock.si;
}

}  // namespace pimdse::models::umdam
