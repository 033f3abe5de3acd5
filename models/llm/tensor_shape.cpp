#include "models/llm/tensor_shape.hpp"

#include "models/llm/limits.hpp"
#include "models/llm/weight_format.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <utility>

namespace pimdse::models {
namespace {

/// What a tensor is, and the names that files have for it: those of GGUF, and of most files of safetensors.
struct PartNames {
    std::string_view part, names;
};
constexpr std::array<PartNames, 39> layer_names{{
    {"q", "attn_q self_attn.q_proj"},
    {"k", "attn_k self_attn.k_proj"},
    {"v", "attn_v self_attn.v_proj"},
    {"qkv", "attn_qkv self_attn.qkv_proj"},
    {"o", "attn_output self_attn.o_proj"},
    {"q_a", "attn_q_a self_attn.q_a_proj"},
    {"q_b", "attn_q_b self_attn.q_b_proj"},
    {"kv_a", "attn_kv_a_mqa self_attn.kv_a_proj_with_mqa"},
    {"kv_b", "attn_kv_b self_attn.kv_b_proj"},
    {"k_b", "attn_k_b"},
    {"v_b", "attn_v_b"},
    {"gate", "ffn_gate ffn_gate_shexp mlp.gate_proj mlp.shared_expert.gate_proj mlp.shared_experts.gate_proj"},
    {"up", "ffn_up ffn_up_shexp mlp.up_proj mlp.gate_up_proj mlp.shared_expert.up_proj mlp.shared_experts.up_proj"},
    {"down", "ffn_down ffn_down_shexp mlp.down_proj mlp.shared_expert.down_proj mlp.shared_experts.down_proj"},
    {"experts.gate", "ffn_gate_exps mlp.experts.#.gate_proj block_sparse_moe.experts.#.w1"},
    {"experts.up", "ffn_up_exps mlp.experts.#.up_proj block_sparse_moe.experts.#.w3"},
    {"experts.down", "ffn_down_exps mlp.experts.#.down_proj block_sparse_moe.experts.#.w2"},
    {"experts.gate_up", "ffn_gate_up_exps"},
    {"router", "ffn_gate_inp mlp.gate mlp.router block_sparse_moe.gate"},
    {"q_norm", "self_attn.q_norm attn_q_norm"},
    {"state_in", "shortconv.in_proj ssm_in"},
    {"state_out", "shortconv.out_proj ssm_out"},
    {"state_convolution", "shortconv.conv"},
    {"state_x", "ssm_x"},
    {"state_step", "ssm_dt"},
    {"state_decay", "ssm_ba ssm_beta_alpha ssm_alpha"},
    {"state_beta", "ssm_beta"},
    {"state_decay_a", "ssm_f_a"},
    {"state_decay_b", "ssm_f_b"},
    {"state_gate_a", "ssm_g_a"},
    {"state_gate_b", "ssm_g_b"},
    {"g", "attn_gate"},
    {"index_q", "indexer.attn_q_b"},
    {"index_k", "indexer.attn_k"},
    {"index_weights", "indexer.proj"},
    {"embedding_gate", "inp_gate"},
    {"embedding_out", "proj"},
    {"laurel_left", "laurel_l"},
    {"laurel_right", "laurel_r"},
}};

constexpr std::array<PartNames, 5> end_names{{
    {"embedding", "token_embd model.embed_tokens embed_tokens transformer.wte wte"},
    {"layer_table", "per_layer_token_embd"},
    {"embedding_in", "per_layer_model_proj"},
    {"lm_head", "output lm_head"},
    {"positions", "position_embd"},
}};

/// The part that has this name; "" if there is none.
std::string_view part_in(std::span<PartNames const> table, std::string_view name) {
    for (auto const& [part, names] : table)
        for (auto at = names.find(name); at != names.npos; at = names.find(name, at + 1)) {
            auto const end = at + name.size();
            if ((at == 0 || names[at - 1] == ' ') && (end == names.size() || names[end] == ' ')) return part;
        }
    return {};
}

/// A tensor's name in parts: that of its layer, from 0, and what is behind it without ".weight"; the number of an
/// expert becomes "#".
struct Place {
    std::optional<std::int64_t> layer;
    std::string own;
    std::int64_t expert = -1;
};

std::optional<std::int64_t> number_at(std::string_view text, std::size_t from, std::size_t& end) {
    std::int64_t number = 0;
    auto const [last, error] = std::from_chars(text.data() + from, text.data() + text.size(), number);
    end = static_cast<std::size_t>(last - text.data());
    bool const whole = error == std::errc() && end < text.size() && text[end] == '.' && number >= 0;
    return whole ? std::optional(number) : std::nullopt;
}

Place place_of(std::string_view name) {
    constexpr std::string_view weight = ".weight", expert = ".experts.";
    Place place;
    if (name.ends_with(weight)) name.remove_suffix(weight.size());
    for (std::string_view const word : {"blk.", "layers."}) {
        auto const at = name.find(word);
        std::size_t end = 0;
        if (at == name.npos || !(place.layer = number_at(name, at + word.size(), end))) continue;
        name.remove_prefix(end + 1);
        break;
    }
    place.own = name;
    std::size_t end = 0;
    auto const at = place.own.find(expert);
    if (at == place.own.npos) return place;
    if (auto const number = number_at(place.own, at + expert.size(), end)) {
        place.expert = *number;
        place.own.replace(at + expert.size(), end - at - expert.size(), "#");
    }
    return place;
}

/// Tables that are computed, and scales of formats.
bool is_parameter(std::string_view name) {
    constexpr std::array<std::string_view, 9> others{"rope_freqs",   "rope_factors", "inv_freq", "_scale",   "scales",
                                                     "input_global", "weight_shape", "absmax",   "quant_map"};
    constexpr std::array<std::string_view, 2> of_layers{"altup_correct_scale", "layer_output_scale"};
    auto const has = [&](std::string_view part) { return name.find(part) != name.npos; };
    return std::ranges::none_of(others, has) || std::ranges::any_of(of_layers, has);
}

/// Whether a tensor of a layer that is not in the table leaves the matrices as they are.
bool is_small(TensorEntry const& tensor) {
    constexpr std::array<std::string_view, 8> names{
        ".bias", "norm", "ffn_gate_inp_shexp", "shared_expert_gate", "ssm_a", "ssm_conv1d", "ssm_d", "altup_"};
    return tensor.shape.size() < 2 || std::ranges::any_of(names, [&](std::string_view name) {
               return tensor.name.find(name) != tensor.name.npos;
           });
}

/// The matrices of one layer, as far as they are there.
class LayerShape {
  public:
    LayerShape(std::filesystem::path const& file, TensorParts::Parts const& parts, std::size_t layer)
        : file_(file), parts_(parts), layer_(layer) {}

