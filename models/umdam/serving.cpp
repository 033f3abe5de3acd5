#include "models/umdam/serving.hpp"

#include "models/llm/state.hpp"
#include "models/text/pass.hpp"
#include "models/umdam/schedule.hpp"
#include "sim/base/counting.hpp"
#include "sim/serving/step.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pimdse::models::umdam {

using sim::Bound;
using sim::Bounded;

Serving::Serving(Prepared const& prepared, System const& served, Fidelity level)
    : system(served),
      machine(prepared.machine),
      fidelity(level),
      costs(prepared, served, level),
      layers(static_cast<double>(served.model->layers)),
      batch(static_cast<double>(served.design.batch)),
      prompt(static_cast<double>(served.design.input)),
      steps(served.passes.passes),
      positions(served.passes.queries) {
    count_layers();
    measure_streams();
}

void Serving::count_layers() {
    for (auto const& alike : alike_layers(*system.model)) {
        auto const count = static_cast<double>(alike.layers);
        if (alike.attends) attending += count;
        if (has_state(alike)) stateful += count;
        if (alike.attends || has_state(alike)) mixing += count;
    }
    auto const& npu = machine.npu;
    auto const count = [&](text::Operator op, text::OperatorWork const& work) {
        if (op == text::Operator::norm) elementwise += npu.norm_operations * work.elements;
        if (op == text::Operator::rotation) elementwise += npu.rotation_operations * work.elements;
        if (op == text::Operator::activation) elementwise += npu.activation_operations * work.elements;
        if (op == text::Operator::residual) elementwise += npu.residual_operations * work.elements;
    };
    for (auto const& kind : text::layer_work(system.design)) text::layer_operators(kind, system.design, 1.0, count);
}

double Serving::kv_bytes() const {
    return static_cast<double>(attention_elements(*system.model)) * machine.element_bytes;
}

namespace {

/// Time by which traffic of the NPU outlasts products in the banks at the same time. Within `late` more than they take
/// on average, refreshes fall into them.
Bounded outlasting(Bounded const& traffic, Bounded const& products, double late) {
    auto const beyond = [&](double Bounded::*end) { return std::max(0.0, traffic.*end - products.*end); };
    Bounded left{beyond(&Bounded::value), beyond(&Bounded::lower), beyond(&Bounded::upper),
                 traffic.kinds.weaker(products.kinds)};
    if (traffic.upper > products.lower && traffic.lower < products.upper + late) left.upper += late;
    return left;
}

/// Products of a chunk with keys, values and states on matrix units of this edge: the share of their blocks that is
/// used.
double used_share(StateMixer const& s, double edge) {
    auto const share = [&](std::int64_t size) {
        return static_cast<double>(size) / (std::ceil(static_cast<double>(size) / edge) * edge);
    };
    return share(s.chunk) * share(s.key_dimension) * share(s.value_dimension);
}

double tokens_on_npu(Serving const& s) {
    auto const unit = s.cost.units[Choice::prefill];
    return unit == PhaseUnit::npu ? s.prompt : unit == PhaseUnit::both ? s.whole_rows() : 0.0;
}

}  // namespace

/// Positions of a prompt are multiplied in chunks, except by states that are vectors.
Cost Serving::states(double tokens, bool decodes) const {
    Cost sum;
    for (auto const& alike : alike_layers(*system.model)) {
        if (!has_state(alike)) continue;
        auto const bytes = state_bytes(alike);
        auto const kind = alike.state.kind;
        double const products =
            decodes ? token_state_multiplications(alike, tokens) : prompt_state_multiplications(alike, tokens);
        bool const in_blocks = !decodes && kind != StateKind::mamba && kind != StateKind::convolution;
        Cost layer = costs.read(bytes);
        layer += costs.write(bytes).times(decodes ? tokens : 1.0);
        layer += in_blocks ? costs.blocks(2.0 * products, used_share(alike.state, machine.npu.cube_edge))
                           : costs.vector(2.0 * products);
        sum += layer.times(static_cast<double>(alike.layers));
    }
    return sum;
}

double Serving::queries_per_key() const { return static_cast<double>(system.model->heads / system.model->kv_heads); }

double Serving::whole_blocks() const { return std::floor(prompt / machine.npu.cube_edge) * machine.npu.cube_edge; }

