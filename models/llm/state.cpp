#include "models/llm/state.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace pimdse::models {
namespace {

constexpr int bits_in_byte = 8, convolution_bytes = 2;

using sim::as_double;

/// What a layer with a state has beside its matrices and the state.
struct StateCounts {
    std::int64_t channels = 0;    ///< that the convolution mixes over positions
    std::int64_t parameters = 0;  ///< without those of the convolution
    StateElements elements{};     ///< of a position
};

StateCounts counts_of(StateMixer const& s) {
    std::int64_t const keys = s.key_width(), values = s.value_width(), all = 2 * keys + values, heads = s.heads;
    auto const convolved = [&](std::int64_t channels) { return s.convolution > 0 ? channels : 0; };
    switch (s.kind) {
        case StateKind::gated_delta:  // decay and step bias of a head, norm of its output
            return {all, 2 * heads + s.value_dimension, {convolved(all) + values + 2 * heads, all}};
        case StateKind::kimi_delta:
            return {all, heads + keys + s.value_dimension, {convolved(all) + values + keys + heads, all}};
        case StateKind::mamba2:  // decay, step bias and direct path of a head, norm, bias of the convolution
            return {all, 3 * heads + values + convolved(all), {convolved(all) + values + 2 * heads, values}};
        case StateKind::mamba:  // decays, direct path, step bias, bias of the convolution; decays of the elements of a
                                // state are part of its scan
            return {
                values, heads * s.key_dimension + 2 * heads + convolved(values), {convolved(values) + 2 * values, 0}};
        case StateKind::linear:
            return {values, values, {2 * keys + 2 * values, values}};
        case StateKind::convolution:
            return {values};
        case StateKind::none:
            break;
    }
    return {};
}

/// A matrix, or two with `rank` elements between them.
void add_ranked(std::string const& name, std::int64_t inputs, std::int64_t rank, std::int64_t outputs,
                std::vector<WeightMatrix>& into) {
    if (rank == 0) return into.push_back({name, inputs, outputs});
    into.insert(into.end(), {{name + "_a", inputs, rank}, {name + "_b", rank, outputs}});
}

/// Of one position.
double multiplications_in_chunks(LanguageModel const& m, double chunk) {
    auto const& s = m.state;
    double const elements = as_double(state_elements(m)), keys = as_double(s.key_dimension),
                 values = as_double(s.value_dimension);
    double const convolution = as_double(counts_of(s).channels * s.convolution);
    switch (s.kind) {
        case StateKind::gated_delta:
        case StateKind::kimi_delta:
            return convolution + as_double(s.heads) * (chunk * (3 * keys + 2 * values) + (chunk * chunk - 1.0) / 6) +
                   3 * elements + elements / chunk;
        case StateKind::mamba2:
        case StateKind::linear:
            return convolution + chunk * as_double(s.key_width() + s.value_width()) + 2 * elements + elements / chunk;
        case StateKind::mamba:
            return convolution + 4 * elements;
        case StateKind::convolution:
            return convolution + 2 * as_double(s.value_width());
        case StateKind::none:
            break;
    }
    return convolution;
}

}  // namespace

std::string_view name_of(StateKind kind) {
    constexpr std::array<std::string_view, 7> names{"none",  "gated_delta", "kimi_delta", "mamba2",
                                                    "mamba", "linear",      "convolution"};
    return names[static_cast<std::size_t>(kind)];
}

std::string_view text_of(StateKind kind) {
    constexpr std::array<std::string_view, 7> texts{
        "no state",         "a state of gated DeltaNet",   "a state of Kimi Delta Attention", "a state of Mamba-2",
        "a state of Mamba", "a state of linear attention", "a state of a short convolution"};
    return texts[static_cast<std::size_t>(kind)];
}

std::vector<WeightMatrix> state_matrices(LanguageModel const& m) {
    auto const& s = m.state;
    std::int64_t const hidden = m.hidden, keys = s.key_width(), values = s.value_width();
    switch (s.kind) {
        case StateKind::none:
            return {};
        case StateKind::gated_delta:
            return {{"state_in", hidden, 2 * keys + 2 * values},
                    {"state_decay", hidden, 2 * s.heads},
                    {"state_out", values, hidden}};
        case StateKind::kimi_delta: {
            std::vector<WeightMatrix> matrices{{"state_in", hidden, 2 * keys + values}};
            add_ranked("state_decay", hidden, s.rank, keys, matrices);
            matrices.push_back({"state_beta", hidden, s.heads});
            add_ranked("state_gate", hidden, s.gate_rank, values, matrices);
            matrices.push_back({"state_out", values, hidden});
            return matrices;
        }
        case StateKind::mamba2:
            return {{"state_in", hidden, 2 * values + 2 * keys + s.heads}, {"state_out", values, hidden}};
        case StateKind::mamba:
            return {{"state_in", hidden, 2 * values},
                    {"state_x", values, s.rank + 2 * s.key_dimension},
                    {"state_step", s.rank, values},
                    {"state_out", values, hidden}};
        case StateKind::linear:
            return {{"state_in", hidden, 2 * keys + 2 * values}, {"state_out", values, hidden}};
        case StateKind::convolution:
            return {{"state_in", hidden, 3 * values}, {"state_out", values, hidden}};
    }
    return {};
}

std::int64_t other_state_parameters(LanguageModel const& m) {
    auto const counts = counts_of(m.state);
    return counts.channels * m.state.convolution + counts.parameters;
}

std::int64_t state_elements(LanguageModel const& m) { return m.state.key_dimension * m.state.value_width(); }

std::int64_t convolution_elements(LanguageModel const& m) {
    return counts_of(m.state).channels * std::max<std::int64_t>(m.state.convolution - 1, 0);
}

double state_bytes(LanguageModel const& m) {
    return as_double(state_elements(m)) * as_double(m.state_bits) / bits_in_byte +
           as_double(convolution_elements(m)) * convolution_bytes;
}

double prompt_state_multiplications(LanguageModel const& m, double positions) {
    return positions * multiplications_in_chunks(m, as_double(m.state.chunk));
}
double token_state_multiplications(LanguageModel const& m, double positions) {
    return positions * multiplications_in_chunks(m, 1.0);
}

StateElements elementwise_of_state(LanguageModel const& m) { return counts_of(m.state).elements; }

double sequence_state_bytes(LanguageModel const& model) {
    double bytes = 0.0;
    for (auto const& alike : alike_layers(model)) bytes += as_double(alike.layers) * state_bytes(alike);
    return bytes;
}

std::vector<KeyWindow> windows_of(LanguageModel const& model,
                                  std::function<double(LanguageModel const& alike)> const& bytes) {
    std::map<std::int64_t, double> found;
    for (auto const& alike : alike_layers(model)) {
        bool const reached = model.maximum_context == 0 || alike.window < model.maximum_context;
        if (double const of_kind = bytes(alike); alike.window > 0 && reached && of_kind > 0.0)
            found[alike.window] += share_in_window(alike) * of_kind;
    }
    std::vector<KeyWindow> windows;
    for (auto const& [positions, of_kind] : found) windows.push_back({positions, of_kind});
    return windows;
}

}  // namespace pimdse::models
