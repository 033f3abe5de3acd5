#include "models/llm/shape_check.hpp"

#include <fmt/format.h>

namespace pimdse::models {
namespace {

constexpr std::int64_t max_cached = 1 << 28;
constexpr double max_parameters = 1e14;
constexpr int feed_forward_matrices = 3;  ///< gate, up and down

using Mistakes = std::vector<ShapeMistake>;

double real(std::int64_t n) { return static_cast<double>(n); }

/// Upper bound of the parameters of the layers.
double layers_at_most(LanguageModel const& m) {
    double const feed_forward = feed_forward_matrices * (real(m.ffn) + real(m.experts) * real(m.expert_ffn));
    double const heads = 2.0 * (real(m.heads) + real(m.kv_heads)) * real(m.head_dimension);
    double const latent = real(m.kv_rank + m.query_rank) * (heads + real(m.value_width()) + real(m.hidden));
    return real(m.layers) * (real(m.hidden) * (heads + feed_forward + real(m.experts)) + latent);
}

/// Upper bound of the number of parameters as a double, because the product of the widths may not fit 64 bits yet.
double parameters_at_most(LanguageModel const& model) {
    double const positions = real(model.position_rows);
    double const tables = 2.0 * real(model.vocabulary) + positions + 2.0 * real(model.embedding_projection);
    double all = real(model.hidden) * tables;
    for (auto const& m : alike_layers(model)) all += layers_at_most(m);
    return all;
}

/// Checks that a layer has a feed-forward part, dense or of experts.
void check_feed_forward(LanguageModel const& m, Mistakes& mistakes) {
    if (m.ffn == 0 && m.experts == 0)
        mistakes.push_back({"ffn", "ffn = 0 without experts (a layer needs one of the two)"});
    if (m.experts > 0 && m.experts_active == 0)
        mistakes.push_back(
            {"experts_active", fmt::format("experts_active = 0 of {} experts (a token uses at least one)", m.experts)});
    if (m.experts > 0 && m.expert_ffn == 0)
        mistakes.push_back(
            {"expert_ffn", fmt::format("expert_ffn = 0 with {} experts (their width must be above 0)", m.experts)});
}

void check_latent_attention(LanguageModel const& m, Mistakes& mistakes) {
    if (m.kv_rank == 0) {
        if (m.query_rank > 0 || m.rope_dimension > 0 || m.value_dimension > 0)
            mistakes.push_back({"kv_rank", "kv_rank = 0, but other dimensions of latent attention are given"});
        return;
    }
    if (m.kv_heads != m.heads)
        mistakes.push_back(
            {"kv_heads", fmt::format("kv_heads = {} is not heads = {} (latent attention expands keys and "
                                     "values of every head)",
                                     m.kv_heads, m.heads)});
    if (m.rope_dimension > m.head_dimension)
        mistakes.push_back({"rope_dimension", fmt::format("rope_dimension = {} exceeds head_dimension = {}, which "
                                                          "contains it",
                                                          m.rope_dimension, m.head_dimension)});
}

}  // namespace

std::vector<ShapeMistake> shape_mistakes(LanguageModel const& model) {
    Mistakes mistakes;
    if (model.heads % model.kv_heads != 0)
        mistakes.push_back(
            {"kv_heads", fmt::format("kv_heads = {} does not divide heads = {}", model.kv_heads, model.heads)});
    check_latent_attention(model, mistakes);
    if (model.layers * model.kv_heads * model.head_dimension > max_cached)
        mistakes.push_back(
            {"kv_heads", fmt::format("layers x kv_heads x head_dimension = {} keys per token (at most {})",
                                     model.layers * model.kv_heads * model.head_dimension, max_cached)});
    if (double const all = parameters_at_most(model); all > max_parameters)
        mistakes.push_back(
            {"hidden", fmt::format("about {:.3g} parameters (at most {:.0e} are supported)", all, max_parameters)});
    for (auto const& m : alike_layers(model)) {
        if (m.experts_active > m.experts)
            mistakes.push_back({"experts_active",
                                fmt::format("experts_active = {} exceeds experts = {}", m.experts_active, m.experts)});
        check_feed_forward(m, mistakes);
    }
    return mistakes;
}

}  // namespace pimdse::models
