#pragma once

#include "models/contract/parameter_table.hpp"
#include "models/llm/language_models.hpp"
#include "models/llm/model_list.hpp"
#include "models/llm/request_passes.hpp"
#include "models/llm/speculation.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::models {

/// The models that the choices of `llm` and `draft_llm` stand for, and the rows of a parameter table that read them
/// into a ModelRequest.
struct ModelChoices {
    ModelList models;     ///< by choice of `llm`
    SharedModels drafts;  ///< by choice of `draft_llm`

    /// Throws InputError for a model that cannot be read.
    explicit ModelChoices(Parameters const& parameters)
        : models(models_of(parameters, "llm")), drafts(models_of(parameters, "draft_llm")) {}

    /// nullptr: none. References stay valid as long as this lives.
    [[nodiscard]] LanguageModel const* model_of(Value const& llm) const { return if_any(models.at(llm.as_choice())); }
    [[nodiscard]] LanguageModel const* draft_of(Value const& draft_llm) const {
        return if_any(*drafts.at(draft_llm.as_choice()));
    }

  private:
    static LanguageModel const* if_any(LanguageModel const& model) { return model.layers == 0 ? nullptr : &model; }
};

/// Adds `llm` to the table of a Design that is a ModelRequest, whose Context is a ModelChoices.
template <class Design, class Context>
void add_model(ParameterTable<Design, Context>& table, Parameter&& llm) {
    table.row(std::move(llm), [](Design& d, Value const& v, Context const& choices) { d.model = choices.model_of(v); });
}

/// Adds `input` and `output` likewise; `note` follows their meanings.
template <class Design, class Context>
void add_lengths(ParameterTable<Design, Context>& table, std::int64_t input, std::int64_t output,
                 std::string const& note = "") {
    table.template row<&ModelRequest::input>(length_row("input", input, "prompt length" + note, "prefill"));
    table.template row<&ModelRequest::output>(length_row("output", output, "generated tokens" + note, "decode"));
}

/// Adds `generation`, described by `a_pass` ("a pass per token"), and the parameters of denoising likewise.
template <class Design, class Context>
void add_generation(ParameterTable<Design, Context>& table, std::string const& a_pass) {
    table.template row<&ModelRequest::generation>(generation_row(a_pass));
    table.template row<&ModelRequest::steps>(steps_row());
    table.template row<&ModelRequest::block_length>(block_length_row());
    table.template row<&ModelRequest::cache>(model_cache_row());
}

/// Adds `draft`, `acceptance` and `draft_llm` likewise.
template <class Design, class Context>
void add_speculation(ParameterTable<Design, Context>& table) {
    table.row(draft_row(), [](Design& d, Value const& v, Context const&) { assign(d.speculation.draft, v); });
    table.row(acceptance_row(), [](Design& d, Value const& v, Context const&) { assign(d.speculation.acceptance, v); });
    table.row(draft_llm_row(), [](Design& d, Value const& v, Context const& choices) {
        d.speculation.draft_model = choices.draft_of(v);
    });
}

}  // namespace pimdse::models
