#include "models/upmem/layers.hpp"

#include "sim/base/counting.hpp"

#include <string_view>

namespace pimdse::models::upmem {
namespace {

/// Whether the next matrix is multiplied with the same vectors.
bool joins_next(std::string_view matrix) {
    return matrix == "q" || matrix == "k" || matrix == "gate" || matrix == "q_a";
}

/// Adds what the host does after one matrix of a group for one position.
void add_host_work(MatrixGroup& group, LanguageModel const& m, WeightMatrix const& matrix) {
    auto const& name = matrix.name;
    std::int64_t const turned = m.kv_rank > 0 ? m.rope_dimension : m.head_dimension;
    bool const rotates = !m.learned_positions;
    if (name == "o" || name == "down") {
        group.elements += m.hidden;
        group.normalised += m.hidden;
    } else if (name == "q_a") {
        group.normalised += m.query_rank;
    } else if (name == "kv_a") {
        group.normalised += m.kv_rank;
        if (rotates) group.elements += turned;
    } else if (name == "q" || name == "q_b") {
        if (rotates) group.elements += m.heads * turned;
    } else if (name == "k") {
        if (rotates) group.elements += m.kv_heads * turned;
    } else if (name == "gate" || name == "up") {
        group.elements += matrix.outputs * matrix.active;
    }
}

std::int64_t vectors_of(LanguageModel const& m, WeightMatrix const& matrix) {
    if (matrix.name == "down") return matrix.active;
    return matrix.name == "k_up" || matrix.name == "v_up" ? m.heads : 1;
}

/// Positions in the fullest of `split` DPUs, summed over the first n queries without a window: `split` of them see one,
/// `split` see two, and so on.
std::int64_t seen_by_first(std::int64_t n, std::int64_t split) {
    std::int64_t const full = n / split;
    return split * full * (full + 1) / 2 + (n % split) * (full + 1);
}

}  // namespace

std::vector<AlikeLayers> alike_within(LanguageModel const& model, std::int64_t context) {
    std::vector<AlikeLayers> kinds;
    for (auto const& alike : alike_layers(model)) {
        std::int64_t const window = exceeded_window(alike, context);
        AlikeLayers const kind{&alike, alike.layers, window, window > 0 && alike.chunked};
        auto const same = std::ranges::find_if(kinds, [&](AlikeLayers const& other) {
            return other.window == kind.window && other.chunked == kind.chunked && same_network(*other.model, alike);
        });
        if (same == kinds.end())
            kinds.push_back(kind);
        else
            same->layers += kind.layers;
    }
    return kinds;
}

std::vector<WeightMatrix> held_matrices(LanguageModel const& m) {
    if (m.kv_rank == 0) return layer_matrices(m);
    std::vector<WeightMatrix> held;
    for (auto const& matrix : layer_matrices(m)) {
        if (matrix.name == "kv_b") {
            held.push_back({"k_up", m.head_dimension - m.rope_dimension, m.heads * m.kv_rank});
            held.push_back({"v_up", m.kv_rank, m.value_width()});
        } else if (matrix.name == "kv_a" && m.query_rank > 0) {
            held.insert(held.begin() + 1, matrix);  // beside q_a, which takes the same vector
        } else {
            held.push_back(matrix);
        }
    }
    return held;
}

std::vector<MatrixGroup> matrix_groups(LanguageModel const& model) {
    std::vector<MatrixGroup> groups;
    bool joins = false;
    for (auto const& m : held_matrices(model)) {
        if (!joins) groups.push_back({"", 0, m.inputs});
        auto& group = groups.back();
        group.name += (joins ? "+" : "") + m.name;
        group.rows += m.outputs * m.active;
        group.vectors = vectors_of(model, m);
        add_host_work(group, model, m);
        joins = joins_next(m.name);
    }
    return groups;
}

AttentionShape attention_shape(LanguageModel const& m) {
    if (m.kv_rank > 0) {
        std::int64_t const vector = m.kv_rank + m.rope_dimension;
        return {1, m.heads, vector, m.kv_rank, vector};
    }
    return {m.kv_heads, m.heads / m.kv_heads, m.head_dimension, m.head_dimension, 2 * m.head_dimension};
}

CacheDeal CacheDeal::of(std::int64_t all, std::int64_t dpus) {
    return {sim::divide_up(all, dpus), std::max<std::int64_t>(1, dpus / all)};
}

std::int64_t CacheDeal::positions(std::int64_t of_unit) const { return sim::divide_up(of_unit, split); }

std::int64_t CacheDeal::positions_seen(std::int64_t before, std::int64_t queries) const {
    auto const of_first = [&](std::int64_t n) {
        if (window == 0 || n <= window) return seen_by_first(n, split);
        std::int64_t const of_window = seen_by_first(window, split);
        if (chunked) return n / window * of_window + seen_by_first(n % window, split);
        return of_window + (n - window) * positions(window);
    };
    return of_first(before + queries) - of_first(before);
}

std::int64_t CacheDeal::held(std::int64_t all, std::int64_t queries) const {
    return window == 0 ? all : std::min(all, window + queries - 1);
}

}  // namespace pimdse::models::upmem
