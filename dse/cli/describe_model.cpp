#include "dse/cli/describe_model.hpp"

#include "dse/cli/text_table.hpp"
#include "models/llm/language_models.hpp"
#include "models/llm/state.hpp"
#include "models/llm/weight_format.hpp"
#include "sim/base/check.hpp"
#include "sim/base/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <cstdint>
#include <iostream>
#include <variant>
#include <vector>

namespace pimdse::dse::cli {
namespace {

using models::LanguageModel;
using sim::Json;

/// Bits of an element of keys and values: as the file says, or 16.
double bits_in_cache(LanguageModel const& m) { return models::cache_bits(m) > 0.0 ? models::cache_bits(m) : 16.0; }

std::string attention_text(LanguageModel const& m) {
    if (!m.attends) return models::has_state(m) ? std::string(models::text_of(m.state.kind)) : "none";
    auto const kind = m.kv_rank > 0                                     ? fmt::format("latent, rank {}", m.kv_rank)
                      : m.attention == models::Attention::bidirectional ? "bidirectional"
                                                                        : "causal";
    std::string text = kind;
    if (m.window > 0) text += fmt::format(", {} of {}", m.chunked ? "chunks" : "window", m.window);
    if (m.indexer.positions > 0) text += fmt::format(", an indexer chooses {}", m.indexer.positions);
    if (m.shares_keys) text += ", keys of another layer";
    if (models::has_state(m)) text += fmt::format(", {}", models::text_of(m.state.kind));
    return text;
}

std::string feed_forward_text(LanguageModel const& m) {
    auto const experts = fmt::format("{} of {} experts of {}", m.experts_active, m.experts, m.expert_ffn);
    if (!models::has_network(m)) return "none";
    if (m.experts == 0) return fmt::format("{}{}", m.ffn, m.gated ? ", gated" : "");
    return m.ffn == 0 ? experts : fmt::format("{}, shared {}", experts, m.ffn);
}

/// Multiply-accumulates of one token, in all layers and the LM head.
struct TokenWork {
    std::int64_t weights = 0;        ///< products with weights
    double attention_per_key = 0.0;  ///< with one key and its value, in layers that attend to it
    std::int64_t cached = 0;         ///< elements of keys and values that it adds
    // Of a sequence, whatever its length.
    std::int64_t state = 0, convolution = 0;  ///< elements
    double state_multiplications = 0.0;       ///< of one token
};

TokenWork token_work(LanguageModel const& model) {
    TokenWork work{models::lm_head_weights(model)};
    for (auto const& m : models::alike_layers(model)) {
        constexpr double many = 1e6;  // keys, so that latent attention does not expand its cache
        work.weights += m.layers * models::layer_weights(m, models::Experts::active);
        work.attention_per_key +=
            static_cast<double>(m.layers) * (models::attention_multiplications(m, 1.0, many, many - 1.0) / many +
                                             models::index_multiplications(m, 1.0, 1.0));
        work.state += m.layers * models::state_elements(m);
        work.convolution += m.layers * models::convolution_elements(m);
        work.state_multiplications += static_cast<double>(m.layers) * models::token_state_multiplications(m, 1.0);
        work.cached += m.layers * models::kv_elements_per_token(m);
    }
    return work;
}

Json numbers_json(models::NumberFormat const& f) {
    return {{"bits", f.bits},
            {"group_inputs", f.group_inputs},
            {"group_outputs", f.group_outputs},
            {"scale_bits", f.scale_bits},
            {"zero_bits", f.zero_bits},
            {"input_bits", f.input_bits},
            {"bits_per_weight", models::bits_per_weight(f)}};
}

/// The format in which the file stores the weights that it converts; null if it states none.
Json format_json(models::WeightFormat const& f) {
    if (f.method.empty()) return nullptr;
    auto json = numbers_json(f.usual);
    json["method"] = f.method;
    auto kept = Json::array();
    auto others = Json::object();
    for (auto const& [name, format] : f.others) {
        if (format == models::NumberFormat{})
            kept.push_back(name);
        else
            others[name] = numbers_json(format);
    }
    json["lm_head"] = others.contains("lm_head");
    json["kept"] = kept;
    json["others"] = others;
    return json;
}

Json model_json(std::string const& name, LanguageModel const& model) {
    auto const work = token_work(model);
    Json text{{"model", name},
              {"source", model.source},
              {"parameters", models::total_parameters(model)},
              {"active_parameters", models::active_parameters(model)},
              {"hidden", model.hidden},
              {"heads", model.heads},
              {"kv_heads", model.kv_heads},
              {"head_dimension", model.head_dimension},
              {"vocabulary", model.vocabulary},
              {"maximum_context", model.maximum_context},
              {"multiplications_per_token", work.weights},
              {"multiplications_per_key", work.attention_per_key},
              {"cached_elements_per_token", work.cached},
              {"cache_bits", bits_in_cache(model)},
              {"state_elements", work.state},
              {"convolution_elements", work.convolution},
              {"state_bytes", models::sequence_state_bytes(model)},
              {"state_multiplications_per_token", work.state_multiplications},
              {"weight_bytes", models::stored_bytes(model)},
              {"weight_format", format_json(model.weight_format)},
              {"remarks", model.remarks}};
    for (auto const& m : models::alike_layers(model))
        text["layer_kinds"].push_back({{"layers", m.layers},
                                       {"window", m.window},
                                       {"chunked", m.chunked},
                                       {"attends", m.attends},
                                       {"heads", m.heads},
                                       {"kv_heads", m.kv_heads},
                                       {"head_dimension", m.head_dimension},
                                       {"shares_keys", m.shares_keys},
                                       {"indexed_positions", m.indexer.positions},
                                       {"state", models::name_of(m.state.kind)},
                                       {"state_elements", models::state_elements(m)},
                                       {"convolution_elements", models::convolution_elements(m)},
                                       {"ffn", m.ffn},
                                       {"experts", m.experts},
                                       {"experts_active", m.experts_active},
                                       {"expert_ffn", m.expert_ffn},
                                       {"weights", models::layer_weights(m)},
                                       {"weight_format", format_json(m.weight_format)}});
    return text;
}

LanguageModel part_of(LanguageModel const& model, models::Division const& division) {
    auto const part = models::shard_of(model, division);
    if (auto const* whole = std::get_if<models::NotDivisible>(&part)) throw sim::InputError(whole->reason);
    return std::get<LanguageModel>(part);
}

/// "modelopt, 4.5 bits with scales; lm_head: 16"
std::string stored_text(models::WeightFormat const& f) {
    std::vector<std::string> others;
    for (auto const& [name, format] : f.others)
        others.push_back(fmt::format("{}: {:.4g}", name, models::bits_per_weight(format)));
    return others.empty() ? models::text_of(f) : fmt::format("{}; {}", models::text_of(f), fmt::join(others, ", "));
}

std::string billions(double number) { return fmt::format("{:.4g} G", number / 1e9); }

void print_layers(LanguageModel const& model, Format format) {
    TextTable layers({"layers", "attention", "feed-forward", "weights of a layer", "used per token"});
    for (auto const& m : models::alike_layers(model))
        layers.add({fmt::format("{}", m.layers), attention_text(m), feed_forward_text(m),
                    fmt::format("{}", models::layer_weights(m)),
                    fmt::format("{}", models::layer_weights(m, models::Experts::active))});
    print_table(layers, format);
}

}  // namespace

void print_model(std::string const& name, models::Division const& division, Format format) {
    auto const model = part_of(models::load_language_model(name), division);
    if (format == Format::json) {
        std::cout << model_json(name, model).dump(2) << "\n";
        return;
    }
    auto const work = token_work(model);
    auto const cached = static_cast<double>(work.cached);
    TextTable table({division.parts() == 1 ? name : model.name, "value"});
    table.add({"source", model.source});
    table.add({"parameters", billions(static_cast<double>(models::total_parameters(model)))});
    table.add({"used per token", billions(static_cast<double>(models::active_parameters(model)))});
    table.add({"residual stream", fmt::format("{}", model.hidden)});
    table.add(
        {"heads", fmt::format("{} of {}, keys and values {}", model.heads, model.head_dimension, model.kv_heads)});
    table.add({"vocabulary", fmt::format("{}{}", model.vocabulary, model.tied_embedding ? ", tied" : "")});
    table.add({"context", fmt::format("{}", model.maximum_context)});
    table.add({"multiplications per token", billions(static_cast<double>(work.weights))});
    table.add({"and per position attended to", fmt::format("{:.4g} M", work.attention_per_key / 1e6)});
    table.add({"cache per token", fmt::format("{} elements, {:.4g} KiB in {:.4g} bit", work.cached,
                                              cached * bits_in_cache(model) / 8.0 / 1024.0, bits_in_cache(model))});
    if (work.state + work.convolution > 0)
        table.add({"state of a sequence",
                   fmt::format("{} elements of {} bit and {} of 16 bit, {:.4g} MB", work.state, model.state_bits,
                               work.convolution, models::sequence_state_bytes(model) / 1e6)});
    table.add({"weights in its file",
               fmt::format("{:.4g} GB: {}", models::stored_bytes(model) / 1e9, stored_text(model.weight_format))});
    for (auto const& remark : model.remarks) table.add({"remark", remark});
    print_table(table, format);
    std::cout << "\n";
    print_layers(model, format);
}

}  // namespace pimdse::dse::cli
