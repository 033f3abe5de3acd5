#include "models/text/request.hpp"

#include "models/contract/parameter_table.hpp"
#include "models/llm/cache_format.hpp"
#include "models/llm/language_models.hpp"
#include "models/llm/state.hpp"
#include "models/llm/weight_format.hpp"
#include "models/text/component_kinds.hpp"

#include <algorithm>
#include <string>

namespace pimdse::models::text {
namespace {

constexpr double bits_per_byte = 8;

std::size_t place_of(Parameters const& parameters, std::string_view name) {
    return static_cast<std::size_t>(find_parameter(parameters, name));
}

Parameter weights_row(std::vector<std::string> const& formats) {
    std::vector<std::string> choices{std::string(as_model_says)};
    choices.insert(choices.end(), formats.begin(), formats.end());
    return choice("weights", choices,
                  "format of weights and activations; model: that of the model's file, the first format of the machine "
                  "if it names none or one that the machine does not compute in");
}

Parameter cache_row(std::vector<std::string> choices) {
    choices.emplace_back(as_model_says);
    return choice("kv_cache", choices, as_model_says,
                  "format of keys and values; model: as wide as the model's file says, the first format of the machine "
                  "if it says nothing or a width that the machine does not have");
}

/// Bytes of an element of keys and values: in one of these formats, or behind them as the file of the model says.
double bytes_of_cache(std::vector<double> const& formats, std::size_t choice, LanguageModel const& model) {
    if (choice < formats.size()) return formats[choice];
    auto const written = std::ranges::find(formats, cache_bits(model) / bits_per_byte);
    return written == formats.end() ? formats.front() : *written;
}

}  // namespace

LlmRequest LlmRequest::of_draft() const {
    auto draft = *this;
    draft.model = speculation.draft_model;
    draft.speculation = {};
    return draft;
}

Parameters parameters_of(MachineFile const& file) {
    constexpr std::int64_t longest = 1 << 20, largest_batch = 4096, usual_input = 512, usual_output = 128;
    Limits const tokens{1.0, static_cast<double>(longest)};
    Parameters all;
    all.push_back(
        or_own_model(choice("llm", language_model_names(), file.default_llm, "language model, a file of models/llm")));
    all.push_back(also_called(count("input", "tokens", usual_input, tokens, "prompt length"), "prefill"));
    all.push_back(also_called(count("output", "tokens", usual_output, tokens, "generated tokens"), "decode"));
    all.push_back(
        count("batch", "1", 1, {1.0, static_cast<double>(largest_batch)}, "independent requests served together"));
    all.push_back(generation_row("a pass per token"));
    all.push_back(steps_row());
    all.push_back(block_length_row());
    all.push_back(model_cache_row());
    for (auto const& own : file.parameters)
        if (own.name == file.variant_parameter) all.push_back(own);
    all.push_back(weights_row(file.formats));
    all.push_back(cache_row(file.cache_formats));
    for (auto const& own : file.parameters)
        if (own.name != file.variant_parameter) all.push_back(own);
    all.push_back(draft_row());
    all.push_back(acceptance_row());
    all.push_back(draft_llm_row());
    return all;
}

RequestReader::RequestReader(MachineFile const& file, Parameters const& parameters)
    : formats_(file.formats),
      llm_(place_of(parameters, "llm")),
      input_(place_of(parameters, "input")),
      output_(place_of(parameters, "output")),
      batch_(place_of(parameters, "batch")),
      generation_(place_of(parameters, "generation")),
      steps_(place_of(parameters, "steps")),
      block_length_(place_of(parameters, "block_length")),
      cache_(place_of(parameters, "model_cache")),
      weights_(place_of(parameters, "weights")),
      kv_cache_(place_of(parameters, "kv_cache")),
      draft_(place_of(parameters, "draft")),
      acceptance_(place_of(parameters, "acceptance")),
      draft_llm_(place_of(parameters, "draft_llm")) {
    for (auto const& name : parameters[llm_].choices) models_.push_back(load_language_model(name));
    drafts_ = draft_models(parameters, models_);
    for (auto const& name : file.formats) weight_bytes_.push_back(bits_of_format(name) / bits_per_byte);
    for (auto const& name : file.cache_formats) cache_bytes_.push_back(bits_of_format(name) / bits_per_byte);
}

LlmRequest RequestReader::read(Point point, std::vector<bool> const& runs) const {
    constexpr std::string_view small_float = "fp8";
    LlmRequest r;
    r.model = &models_.at(point[llm_].as_choice());
    r.input = point[input_].as_integer();
    r.output = point[output_].as_integer();
    r.batch = point[batch_].as_integer();
    r.generation = static_cast<Generation>(point[generation_].as_choice());
    r.steps = point[steps_].as_integer();
    r.block_length = point[block_length_].as_integer();
    r.cache = static_cast<PassCache>(point[cache_].as_choice());
    auto const weights = point[weights_].as_choice();
    r.follows_file = weights == 0;
    r.format = weights == 0 ? 0 : weights - 1;
    auto const& written = r.model->weight_format.usual;
    if (r.follows_file && written.floating && written.bits == bits_of_format(small_float)) {
        auto const found = static_cast<std::size_t>(std::ranges::find(formats_, small_float) - formats_.begin());
        if (found < formats_.size() && runs[found]) r.format = found;
    }
    r.weight_bytes = weight_bytes_[r.format];
    r.cache_bytes = bytes_of_cache(cache_bytes_, point[kv_cache_].as_choice(), *r.model);
    r.speculation = {.draft = point[draft_].as_integer(), .acceptance = point[acceptance_].as_quantity()};
    r.kept_states = r.speculation.positions();
    auto const draft = point[draft_llm_].as_choice();
    r.speculation.draft_model = draft == 0 ? nullptr : &drafts_.at(draft);
    return r;
}

double position_bytes(LanguageModel const& alike, LlmRequest const& r) {
    return static_cast<double>(kv_elements_per_token(alike)) * static_cast<double>(alike.layers) * r.cache_bytes;
}

double weight_footprint(LlmRequest const& r) {
    return r.stored_as_file() ? served_bytes(*r.model)
                              : static_cast<double>(total_parameters(*r.model)) * r.weight_bytes;
}

double cache_footprint(LlmRequest const& r) {
    double cached = r.sequences() * static_cast<double>(r.kept_states) * sequence_state_bytes(*r.model);
    for (auto const& alike : alike_layers(*r.model))
        cached +=
            r.sequences() * held_positions(alike, static_cast<double>(r.longest_context())) * position_bytes(alike, r);
    return cached;
}

double logit_bytes(double positions, LlmRequest const& r, double logit) {
    if (!r.diffuses() && !r.keeps_logits) return 0.0;
    return positions * static_cast<double>(r.model->vocabulary) * logit;
}

double logit_footprint(LlmRequest const& r, double logit) {
    return logit_bytes(r.sequences() * static_cast<double>(r.block_length), r, logit);
}

}  // namespace pimdse::models::text
