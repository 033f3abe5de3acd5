#include "models/llm/config_layers.hpp"

#include "models/llm/config_kinds.hpp"
#include "models/llm/limits.hpp"
#include "models/llm/state.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include <string>

namespace pimdse::models {
namespace {

/// Types of layers whose keys stand for several positions, with an indexer and without.
constexpr std::string_view sparse_type = "compressed_sparse_attention", heavy_type = "heavily_compressed_attention";

/// The letters of a list in one word (Nemotron-H).
std::vector<std::string> letters_of(std::string_view word) {
    std::vector<std::string> letters;
    for (char const letter : word) letters.emplace_back(1, letter);
    return letters;
}

/// Whether a list has an entry for each layer, all of which are known; adds a mistake otherwise.
bool fits(ConfigReader& file, std::string_view field, std::vector<std::string> const& types, std::int64_t layers,
          std::vector<std::string_view> const& known) {
    if (!file.is_by_layer(field, types.size(), layers)) return false;
    for (auto const& type : types) {
        if (std::ranges::find(known, type) != known.end()) continue;
        file.mistake(field, fmt::format("'{}' layers are not modelled", type));
        return false;
    }
    return true;
}

/// A list of 0 or 1 for each layer; empty if there is none. Adds a mistake for one of another length.
std::vector<std::int64_t> flags_of(ConfigReader& file, std::string_view field, std::size_t layers) {
    auto flags = file.counts(field, 1);
    if (flags.empty()) return flags;
    (void)file.is_by_layer(field, file.value(field)->size(), static_cast<std::int64_t>(layers));
    flags.resize(layers);
    return flags;
}

/// Which layers have a window: as `layer_types` says, else by the rule of the family.
class Windows {
  public:
    Windows(ConfigValues& values, LayerTypes const& types, std::size_t layers)
        : rule_(values.shape_text("windows")), chunked_(values.is_shape("chunked")), types_(types) {
        if (rule_ == "none" && !types_.given()) return;
        switched_on_ = values.flag("use_sliding_window");
        if (!switched_on_ && !types_.given()) {
            for (auto const* key : {"sliding_window", "max_window_layers", "sliding_window_pattern", "no_rope_layers",
                                    "no_rope_layer_interval"})
                (void)values.given(key);
            return;
        }
        window_ = values.number("sliding_window", 0, max_context);
        if (rule_ == "all_but_every") every_ = pattern_of(values);
        if (auto const name = values.name_of("windowed_layers"); values.file().has(name))
            listed_ = values.file().counts(name, static_cast<std::int64_t>(layers) - 1);
        bound_ = values.of_shape("first_windowed");
        before_ = std::max<std::int64_t>(values.of_shape("windows_before", 1, max_layers), 1);
        if (rule_ == "listed") {  // layers without rotary positions attend to all: those with 0, or every n-th one
            rope_ = flags_of(values.file(), values.name_of("no_rope_layers"), layers);
            every_ = rope_.empty() ? values.number("no_rope_layer_interval", 0, max_layers) : 0;
            (void)values.given("no_rope_layer_interval");
        }
        if (rule_ == "from_layer" || rule_ == "every_second_below")
            bound_ = values.number("max_window_layers", 0, max_layers);
    }

    void set(LayerKind& kind, std::int64_t layer) const {
        if (window_ == 0 || !windowed(layer)) return;
        kind.window = window_;
        kind.chunked = types_.given() ? types_.is(layer, {"chunked_attention"}) : chunked_;
    }

  private:
    /// A number n, or a text of letters for local (L) and global (G) layers, of which "LLLG" is the same as 4.
    std::int64_t pattern_of(ConfigValues& values) {
        auto const* given = values.given("sliding_window_pattern");
        if (given == nullptr || !given->is_string()) return values.number("sliding_window_pattern", 0, max_layers);
        letters_ = given->get<std::string>();
        auto const name = values.name_of("sliding_window_pattern");
        if (letters_.empty() || letters_.find_first_not_of("LG") != letters_.npos)
            values.file().mistake(name, fmt::format("{} is neither a number nor a text of L and G", name));
        return 0;
    }

