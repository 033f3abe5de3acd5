#pragma once

#include "models/contract/parameter_table.hpp"
#include "models/llm/language_models.hpp"
#include "models/llm/model_list.hpp"
#include "models/llm/request_passes.hpp"

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

    ModelChoices() : models(SharedModels{}) {}  ///< of no parameters
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

/// The names of models, after "none".
[[nodiscard]] inline std::vector<std::string> models_or_none() {
    auto names = language_model_names();
    names.insert(names.begin(), "none");
    return names;
}

/// Adds `llm` to the table of a Design that is a ModelRequest, whose Context is a ModelChoices.
template <class Design, class Context>
void add_model(ParameterTable<Design, Context>& table, Parameter&& llm) {
    table.row(std::move(llm), [](Design& d, Value const& v, Context const& choices) { d.model = choices.model_of(v); });
}

/// Adds `input` and `output` likewise; `note` follows their meanings.
template <class Design, class Context>
void add_lengths(ParameterTable<Design, Context>& table, std::int64_t input, std::int64_t output,
                 std::string const& note = "") {
    constexpr Limits tokens{1, 1 << 20};
    table.template row<&ModelRequest::input>(
        also_called(count("input", "tokens", input, tokens, "prompt length" + note), "prefill"));
    table.template row<&ModelRequest::output>(
        also_called(also_called(count("output", "tokens", output, tokens, "generated tokens" + note), "decode"),
                    "generation_length"));
}

/// Adds `generation`, token by token, described by `a_pass` ("a pass per token"), or blocks of tokens in denoising
/// steps, and the parameters of these steps likewise.
template <class Design, class Context>
void add_generation(ParameterTable<Design, Context>& table, std::string const& a_pass) {
    table.template row<&ModelRequest::generation>(
        choice("generation", {"autoregressive", "diffusion"},
               "autoregressive: " + a_pass + "; diffusion: blocks of tokens are denoised in steps, one pass per step"));
    table.template row<&ModelRequest::steps>(count("steps", "", 32, {1, 4096}, "diffusion: denoising steps per block"));
    table.template row<&ModelRequest::block_length>(count(
        "block_length", "tokens", 32, {1, 65536}, "diffusion: positions of a block, which are denoised together"));
    table.template row<&ModelRequest::cache>(choice(
        "model_cache", {"none", "prefix", "dual"}, "dual",
        "diffusion: positions that later steps compute (none: all; prefix: block and suffix; dual: only the block)"));
}

/// Adds `draft`, tokens that are proposed before each pass of the model, which verifies them; `acceptance`, the
/// probability of each; and `draft_llm`, the model that proposes, likewise.
template <class Design, class Context>
void add_speculation(ParameterTable<Design, Context>& table) {
    table.row(count("draft", "tokens", 0, {0, 64},
                    "autoregressive: tokens proposed before each pass of the model, which verifies them in one pass; "
                    "0: none"),
              [](Design& d, Value const& v, Context const&) { assign(d.speculation.draft, v); });
    table.row(assumed(quantity("acceptance", "1", 0.7, {0.0, 1.0},
                               "with draft: probability that a proposed token is accepted, the same for every token")),
              [](Design& d, Value const& v, Context const&) { assign(d.speculation.acceptance, v); });
    table.row(
        or_own_model(choice("draft_llm", models_or_none(),
                            "with draft: the model that proposes tokens; none: proposals cost nothing (a look-up)")),
        [](Design& d, Value const& v, Context const& choices) { d.speculation.draft_model = choices.draft_of(v); });
}

}  // namespace pimdse::models
