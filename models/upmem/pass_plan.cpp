#include "models/upmem/pass_plan.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace pimdse::models::upmem {

namespace {

using sim::as_double;

/// A value that each of so many sequences has.
struct Shared {
    std::int64_t value = 0, sequences = 1;
};

/// Sum over the units of the fullest DPU, whose sequences are those with the largest values: no DPU has more, however
/// they are dealt. A sequence has `of_sequence` units with the same value.
std::int64_t largest(std::vector<Shared>& values, std::int64_t units, std::int64_t of_sequence) {
    auto const most = std::min(std::ssize(values), static_cast<std::ptrdiff_t>(units / of_sequence + 1));
    std::ranges::partial_sort(values, values.begin() + most, std::greater<>(), &Shared::value);
    std::int64_t sum = 0;
    for (auto const& [value, sequences] : std::span(values).first(static_cast<std::size_t>(most))) {
        auto const dealt = std::min(units, sequences * of_sequence);
        sum += dealt * value;
        units -= dealt;
    }
    return sum;
}

}  // namespace

CacheDeal deal_of(AlikeLayers const& kind, std::int64_t sequences, std::int64_t dpus) {
    auto deal = CacheDeal::of(sequences * attention_shape(*kind.model).units, dpus);
    deal.window = kind.window;
    deal.chunked = kind.chunked;
    return deal;
}

AttentionLoad attention_load(AlikeLayers const& kind, std::span<NewPositions const> pass, std::int64_t sequences,
                             std::int64_t dpus, std::int64_t count) {
    auto const shape = attention_shape(*kind.model);
    auto const deal = deal_of(kind, sequences, dpus);
    AttentionLoad load;
    std::vector<Shared> seen, queries, added;
    for (auto const& each : pass) {
        seen.push_back({deal.positions_seen(each.before, each.queries * count), each.sequences});
        queries.push_back({each.queries, each.sequences});
        added.push_back({deal.positions(each.queries), each.sequences});
        double const heads = as_double(each.sequences * kind.model->heads);
        load.softmax += heads * (as_double(deal.keys_seen(each.before, each.queries * count)) / as_double(count));
        load.sums += heads * as_double(each.queries * shape.value * deal.parts());
    }
    load.rows = (shape.queries * largest(seen, deal.units, shape.units) + count / 2) / count;
    load.queries = shape.queries * largest(queries, deal.units, shape.units);
    load.added = largest(added, deal.units, shape.units);
    return load;
}

std::int64_t head_inputs(LanguageModel const& model) { return lm_head_weights(model) / model.vocabulary; }

PassPlan::PassPlan(Prepared const& p, Design const& d) : p_(p), d_(d), k_(p.kernels[d.kernel]) {
    plan_.pipelined = false;
}

void PassPlan::add_layers(AlikeLayers const& kind, std::int64_t positions, double times,
                          std::optional<AttentionLoad> const& attention) {
    auto const first = plan_.launches.size();
    double const count = as_double(kind.layers) * times;
    for (auto const& group : matrix_groups(*kind.model)) {
        add_products(group, positions, count);
        if (attention && group.attention_follows) add_attention(kind, *attention, times);
    }
    plan_.launches.at(first).opens_layer = true;
}

void PassPlan::add_head(std::int64_t positions, double count) {
    auto const& model = *d_.model;
    add_product("lm_head", model.vocabulary, head_inputs(model), 1, positions, count, 0.0);
}

void PassPlan::add_products(MatrixGroup const& group, std::int64_t positions, double count) {
    double const host =
        as_double(positions * group.elements) + as_double(positions * group.normalised) * p_.machine.norm_operations;
    add_product(group.name, group.rows, group.inputs, group.vectors, positions, count, host);
}

void PassPlan::add_product(std::string const& what, std::int64_t rows, std::int64_t inputs, std::int64_t vectors,
                           std::int64_t positions, double count, double host) {
    std::int64_t const mine = positions * sim::divide_up(rows, d_.dpus);
    double const sent = whole_words(as_double(positions * vectors * inputs) * k_.mac_bytes);
    plan_.launches.push_back({what, matrix_task(p_, d_, mine, inputs), 0.0, sent,
                              whole_words(as_double(mine) * k_.output_bytes), count,
                              host + as_double(positions) * as_double(rows)});
}

/// The kernel of the products with rows of the cache, in blocks no longer than a row.
Task PassPlan::row_task(std::int64_t rows, std::int64_t width) const {
    Design narrow = d_;
    narrow.dma_block = std::min(d_.dma_block, sim::whole_part(whole_words(as_double(width) * k_.mac_bytes)));
    return matrix_task(p_, narrow, rows, width);
}

/// Scores: a row is a key. Values: a row is the contribution of one position to the result. The host turns scores
/// into weights and adds the results of the DPUs of a unit.
void PassPlan::add_attention(AlikeLayers const& kind, AttentionLoad const& load, double times) {
    auto const shape = attention_shape(*kind.model);
    double const queries = as_double(load.queries * shape.key), sums = as_double(load.queries * shape.value);
    double const added = as_double(load.added * shape.cached);
    double const count = as_double(kind.layers) * times;
    plan_.launches.push_back({"scores", row_task(load.rows, shape.key), whole_words((queries + added) * k_.mac_bytes),
                              0.0, whole_words(as_double(load.rows) * k_.output_bytes), count,
                              load.softmax * p_.machine.softmax_operations});
    plan_.launches.push_back({"values", row_task(load.rows, shape.value),
                              whole_words(as_double(load.rows) * k_.mac_bytes), 0.0,
                              whole_words(sums * k_.output_bytes), count, load.sums});
}

}  // namespace pimdse::models::upmem
