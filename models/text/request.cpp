#include "models/text/request.hpp"

#include "models/contract/parameter_table.hpp"
#include "models/llm/language_models.hpp"
#include "models/llm/state.hpp"
#include "models/llm/weight_format.hpp"
#include "models/text/component_kinds.hpp"

#include <algorithm>
#include <optional>

namespace pimdse::models::text {
namespace {

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

using Table = ParameterTable<LlmRequest, RequestChoices>;

void set_weights(LlmRequest& r, Value const& v, RequestChoices const&) {
    r.follows_file = v.as_choice() == 0;
    r.format = r.follows_file ? 0 : v.as_choice() - 1;
}
void set_cache(LlmRequest& r, Value const& v, RequestChoices const& choices) {
    r.cache_bytes = bytes_of_cache(choices.cache_bytes, v.as_choice(), *r.model);
}

/// The choice that a file makes; nothing: points make it.
std::optional<Value> fixed_in(Parameter const& row, std::string const& choice) {
    if (choice.empty()) return std::nullopt;
    return Value::choice(static_cast<std::size_t>(std::ranges::find(row.choices, choice) - row.choices.begin()));
}

/// Its own parameters are read by the numbers of the machine.
Table table_of(MachineFile const& file) {
    Table table;
    auto const add_own = [&](bool of_variants) {
        for (auto const& own : file.parameters)
            if ((own.name == file.variant_parameter) == of_variants)
                table.row(Parameter(own), [](LlmRequest&, Value const&, RequestChoices const&) {});
    };
    add_model(table, or_own_model(
                         choice("llm", language_model_names(), "llama-2-7b", "language model, a file of models/llm")));
    add_lengths(table, 512, 128);
    table.row<&LlmRequest::batch>(count("batch", "1", 1, {1, 4096}, "independent requests served together"));
    add_generation(table, "a pass per token");
    add_own(true);
    if (file.weights.empty()) table.row(weights_row(file.formats), set_weights);
    if (file.kv_cache.empty()) table.row(cache_row(file.cache_formats), set_cache);
    add_own(false);
    add_speculation(table);
    return table;
}

std::vector<double> bytes_of(std::vector<std::string> const& formats) {
    std::vector<double> bytes;
    for (auto const& name : formats) bytes.push_back(bits_of_format(name) / bits_per_byte);
    return bytes;
}

}  // namespace

Parameters parameters_of(MachineFile const& file) {
    auto all = table_of(file).parameters();
    for (auto const& [name, value] : file.defaults)
        all.at(static_cast<std::size_t>(find_parameter(all, name))).default_value = value;
    return all;
}

RequestReader::RequestReader(MachineFile const& file, Parameters const& parameters, ModelList const* models)
    : choices_{ModelChoices(parameters), file.formats, bytes_of(file.formats), bytes_of(file.cache_formats)},
      table_(table_of(file)),
      weights_(fixed_in(weights_row(file.formats), file.weights)),
      kv_cache_(fixed_in(cache_row(file.cache_formats), file.kv_cache)) {
    if (models != nullptr) choices_.models = *models;
}

LlmRequest RequestReader::read(Point point, std::vector<bool> const& runs) const {
    constexpr std::string_view small_float = "fp8";
    auto r = table_.read(point.first(table_.parameters().size()), choices_);  // those of a group of devices follow
    if (weights_) set_weights(r, *weights_, choices_);
    if (kv_cache_) set_cache(r, *kv_cache_, choices_);
    auto const& formats = choices_.formats;
    auto const& written = r.model->weight_format.usual;
    if (r.follows_file && written.floating && written.bits == bits_of_format(small_float)) {
        auto const found = static_cast<std::size_t>(std::ranges::find(formats, small_float) - formats.begin());
        if (found < formats.size() && runs[found]) r.format = found;
    }
    r.weight_bytes = choices_.weight_bytes[r.format];
    r.kept_states = r.speculation.positions();
    return r;
}

double position_bytes(LanguageModel const& alike, LlmRequest const& r) {
    return kv_elements_per_token(alike) * static_cast<double>(alike.layers) * r.cache_bytes;
}

double weight_footprint(LlmRequest const& r) {
    return r.stored_as_file() ? served_bytes(*r.model)
                              : static_cast<double>(total_parameters(*r.model)) * r.weight_bytes;
}

double cache_footprint(LlmRequest const& r) {
    auto const longest = static_cast<double>(r.longest_context());
    double cached = r.sequences() * static_cast<double>(r.kept_states) * sequence_state_bytes(*r.model);
    for (auto const& alike : alike_layers(*r.model))
        cached += r.sequences() * held_positions(alike, longest) * position_bytes(alike, r);
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