double Serving::whole_rows() const {
    double const edge = machine.npu.cube_edge;
    return std::floor(std::floor(batch * prompt / edge) * edge / batch);
}

Cost Serving::relayout() const {
    double bytes = 0.0;
    for (auto const& m : system.matrices) bytes += m.stored * m.weights() * system.design.weight_bytes;
    return costs.copy(bytes);
}

Cost Serving::moved(Matrix const& m) const { return costs.copy(m.weights() * system.design.weight_bytes); }

Cost Serving::written(double tokens) const { return costs.write(tokens * kv_bytes()).times(attending); }

double Serving::scores(std::int64_t first, std::int64_t last) const {
    return static_cast<double>(system.model->heads) * mean_pairs(first, last);
}

Cost Serving::load() const {
    double const bytes = text::weight_footprint(system.design);
    auto const& c = machine.baseline;
    double const chunk = std::min(bytes, c.relayout_chunk.si);
    Cost loaded = costs.write(chunk).times(bytes / chunk);
    if (system.uses_pim()) loaded += relayout();
    loaded.seconds = larger(loaded.seconds, sim::Bounded(bytes / c.storage.si));
    loaded.commands.loaded = bytes;
    if (system.design.baseline == Baseline::facil) loaded += cleared_pages();
    return loaded;
}

/// Each huge page of the weights is cleared, a write of all its bytes, in the time that the operating system takes.
Cost Serving::cleared_pages() const {
    auto const& c = machine.baseline;
    double const bytes = std::ceil(system.footprint / c.huge_page.si) * c.huge_page.si;
    auto cleared = costs.write(c.huge_page.si).times(bytes / c.huge_page.si);
    cleared.seconds = larger(cleared.seconds, sim::Bounded(bytes / c.huge_page.si * c.page_allocation.si));
    return cleared;
}

/// The weights of a layer are consecutive in memory and form one stream, which has the mean length of all layers.
void Serving::measure_streams() {
    double layer = 0.0;
    for (auto const& m : system.matrices) layer += m.head ? 0.0 : m.stored / layers * static_cast<double>(m.bytes);
    if (fidelity == Fidelity::cycle) presimulate_weights(layer);
    for (auto const& m : system.matrices) {
        if (m.head) head_stream = costs.read_bandwidth(static_cast<double>(m.bytes));
    }
    weight_stream_ = cost.npu_bandwidth = costs.read_bandwidth(layer);
}

/// The stream of a layer and that of each matrix; every one of them is read by some product.
void Serving::presimulate_weights(double layer) {
    std::vector<double> bytes{layer};
    for (auto const& m : system.matrices) bytes.push_back(static_cast<double>(m.bytes));
    costs.presimulate_weights(bytes);
}

/// Only the experts that at least one row chooses are read; the rows are distributed evenly over them.
Cost Serving::product(Matrix const& m, double rows, double times) const {
    bool const chosen = m.experts != nullptr;
    double const touched = chosen ? touched_experts(*m.experts, rows) / static_cast<double>(m.experts->experts) : 1.0;
    double const used = m.stored * touched, share = chosen ? rows * m.active / used : rows;
    return costs.gemm(m, share, m.head ? head_stream : weight_stream_).times(used * times);
}

void Serving::count_weights(double rows, double heads, double times) {
    for (auto const& m : system.matrices)
        cost.rest.pim_weight_bytes +=
            m.active * (m.head ? heads : rows) * times * m.weights() * system.design.weight_bytes;
}

double Serving::mean_pairs(std::int64_t first, std::int64_t last) const {
    double mean = 0.0;
    for (auto const& span : system.spans)
        mean += span.layers() / layers * (span.keys_up_to(last) - span.keys_up_to(first - 1));
    return mean;
}

Cost Serving::attention_in_banks(Contexts const& contexts) {
    return of_all_spans([&](Span const& span, double times) {
        Cost sum;
        for (auto const& keys : span.attended(contexts))
            sum += costs.attention(keys.contexts, sim::whole_part(kv_bytes()), queries_per_key(), keys.times * times);
        return sum;
    });
}

Cost Serving::vector_work(double tokens, double scores) const {
    return costs.vector(batch * (layers * scores * machine.npu.softmax_operations + tokens * elementwise));
}

