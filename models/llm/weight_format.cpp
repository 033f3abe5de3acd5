#include "models/llm/weight_format.hpp"

#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace pimdse::models {
namespace {

using sim::as_double;

constexpr double byte_bits = 8, served_bits = 16;

NumberFormat const plain;

/// Groups of `size` along a dimension; 0: one.
double groups_along(std::int64_t dimension, std::int64_t size) {
    return size == 0 ? 1.0 : as_double(sim::divide_up(dimension, size));
}

/// Bytes of one copy of a matrix of these dimensions, with scales, zero points and indices of groups. Groups at an edge
/// that the matrix does not fill have a scale, too.
double bytes_in(NumberFormat const& f, std::int64_t inputs, std::int64_t outputs) {
    double const weights = as_double(inputs) * as_double(outputs) * f.bits;
    double const groups = groups_along(inputs, f.group_inputs) * groups_along(outputs, f.group_outputs);
    return std::ceil(
        (weights + groups * (f.scale_bits + f.zero_bits) + as_double(inputs) * f.input_bits + f.matrix_bits) /
        byte_bits);
}

/// The format of an entry of `others` that is not a matrix of a layer.
NumberFormat const& format_of(WeightFormat const& format, std::string_view entry) {
    auto const found = format.others.find(entry);
    return found == format.others.end() ? plain : found->second;
}

/// Bytes of all parameters if those that are not converted have `bits`.
double all_bytes(LanguageModel const& model, double bits) {
    double bytes = 0.0;
    std::int64_t left = total_parameters(model);
    auto const take = [&](NumberFormat const& format, std::int64_t inputs, std::int64_t outputs, std::int64_t copies) {
        if (format == plain || copies == 0) return;
        bytes += as_double(copies) * bytes_in(format, inputs, outputs);
        left -= copies * inputs * outputs;
    };
    for (auto const& alike : alike_layers(model)) {
        for (auto const& matrix : layer_matrices(alike))
            take(format_of(alike, matrix), matrix.inputs, matrix.outputs, weight_sets(alike) * matrix.count);
        take(format_of(alike.weight_format, "router"), alike.hidden, alike.experts,
             alike.experts > 0 ? weight_sets(alike) : 0);
        take(format_of(alike.weight_format, "layer_table"), alike.layer_embedding,
             alike.layer_vocabulary > 0 ? alike.layer_vocabulary : alike.vocabulary,
             alike.layer_embedding > 0 ? alike.layers : 0);
    }
    std::int64_t const width = lm_head_weights(model) / model.vocabulary;
    if (model.borrowed_tables) return bytes + as_double(left) * bits / byte_bits;
    take(format_of(model.weight_format, "embedding"), width, model.vocabulary, 1);
    if (!model.tied_embedding) take(format_of(model.weight_format, "lm_head"), width, model.vocabulary, 1);
    return bytes + as_double(left) * bits / byte_bits;
}

}  // namespace

std::string matrix_key(WeightMatrix const& matrix) { return matrix.count > 1 ? "experts." + matrix.name : matrix.name; }

NumberFormat const& format_of(LanguageModel const& model, WeightMatrix const& matrix) {
    auto const& format = model.weight_format;
    if (format.method.empty()) return plain;
    auto const found = format.others.find(matrix_key(matrix));
    return found == format.others.end() ? format.usual : found->second;
}

bool is_converted(LanguageModel const& model, WeightMatrix const& matrix) { return format_of(model, matrix) != plain; }

double matrix_bytes(LanguageModel const& model, WeightMatrix const& matrix) {
    return bytes_in(format_of(model, matrix), matrix.inputs, matrix.outputs);
}

NumberFormat const& format_of_head(LanguageModel const& model) {
    return format_of(model.weight_format, model.tied_embedding ? "embedding" : "lm_head");
}

double head_bytes(LanguageModel const& model) {
    return bytes_in(format_of_head(model), lm_head_weights(model) / model.vocabulary, model.vocabulary);
}

double served_bytes(LanguageModel const& model) { return all_bytes(model, served_bits); }

double stored_bytes(LanguageModel const& model) {
    return model.file_bytes > 0.0 ? model.file_bytes : all_bytes(model, model.plain_bits);
}

int whole_bits(LanguageModel const& model) {
    double bits = 0.0;
    for (auto const& alike : alike_layers(model)) {
        for (auto const& matrix : layer_matrices(alike)) {
            auto const own = format_of(alike, matrix).bits;
            if (!is_converted(alike, matrix) || (bits > 0.0 && bits != own)) return 16;
            bits = own;
        }
    }
    return bits == 8 ? 8 : bits == 4 ? 4 : 16;
}

std::string stored_name(LanguageModel const& model) { return fmt::format("{:g}-bit", model.weight_format.usual.bits); }

ProductFormat products_of(NumberFormat const& weights) {
    if (weights.activation_bits >= served_bits) return {};
    return {std::max(weights.bits, weights.activation_bits), weights.activation_floats};
}

std::optional<std::size_t> holding(ProductFormat wanted, std::span<ProductFormat const> formats) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < formats.size(); ++i) {
        auto const& one = formats[i];
        bool const same_kind = one.floating == wanted.floating;
        if (!(same_kind ? one.bits >= wanted.bits : one.floating && one.bits > wanted.bits)) continue;
        if (!best || one.bits < formats[*best].bits) best = i;
    }
    return best;
}

double bits_per_weight(NumberFormat const& f) {
    if (f.group_inputs == 0 || f.group_outputs == 0) return f.bits;
    return f.bits + (f.scale_bits + f.zero_bits) / as_double(f.group_inputs * f.group_outputs);
}

std::string text_of(WeightFormat const& f) {
    if (f.method.empty()) return "16 bits";
    auto const text = fmt::format("{}, {:.4g} bits with scales", f.method, bits_per_weight(f.usual));
    double const bits = f.usual.activation_bits;
    return bits < served_bits ? fmt::format("{}, activations of {:g} bits", text, bits) : text;
}

double cache_bits(LanguageModel const& model) {
    auto const found = model.weight_format.others.find(cache_entry);
    return found == model.weight_format.others.end() ? 0.0 : bits_per_weight(found->second);
}

}  // namespace pimdse::models
