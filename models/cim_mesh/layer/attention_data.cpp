#include "models/cim_mesh/layer/attention_data.hpp"

namespace pimdse::models::cim_mesh {

AttentionData attention_data(LanguageModel const& model, std::int64_t tokens) {
    auto const hidden = static_cast<double>(model.hidden), queries = static_cast<double>(model.query_width()),
               keys = static_cast<double>(model.kv_width()), sequence = static_cast<double>(tokens),
               held = held_positions(model, sequence);
    return {2.0 * hidden * queries + 2.0 * hidden * keys,
            sequence * (hidden + 2.0 * queries) + held * 2.0 * keys + sequence * held};
}

}  // namespace pimdse::models::cim_mesh
