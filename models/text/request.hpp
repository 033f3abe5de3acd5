#pragma once

#include "models/llm/model_choices.hpp"
#include "models/llm/weight_format.hpp"
#include "models/text/machine_file.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::models::text {

/// A format of a machine in which products are computed, and the bytes of an element in it.
struct ProductsIn {
    std::size_t format = 0;  ///< in MachineFile::formats
    double bytes = 2.0;
};

/// What a point asks for, beside its machine.
struct LlmRequest : ModelRequest {
    std::size_t format = 0;                  ///< of attention, and of products unless the file of the model has others
    double weight_bytes = 2.0;               ///< of an element in this format, with its part of a scale
    double weight_scale = 0.0;               ///< B of that
    double cache_bytes = 2.0;                ///< of an element of keys and values
    bool follows_file = false;               ///< weights are in the format of the model's file, if it names one
    ProductsIn unnamed;                      ///< of models whose file names no format, where weights follow the file
    std::array<ProductsIn, 5> by_numbers{};  ///< and of files that do: by the numbers that products multiply
    bool keeps_logits = false;               ///< also of tokens: they wait in memory for what samples them
    std::int64_t kept_states = 1;  ///< of a sequence: one behind each position of a pass, of which some may be refused

    /// Whether weights are in a format of a file, and expanded before products.
    [[nodiscard]] bool stored_as_file() const { return follows_file && !model->weight_format.method.empty(); }
    /// Sets every number of bytes of a weight to `of` its own.
    template <class Of>
    void each_weight_bytes(Of const& of) {
        weight_bytes = of(weight_bytes);
        unnamed.bytes = of(unnamed.bytes);
        for (auto& one : by_numbers) one.bytes = of(one.bytes);
    }
    /// How products by weights of this format in the file are computed. Precondition: stored_as_file().
    [[nodiscard]] ProductsIn products_in(NumberFormat const& weights) const;
};

/// The same request to the draft model, whose weights have the format of its own file where they follow files.
[[nodiscard]] LlmRequest of_draft(LlmRequest const& request);

/// The parameters of an architecture: those of a request, which all text machines have, and its own between them.
[[nodiscard]] Parameters parameters_of(MachineFile const& file);

/// What the choices of a request stand for.
struct RequestChoices : ModelChoices {
    std::vector<ProductFormat> formats;
    std::vector<double> weight_bytes, cache_bytes;  ///< of an element, by choice of a format
};

/// Reads requests from points. The models of the choices of `llm` and `draft_llm` live as long as this.
class RequestReader {
  public:
    /// `models`: those of the choices of `llm`, and their parts; nullptr: read anew.
    RequestReader(MachineFile const& file, Parameters const& parameters, ModelList const* models = nullptr);
    /// `runs`: whether the machine computes in each of its formats. Products of a model whose file names formats are in
    /// the narrowest of these that has the numbers of weights and activations, and in the first one if none has.
    [[nodiscard]] LlmRequest read(Point point, std::vector<bool> const& runs) const;
    [[nodiscard]] ModelList const& models() const { return choices_.models; }
    [[nodiscard]] LanguageModel const& model(Point point) const { return *choices_.model_of(point.front()); }

  private:
    RequestChoices choices_;
    ParameterTable<LlmRequest, RequestChoices> table_;
};

/// Bytes of keys and values of one position in the layers of one kind.
[[nodiscard]] double position_bytes(LanguageModel const& alike, LlmRequest const& request);
/// Bytes of all weights.
[[nodiscard]] double weight_footprint(LlmRequest const& request);
/// Bytes of keys and values up to the last token, in all layers and sequences, and of states: one for each position of
/// a pass, behind which the next one may begin.
[[nodiscard]] double cache_footprint(LlmRequest const& request);
/// Bytes in memory of the logits of so many positions, `logit` bytes each: of diffusion, or if they are kept; otherwise
/// 0.
[[nodiscard]] double logit_bytes(double positions, LlmRequest const& request, double logit);
/// The same for a block of every sequence of the request.
[[nodiscard]] double logit_footprint(LlmRequest const& request, double logit);

}  // namespace pimdse::models::text