    [[nodiscard]] TensorPart const* find(std::string_view part) const {
        auto const found = parts_.find(part);
        return found == parts_.end() ? nullptr : &found->second;
    }
    [[nodiscard]] TensorPart const& need(std::string_view part) const {
        auto const* found = find(part);
        if (found != nullptr && found->tensor->shape.size() >= 2) return *found;
        throw sim::InputError("{}: layer {} has no matrix '{}', so this is not a model that is known", file_.string(),
                              layer_, part);
    }
    void refuse(std::string const& why) const {
        throw sim::InputError("{}: layer {}: {}", file_.string(), layer_, why);
    }

  private:
    std::filesystem::path const& file_;
    TensorParts::Parts const& parts_;
    std::size_t layer_;
};

void read_latent(LayerShape const& layer, HeadNumbers const& heads, LanguageModel& m) {
    auto const& kv_a = layer.need("kv_a");
    m.kv_heads = m.heads;
    m.rope_dimension = heads.rope_dimension;
    m.kv_rank = kv_a.outputs() - m.rope_dimension;
    auto const* q_b = layer.find("q_b");
    m.query_rank = q_b == nullptr ? 0 : q_b->inputs();
    m.head_dimension = (q_b == nullptr ? layer.need("q") : *q_b).outputs() / m.heads;
    m.value_dimension = layer.need("o").inputs() / m.heads;
    if (m.kv_rank < 1 || m.head_dimension <= m.rope_dimension) layer.refuse("its ranks do not fit together");
}

/// Sets the width of the heads of a layer, its gate, and where its keys and values come from, and checks its matrices.
void read_attention(LayerShape const& layer, HeadNumbers const& numbers, LanguageModel const& m, LayerKind& kind) {
    auto const expect = [&](std::string_view part, std::int64_t inputs, std::int64_t outputs) {
        auto const* found = layer.find(part);
        if (found == nullptr || (found->inputs() == inputs && found->outputs() == outputs)) return;
        layer.refuse(fmt::format("{} is {} x {}, and not {} x {} as its heads say", part, found->outputs(),
                                 found->inputs(), outputs, inputs));
    };
    kind.head_dimension = numbers.head_dimension;
    kind.value_dimension = numbers.value_dimension;
    bool const fused = layer.find("qkv") != nullptr;
    auto const of_queries = fused ? 0 : layer.need("q").outputs();
    if (numbers.window_dimension != kind.head_dimension && of_queries == kind.heads * numbers.window_dimension) {
        kind.head_dimension = numbers.window_dimension;
        kind.value_dimension = numbers.window_value_dimension;
    }
    auto const queries = kind.heads * kind.head_dimension, keys = kind.kv_heads * kind.head_dimension;
    auto const values = kind.kv_heads * kind.value_dimension, sums = kind.heads * kind.value_dimension;
    bool const with_gate = of_queries == 2 * queries;
    kind.output_gate = with_gate || layer.find("g") != nullptr;
    if (!fused && !kind.shares_keys) (void)layer.need("k");
    kind.values_from_keys = numbers.may_lack_values && !fused && !kind.shares_keys && layer.find("v") == nullptr;
    if (!fused && !kind.shares_keys && !kind.values_from_keys) (void)layer.need("v");
    expect("q", m.hidden, with_gate ? 2 * queries : queries);
    expect("k", m.hidden, keys);
    expect("v", m.hidden, values);
    expect("qkv", m.hidden, queries + keys + values);
    expect("g", m.hidden, sums);
    (void)layer.need("o");
    expect("o", sums, m.hidden);
}

/// The state of a layer: a short convolution and Kimi's by its tensors, others by the numbers of the header.
StateMixer state_of(LayerShape const& layer, HeadNumbers const& numbers, LanguageModel const& m) {
    auto state = numbers.state;
    if (auto const* convolution = layer.find("state_convolution")) {
        state.kind = StateKind::convolution;
        state.heads = m.hidden;
        state.value_dimension = 1;
        state.convolution = convolution->inputs();
    } else if (auto const* decay = layer.find("state_decay_a")) {
        state.kind = StateKind::kimi_delta;
        state.heads = state.key_heads = layer.need("state_beta").outputs();
        state.key_dimension = layer.need("k").outputs() / state.heads;
        state.value_dimension = layer.need("v").outputs() / state.heads;
        state.rank = decay->outputs();
        state.gate_rank = layer.need("state_gate_a").outputs();
    } else if (layer.find("state_decay") != nullptr) {
        state.kind = state.kind == StateKind::none ? state.kind : StateKind::gated_delta;
    }
    if (state.kind == StateKind::none) layer.refuse("its state is of a kind that is not read");
    return state;
}

/// Checks the matrices of a state with what is said of it.
void check_state(LayerShape const& layer, LayerKind const& kind, LanguageModel const& m) {
    auto const& s = kind.state;
    auto const* out = layer.find(s.kind == StateKind::kimi_delta ? "o" : "state_out");
    bool const mixed = s.kind == StateKind::gated_delta && layer.find("qkv") != nullptr;
    auto const in = 2 * s.key_width() + s.value_width();
    if ((out != nullptr && (out->inputs() != s.value_width() || out->outputs() != m.hidden)) ||
        (mixed && layer.find("qkv")->outputs() != in))
        layer.refuse("the matrices of its state are not as wide as the header says");
}

/// Attention or state of a layer, as far as it has them.
void read_mixer(LayerShape const& layer, std::size_t i, HeadNumbers const& numbers, LanguageModel const& m,
                LayerKind& kind) {
    auto const of_layer = [&](std::vector<std::int64_t> const& list) {
        return list.size() == 1 ? list.front() : i < list.size() ? list[i] : 0;
    };
    bool const of_kimi = layer.find("state_decay_a") != nullptr;
    bool const of_state = of_kimi || layer.find("state_out") != nullptr;
    bool const queries = layer.find("q") != nullptr || layer.find("qkv") != nullptr || layer.find("kv_a") != nullptr;
    kind.attends = queries && !of_kimi && (!of_state || layer.find("o") != nullptr);
    if (of_state) {
        kind.state = state_of(layer, numbers, m);
        check_state(layer, kind, m);
    }
    if (!kind.attends) return;
    kind.shares_keys = numbers.sharing > 0 && static_cast<std::int64_t>(i) >= m.layers - numbers.sharing;
    if (layer.find("index_k") != nullptr) kind.indexer = numbers.indexer;
    if (m.kv_rank > 0) return;
    kind.heads = of_layer(numbers.heads);
    kind.kv_heads = of_layer(numbers.kv_heads);
    if (kind.heads < 1 || kind.kv_heads < 1) layer.refuse("it has matrices of attention, but no heads");
    read_attention(layer, numbers, m, kind);
}

/// An embedding of its own, and further matrices.
void read_more(LayerShape const& layer, LayerKind& kind) {
    if (auto const* gate = layer.find("embedding_gate")) kind.layer_embedding = gate->outputs();
    for (auto const* name : {"laurel_left", "laurel_right"})
        if (auto const* part = layer.find(name)) kind.matrices.push_back({name, part->inputs(), part->outputs()});
}

void read_network(LayerShape const& layer, HeadNumbers const& heads, LanguageModel& m, LayerKind& kind) {
    if (auto const* down = layer.find("down")) {
        kind.ffn = down->inputs();
        m.gated = layer.find("gate") != nullptr || layer.need("up").outputs() == 2 * kind.ffn;
    }
    if (layer.find("experts.down") != nullptr) {
        auto const& down = layer.need("experts.down");
        kind.experts = down.copies;
        kind.expert_ffn = down.inputs();
        kind.experts_active = heads.experts_active;
        m.gated = layer.find("experts.gate") != nullptr || layer.find("experts.gate_up") != nullptr;
    } else if (!kind.attends && !has_state(kind)) {
        (void)layer.need("down");
    }
}

/// The tensors that store a matrix of a layer.
std::vector<TensorPart const*> stored_in(LayerShape const& layer, TensorParts::Parts const& ends,
                                         WeightMatrix const& matrix, StateKind state) {
    auto const key = matrix_key(matrix);
    std::vector<TensorPart const*> parts;
    auto const take = [&](std::initializer_list<std::string_view> names) {
        for (auto const name : names)
            if (auto const* part = layer.find(name)) parts.push_back(part);
        return !parts.empty();
    };
    if (key == "state_in" && state == StateKind::kimi_delta && take({"q", "k", "v"})) return parts;
    if (key == "state_in" && layer.find(key) == nullptr && take({"qkv", "g"})) return parts;
    if (key == "state_decay" && take({"state_decay", "state_beta"})) return parts;
    if (key == "state_out" && state == StateKind::kimi_delta && take({"o"})) return parts;
    if (key == "kv_b" && layer.find(key) == nullptr && take({"k_b", "v_b"})) return parts;
    if (take({key})) return parts;
    if (auto const end = ends.find(key); end != ends.end()) return {&end->second};
    if (key == "q" || key == "k" || key == "v") (void)take({"qkv"});
    if (key == "g") (void)take({"q"});
    if (key == "gate") (void)take({"up"});
    if (key == "experts.gate" || key == "experts.up") (void)take({"experts.gate_up"});
    return parts;
}

/// The format of a matrix that several tensors store: theirs if it is one, otherwise their mean bits.
NumberFormat format_of_all(std::vector<TensorPart const*> const& parts) {
    auto const& first = parts.front()->tensor->format;
    auto const same = [&](TensorPart const* part) { return part->tensor->format == first; };
    if (std::ranges::all_of(parts, same)) return first;
    NumberFormat mean;
    double bits = 0.0, elements = 0.0;
    mean.floating = false;
    for (auto const* part : parts) {
        bits += part->tensor->elements() * bits_per_weight(part->tensor->format);
        elements += part->tensor->elements();
    }
    mean.bits = bits / elements;
    return mean;
}

WeightFormat formats_of(LayerShape const& layer, TensorParts::Parts const& ends, LanguageModel const& one,
                        WeightFormat format) {
    for (auto const& matrix : layer_matrices(one)) {
        auto const parts = stored_in(layer, ends, matrix, one.state.kind);
        if (parts.empty()) continue;
        if (auto own = format_of_all(parts); own != format.usual) format.others[matrix_key(matrix)] = std::move(own);
    }
    if (auto const* router = layer.find("router"); router != nullptr && router->tensor->format != NumberFormat{})
        format.others["router"] = router->tensor->format;
    return format;
}

/// The type that most elements have.
NumberFormat usual_format(std::vector<TensorParts::Parts> const& layers) {
    std::vector<std::pair<NumberFormat, double>> known;
    for (auto const& parts : layers) {
        for (auto const& [name, part] : parts) {
            auto const& format = part.tensor->format;
            auto found = std::ranges::find(known, format, &std::pair<NumberFormat, double>::first);
            if (found == known.end()) found = known.insert(known.end(), {format, 0.0});
            found->second += part.tensor->elements() * static_cast<double>(part.copies);
        }
    }
    auto const most = std::ranges::max_element(known, {}, &std::pair<NumberFormat, double>::second);
    return most == known.end() ? NumberFormat{} : most->first;
}

void read_ends(std::filesystem::path const& file, TensorParts const& parts, LanguageModel& m) {
    auto const embedding = parts.ends().find("embedding");
    if (embedding == parts.ends().end() || embedding->second.tensor->shape.size() != 2)
        throw sim::InputError(
            "{}: it has no token embedding with two dimensions (token_embd.weight, "
            "model.embed_tokens.weight), so it is not a model of text",
            file.string());
    m.hidden = m.embedding_projection = embedding->second.inputs();
    m.vocabulary = embedding->second.outputs();
    m.tied_embedding = !parts.ends().contains("lm_head");
    m.learned_positions = parts.ends().contains("positions");
    if (m.learned_positions) m.position_rows = parts.ends().at("positions").outputs();
    if (auto const table = parts.ends().find("layer_table"); table != parts.ends().end())
        m.layer_vocabulary = table->second.outputs();
    for (auto const* end : {"embedding", "lm_head", "layer_table"})
        if (auto const found = parts.ends().find(end);
            found != parts.ends().end() && found->second.tensor->format != NumberFormat{})
            m.weight_format.others[end] = found->second.tensor->format;
}

}  // namespace

TensorParts::TensorParts(std::filesystem::path const& file, std::vector<TensorEntry> const& tensors,
                         std::int64_t layers) {
    for (auto const& tensor : tensors) {
        if (!is_parameter(tensor.name)) continue;
        auto const place = place_of(tensor.name);
        if (place.layer && ((layers > 0 && *place.layer >= layers) || *place.layer >= max_layers)) {
            of_further_layers_ += tensor.elements();
            continue;
        }
        parameters_ += tensor.elements();
        if (place.layer && *place.layer >= static_cast<std::int64_t>(layers_.size()))
            layers_.resize(static_cast<std::size_t>(*place.layer) + 1);
        auto const part = std::string(place.layer ? part_in(layer_names, place.own) : part_in(end_names, place.own));
        if (part.empty() || tensor.shape.size() < 2) {
            if (is_small(tensor) || (!place.layer && tensor.name.find("layers.") == tensor.name.npos)) continue;
            throw sim::InputError("{}: {} ({}) is not modelled, and the model would be another one without it",
                                  file.string(), sim::clipped(tensor.name), fmt::join(tensor.shape, " x "));
        }
        auto& entry = place.layer ? layers_[static_cast<std::size_t>(*place.layer)][part] : ends_[part];
        if (entry.tensor == nullptr) entry.tensor = &tensor;
        entry.copies += tensor.shape.size() > 2 ? tensor.shape.front() : 1;
    }
}

std::vector<LayerKind> shape_of_tensors(std::filesystem::path const& file, TensorParts const& parts,
                                        HeadNumbers const& heads, LanguageModel& m) {
    read_ends(file, parts, m);
    m.layers = static_cast<std::int64_t>(parts.layers().size());
    // A model without attention has none, and one stands for them.
    m.heads = std::max<std::int64_t>(std::ranges::max(heads.heads), 1);
    m.kv_heads = std::max<std::int64_t>(std::ranges::max(heads.kv_heads), 1);
    m.head_dimension = heads.head_dimension;
    m.layer_norms = m.end_norms = 0;  // they are among the other parameters
    m.weight_format.usual = usual_format(parts.layers());
    if (m.layers == 0) throw sim::InputError("{}: no tensor is of a layer", file.string());
    auto const latent = std::ranges::find_if(parts.layers(), [](auto const& layer) { return layer.contains("kv_a"); });
    if (latent != parts.layers().end()) {
        auto const at = static_cast<std::size_t>(latent - parts.layers().begin());
        read_latent(LayerShape(file, *latent, at), heads, m);
    }
    std::vector<LayerKind> layers;
    for (std::size_t i = 0; i < parts.layers().size(); ++i) {
        LayerShape const layer(file, parts.layers()[i], i);
        LayerKind kind;
        kind.layers = 1;
        read_mixer(layer, i, heads, m, kind);
        read_network(layer, heads, m, kind);
        read_more(layer, kind);
        auto one = m;
        one.formats.clear();
        set_layers(one, {kind});
        auto format = formats_of(layer, parts.ends(), one, m.weight_format);
        auto const known = std::ranges::find(m.formats, format);
        kind.format = static_cast<std::size_t>(known - m.formats.begin());
        if (known == m.formats.end()) m.formats.push_back(std::move(format));
        layers.push_back(kind);
    }
    return layers;
}

}  // namespace pimdse::models
