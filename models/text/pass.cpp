#include "models/text/pass.hpp"

#include "models/llm/state.hpp"
#include "models/llm/weight_format.hpp"

#include <algorithm>

namespace pimdse::models::text {
namespace {

Operator operator_of(WeightMatrix const& matrix) {
    if (matrix.count > 1) return Operator::experts;
    constexpr std::array<std::pair<std::string_view, Operator>, 7> known{{{"q", Operator::q},
                                                                          {"k", Operator::k},
                                                                          {"v", Operator::v},
                                                                          {"o", Operator::o},
                                                                          {"gate", Operator::gate},
                                                                          {"up", Operator::up},
                                                                          {"down", Operator::down}}};
    for (auto const& [name, op] : known)
        if (matrix.name == name) return op;
    return Operator::latent;
}

/// Whether programs compute a matrix together with another one, which counts for both.
bool joins_another(WeightMatrix const& matrix) {
    bool const of_experts = matrix.count > 1;
    return matrix.name == "k" || matrix.name == "v" || matrix.name == "gate" || (of_experts && matrix.name == "down");
}

OperatorWork product(LanguageModel const& alike, WeightMatrix const& matrix, bool joins_another, double tokens,
                     LlmRequest const& r) {
    auto const of_kind = static_cast<double>(alike.layers);
    auto const size = static_cast<double>(matrix.inputs * matrix.outputs);
    double const read = touched_copies(alike, matrix, tokens);
    double const bytes = r.stored_as_file() ? matrix_bytes(alike, matrix) : size * r.weight_bytes;
    OperatorWork work;
    work.in = r.stored_as_file() ? r.products_in(format_of(alike, matrix)) : ProductsIn{r.format, r.weight_bytes};
    work.executions = read * of_kind;
    work.kernels = joins_another ? 0.0 : of_kind;
    work.rows = read > 0.0 ? tokens * static_cast<double>(matrix.active) / read : 0.0;
    work.inputs = static_cast<double>(matrix.inputs);
    work.outputs = static_cast<double>(matrix.outputs);
    work.operations = 2.0 * tokens * static_cast<double>(matrix.active) * size * of_kind;
    work.weight_bytes = read * bytes * of_kind;
    work.taken = work.executions * work.rows * work.inputs;
    work.made = work.executions * work.rows * work.outputs;
    return work;
}

/// An elementwise operator on so many elements in each layer.
OperatorWork elementwise(double elements, double layers) {
    OperatorWork work;
    work.executions = work.kernels = layers;
    work.rows = elements;
    work.elements = work.taken = work.made = elements * layers;
    return work;
}

/// Every query is compared with the key that the indexer keeps of every position before it.
void index_operator(LayerKindWork const& layers, SummedKeys const& attended, TakeOperator const& take) {
    auto const& alike = *layers.alike;
    auto const& index = alike.indexer;
    auto const of_kind = static_cast<double>(alike.layers), heads = static_cast<double>(index.heads);
    OperatorWork scores;
    scores.executions = of_kind * heads * attended.sequences;
    scores.kernels = of_kind;
    scores.rows = attended.queries / attended.sequences;
    scores.inputs = static_cast<double>(index.dimension);
    scores.outputs = attended.indexed / attended.queries;
    scores.operations = 2.0 * index_multiplications(alike, 1.0, attended.indexed) * of_kind;
    scores.tiled = 2.0 * index_multiplications(alike, 1.0, attended.tiled_indexed) * of_kind;
    scores.cache_read = attended.index_read * layers.index_bytes;
    scores.cache_written = attended.index_written * layers.index_bytes;
    scores.heads = index.heads;
    scores.kv_heads = 1;
    scores.head_size = index.dimension;
    scores.keys = scores.outputs;
    scores.query_positions = scores.new_positions = attended.queries * of_kind;
    scores.taken = attended.queries * heads * scores.inputs * of_kind;
    scores.made = attended.indexed * heads * of_kind;
    take(Operator::scores, scores);
}

/// Products of the positions of a chunk with the state of a head, as many as there are multiply-accumulates.
void state_operator(LayerKindWork const& layers, SummedKeys const& attended, TakeOperator const& take) {
    auto const& alike = *layers.alike;
    auto const& s = alike.state;
    auto const of_kind = static_cast<double>(alike.layers);
    OperatorWork state;
    state.for_banks = false;
    state.operations = 2.0 * attended.state_products * of_kind;
    state.tiled = 2.0 * attended.tiled_state_products * of_kind;
    state.rows = std::min(static_cast<double>(s.chunk), attended.queries / attended.sequences);
    state.inputs = static_cast<double>(std::max(s.key_dimension, s.convolution));
    state.outputs = static_cast<double>(s.value_dimension);
    state.executions = state.operations / (2.0 * state.rows * state.inputs * state.outputs);
    state.kernels = of_kind;
    state.cache_read = attended.states_read * layers.state_bytes;
    state.cache_written = attended.states_written * layers.state_bytes;
    state.taken = attended.queries * static_cast<double>(2 * s.key_width() + s.value_width()) * of_kind;
    state.made = attended.queries * static_cast<double>(s.value_width()) * of_kind;
    take(Operator::state, state);
}

/// Products and bytes of positions belong to keys and values by their widths, and to each half of them in latent
/// attention, where both are one vector. Each head of each sequence is a product of its own.
void scores_and_values(LayerKindWork const& layers, SummedKeys const& attended, TakeOperator const& take) {
    auto const& alike = *layers.alike;
    auto const of_kind = static_cast<double>(alike.layers), heads = static_cast<double>(alike.heads);
    double const keys = attended.queries > 0.0 ? attended.pairs / attended.queries : 0.0;
    double const pairs = attended.pairs * heads * of_kind;
    auto const width = static_cast<double>(alike.query_width()), value_width = static_cast<double>(alike.value_width());
    OperatorWork half;
    half.executions = of_kind * heads * attended.sequences;
    half.rows = attended.sequences > 0.0 ? attended.queries / attended.sequences : 0.0;
    half.operations = attended.products * of_kind;
    half.tiled = attended.tiled_products * of_kind;
    half.cache_read = attended.read * layers.read_bytes / 2.0;
    half.cache_written = attended.written * layers.written_bytes / 2.0;
    half.masked = attended.pairs > 0.0 ? attended.square / attended.pairs : 1.0;
    half.for_banks = alike.kv_rank == 0 && !alike.one_vector;
    half.heads = alike.heads;
    half.kv_heads = alike.kv_heads;
    half.head_size = alike.head_dimension;
    half.value_size = alike.value_size();
    half.keys = keys;
    half.query_positions = attended.queries * of_kind;
    half.new_positions = attended.written * of_kind;
    auto const part_of = [&](std::int64_t size) {
        auto part = half;
        if (alike.kv_rank > 0) return part;
        double const share = 2 * static_cast<double>(size) / static_cast<double>(half.head_size + half.value_size);
        for (auto const member :
             {&OperatorWork::operations, &OperatorWork::tiled, &OperatorWork::cache_read, &OperatorWork::cache_written})
            part.*member *= share;
        return part;
    };
    auto scores = part_of(half.head_size), values = part_of(half.value_size);
    scores.kernels = scores.tasked = of_kind;
    scores.tasks = of_kind * attended.sequences * (alike.kv_rank > 0 ? 1.0 : static_cast<double>(alike.kv_heads));
    scores.inputs = static_cast<double>(alike.head_dimension);
    scores.outputs = keys;
    scores.taken = attended.queries * width * of_kind;
    scores.made = pairs;
    values.of_values = true;
    values.inputs = keys;
    values.outputs = value_width / heads;
    values.taken = pairs;
    values.made = attended.queries * value_width * of_kind;
    take(Operator::scores, scores);
    auto softmax = elementwise(attended.pairs * heads, of_kind);
    softmax.masked = half.masked;
    softmax.kernels = 0.0;
    take(Operator::softmax, softmax);
    take(Operator::values, values);
}

}  // namespace

std::vector<LayerKindWork> layer_work(LlmRequest const& r) {
    std::vector<LayerKindWork> all;
    for (auto const& alike : alike_layers(*r.model)) {
        auto const of_kind = static_cast<double>(alike.layers);
        LayerKindWork layers{&alike, layer_matrices(alike), {}};
        layers.read_bytes = static_cast<double>(attention_elements(alike)) * of_kind * r.cache_bytes;
        layers.written_bytes = alike.shares_keys ? 0.0 : layers.read_bytes;
        layers.index_bytes = static_cast<double>(alike.indexer.dimension) * of_kind * r.cache_bytes;
        layers.state_bytes = state_bytes(alike) * of_kind;
        for (auto const& matrix : layers.matrices)
            layers.roles.push_back(
                {operator_of(matrix), joins_another(matrix), matrix.name == "up" || matrix.name == "compress_gate"});
        all.push_back(std::move(layers));
    }
    return all;
}

void layer_operators(LayerKindWork const& layers, LlmRequest const& r, double tokens, TakeOperator const& take) {
    auto const& alike = *layers.alike;
    auto const of_kind = static_cast<double>(alike.layers);
    auto const hidden = static_cast<double>(alike.hidden);
    auto const of_state = elementwise_of_state(alike);
    double activated = tokens * static_cast<double>(of_state.activated);
    double const parts = (alike.attends || has_state(alike) ? 1.0 : 0.0) +
                         (has_network(alike) ? 1.0 : 0.0);  // each with a norm and a sum
    auto const latent = !alike.attends     ? 0
                        : alike.one_vector ? alike.query_rank + alike.query_width() + alike.kv_width()
                                           : alike.query_rank + alike.kv_rank;
    auto norm = elementwise(tokens * (parts * hidden + static_cast<double>(latent + of_state.normalised)), of_kind);
    norm.kernels = parts * of_kind;
    take(Operator::norm, norm);
    for (std::size_t i = 0; i < layers.matrices.size(); ++i) {
        auto const& matrix = layers.matrices[i];
        auto const& role = layers.roles[i];
        auto const work = product(alike, matrix, role.joins_another, tokens, r);
        if (role.is_activated) activated += tokens * static_cast<double>(matrix.active) * work.outputs;
        take(role.op, work);
    }
    if (!alike.learned_positions && alike.attends) {
        auto const keys = alike.shares_keys ? 0 : alike.kv_width();
        take(Operator::rotation, elementwise(tokens * static_cast<double>(alike.query_width() + keys), of_kind));
    }
    take(Operator::activation, elementwise(activated, of_kind));
    // Streams are summed before a part, and each is a sum of all and of its result behind it.
    auto const streams = static_cast<double>(alike.residual_streams);
    auto residual = elementwise(parts * tokens * hidden * (streams > 1.0 ? streams * (streams + 2.0) : 1.0), of_kind);
    residual.taken = residual.made = parts * tokens * hidden * streams * of_kind;
    residual.kernels = 0.0;
    take(Operator::residual, residual);
    take(Operator::overhead, elementwise(0.0, of_kind));
}

void attention_operators(LayerKindWork const& layers, SummedKeys const& attended, TakeOperator const& take) {
    if (attended.indexed > 0.0) index_operator(layers, attended, take);
    if (layers.alike->attends) scores_and_values(layers, attended, take);
    if (attended.state_products > 0.0) state_operator(layers, attended, take);
}

void head_operators(PassPositions const& positions, LlmRequest const& r, double logit, TakeOperator const& take) {
    if (positions.heads == 0.0) return;
    auto const size = static_cast<double>(lm_head_weights(*r.model));
    OperatorWork head;
    head.executions = head.kernels = 1.0;
    head.rows = positions.heads;
    head.inputs = static_cast<double>(r.model->hidden);
    head.outputs = size / head.inputs;
    head.operations = 2.0 * positions.heads * size;
    head.taken = positions.heads * head.inputs;
    head.made = positions.heads * head.outputs;
    head.weight_bytes = r.stored_as_file() ? head_bytes(*r.model) : size * r.weight_bytes;
    head.in = r.stored_as_file() ? r.products_in(format_of_head(*r.model)) : ProductsIn{r.format, r.weight_bytes};
    take(Operator::lm_head, head);
    OperatorWork sampling;
    sampling.executions = sampling.kernels = 1.0;
    sampling.tasks = positions.yielding;
    sampling.query_positions = positions.heads;
    sampling.logit_bytes = logit_bytes(positions.heads, r, logit);
    sampling.elements = positions.heads * static_cast<double>(r.model->vocabulary);
    sampling.rows = sampling.elements;
    take(Operator::sampling, sampling);
}

}  // namespace pimdse::models::text
