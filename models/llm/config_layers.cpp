#include "models/llm/config_shape.hpp"
#include "models/llm/limits.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::models {
namespace {

using Types = std::optional<std::vector<std::string>>;

/// A list of types, one for each layer; nothing if the file has none, and on a mistake.
Types types_of(ConfigReader& file, std::string_view field, std::int64_t layers,
               std::vector<std::string_view> const& known) {
    auto types = file.texts(field);
    if (types.empty()) return std::nullopt;
    if (static_cast<std::int64_t>(types.size()) != layers) {
        file.mistake(field, fmt::format("{} has {} entries (there are {} layers)", field, types.size(), layers));
        return std::nullopt;
    }
    for (auto const& type : types) {
        if (std::ranges::find(known, type) != known.end()) continue;
        file.mistake(field, fmt::format("'{}' layers are not modelled", type));
        return std::nullopt;
    }
    return types;
}

/// Which layers have a window: as `layer_types` says, else by the rule of the family.
class Windows {
  public:
    Windows(ConfigValues& values, LanguageModel const& m)
        : rule_(values.shape_text("windows")), chunked_(values.is_shape("chunked")) {
        types_ = types_of(values.file(), "layer_types", m.layers,
                          {"full_attention", "sliding_attention", "chunked_attention", "minimax_m3_sparse"});
        if (rule_ == "none" && !types_) return;
        window_ = values.number("sliding_window", 0, max_context);
        switched_on_ = values.flag("use_sliding_window");
        if (rule_ == "all_but_every") every_ = pattern_of(values);
        if (rule_ == "with_rope") read_rope(values);
        if (rule_ == "from_layer" || rule_ == "every_second_below")
            bound_ = values.number("max_window_layers", 0, max_layers);
    }

    void set(LayerKind& kind, std::int64_t layer) const {
        if (window_ == 0 || !windowed(layer)) return;
        kind.window = window_;
        kind.chunked = types_ ? (*types_)[static_cast<std::size_t>(layer)] == "chunked_attention" : chunked_;
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

    /// Layers without rotary positions attend to all: those with 0 in the list, or every n-th one.
    void read_rope(ConfigValues& values) {
        rope_ = values.file().counts("no_rope_layers", 1);
        every_ = values.number("no_rope_layer_interval", 0, max_layers);
    }

    [[nodiscard]] bool windowed(std::int64_t i) const {
        if (types_)
            return (*types_)[static_cast<std::size_t>(i)].ends_with("sliding_attention") ||
                   (*types_)[static_cast<std::size_t>(i)] == "chunked_attention";
        if (!switched_on_) return false;
        if (rule_ == "all") return true;
        if (rule_ == "every_second") return i % 2 == 0;
        if (rule_ == "from_layer") return i >= bound_;
        if (rule_ == "every_second_below") return i % 2 == 0 && i < bound_;
        if (!letters_.empty()) return letters_[static_cast<std::size_t>(i) % letters_.size()] == 'L';
        if (rule_ == "with_rope" && static_cast<std::size_t>(i) < rope_.size())
            return rope_[static_cast<std::size_t>(i)] != 0;
        return every_ > 0 && (i + 1) % every_ != 0;
    }

    std::string rule_, letters_;
    bool chunked_, switched_on_ = false;
    Types types_;
    std::vector<std::int64_t> rope_;
    std::int64_t window_ = 0, every_ = 0, bound_ = 0;
};

/// Which layers have experts in place of the dense network.
class SparseLayers {
  public:
    SparseLayers(ConfigValues& values, LanguageModel const& m) {
        if (!values.is_shape("experts")) return;
        experts_ = values.number("num_experts", 0, max_experts);
        if (experts_ < 2) return;
        auto& file = values.file();
        active_ = values.number("num_experts_per_tok", 1, max_experts);
        width_ = values.number("moe_intermediate_size", 1, max_width);
        shared_ = std::min(values.number("shared_expert_intermediate_size", 0, max_width * max_experts), max_width);
        types_ = types_of(file, "mlp_layer_types", m.layers, {"dense", "sparse"});
        listed_ = file.has("moe_layers");
        sparse_ = file.counts("moe_layers", max_layers);
        dense_ = file.counts("mlp_only_layers", max_layers);
        read_step(values, m);
    }

    void set(LayerKind& kind, std::int64_t layer) const {
        if (experts_ < 2 || !sparse(layer)) return;
        kind.ffn = shared_;
        kind.experts = experts_;
        kind.experts_active = active_;
        kind.expert_ffn = width_;
    }

  private:
    /// The step may be a list with a 1 for each layer that has experts.
    void read_step(ConfigValues& values, LanguageModel const& m) {
        auto const* step = values.given("moe_layer_freq");
        if (step != nullptr && step->is_array()) {
            flags_ = values.file().counts(values.name_of("moe_layer_freq"), 1);
            if (static_cast<std::int64_t>(flags_.size()) != m.layers)
                values.file().mistake("moe_layer_freq", fmt::format("moe_layer_freq has {} entries (there are {} "
                                                                    "layers)",
                                                                    flags_.size(), m.layers));
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
        if (types_) return (*types_)[at] == "sparse";
        if (listed_) return among(sparse_);
        if (among(dense_)) return false;
        if (!flags_.empty()) return at < flags_.size() && flags_[at] != 0;
        return i >= first_ && i <= last_ && (i + phase_) % step_ == 0;
    }

    std::int64_t experts_ = 0, active_ = 0, width_ = 0, shared_ = 0, step_ = 1, phase_ = 0, first_ = 0, last_ = 0;
    bool listed_ = false;
    Types types_;
    std::vector<std::int64_t> sparse_, dense_, flags_;
};

}  // namespace

void set_windows(ConfigValues& values, LanguageModel const& m, std::vector<LayerKind>& layers) {
    Windows const windows(values, m);
    for (std::size_t i = 0; i < layers.size(); ++i) windows.set(layers[i], static_cast<std::int64_t>(i));
}

std::vector<LayerKind> read_layers(ConfigValues& values, LanguageModel const& m) {
    SparseLayers const sparse(values, m);
    LayerKind dense;
    dense.layers = 1;
    dense.ffn = m.ffn;
    std::vector<LayerKind> layers(static_cast<std::size_t>(m.layers), dense);
    for (std::int64_t i = 0; i < m.layers; ++i) sparse.set(layers[static_cast<std::size_t>(i)], i);
    set_windows(values, m, layers);
    return layers;
}

}  // namespace pimdse::models
