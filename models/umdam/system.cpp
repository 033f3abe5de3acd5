#include "models/umdam/system.hpp"

#include "models/umdam/mapping/layout.hpp"
#include "sim/workload.hpp"

#include <algorithm>

namespace pimdse::models::umdam {
namespace {

Matrix matrix(std::int64_t inputs, std::int64_t outputs, double stored = 1, double active = 1) {
    Matrix m;
    m.inputs = inputs;
    m.outputs = outputs;
    m.stored = stored;
    m.active = active;
    return m;
}

}  // namespace

std::vector<Matrix> matrices_of(sim::LanguageModel const& model, Design const& s) {
    std::vector<Matrix> list;
    auto const layers = static_cast<double>(model.layers);
    for (auto const& m : sim::layer_matrices(model)) {
        auto const same = std::find_if(list.begin(), list.end(), [&](Matrix const& other) {
            return other.inputs == m.inputs && other.outputs == m.outputs && other.experts == (m.count > 1);
        });
        double const stored = layers * static_cast<double>(m.count);
        double const active = layers * static_cast<double>(m.active);
        if (same == list.end()) {
            list.push_back(matrix(m.inputs, m.outputs, stored, active));
            list.back().experts = m.count > 1;
        } else {
            same->stored += stored;
            same->active += active;
        }
    }
    std::int64_t const width = model.embedding_projection != 0 ? model.embedding_projection : model.hidden;
    if (width != model.hidden) {
        list.push_back(matrix(width, model.hidden));
        list.push_back(matrix(model.hidden, width));
    }
    if (s.lm_head != LmHead::skip) {
        list.push_back(matrix(width, model.vocabulary));
        list.back().head = true;
    }
    return list;
}

StoredShape stored_shape(Matrix& m, Design const& design, Organisation const& organisation, std::int64_t interleave,
                         std::int64_t element_bytes) {
    LayoutOptions options;
    options.interleave = interleave;
    options.element_bytes = element_bytes;
    options.row_pad = design.row_pad ? RowPad::on : RowPad::off;
    Layout const layout(m.inputs, m.outputs, organisation, options);
    m.tile_rows = layout.tile_rows();
    m.tile_columns = layout.tile_columns();
    m.bytes = layout.bytes();
    return {m.tile_rows, m.tile_columns, interleave, lanes(organisation)};
}

sim::dram::Standard standard_of(Design const& d, sim::dram::Standard const& timing_set) {
    auto standard = timing_set;
    auto& o = standard.organisation;
    o.channels = static_cast<int>(d.channels);
    o.ranks = static_cast<int>(d.ranks);
    o.bank_groups = static_cast<int>(d.groups);
    o.banks = static_cast<int>(d.banks);
    o.row_bytes = static_cast<int>(d.row_bytes);
    std::int64_t const rank_bytes = d.density << 27;
    o.rows = static_cast<int>(rank_bytes / (d.groups * d.banks * d.row_bytes));
    if (d.concurrency == Concurrency::partition) o.channels /= 2;  // the other half holds the KV cache
    return standard;
}

}  // namespace pimdse::models::umdam
