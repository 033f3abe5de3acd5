#include "models/llm/config_mixers.hpp"

#include "models/llm/limits.hpp"
#include "models/llm/state.hpp"

#include <algorithm>
#include <string>

namespace pimdse::models {
namespace {

StateKind kind_named(std::string_view name) {
    for (auto const kind : {StateKind::gated_delta, StateKind::kimi_delta, StateKind::mamba2, StateKind::mamba,
                            StateKind::linear, StateKind::convolution})
        if (name_of(kind) == name) return kind;
    return StateKind::none;
}

/// The state that the [shape] of a family describes by its keys.
StateMixer state_of(ConfigValues& values) {
    StateMixer state;
    state.kind = kind_named(values.shape_text("state"));
    if (state.kind == StateKind::none) return state;
    state.heads = values.of_shape("state_heads");
    state.key_heads = values.of_shape("state_key_heads");
    state.key_dimension = values.of_shape("state_key_dimension");
    state.value_dimension = values.of_shape("state_value_dimension");
    state.convolution = values.of_shape("state_convolution");
    state.rank = values.of_shape("state_rank");
    if (auto const chunk = values.of_shape("state_chunk"); chunk > 0) state.chunk = chunk;
    return state;
}

/// Which layers have keys, and which a state.
class Mixers {
  public:
    Mixers(ConfigValues& values, LayerTypes const& types)
        : rule_(values.shape_text("states")), types_(types), state_(state_of(values)) {
        gate_ = values.is_shape("output_gate");
        indexer_ = {values.of_shape("index_heads"), values.of_shape("index_dimension"),
                    values.of_shape("index_positions")};
        if (state_.kind == StateKind::none) return;
        other_ = values.of_shape("state_other");
        one_part_ = rule_ == "pattern";
        apart_ = rule_ == "block";
        if (rule_ == "period") {
            period_ = std::max<std::int64_t>(values.of_shape("attention_period"), 1);
            offset_ = values.of_shape("attention_offset");
        }
        if (rule_ == "listed") {
            auto const first = values.of_shape("first_layer");
            for (auto const* field : {"attn_layer_indices", "full_attn_idxs", "linear_attn_config.full_attn_layers"}) {
                listed_ = listed_ || values.file().has(field);
                for (auto const layer : values.file().counts(field, max_layers)) attending_.push_back(layer - first);
            }
            listed_ = listed_ || !values.is_shape("all_attend");
        }
    }

    void set(LayerKind& kind, std::int64_t layer) const {
        kind.indexer = indexer_;
        if (state_.kind != StateKind::none) {
            bool const both = types_.given() ? !apart_ && types_.is(layer, {"hybrid"}) : rule_ == "beside";
            bool const network = types_.given() && types_.is(layer, {"mlp", "moe"});
            kind.attends = !network && (both || attends(layer));
            if (!network && (both || !kind.attends)) {
                kind.state = state_;
                kind.other_parameters += other_;
            }
            if ((one_part_ && !network) || (apart_ && !kind.attends))
                kind.ffn = kind.experts = kind.experts_active = kind.expert_ffn = 0;
        }
        kind.output_gate = gate_ && kind.attends;
    }

  private:
    [[nodiscard]] bool attends(std::int64_t i) const {
        if (types_.given()) return types_.is(i, {"full_attention", "attention", "sliding_attention", "block"});
        if (rule_ == "period") return i % period_ == offset_;
        if (rule_ == "listed") return !listed_ || std::ranges::find(attending_, i) != attending_.end();
        return false;
    }

    std::string rule_;
    LayerTypes const& types_;
    StateMixer state_;
    Indexer indexer_;
    bool gate_ = false, listed_ = false, one_part_ = false, apart_ = false;
    std::int64_t period_ = 1, offset_ = 0, other_ = 0;
    std::vector<std::int64_t> attending_;
};

}  // namespace

void set_mixers(ConfigValues& values, LayerTypes const& types, std::vector<LayerKind>& layers) {
    Mixers const mixers(values, types);
    for (std::size_t i = 0; i < layers.size(); ++i) mixers.set(layers[i], static_cast<std::int64_t>(i));
}

}  // namespace pimdse::models
