#include "models/llm/generation.hpp"

#include "models/contract/parameter_table.hpp"

#include <fmt/format.h>

namespace pimdse::models {

Parameter length_row(std::string_view name, std::int64_t default_value, std::string_view meaning,
                     std::string_view alias) {
    return also_called(count(name, "tokens", default_value, {1, 1 << 20}, meaning), alias);
}

Parameter generation_row(std::string const& a_pass) {
    return choice(
        "generation", {"autoregressive", "diffusion"},
        fmt::format("autoregressive: {}; diffusion: blocks of tokens are denoised in steps, one pass per step",
                    a_pass));
}

Parameter steps_row() { return count("steps", "", 32, {1, 4096}, "diffusion: denoising steps per block"); }

Parameter block_length_row() {
    return count("block_length", "tokens", 32, {1, 65536},
                 "diffusion: positions of a block, which are denoised together");
}

Parameter model_cache_row() {
    return choice(
        "model_cache", {"none", "prefix", "dual"}, "dual",
        "diffusion: positions that later steps compute (none: all; prefix: block and suffix; dual: only the block)");
}

std::optional<Infeasible> broken_context(LanguageModel const& model, std::int64_t input, std::int64_t output) {
    if (input + output <= model.maximum_context) return std::nullopt;
    return infeasible("context", "input {} + output {} = {} tokens exceed the {} positions that {} {}", input, output,
                      input + output, model.maximum_context, model.name,
                      model.learned_positions ? "has learned" : "was made for (maximum_context)");
}

}  // namespace pimdse::models