    [[nodiscard]] bool windowed(std::int64_t i) const {
        if (rule_ == "always") return true;
        if (types_.given()) return types_.is(i, {"sliding_attention", "chunked_attention"});
        if (!switched_on_) return false;
        if (listed_) return std::ranges::find(*listed_, i) != listed_->end();
        if (rule_ == "all") return true;
        if (rule_ == "from_layer") return i >= bound_;
        if (rule_ == "every_second_below") return i % 2 == 0 && i < bound_;
        if (!letters_.empty()) return letters_[static_cast<std::size_t>(i) % letters_.size()] == 'L';
        if (!rope_.empty()) return rope_[static_cast<std::size_t>(i)] != 0;
        if (i < bound_) return (i + 1) % before_ != 0;
        return every_ > 0 && (i - bound_ + 1) % every_ != 0;
    }

    std::string rule_, letters_;
    bool chunked_, switched_on_ = false;
    LayerTypes const& types_;
    std::vector<std::int64_t> rope_;
    std::optional<std::vector<std::int64_t>> listed_;
    std::int64_t window_ = 0, every_ = 0, bound_ = 0, before_ = 1;
};

/// Which layers have experts in place of the dense network.
class SparseLayers {
  public:
    SparseLayers(ConfigValues& values, LayerTypes const& types, LanguageModel& m) : layer_types_(types) {
        if (!values.is_shape("experts")) return;
        experts_ = values.number("num_experts", 0, max_experts);
        if (experts_ < 2) {  // dense, whatever the other keys of experts say
            for (auto const* key : {"num_experts_per_tok", "moe_intermediate_size", "n_shared_experts"})
                (void)values.given(key);
            return;
        }
        auto& file = values.file();
        active_ = values.number("num_experts_per_tok", 1, max_experts);
        width_ = values.number("moe_intermediate_size", 1, max_width);
        inputs_ = values.of_shape("expert_inputs", 0, max_width);
        if (values.is_shape("expert_bias")) m.other_expert_parameters = width_ * (m.gated ? 2 : 1) + m.hidden;
        shared_ = std::min(values.number("shared_expert_intermediate_size", 0, max_width * max_experts), max_width);
        types_ = file.texts("mlp_layer_types");
        if (!types_.empty() && !fits(file, "mlp_layer_types", types_, m.layers, {"dense", "sparse", "moe", "hash_moe"}))
            types_.clear();
        for (auto const* field : {"moe_layers", "moe_layers_enum"}) {
            listed_ = listed_ || file.has(field);
            for (auto const layer : file.counts(field, m.layers - 1)) sparse_.push_back(layer);
        }
        dense_ = file.counts("mlp_only_layers", max_layers);
        read_step(values, m);
    }

    void set(LayerKind& kind, std::int64_t layer) const {
        if (experts_ < 2 || !sparse(layer)) return;
        kind.ffn = shared_;
        kind.experts = experts_;
        kind.experts_active = active_;
        kind.expert_ffn = width_;
        kind.expert_inputs = inputs_;
    }

  private:
    /// The step may be a list with a 1 for each layer that has experts.
    void read_step(ConfigValues& values, LanguageModel const& m) {
        auto const* step = values.given("moe_layer_freq");
        if (step != nullptr && step->is_array() && !step->empty()) {
            flags_ = flags_of(values.file(), values.name_of("moe_layer_freq"), static_cast<std::size_t>(m.layers));
        } else {
            step_ = std::max<std::int64_t>(values.number("moe_layer_freq", 0, max_layers), 1);
        }
        phase_ = values.of_shape("moe_phase");
        first_ = values.number("first_k_dense_replace", 0, max_layers);
        last_ = values.number("last_moe_layer", -1, max_layers);
        if (last_ < 0) last_ = m.layers - 1;
    }

