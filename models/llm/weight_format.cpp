#include "models/llm/weight_format.hpp"

#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <string_view>

namespace pimdse::models {
namespace {

using sim::as_double;

constexpr int byte_bits = 8, plain_bytes = 2;  ///< what is not converted has 16 bits

std::string_view part_of(LanguageModel const& m, WeightMatrix const& matrix) {
    if (matrix.name != "gate" && matrix.name != "up" && matrix.name != "down") return "attention";
    if (m.experts == 0) return "ffn";
    return matrix.count > 1 || m.ffn == 0 ? "experts" : "shared";
}

/// Groups of `size` along a dimension; 0: one.
double groups_along(std::int64_t dimension, std::int64_t size) {
    return size == 0 ? 1.0 : as_double(sim::divide_up(dimension, size));
}

/// Bytes of one copy of a matrix, with scales, zero points and indices. Groups at an edge that the matrix does not fill
/// have a scale, too.
double converted_bytes(WeightFormat const& f, WeightMatrix const& matrix) {
    double const weights = as_double(matrix.inputs) * as_double(matrix.outputs) * as_double(f.bits);
    double const groups = groups_along(matrix.inputs, f.group_inputs) * groups_along(matrix.outputs, f.group_outputs);
    return std::ceil((weights + groups * (f.scale_bits + f.zero_bits) + as_double(matrix.inputs) * f.input_bits) /
                     byte_bits);
}

}  // namespace

bool is_converted(LanguageModel const& model, WeightMatrix const& matrix) {
    auto const& format = model.weight_format;
    auto const keeps = [&](std::string_view name) { return std::ranges::find(format.kept, name) != format.kept.end(); };
    return !format.method.empty() && !keeps(matrix.name) && !keeps(part_of(model, matrix));
}

double matrix_bytes(LanguageModel const& model, WeightMatrix const& matrix) {
    if (is_converted(model, matrix)) return converted_bytes(model.weight_format, matrix);
    return as_double(matrix.inputs * matrix.outputs) * plain_bytes;
}

double head_bytes(LanguageModel const& model) {
    std::int64_t const weights = lm_head_weights(model);
    if (!model.weight_format.head || model.tied_embedding) return as_double(weights) * plain_bytes;
    return converted_bytes(model.weight_format, {"lm_head", weights / model.vocabulary, model.vocabulary});
}

double stored_bytes(LanguageModel const& model) {
    double bytes = 0.0;
    std::int64_t plain = total_parameters(model);
    for (auto const& alike : alike_layers(model)) {
        for (auto const& matrix : layer_matrices(alike)) {
            if (!is_converted(alike, matrix)) continue;
            std::int64_t const copies = weight_sets(alike) * matrix.count;
            bytes += as_double(copies) * converted_bytes(model.weight_format, matrix);
            plain -= copies * matrix.inputs * matrix.outputs;
        }
    }
    if (model.weight_format.head && !model.tied_embedding && !model.borrowed_tables) {
        bytes += head_bytes(model);
        plain -= lm_head_weights(model);
    }
    return bytes + as_double(plain) * plain_bytes;
}

double bits_per_weight(WeightFormat const& f) {
    if (f.group_inputs == 0 || f.group_outputs == 0) return as_double(f.bits);
    return as_double(f.bits) + (f.scale_bits + f.zero_bits) / as_double(f.group_inputs * f.group_outputs);
}

std::string text_of(WeightFormat const& f) {
    if (f.method.empty()) return "16 bits";
    return fmt::format("{}, {:.4g} bits with scales", f.method, bits_per_weight(f));
}

}  // namespace pimdse::models
