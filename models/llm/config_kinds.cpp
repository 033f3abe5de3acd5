#include "models/llm/config_kinds.hpp"

#include "models/llm/limits.hpp"
#include "sim/base/check.hpp"
#include "sim/base/number_in.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace pimdse::models {
namespace {

using sim::Json;

/// A number of a layer that files state for each of them.
struct LayerNumber {
    std::string_view key;
    std::int64_t LayerKind::*member;
    std::int64_t least, most;
};

constexpr std::array attention_numbers{
    LayerNumber{"num_attention_heads", &LayerKind::heads, 1, max_heads},
    LayerNumber{"num_key_value_heads", &LayerKind::kv_heads, 1, max_heads},
    LayerNumber{"head_dim", &LayerKind::head_dimension, 1, max_heads},
    LayerNumber{"sliding_window", &LayerKind::window, 0, max_context},
};
constexpr std::array expert_numbers{
    LayerNumber{"num_experts", &LayerKind::experts, 1, max_experts},
    LayerNumber{"num_experts_per_tok", &LayerKind::experts_active, 1, max_experts},
    LayerNumber{"moe_intermediate_size", &LayerKind::expert_ffn, 1, max_width},
};
constexpr std::array network_numbers{LayerNumber{"intermediate_size", &LayerKind::ffn, 1, max_width}};

/// Does `set` for every number that a layer has.
template <class Set>
void for_numbers(LayerKind const& kind, Set const& set) {
    for (auto const& number : attention_numbers) set(number);
    if (kind.experts > 0)
        for (auto const& number : expert_numbers) set(number);
    else if (kind.ffn > 0)
        for (auto const& number : network_numbers) set(number);
}

/// A key of [[layers]] for a number of a layer.
struct Member {
    std::string_view key;
    std::int64_t LayerKind::*member;
    bool of_heads = false;
};
constexpr std::array members{Member{"heads", &LayerKind::heads, true},
                             Member{"kv_heads", &LayerKind::kv_heads, true},
                             Member{"head_dimension", &LayerKind::head_dimension, true},
                             Member{"value_dimension", &LayerKind::value_dimension, true},
                             Member{"ffn", &LayerKind::ffn},
                             Member{"layer_embedding", &LayerKind::layer_embedding},
                             Member{"weight_sets", &LayerKind::weight_sets},
                             Member{"window", &LayerKind::window}};

/// An entry of [[layers]], with the values that its expressions have in this file.
class Change {
  public:
    Change(ConfigValues& values, ConfigFamily::Values const& rule, std::int64_t layers) : layers_(layers) {
        auto const text = [&](std::string_view key) {
            auto const found = rule.find(key);
            return found == rule.end() ? std::string() : found->second.get<std::string>();
        };
        where_ = text("where");
        constexpr std::string_view listed = "in ";
        if (where_.starts_with(listed)) {
            auto const first = values.of_shape("first_layer");
            for (auto const layer : values.file().counts(where_.substr(listed.size()), max_layers))
                numbers_in_.push_back(layer - first);
        }
        if (auto const without = text("without"); !without.empty()) is_off_ = values.file().value(without) != nullptr;
        if (is_off_) return;
        sharing_ = values.of_shape("sharing_layers");
        for (auto const& [key, value] : rule)
            if (key == "matrices")
                read_matrices(values, value);
            else if (key != "where" && key != "without")
                numbers_.emplace_back(key, number_of(values, key, value));
    }

    void apply(LayerTypes const& types, std::int64_t i, LayerKind& kind) const {
        if (is_off_ || !holds(types, i, kind)) return;
        for (auto const& [key, number] : numbers_) set(key, number, kind);
        for (auto const& [matrix, outputs] : matrices_) {
            kind.matrices.push_back(matrix);
            if (i < static_cast<std::int64_t>(outputs.size()))
                kind.matrices.back().outputs = outputs[static_cast<std::size_t>(i)];
        }
    }

  private:
    static std::int64_t number_of(ConfigValues& values, std::string_view key, Json const& value) {
        auto const found = std::ranges::find(members, key, &Member::key);
        bool const of_heads = found != members.end() && found->of_heads;
        return of_heads ? values.value_of(value, 1, max_heads) : values.value_of(value);
    }

