#include "models/llm/shape_check.hpp"

#include <fmt/format.h>

namespace pimdse::models {
namespace {

constexpr std::int64_t max_cached = 1 << 28;
constexpr double max_parameters = 1e14;
constexpr int feed_forward_matrices = 3;  ///< gate, up and down

using Mistakes = std::vector<ShapeMistake>;

/// Upper bound of the number of parameters as a double, because the product of the widths may not fit 64 bits yet.
double parameters_at_most(LanguageModel const& m) {
    auto const real = [](std::int64_t n) { return static_cast<double>(n); };
    double const feed_forward = feed_forward_matrices * (real(m.ffn) + real(m.experts) * real(m.expert_ffn));
    double const heads = 2.0 * (real(m.heads) + real(m.kv_heads)) * real(m.head_dimension);
    double const positions = m.learned_positions ? real(m.maximum_context) : 0.0;
    double const tables = 2.0 * real(m.vocabulary) + positions + 2.0 * real(m.embedding_projection);
    return real(m.hidden) * (real(m.layers) * (heads + feed_forward + real(m.experts)) + tables);
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

}  // namespace

std::vector<ShapeMistake> shape_mistakes(LanguageModel const& m) {
    Mistakes mistakes;
    if (m.heads % m.kv_heads != 0)
        mistakes.push_back({"kv_heads", fmt::format("kv_heads = {} does not divide heads = {}", m.kv_heads, m.heads)});
    if (m.layers * m.kv_heads * m.head_dimension > max_cached)
        mistakes.push_back(
            {"kv_heads", fmt::format("layers x kv_heads x head_dimension = {} keys per token (at most {})",
                                     m.layers * m.kv_heads * m.head_dimension, max_cached)});
    if (double const all = parameters_at_most(m); all > max_parameters)
        mistakes.push_back(
            {"hidden", fmt::format("about {:.3g} parameters (at most {:.0e} are supported)", all, max_parameters)});
    if (m.experts_active > m.experts) {
        mistakes.push_back(
            {"experts_active", fmt::format("experts_active = {} exceeds experts = {}", m.experts_active, m.experts)});
    }
    check_feed_forward(m, mistakes);
    return mistakes;
}

}  // namespace pimdse::models
