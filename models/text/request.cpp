#include "models/text/request.hpp"

#include "models/contract/parameter_table.hpp"
#include "models/llm/language_models.hpp"
#include "models/llm/request_passes.hpp"
#include "models/llm/state.hpp"
#include "models/llm/weight_format.hpp"
#include "models/text/component_kinds.hpp"

#include <algorithm>

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

/// Its own parameters are read by the numbers of the machine.
Table table_of(MachineFile const& file) {
    Table table;
    auto const add_own = [&](bool of_variants) {
        for (auto const& own : file.parameters)
            if ((own.name == file.variant_parameter) == of_variants)
                table.row(Parameter(own), [](LlmRequest&, Value const&, RequestChoices const&) {});
    };
    add_model(table, or_own_model(choice("llm", language_model_names(), file.default_llm,
                                         "language model, a file of models/llm")));
    add_lengths(table, file.default_input, file.default_output);
    table.row<&LlmRequest::batch>(count("batch", "1", 1, {1, 4096}, "independent requests served together"));
    add_generation(table, "a pass per token");
    add_own(true);
    table.row(weights_row(file.formats), [](LlmRequest& r, Value const& v, RequestChoices const&) {
        r.follows_file = v.as_choice() == 0;
        r.format = r.follows_file ? 0 : v.as_choice() - 1;
    });
    table.row(cache_row(file.cache_formats), [](LlmRequest& r, Value const& v, RequestChoices const& choices) {
        r.cache_bytes = bytes_of_cache(choices.cache_bytes, v.as_choice(), *r.model);
    });
    add_own(false);
    add_speculation(table);
    return table;
}

std::vector<ProductFormat> numbers_of_all(std::vector<std::string> const& formats) {
    std::vector<ProductFormat> all;
    for (auto const& name : formats) all.push_back(numbers_of(name));
    return all;
}

/// The place of such numbers in LlmRequest::by_numbers: floats of 16, 8 and 4 bits, integers of 8 and 4.
std::size_t place_of(ProductFormat const& p) {
    constexpr double byte = 8, half = 4;
    if (p.bits > byte) return 0;
    return (p.floating ? 1U : 3U) + (p.bits > half ? 0U : 1U);
}
constexpr std::array by_place{ProductFormat{16, true}, ProductFormat{8, true}, ProductFormat{4, true},
                              ProductFormat{8, false}, ProductFormat{4, false}};

/// Sets the format and the bytes of a weight where they follow the file of the model.
void follow_file(LlmRequest& r) {
    auto const in = r.stored_as_file() ? r.products_in(r.model->weight_format.usual) : r.unnamed;
    r.format = in.format;
    r.weight_bytes = in.bytes;
}

std::vector<double> bytes_of(std::vector<std::string> const& formats) {
    std::vector<double> bytes;
    for (auto const& name : formats) bytes.push_back(bits_of_format(name) / bits_per_byte);
    return bytes;
}

}  // namespace

Parameters parameters_of(MachineFile const& file) { return table_of(file).parameters(); }

RequestReader::RequestReader(MachineFile const& file, Parameters const& parameters, ModelList const* models)
    : choices_{ModelChoices(parameters), numbers_of_all(file.formats), bytes_of(file.formats),
               bytes_of(file.cache_formats)},
      table_(table_of(file)) {
    if (models != nullptr) choices_.models = *models;
}

LlmRequest RequestReader::read(Point point, std::vector<bool> const& runs) const {
    auto r = table_.read(point.first(table_.parameters().size()), choices_);  // those of a group of devices follow
    r.weight_bytes = choices_.weight_bytes[r.format];
    if (r.follows_file) {
        r.unnamed = {0, choices_.weight_bytes.front()};
        auto able = choices_.formats;
        for (std::size_t f = 0; f < able.size(); ++f)
            if (!runs[f]) able[f].bits = 0.0;
        auto const running = static_cast<std::size_t>(std::ranges::find(runs, true) - runs.begin());
        auto const first = running < runs.size() ? running : 0;
        for (std::size_t i = 0; i < by_place.size(); ++i) {
            auto const format = holding(by_place[i], able).value_or(first);
            r.by_numbers[i] = {format, choices_.weight_bytes[format]};
        }
        follow_file(r);
    }
    r.kept_states = r.speculation.positions();
    return r;
}

ProductsIn LlmRequest::products_in(NumberFormat const& weights) const {
    return by_numbers[place_of(products_of(weights))];
}

LlmRequest of_draft(LlmRequest const& request) {
    auto draft = models::of_draft<LlmRequest>(request);
    if (draft.follows_file) follow_file(draft);
    return draft;
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