    [[nodiscard]] bool sparse(std::int64_t i) const {
        auto const at = static_cast<std::size_t>(i);
        auto const among = [&](std::vector<std::int64_t> const& list) {
            return std::ranges::find(list, i) != list.end();
        };
        if (layer_types_.given() && layer_types_.is(i, {"moe", "mlp"})) return layer_types_.is(i, {"moe"});
        if (!types_.empty()) return types_[at] != "dense";
        if (listed_) return among(sparse_);
        if (among(dense_)) return false;
        if (!flags_.empty()) return flags_[at] != 0;
        return i >= first_ && i <= last_ && (i + phase_) % step_ == 0;
    }

    std::int64_t experts_ = 0, active_ = 0, width_ = 0, inputs_ = 0, shared_ = 0, step_ = 1, phase_ = 0, first_ = 0,
                 last_ = 0;
    bool listed_ = false;
    LayerTypes const& layer_types_;
    std::vector<std::string> types_;
    std::vector<std::int64_t> sparse_, dense_, flags_;
};

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
    state.gate_rank = values.of_shape("state_gate_rank");
    if (auto const chunk = values.of_shape("state_chunk"); chunk > 0) state.chunk = chunk;
    return state;
}

/// Which layers have keys, and which a state.
class Mixers {
  public:
    Mixers(ConfigValues& values, LayerTypes const& types, std::size_t layers)
        : rule_(values.shape_text("states")), types_(types), state_(state_of(values)) {
        gate_ = values.is_shape("output_gate");
        indexer_ = {values.of_shape("index_heads"), values.of_shape("index_dimension"),
                    values.of_shape("index_positions"), std::max<std::int64_t>(values.of_shape("index_pool"), 1),
                    !values.is_shape("index_unweighted")};
        if (state_.kind == StateKind::none) return;
        other_ = values.of_shape("state_other");
        one_part_ = rule_ == "pattern";
        apart_ = rule_ == "block";
        if (rule_ == "period") {
            period_ = std::max<std::int64_t>(values.of_shape("attention_period"), 1);
            offset_ = values.of_shape("attention_offset");
            if (values.is_shape("attention_tail")) tail_ = static_cast<std::int64_t>(layers) / period_ * period_;
        }
        if (rule_ == "flags") {
            flags_ = flags_of(values.file(), "attn_type_list", layers);
            if (flags_.empty() && !types.given() && !values.file().has_mistakes())
                values.file().mistake(
                    "attn_type_list",
                    "'attn_type_list' is missing (1 for a layer that attends, 0 for one with a state)");
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
                kind.ffn = kind.experts = kind.experts_active = kind.expert_ffn = kind.expert_inputs = 0;
        }
        kind.output_gate = gate_ && kind.attends;
        if (!kind.attends) kind.indexer = {};
    }

  private:
    [[nodiscard]] bool attends(std::int64_t i) const {
        if (types_.given()) return !types_.is(i, {"linear_attention", "mamba", "mamba2", "conv", "hybrid"});
        if (rule_ == "period") return i % period_ == offset_ || i >= tail_;
        if (rule_ == "flags") return !flags_.empty() && flags_[static_cast<std::size_t>(i)] != 0;
        if (rule_ == "listed") return !listed_ || std::ranges::find(attending_, i) != attending_.end();
        return false;
    }