/// An NPU that multiplies waits for the attention of all requests, once per layer.
double Serving::decode_turns(Units const& units, double requests) const {
    bool const attends_in_banks = units.in_banks(Choice::attention);
    if (!units.in_banks(Choice::decode)) return attends_in_banks ? attending : 0.0;
    return requests * (layers + (attends_in_banks ? stateful : mixing));
}

double Serving::switching(double turns) const {
    return 2.0 * turns * machine.pim.mode_switch * system.standard.clock.si;
}

void Serving::switch_modes(Cost& to, double turns) const { to.seconds += switching(turns); }

Prefill::Prefill(Serving& serving) : Prefill(serving, tokens_on_npu(serving)) {}

Prefill::Prefill(Serving& serving, double on_npu) : s_(serving), on_npu_(on_npu), in_banks_(serving.prompt - on_npu) {}

Cost& Prefill::weights_of_rest() const { return s_.cost.first[on_npu_ > 0.0 ? Part::rest_weights : Part::weights]; }

void Prefill::layers() {
    if (on_npu_ > 0.0 && s_.system.design.moves_weights()) s_.cost.first[Part::relayout] = s_.relayout();
    auto const add_to = [](Cost& to) { return [&to](Matrix const&, Cost const& cost) { to += cost; }; };
    s_.each_product(false, s_.batch * on_npu_, 0.0, 1.0, add_to(s_.cost.first[Part::weights]));
    s_.each_product(true, s_.batch * in_banks_, 0.0, 1.0, add_to(weights_of_rest()));
    s_.cost.first[Part::kv_write] = s_.written(s_.prompt * s_.batch);
    s_.cost.first[Part::state] = s_.states(s_.prompt, false).times(s_.batch);
    s_.cost.first[Part::vector] = s_.vector_work(s_.prompt, s_.scores(1, s_.system.design.input));
    s_.cost.first[Part::launches].seconds = s_.launches((on_npu_ > 0.0 ? 1.0 : 0.0) + (in_banks_ > 0.0 ? 1.0 : 0.0));
}

/// The matrix units of the NPU compute the attention of all tokens that they have multiplied, or of whole blocks of
/// them, at once, with keys and values on chip. Of the others, the banks process one token after the other, as in
/// decode; or the matrix units process them at once, with keys and values from memory.
void Prefill::attention() {
    double const at_once = attends_to_blocks() ? s_.whole_blocks() : on_npu_, rest = s_.prompt - at_once;
    if (at_once > 0.0) s_.cost.first[Part::attention] = on_npu(at_once);
    if (rest > 0.0) {
        bool const follows = at_once > 0.0 || attends_to_blocks();
        auto& cost = s_.cost.first[follows ? Part::rest_attention : Part::attention];
        cost = s_.in_banks(Choice::prompt_attention)
                   ? s_.attention_in_banks({sim::whole_part(s_.before + at_once) + 1, sim::whole_part(rest)})
                   : rest_on_npu();
        (attends_to_blocks() ? cost : weights_of_rest()).seconds += s_.costs.pim_ends();
    }
    if (s_.takes_turns()) s_.switch_modes(s_.cost.first[Part::mode_switch], turns());
}

/// The NPU waits for the attention of all requests once per layer, as in decode; or it waits for the tokens that the
/// banks multiply.
double Prefill::turns() const {
    if (attends_to_blocks()) return s_.attending;
    if (in_banks_ == 0.0) return 0.0;
    if (!s_.in_banks(Choice::prompt_attention)) return s_.batch * (s_.layers + s_.mixing);
    return s_.batch * (s_.attending * in_banks_ + s_.layers - s_.attending + s_.stateful);
}

/// Keys and values before the prompt are read from memory, in the form in which they are cached.
Cost Prefill::on_npu(double tokens) const {
    auto const& model = *s_.system.model;
    auto const before = sim::whole_part(s_.before), count = sim::whole_part(tokens);
    return s_.of_all_spans([&](Span const& span, double times) {
        if (before > 0) {
            auto cached = s_.costs.read(static_cast<double>(span.keys(before + 1) - 1) * s_.kv_bytes());
            cached += s_.costs.causal_attention(before, count, span, s_.costs.cached_form());
            return cached.times(times);
        }
        auto cost = s_.costs.causal_attention(0, count, span, expanded_form(model));
        if (has_latent_attention(model)) {
            auto const absorbed = s_.costs.causal_attention(0, count, span, absorbed_form(model));
            if (absorbed.seconds.value < cost.seconds.value) cost = absorbed;
        }
        return cost.times(times);
    });
}

