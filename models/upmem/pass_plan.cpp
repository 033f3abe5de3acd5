#include "models/upmem/pass_plan.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <functional>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

namespace pimdse::models::upmem {

namespace {

using sim::as_double;

/// Sum of a value of positions over the units of the fullest DPU, whose sequences are those with the largest values: no
/// DPU has more, however they are dealt. A sequence has `of_sequence` units with the same value.
template <class Value>
std::int64_t largest(std::vector<NewPositions> const& pass, Value const& value, std::int64_t units,
                     std::int64_t of_sequence) {
    if (pass.size() == 1) return std::min(units, pass.front().sequences * of_sequence) * value(pass.front());
    if (units <= of_sequence) return units * std::ranges::max(pass | std::views::transform(value));
    std::vector<std::pair<std::int64_t, std::int64_t>> values;  // and of how many sequences
    for (auto const& each : pass) values.emplace_back(value(each), each.sequences);
    auto const most = std::min(std::ssize(values), static_cast<std::ptrdiff_t>(units / of_sequence + 1));
    std::ranges::partial_sort(values, values.begin() + most, std::greater<>());
    std::int64_t sum = 0;
    for (auto const& [of_each, sequences] : std::span(values).first(static_cast<std::size_t>(most))) {
        auto const dealt = std::min(units, sequences * of_sequence);
        sum += dealt * of_each;
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

std::int64_t PassRun::sequences() const {
    std::int64_t sequences = 0;
    for (auto const& each : first) sequences += each.sequences;
    return sequences;
}

std::int64_t PassRun::positions() const {
    std::int64_t positions = 0;
    for (auto const& each : first) positions += each.sequences * each.queries;
    return positions;
}

AttentionLoad attention_load(AlikeLayers const& kind, PassRun const& run, PassGroup const& group,
                             std::int64_t sequences, std::int64_t dpus) {
    auto const shape = attention_shape(*kind.model);
    auto const deal = deal_of(kind, sequences, dpus);
    auto const before = [&](NewPositions const& each) { return each.before + group.skipped * run.apart; };
    auto const sum_of = [&](NewPositions const& each, CacheDeal const& of) {
        if (run.apart == each.queries) return of.positions_seen(before(each), each.queries * group.size);
        std::int64_t sum = 0;
        for (std::int64_t query = 0; query < each.queries; ++query)
            sum += of.positions_seen(before(each) + query, group.size);
        return sum;
    };
    AttentionLoad load;
    for (auto const& each : run.first) {
        double const heads = as_double(each.sequences * kind.model->heads);
        load.softmax += heads * (as_double(sum_of(each, deal.whole())) / as_double(group.size));
        load.sums += heads * as_double(each.queries * shape.value * deal.parts(before(each) + each.queries));
    }
    auto const fullest = [&](auto const& value) { return largest(run.first, value, deal.units, shape.units); };
    auto const seen = fullest([&](NewPositions const& each) { return sum_of(each, deal); });
    load.rows = (shape.queries * seen + group.size / 2) / group.size;
    load.queries = shape.queries * fullest([](NewPositions const& each) { return each.queries; });
    load.added = fullest([&](NewPositions const& each) { return deal.positions(each.queries); });
    return load;
}

std::int64_t head_inputs(LanguageModel const& model) { return lm_head_weights(model) / model.vocabulary; }

PassPlan::PassPlan(Prepared const& p, Design const& d) : p_(p), d_(d), k_(p.kernels[d.kernel]) {
    plan_.pipelined = false;
    plan_.continues = true;
}

void PassPlan::add_products(AlikeLayers const& kind, std::int64_t positions) {
    auto const first = plan_.launches.size();
    for (auto const& group : matrix_groups(*kind.model)) {
        double const host = as_double(positions * group.elements) +
                            as_double(positions * group.normalised) * p_.machine.norm_operations;
        add_product(group.name, group.rows, group.inputs, group.vectors, positions, as_double(kind.layers), host);
    }
    plan_.launches.at(first).opens_layer = true;
}

void PassPlan::add_head(std::int64_t positions) {
    auto const& model = *d_.model;
    add_product("lm_head", model.vocabulary, head_inputs(model), 1, positions, 1.0, 0.0);
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
void PassPlan::add_attention(AlikeLayers const& kind, AttentionLoad const& load) {
    auto const shape = attention_shape(*kind.model);
    double const queries = as_double(load.queries * shape.key), sums = as_double(load.queries * shape.value);
    double const added = as_double(load.added * shape.cached);
    double const count = as_double(kind.layers);
    plan_.launches.push_back({"scores", row_task(load.rows, shape.key), whole_words((queries + added) * k_.mac_bytes),
                              0.0, whole_words(as_double(load.rows) * k_.output_bytes), count,
                              load.softmax * p_.machine.softmax_operations});
    plan_.launches.push_back({"values", row_task(load.rows, shape.value),
                              whole_words(as_double(load.rows) * k_.mac_bytes), 0.0,
                              whole_words(sums * k_.output_bytes), count, load.sums});
}

}  // namespace pimdse::models::upmem