    std::string rule_;
    LayerTypes const& types_;
    StateMixer state_;
    Indexer indexer_;
    bool gate_ = false, listed_ = false, one_part_ = false, apart_ = false;
    std::int64_t period_ = 1, offset_ = 0, other_ = 0, tail_ = max_layers;  ///< layers from the tail on attend
    std::vector<std::int64_t> attending_, flags_;
};

/// Sets of how many positions a key of each layer is one, and that an indexer chooses among those of the sparse kind
/// (DeepSeek-V4): as `layer_types` and `compress_rates` say, or `compress_ratios`, which has an entry for each layer
/// and may go on with those that predict further tokens.
void set_compression(ConfigValues& values, LayerTypes const& types, std::vector<LayerKind>& layers) {
    if (!values.is_shape("compressed")) return;
    auto& file = values.file();
    constexpr std::string_view field = "compress_ratios";
    constexpr std::int64_t sparse = 4, heavy = 128;
    auto const ratios = file.counts(field, max_context);
    auto rates = file.inside("compress_rates");
    auto const of_sparse = rates.number_or(sparse_type, 1, max_context, sparse),
               of_heavy = rates.number_or(heavy_type, 1, max_context, heavy);
    if (file.has_mistakes()) return;
    if (!types.given() && ratios.size() < layers.size())
        return file.mistake(field, fmt::format("'{}' has {} entries for {} layers (of how many positions a key is one, "
                                               "0 for the window only)",
                                               field, ratios.size(), layers.size()));
    for (std::size_t i = 0; i < layers.size(); ++i) {
        auto& kind = layers[i];
        auto const layer = static_cast<std::int64_t>(i);
        if (!types.given() && ratios[i] > 1 && ratios[i] != sparse && ratios[i] != heavy)
            return file.mistake(field, fmt::format("{}: {} positions for a key are not modelled (0, 1, {} and {} are)",
                                                   field, ratios[i], sparse, heavy));
        bool const is_sparse = types.given() ? types.is(layer, {sparse_type}) : ratios[i] == sparse;
        bool const is_heavy = types.given() ? types.is(layer, {heavy_type}) : ratios[i] == heavy;
        if (is_sparse || is_heavy) kind.compression = is_sparse ? of_sparse : of_heavy;
        if (types.given() && i < ratios.size() &&
            std::max<std::int64_t>(ratios[i], 1) != std::max<std::int64_t>(kind.compression, 1))
            return file.mistake(field, fmt::format("{} = {} in layer {}, but its layer_types say {}", field, ratios[i],
                                                   i, kind.compression));
        if (!is_sparse) kind.indexer = {};
        kind.one_vector = kind.values_from_keys = true;
    }
}

/// Whether each layer takes the positions that one before it has chosen: as `indexer_types` says, or a text of letters
/// for layers with an indexer (F) and without (S), or one of so many, the first ones apart (GLM-5.2).
std::vector<bool> shared_choices(ConfigValues& values, std::size_t layers) {
    auto& file = values.file();
    auto types = file.texts("indexer_types");
    auto const letters = file.text_or("index_topk_pattern", "");
    auto const every = values.number("index_topk_freq", 1, max_layers),
               first = values.number("index_skip_topk_offset", 0, max_layers);
    std::vector<bool> shared(layers, false);
    if (types.empty())
        for (char const letter : letters)
            types.emplace_back(letter == 'F' ? "full" : letter == 'S' ? "shared" : std::string(1, letter));
    auto const count = static_cast<std::int64_t>(layers);
    if (!types.empty() &&
        !fits(file, letters.empty() ? "indexer_types" : "index_topk_pattern", types, count, {"full", "shared"}))
        return shared;
    for (std::int64_t i = 0; i < count; ++i)
        shared[static_cast<std::size_t>(i)] = types.empty() ? std::max<std::int64_t>(i - first + 1, 0) % every != 0
                                                            : types[static_cast<std::size_t>(i)] == "shared";
    return shared;
}

/// Types of layers as GPT-Neo has them: [["global", "local"], 12] stands for 24 layers.
std::vector<std::string> repeated_types(ConfigReader& file, std::string_view field) {
    using Groups = std::vector<std::pair<std::vector<std::string>, sim::Json>>;
    std::vector<std::string> types;
    auto const* node = file.value(field);
    if (node == nullptr || node->is_null()) return types;
    try {
        for (auto const& [names, times] : node->get<Groups>())
            for (auto i = file.whole(field, times, 1, max_layers).value_or(0); i > 0 && std::ssize(types) <= max_layers;
                 --i)
                types.insert(types.end(), names.begin(), names.end());
    } catch (sim::Json::Error const&) {
        file.mistake(field, fmt::format("{} is not a list such as [[[\"global\", \"local\"], 12]]", field));
    }
    return types;
}

/// Gives states, indexers and gates of the output to the layers that have them.
void set_mixers(ConfigValues& values, LayerTypes const& types, std::vector<LayerKind>& layers) {
    Mixers const mixers(values, types, layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) mixers.set(layers[i], static_cast<std::int64_t>(i));
    if (!values.is_shape("shares_choices")) return;
    auto const shared = shared_choices(values, layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i)
        if (shared[i]) layers[i].indexer.heads = layers[i].indexer.dimension = 0;
}

}  // namespace