Cost Prefill::rest_on_npu() const {
    auto const before = sim::whole_part(s_.before), prompt = sim::whole_part(s_.prompt), last = before + prompt;
    return s_.of_all_spans([&](Span const& span, double times) {
        std::int64_t const keys = span.keys_of_all(before + sim::whole_part(on_npu_) + 1, last);
        Cost cost = s_.costs.read(static_cast<double>(keys) * s_.kv_bytes()).times(times);
        cost += (on_npu_ > 0.0 ? s_.costs.attention_on_npu(in_banks_, {keys, 1})
                               : s_.costs.causal_attention(before, prompt, span, s_.costs.cached_form()))
                    .times(times);
        return cost;
    });
}

/// In the prefill, only the last position of each request passes through the LM head.
void Prefill::head() {
    bool const in_banks = s_.in_banks(Choice::head);
    auto& cost = s_.cost.first[Part::lm_head];
    s_.each_product(in_banks, 0.0, s_.batch, 1.0, [&](Matrix const& m, Cost const& product) {
        cost = product;
        // if the prefill has not moved the weights, they are in the layout of the banks
        if (!in_banks && s_.system.design.moves_weights() && s_.in_banks(Choice::prefill)) cost += s_.moved(m);
    });
    if (!in_banks) return;
    cost.seconds += s_.costs.pim_ends();
    if (s_.takes_turns()) s_.switch_modes(s_.cost.first[Part::lm_head], s_.batch);
}

void Decode::all_steps() {
    if (s_.steps < 1.0) return;
    bool const multiplies_in_banks = s_.in_banks(Choice::decode), attends_in_banks = s_.in_banks(Choice::attention);
    if (!attends_in_banks) presimulate_reads();
    DecodeSchedule schedule(s_);
    auto const all = sets();
    double const rows = s_.batch * s_.positions;
    for (auto const& [contexts, times] : all) {
        Bounded products;
        s_.each_product(multiplies_in_banks, rows, rows, static_cast<double>(contexts.count),
                        [&, repeats = times](Matrix const& m, Cost const& product) {
                            auto const cost = product.times(repeats);
                            s_.cost.rest[m.head ? Part::lm_head : Part::weights] += cost;
                            products += cost.seconds;
                            schedule.product(m, cost.seconds);
                        });
        attend({contexts, times}, products);
        schedule.overlap(contexts);
    }
    if (multiplies_in_banks || attends_in_banks) {
        s_.cost.rest.refreshed = s_.costs.pim_ends() * Bounded(all.front().times);
        s_.cost.rest[multiplies_in_banks ? Part::weights : Part::attention].seconds += s_.cost.rest.refreshed;
    }
    if (multiplies_in_banks) s_.count_weights(rows, rows, s_.steps);
    s_.cost.rest[Part::kv_write] = written_.times(s_.steps);
    s_.cost.rest[Part::state] = s_.states(s_.positions, true).times(s_.batch * s_.steps);
    if (hides_) s_.cost.rest[Part::kv_write].seconds = {};
    outlasting_.lower =
        std::max(0.0, outlasting_.lower - s_.cost.rest.refreshed.lower);  // traffic outlasts refreshes, too
    if (hides_) s_.cost.rest[attends_in_banks ? Part::kv_write : Part::attention].seconds = outlasting_;
    if (s_.takes_turns())
        s_.switch_modes(s_.cost.rest[Part::mode_switch], s_.decode_turns(s_.cost.units, s_.batch) * s_.steps);
    s_.cost.rest[Part::vector] =
        s_.vector_work(s_.steps * s_.positions, static_cast<double>(s_.system.model->heads) * pairs());
    schedule.apply(s_.cost.rest.refreshed);
    s_.cost.rest[Part::launches].seconds = s_.launches(s_.steps);
    if (s_.system.design.moves_weights() && !multiplies_in_banks) read_moved_weights();
}

