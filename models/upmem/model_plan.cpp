#include "models/upmem/model_plan.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::models::upmem {
namespace {

void add_matrix(Plan& plan, Prepared const& p, Design const& d, std::string what, std::int64_t rows,
                std::int64_t inputs, std::int64_t count) {
    auto const& k = p.kernels[d.kernel];
    std::int64_t const mine = sim::divide_up(rows, d.dpus);
    plan.launches.push_back({std::move(what), matrix_task(p, d, mine, inputs), 0.0,
                             whole_words(static_cast<double>(inputs) * k.mac_bytes),
                             static_cast<double>(mine) * k.output_bytes, count});
}

}  // namespace

std::vector<MatrixGroup> matrix_groups(sim::LanguageModel const& model) {
    std::vector<MatrixGroup> groups;
    bool joins = false;
    for (auto const& m : sim::layer_matrices(model)) {
        if (!joins) groups.push_back({"", 0, m.inputs});
        auto& group = groups.back();
        group.name += (joins ? "+" : "") + m.name;
        group.rows += m.outputs * m.active;
        group.vectors = m.name == "down" ? m.active : 1;
        group.ends_block = m.name == "o" || m.name == "down";
        group.is_attention = m.name == "v";
        joins = m.name == "q" || m.name == "k" || m.name == "gate";
    }
    return groups;
}

std::int64_t head_inputs(sim::LanguageModel const& model) { return sim::lm_head_weights(model) / model.vocabulary; }

double weight_bytes(Kernel const& k, Design const& d, sim::LanguageModel const& model) {
    double layer = 0.0;
    for (auto const& m : sim::layer_matrices(model)) {
        layer += static_cast<double>(sim::divide_up(m.outputs * m.count, d.dpus)) * static_cast<double>(m.inputs);
    }
    auto const head = static_cast<double>(sim::divide_up(model.vocabulary, d.dpus) * head_inputs(model));
    return (layer * static_cast<double>(model.layers) + head) * k.mac_bytes;
}

Plan step_plan(Prepared const& p, Design const& d) {
    auto const& k = p.kernels[d.kernel];
    auto const& model = p.models[d.llm - 1];
    Plan result;
    result.pipelined = false;
    for (auto const& group : matrix_groups(model))
        add_matrix(result, p, d, group.name, group.rows, group.inputs, model.layers);
    result.launches.at(0).opens_layer = true;
    add_matrix(result, p, d, "lm_head", model.vocabulary, head_inputs(model), 1);
    double vector = 0.0;
    for (auto const& launch : result.launches) vector = std::max(vector, launch.shared + launch.output);
    result.resident = weight_bytes(k, d, model) + vector;
    result.resident_bank = result.resident;
    result.wram = wram_of(k, d);
    return result;
}

}  // namespace pimdse::models::upmem
