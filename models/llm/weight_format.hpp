#pragma once

#include "models/llm/workload.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pimdse::models {

/// The name of a matrix in WeightFormat::others: its own, "experts." before it for those of experts.
[[nodiscard]] std::string matrix_key(WeightMatrix const& matrix);

/// The format in which the file of a model stores a matrix of its layers. Precondition: the layers are alike.
[[nodiscard]] NumberFormat const& format_of(LanguageModel const& model, WeightMatrix const& matrix);

/// The same for the LM head.
[[nodiscard]] NumberFormat const& format_of_head(LanguageModel const& model);

/// Whether that is another one than 16 bits. Precondition: the layers are alike.
[[nodiscard]] bool is_converted(LanguageModel const& model, WeightMatrix const& matrix);

/// Bytes of one copy of a matrix on a machine that stores what the file does; 16 bits where it is not converted.
/// Precondition: the layers of the model are alike.
[[nodiscard]] double matrix_bytes(LanguageModel const& model, WeightMatrix const& matrix);
/// The same for the LM head, and for all parameters.
[[nodiscard]] double head_bytes(LanguageModel const& model);
[[nodiscard]] double served_bytes(LanguageModel const& model);

/// Bytes of all parameters in the file of a model, which may have more bits than machines where it is not converted.
/// Not counted: scales of activations, tables and shapes of a matrix.
[[nodiscard]] double stored_bytes(LanguageModel const& model);

/// Bits of a weight on a machine that has one format for all matrices of the layers: 8 or 4 if the file converts all of
/// them to weights of so many bits, whatever their scales, and else 16.
[[nodiscard]] int whole_bits(LanguageModel const& model);

/// What `weights` and the like are called if the file of the model decides.
inline constexpr std::string_view as_model_says = "model";

/// What Architecture::products calls the weights of a machine that stores what the file does: "4-bit".
[[nodiscard]] std::string stored_name(LanguageModel const& model);

/// Numbers that a product multiplies. Those of 16 bits are floating-point numbers.
struct ProductFormat {
    double bits = 16;
    bool floating = true;
};

/// What products by weights of this format multiply: as wide as the wider side, of the kind of the activations. Weights
/// whose activations are not converted are expanded to 16 bits.
[[nodiscard]] ProductFormat products_of(NumberFormat const& weights);

/// The narrowest of these formats that has all numbers of `wanted`: one of its kind, or wider floating-point numbers
/// where it has integers; of several the first. Nothing if none has.
[[nodiscard]] std::optional<std::size_t> holding(ProductFormat wanted, std::span<ProductFormat const> formats);

/// Mean bits of a converted weight in a large matrix, with those of its group: 4.25 for 4 bits and a scale of 8 for 32.
[[nodiscard]] double bits_per_weight(NumberFormat const& format);

/// "mxfp4, 4.25 bits with scales"; "16 bits" if no file says.
[[nodiscard]] std::string text_of(WeightFormat const& format);

/// The entry of WeightFormat::others that has the format of keys and values; beside those that are named there,
/// "layer_table" has that of embeddings per layer.
inline constexpr std::string_view cache_entry = "cache";

/// Bits of an element of keys and values, with scales, as the file of a model says; 0 if it says nothing.
[[nodiscard]] double cache_bits(LanguageModel const& model);

}  // namespace pimdse::models
