#include "models/llm/cache_format.hpp"

#include "models/llm/weight_format.hpp"

namespace pimdse::models {

double cache_bits(LanguageModel const& model) {
    auto const found = model.weight_format.others.find(cache_entry);
    return found == model.weight_format.others.end() ? 0.0 : bits_per_weight(found->second);
}

}  // namespace pimdse::models