    void read_matrices(ConfigValues& values, Json const& list) {
        for (auto const& entry : list) {
            WeightMatrix const matrix{entry.at(0).get<std::string>(), values.value_of(entry.at(1)),
                                      values.value_of(entry.at(2))};
            if (matrix.inputs > 0 && matrix.outputs > 0)
                matrices_.emplace_back(matrix, values.by_layer(values.key_of(entry.at(2)), 0, max_heads));
        }
    }

    [[nodiscard]] bool holds(LayerTypes const& types, std::int64_t i, LayerKind const& kind) const {
        if (where_ == "all") return true;
        if (where_.starts_with("in ")) return std::ranges::find(numbers_in_, i) != numbers_in_.end();
        if (where_ == "experts") return kind.experts > 0;
        if (where_ == "dense") return kind.experts == 0;
        if (where_ == "indexed") return kind.indexer.heads > 0;
        if (where_ == "compressed") return kind.compression > 0 && kind.indexer.positions == 0;
        if (where_ == "windows") return kind.window > 0;
        if (where_ == "sharing") return sharing_ > 0 && i >= layers_ - sharing_;
        if (where_ == "full")
            return kind.attends && (types.given() ? types.is(i, {"full_attention"}) : kind.window == 0);
        sim::expects(where_ == "block" || where_ == "hybrid", "families name layers that there are");
        return types.given() && types.is(i, {where_});
    }

    static void set(std::string_view key, std::int64_t number, LayerKind& kind) {
        auto const found = std::ranges::find(members, key, &Member::key);
        if (found != members.end())
            kind.*found->member = number;
        else if (key == "other_parameters")
            kind.other_parameters += number;
        else if (key == "shares_keys")
            kind.shares_keys = number != 0;
        else if (key == "values_from_keys")
            kind.values_from_keys = number != 0;
        else
            sim::expects(false, "families change what layers have");
    }