/// Traffic that may hide is compared with the products of the same steps; what a step leaves does not help another.
void Decode::attend(RepeatedContexts const& steps, Bounded const& products) {
    auto const& [contexts, times] = steps;
    Bounded const of_step = products * (1.0 / (static_cast<double>(contexts.count) * times));
    bool const in_banks = s_.in_banks(Choice::attention), apart = hides_ && !in_banks && contexts.count > 1;
    double const late = s_.fidelity == Fidelity::cycle ? 0.0 : s_.costs.longest_refresh();
    bool const one_sided = !apart || never_changes_sides(contexts, of_step, late);
    for (auto const& set : one_sided ? std::vector{contexts} : counted_together(contexts)) {
        auto const cost = attention(set).times(times);
        double const count = static_cast<double>(set.count) * times;
        s_.cost.rest[Part::attention] += cost;
        if (!hides_) continue;
        Bounded banks = of_step * count, traffic = written_.seconds * count;
        (in_banks ? banks : traffic) += cost.seconds;
        outlasting_ += outlasting(traffic, banks, count * late);
    }
}

/// Attention grows with contexts, unless windows end it.
bool Decode::never_changes_sides(Contexts const& contexts, Bounded const& products, double late) {
    if (std::ranges::any_of(s_.system.spans, &Span::limited)) return false;
    auto const traffic = [&](std::int64_t context) { return attention({context, 1}).seconds + written_.seconds; };
    return traffic(contexts.first).lower >= products.upper + late ||
           traffic(contexts.first + contexts.count - 1).upper <= products.lower;
}

std::vector<double> representative_begins(TokenPasses const& p, std::int64_t most) {
    double const first = p.contexts.first - 1.0, distance = p.contexts.last - p.queries - first;
    double const apart = p.passes > 1.0 ? distance / (p.passes - 1.0) : 0.0;
    double const count = std::min(static_cast<double>(most), std::floor(p.passes)), each = p.passes / count;
    std::vector<double> begins;
    for (double i = 0.0; i < count; i += 1.0) begins.push_back(first + apart * ((i + 0.5) * each - 0.5));
    return begins;
}

/// At fidelity cycle the steps follow each other in order; otherwise equal steps are computed together. Of passes over
/// proposed tokens, some represent all.
std::vector<RepeatedContexts> Decode::sets() const {
    std::vector<RepeatedContexts> all;
    if (proposed_) {
        constexpr std::int64_t most = 64;
        auto const& p = s_.system.passes;
        auto const begins = representative_begins(p, most);
        for (double const begin : begins)
            all.push_back(
                {{sim::whole_part(std::round(begin + p.queries)), 1}, p.passes / static_cast<double>(begins.size())});
        return all;
    }
    auto const together = all_contexts();
    if (s_.fidelity != Fidelity::cycle) return {together};
    for (std::int64_t i = 0; i < together.contexts.count; ++i) all.push_back({{together.contexts.first + i, 1}, 1.0});
    return all;
}

RepeatedContexts Decode::all_contexts() const { return {{s_.system.design.input + 1, sim::whole_part(s_.steps)}, 1.0}; }

std::vector<RepeatedContexts> Decode::attended(Span const& span, Contexts const& contexts) const {
    if (!proposed_) return span.attended(contexts);
    return {{{span.keys_of_all(contexts.first - before_, contexts.first), 1}, 1.0}};
}

double Decode::pairs() const {
    double sum = 0.0;
    for (auto const& [contexts, times] : proposed_ ? sets() : std::vector{all_contexts()})
        sum += times * s_.mean_pairs(contexts.first - before_, contexts.first + contexts.count - 1);
    return sum;
}

/// Weights in the layout of the banks are moved before the NPU reads them: all of them once if a second copy of the
/// model is kept, otherwise in every step, layer by layer.
void Decode::read_moved_weights() {
    bool const stays = s_.system.design.staging == Staging::model;
    if (stays && !s_.in_banks(Choice::prefill)) return;
    s_.cost.rest[Part::relayout] = s_.relayout().times(stays ? 1.0 : s_.steps);
}

/// Attention of all layers.
Cost Decode::attention(Contexts const& contexts) {
    bool const in_banks = s_.in_banks(Choice::attention);
    return s_.of_all_spans([&](Span const& span, double times) {
        Cost cost;
        for (auto const& keys : attended(span, contexts)) {
            double const all = keys.times * times;
            if (in_banks) {
                cost += s_.costs.attention(keys.contexts, sim::whole_part(s_.kv_bytes()), s_.queries_per_key(), all,
                                           s_.positions);
                continue;
            }
            cost += s_.costs.growing_reads(keys.contexts, s_.kv_bytes(), all);
            cost += s_.costs.attention_on_npu(s_.positions, keys.contexts).times(all);
        }
        return cost;
    });
}