LayerTypes::LayerTypes(ConfigValues& values, LanguageModel& m) {
    auto& file = values.file();
    std::string field = file.has("layer_types") ? "layer_types" : "layers_block_type";
    types_ = file.texts(field);
    file.ignore("layers_block_type");
    if (values.is_shape("repeated_types")) types_ = repeated_types(file, field = "attention_types");
    if (types_.empty()) types_ = values.texts_of_family("layers_block_type");
    if (types_.empty() && values.shape_text("states") == "pattern") {
        field = "hybrid_override_pattern";
        types_ = letters_of(file.text_or(field, ""));
        if (types_.empty())
            file.mistake(field,
                         fmt::format("'{}' is missing, and so is 'layers_block_type' (the type of each layer)", field));
    }
    if (types_.empty()) return;
    auto const& names = values.family().types;
    for (auto& type : types_)
        if (auto const usual = names.find(type); usual != names.end()) type = usual->second;
    // Further types may be those of the layers that predict further tokens.
    auto const further = file.number_or("num_nextn_predict_layers", 0, max_layers, 0);
    if (further > 0 && static_cast<std::int64_t>(types_.size()) == m.layers + further)
        types_.resize(static_cast<std::size_t>(m.layers));
    if (values.given("num_hidden_layers") == nullptr && types_.size() <= static_cast<std::size_t>(max_layers))
        m.layers = static_cast<std::int64_t>(types_.size());
    std::vector<std::string_view> known{"full_attention", "attention", "sliding_attention", "chunked_attention"};
    if (values.is_shape("compressed")) known = {"sliding_attention", sparse_type, heavy_type};
    if (!values.shape_text("state").empty())
        known.insert(known.end(), {"linear_attention", "mamba", "mamba2", "conv", "hybrid", "mlp", "moe"});
    if (!fits(file, field, types_, m.layers, known)) types_.clear();
    if (given() && values.is_shape("last_is_full")) types_.back() = "full_attention";
    if (values.shape_text("states") == "block") set_blocks_apart(m);
}

void LayerTypes::set_blocks_apart(LanguageModel& m) {
    std::vector<std::string> apart;
    for (auto const& type : types_) {
        if (type == "hybrid") apart.emplace_back("block");
        apart.push_back(type);
    }
    types_ = std::move(apart);
    m.layers = std::max<std::int64_t>(static_cast<std::int64_t>(types_.size()), 1);
}

bool LayerTypes::is(std::int64_t layer, std::initializer_list<std::string_view> types) const {
    return std::ranges::find(types, types_[static_cast<std::size_t>(layer)]) != types.end();
}

void set_windows(ConfigValues& values, LayerTypes const& types, std::vector<LayerKind>& layers) {
    Windows const windows(values, types, layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) windows.set(layers[i], static_cast<std::int64_t>(i));
}

std::vector<LayerKind> read_layers(ConfigValues& values, LanguageModel& m) {
    LayerTypes const types(values, m);
    SparseLayers const sparse(values, types, m);
    LayerKind dense;
    dense.layers = 1;
    dense.ffn = m.ffn;
    std::vector<LayerKind> layers(static_cast<std::size_t>(m.layers), dense);
    for (std::int64_t i = 0; i < m.layers; ++i) sparse.set(layers[static_cast<std::size_t>(i)], i);
    set_mixers(values, types, layers);
    set_compression(values, types, layers);
    set_windows(values, types, layers);
    change_layers(values, types, m, layers);
    return layers;
}

}  // namespace pimdse::models