    std::string where_;
    bool is_off_ = false;
    std::int64_t layers_, sharing_ = 0;
    std::vector<std::int64_t> numbers_in_;  ///< of the layers that a list of the file names
    std::vector<std::pair<std::string, std::int64_t>> numbers_;
    std::vector<std::pair<WeightMatrix, std::vector<std::int64_t>>> matrices_;  ///< with the outputs in each layer
};

/// Lists with an entry for each layer.
void read_lists(ConfigValues& values, std::vector<LayerKind>& layers) {
    auto const read = [&](LayerNumber const& number, auto const& has) {
        auto const list = values.by_layer(number.key, number.least, number.most);
        if (list.empty()) return;
        auto const name = values.name_of(number.key);
        (void)values.file().is_by_layer(name, list.size(), static_cast<std::int64_t>(layers.size()));
        for (std::size_t i = 0; i < std::min(list.size(), layers.size()); ++i)
            if (has(layers[i])) layers[i].*number.member = list[i];
    };
    auto const sparse = [](LayerKind const& kind) { return kind.experts > 0; };
    for (auto const& number : attention_numbers) read(number, [](LayerKind const& kind) { return kind.attends; });
    if (values.is_shape("experts") && std::ranges::any_of(layers, sparse))
        for (auto const& number : expert_numbers) read(number, sparse);
    for (auto const& number : network_numbers)
        read(number, [](LayerKind const& kind) { return kind.experts == 0 && kind.ffn > 0; });
}

/// What `per_layer_config` says of one layer.
void override_layer(ConfigValues& values, ConfigReader own, LayerKind& kind) {
    for_numbers(kind, [&](LayerNumber const& number) {
        for (auto const& name : values.names_of(number.key)) {
            auto const* value = own.value(name);
            if (value == nullptr) continue;
            auto& into = kind.*number.member;
            into = value->is_null() ? 0 : own.whole(name, *value, number.least, number.most).value_or(into);
            return;
        }
    });
    for (auto const& part : own.texts("skip")) {
        bool const mixer = part.find("att") != part.npos, network = part.find("mlp") != part.npos ||
                                                                    part.find("moe") != part.npos ||
                                                                    part.find("feed_forward") != part.npos;
        if (mixer) kind.attends = false;
        if (network) kind.ffn = kind.experts = kind.experts_active = kind.expert_ffn = kind.expert_inputs = 0;
        if (!mixer && !network) own.mistake("skip", fmt::format("'{}' is not a part of a layer that is known", part));
    }
    own.refuse_unknown_shapes();
}

/// Changes the layers that `per_layer_config` has by their numbers, or in a list with an entry for each.
void override_layers(ConfigValues& values, std::vector<LayerKind>& layers) {
    auto const field = values.name_of("per_layer_config");
    auto& file = values.file();
    if (!file.is_on(field)) return;
    if (file.value(field)->is_array()) {
        auto const entries = file.each(field);
        if (!file.is_by_layer(field, entries.size(), std::ssize(layers))) return;
        for (std::size_t i = 0; i < layers.size(); ++i) override_layer(values, entries[i], layers[i]);
        return;
    }
    auto table = file.inside(field);
    for (auto const& name : table.names()) {
        if (auto const layer = sim::number_in<std::size_t>(name); layer && *layer < layers.size())
            override_layer(values, table.inside(name), layers[*layer]);
        else
            table.mistake(name,
                          fmt::format("{}: '{}' is not the number of a layer, 0..{}", field, name, layers.size() - 1));
    }
}

/// The width of a network that is two thirds of a multiple of the residual stream, rounded up.
std::int64_t width_of(ConfigReader& network, std::int64_t hidden) {
    constexpr std::int64_t step = 256, most = 64;
    auto const* multiple = network.value("ffn_mult");
    double const wide = multiple != nullptr && multiple->is_number() ? multiple->get<double>() : 0.0;
    if (wide <= 0 || wide > most)
        network.mistake("ffn_mult", fmt::format("ffn_mult must be a number above 0, at most {}", most));
    auto const width = static_cast<std::int64_t>(2 * std::min<double>(wide, most) * static_cast<double>(hidden) / 3);
    return (width + step - 1) / step * step;
}

/// The parts of each layer as a search has found them (DeciLM). Layers without any are left out.
void read_blocks(ConfigValues& values, LanguageModel const& m, std::vector<LayerKind>& layers) {
    constexpr std::string_view field = "block_configs";
    if (!values.is_shape("blocks")) return;
    auto blocks = values.file().each(field);
    if (blocks.empty() || !values.file().is_by_layer(field, blocks.size(), std::ssize(layers))) return;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        auto attention = blocks[i].inside("attention"), network = blocks[i].inside("ffn");
        layers[i].attends = !attention.flag_or("no_op", false);
        layers[i].kv_heads = m.heads / attention.number_or("n_heads_in_group", 1, m.heads, 1);
        layers[i].ffn = network.flag_or("no_op", false) ? 0 : width_of(network, m.hidden);
        for (auto* part : {&attention, &network}) {
            part->refuse("replace_with_linear", "a matrix in place of a part is not modelled");
            part->refuse_unknown_shapes();
        }
    }
    std::erase_if(layers, [](LayerKind const& kind) { return !kind.attends && kind.ffn == 0; });
}

/// Norms of queries and keys: one scale for all heads, or one for each element of all of them; those of the ranks of
/// latent attention.
std::int64_t norms_of(LayerKind const& kind, std::string_view norm, LanguageModel const& m) {
    if (!kind.attends) return 0;
    if (m.kv_rank > 0) return m.query_rank + m.kv_rank;
    auto const of = [](std::int64_t own, std::int64_t usual) { return own > 0 ? own : usual; };
    auto const width = of(kind.head_dimension, m.head_dimension);
    std::int64_t const keys = kind.shares_keys ? 0 : 1;
    if (norm == "head") return (1 + keys) * width;
    return norm == "all" ? (of(kind.heads, m.heads) + keys * of(kind.kv_heads, m.kv_heads)) * width : 0;
}

}  // namespace

void change_layers(ConfigValues& values, LayerTypes const& types, LanguageModel const& m,
                   std::vector<LayerKind>& layers) {
    auto const count = static_cast<std::int64_t>(layers.size());
    for (auto const& rule : values.family().layers) {
        Change const change(values, rule, count);
        for (std::int64_t i = 0; i < count; ++i) change.apply(types, i, layers[static_cast<std::size_t>(i)]);
    }
    read_lists(values, layers);
    override_layers(values, layers);
    read_blocks(values, m, layers);
    auto const norm = values.shape_text("qk_norm");
    for (auto& kind : layers) kind.other_parameters += norms_of(kind, norm, m);
}

}  // namespace pimdse::models