void Decode::presimulate_reads() {
    auto const all = proposed_ ? sets() : std::vector{all_contexts()};
    for (auto const& span : s_.system.spans)
        for (auto const& set : all)
            for (auto const& keys : attended(span, set.contexts))
                s_.costs.presimulate_reads(keys.contexts, s_.kv_bytes());
}

/// More of the work hides behind products that take longer.
Bounded beside_products(Serving const& s, RequestCost const& cost) {
    auto const& rest = cost.rest;
    Bounded time = rest[Part::attention].seconds + rest[Part::mode_switch].seconds;
    if (s.system.design.concurrency == Concurrency::scheduled)
        time += rest[Part::vector].seconds + Bounded{0.0, -rest.unsure_behind, rest.unsure_behind, Bound::proved};
    if (s.fidelity == Fidelity::cycle || !cost.units.in_banks(Choice::attention)) return time;
    // the refreshes within a layer's attention number at most the average of the estimate plus one
    time.upper += s.layers * s.batch * s.steps * s.costs.longest_refresh();
    return time;
}

Denoise::Denoise(Serving& serving) : s_(serving), passes_(passes_of(serving.system.design)) {}

/// If all positions are computed, keys and values are not read from memory.
void Denoise::add(PassShape const& shape, PhaseCost& to, double times, PhaseUnit unit) {
    double const context = shape.contexts.last, heads = static_cast<double>(s_.system.model->heads);
    bool const in_banks = unit == PhaseUnit::pim;
    double const rows = s_.batch * shape.queries, positions = s_.batch * shape.heads;
    s_.each_product(in_banks, rows, positions, times,
                    [&](Matrix const& m, Cost const& cost) { to[m.head ? Part::lm_head : Part::weights] += cost; });
    if (in_banks) s_.count_weights(rows, positions, times);
    auto attention = s_.costs.attention_on_npu(shape.queries, {sim::whole_part(context), 1});
    if (shape.queries < context) attention += s_.costs.read(context * s_.kv_bytes());
    auto vector = s_.vector_work(shape.queries, heads * shape.queries * context);
    vector += s_.costs.vector(positions * static_cast<double>(s_.system.model->vocabulary) *
                              s_.machine.npu.softmax_operations);
    to[Part::attention] += attention.times(s_.batch * s_.attending * times);
    to[Part::kv_write] += s_.written(rows).times(times);
    to[Part::vector] += vector.times(times);
    to[Part::launches].seconds += s_.launches(times);
}

void Denoise::first() { add(passes_.first.front().shape, s_.cost.first, 1.0, PhaseUnit::npu); }

/// Where the steps of all blocks differ and there are very many of them, one represents its neighbours.
void Denoise::steps_behind() {
    auto const different = static_cast<std::int64_t>(passes_.round.size());
    double const later = static_cast<double>(different) * passes_.rounds;
    if (later == 0.0) return;
    auto const together = sim::divide_up(different, sim::whole_part(s_.machine.prefix_blocks));
    for (std::int64_t first = 0; first < different; first += together) {
        auto const end = std::min(different, first + together);
        add(passes_.round[static_cast<std::size_t>((first + end - 1) / 2)].shape, s_.cost.rest,
            passes_.rounds * static_cast<double>(end - first), s_.cost.units[Choice::denoising]);
    }
    if (s_.in_banks(Choice::denoising)) turns(passes_.repeats + 1.0, later);
}

/// In every step in the banks, banks and NPU alternate twice per layer; a layout for either of them requires moving the
/// weights in both directions.
void Denoise::turns(double blocks, double steps) {
    s_.cost.rest[Part::weights].seconds += s_.cost.rest.refreshed = s_.costs.pim_ends();
    s_.switch_modes(s_.cost.rest[Part::mode_switch], 2.0 * s_.layers * steps);
    if (s_.system.design.moves_weights()) s_.cost.rest[Part::relayout] = s_.relayout().times(2.0 * blocks - 1.0);
}

}  // namespace pimdse::models::umdam
