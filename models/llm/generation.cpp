#include "models/llm/generation.hpp"

namespace pimdse::models {

std::optional<Infeasible> broken_context(LanguageModel const& model, std::int64_t input, std::int64_t output) {
    if (input + output <= model.maximum_context) return std::nullopt;
    return infeasible("context", "input {} + output {} = {} tokens exceed the {} positions that {} {}", input, output,
                      input + output, model.maximum_context, model.name,
                      model.learned_positions ? "has learned" : "was made for (maximum_context)");
}

}  // namespace pimdse::models
