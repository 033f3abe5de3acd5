#include "models/cim_mesh/layer/layer_time.hpp"

#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/macros.hpp"
#include "sim/base/counting.hpp"
#include "sim/noc/closed_form.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::cim_mesh {

sim::Bounded sum_of(LayerParts const& parts) {
    sim::Bounded total;
    for (auto const& part : parts) total += part.cycles;
    return total;
}

void add_activations(LayerParts& parts, double cycles) {
    if (cycles > 0.0) parts.push_back({activations_part, cycles, true});
}

LayerParts pipelined(LayerParts const& last, Following const& before, double lower, double upper,
                     sim::BoundKinds kinds) {
    sim::Bounded fill;
    for (auto const& part : last) fill += part.cycles;
    LayerParts parts;
    parts.reserve(max_parts);
    parts.push_back({"fill of the pipeline", fill});
    double const total = before.total();
    auto const add = [&](char const* part, double cycles) {
        double const share = total > 0.0 ? cycles / total : 0.0;
        // The bounds of the total are divided in proportion.
        parts.push_back({part, sim::Bounded{cycles, share * lower, share * upper, kinds}.on(kinds), false, true});
    };
    add("vectors of the prompt", before.vectors);
    add("adapters", before.adapters);
    add("attention", before.attention);
    add("crossbars", before.crossbars);
    add("one token after the other", before.alone);
    add("busiest link", before.link);
    return parts;
}

LayerParts pipelined(LayerParts const& last, Following const& before) {
    LayerParts parts = pipelined(last, before, before.total(), before.total(), sim::Bound::proved);
    for (auto& part : parts) {
        bool const is_fill = &part == &parts.front();
        if (!is_fill) part.cycles = part.cycles.value;
    }
    return parts;
}

std::int64_t prompt_tokens(Design const& d) {
    return d.model->attention == Attention::bidirectional ? d.longest_context() : d.input;
}

double later_queries(Design const& d) {
    double passes = 0.0, queries = 0.0;
    for (auto const& equal : passes_of(d).rest()) {
        passes += equal.times;
        queries += equal.times * equal.shape.queries;
    }
    return passes > 0.0 ? queries / passes : static_cast<double>(d.longest_context());
}

sim::noc::RouterTiming router_timing(MachineConstants const& machine, Design const& design) {
    sim::noc::RouterTiming timing;
    timing.fifo_flits = static_cast<std::int32_t>(std::min<std::int64_t>(design.fifo_flits(), sim::noc::lanes::max));
    timing.adder = static_cast<std::int32_t>(machine.adder_service);
    return timing;
}

Services::Services(MachineConstants const& machine, Design const& design, Partition const& partition)
    : machine_(machine), design_(design), partition_(partition) {}

double Services::transfer_of(std::int64_t pieces) const {
    double const bits = static_cast<double>(design_.crossbar) * machine_.value_bits;
    double const flits = std::ceil(bits / static_cast<double>(design_.link_bits * pieces));
    return flits * std::max(1.0, machine_.credit_round_trip / static_cast<double>(design_.fifo_flits()));
}

double Services::arithmetic() const { return static_cast<double>(sim::divide_up(design_.crossbar, design_.dmacs)); }

double Services::hop() const { return std::max(vector_transfer(), arithmetic()) + machine_.hop_service; }

double Services::queries_per_key() const {
    if (design_.key_reuse == KeyReuse::head) return 1.0;
    return std::max(1.0, static_cast<double>(partition_.q) / static_cast<double>(partition_.kv));
}

double Services::key_step() const {
    double const streamed = (vector_transfer() + machine_.hop_service + slower_keys()) / queries_per_key();
    return std::max(streamed, 2.0 * arithmetic());
}

double Services::score() const {
    return design_.softmax_rate == 0 ? machine_.score_service : 1.0 / static_cast<double>(design_.softmax_rate);
}

double Services::slower_keys() const {
    return partition_.placed_tiles < 2 ? 0.0 : slower_on_die_link(machine_, design_);
}

double Services::busiest_link(double flits) const {
    return saturated_cycles(flits, vector_flits(machine_, design_)) *
           die_link_occupation(machine_, design_, partition_.placed_tiles);
}

double Services::adapters_per_token() const {
    if (partition_.adapted == 0) return 0.0;
    double const per_slice = machine_.lora_fixed + machine_.lora_per_rank * static_cast<double>(design_.lora_rank);
    return per_slice * static_cast<double>(partition_.n * partition_.adapted);
}

double Services::softmax_per_key() const {
    double const of_a_slice = score() * static_cast<double>(partition_.heads_per_slice);
    auto const slices = static_cast<double>(partition_.slices_per_head);
    if (design_.shares_aggregator()) return of_a_slice * static_cast<double>(partition_.q) / slices;
    if (partition_.slices_per_head == 1) return of_a_slice;
    double const one_flit = 1.0;
    return of_a_slice + 2.0 * (slices - 1.0) * (one_flit + machine_.hop_service);
}

double Services::activation() const { return static_cast<double>(design_.crossbar) * score(); }

double Services::activations(double sums) const {
    if (!design_.counts_activations()) return 0.0;
    if (design_.shares_aggregator()) return busiest_activations();
    if (!partition_.gated) return activation();
    return std::max(0.0, activation() - sums) + arithmetic();
}

double Services::busiest_activations() const {
    if (!design_.counts_activations()) return 0.0;
    if (!design_.shares_aggregator()) return activation();
    return static_cast<double>(partition_.f) * (activation() + (partition_.gated ? arithmetic() : 0.0));
}

double Services::shared_key_stream() const {
    std::int64_t const kv = std::min(partition_.q, partition_.kv);
    auto const slices = static_cast<double>(design_.key_reuse == KeyReuse::group ? kv : partition_.q);
    return slices * (vector_transfer() + machine_.hop_service);
}

double Services::shared_key_products() const { return 2.0 * static_cast<double>(partition_.q) * arithmetic(); }

ClosedForm::ClosedForm(MachineConstants const& machine, Design const& design, Partition const& partition,
                       MeshCounts const& counts)
    : Services(machine, design, partition),
      counts_(counts),
      held_(KvCache(machine, design, partition), design.context_tile),
      full_route_(counts.holder_routes(counts.max_owners).mean),
      softmax_per_key_(softmax_per_key()),
      key_step_(key_step()),
      queries_per_key_(queries_per_key()) {}

double ClosedForm::route(double hops) const {
    return hops * static_cast<double>(sim::noc::closed_form::per_hop(router_timing(machine_, design_)));
}

double ClosedForm::scattered_hop() const {
    std::int64_t const piece = sim::divide_up(design_.crossbar, partition_.n);
    auto const additions = static_cast<double>(sim::divide_up(piece, design_.dmacs));
    return std::max(transfer_of(partition_.n), additions) + machine_.hop_service;
}

double ClosedForm::fill() const {
    auto const fixed = static_cast<double>(sim::noc::closed_form::fixed(router_timing(machine_, design_)));
    return route(counts_.fill) + counts_.fill_legs * (fixed + vector_transfer() - 1.0);
}

double ClosedForm::key_routes(double keys) const {
    auto const max = static_cast<double>(counts_.max_owners);
    double const owners = std::min(max, std::ceil(2.0 * static_cast<double>(partition_.kv) * keys));
    double const hops = owners == max ? full_route_ : counts_.holder_routes(sim::whole_part(owners)).mean;
    return machine_.distance_service * hops / queries_per_key_ * keys;
}

double ClosedForm::shared_flits() const {
    return vector_flits(machine_, design_) * shared_on_a_link(design_, partition_);
}

double ClosedForm::prompt_hops() const {
    return machine_.prefill_vectors * counts_.busiest_router + shared_vectors(design_, partition_);
}

DynamicTime ClosedForm::in_place(double keys) const {
    return dynamic_time(machine_, design_, partition_, counts_, vector_transfer(), hop(), keys);
}

double ClosedForm::shared_additions() const { return hop() * shared_vectors(design_, partition_); }

DecodeTime ClosedForm::without_keys() const {
    DecodeTime t;
    auto const scattered = static_cast<double>(design_.machine == Machine::leap_d ? partition_.token_qkv_adds : 0);
    t.partial_sums = hop() * (static_cast<double>(partition_.token_adds) - scattered) + scattered_hop() * scattered +
                     route(counts_.chain_borders);
    if (design_.shares_aggregator()) t.partial_sums = shared_additions() + route(counts_.chain_borders);
    t.routes = fill() + route(counts_.walk_back) / static_cast<double>(partition_.all_layers);
    t.adapters = adapters_per_token();
    t.crossbars = machine_.smac_per_layer * product_cycles(machine_, design_);
    t.activations = activations(hop() * static_cast<double>(partition_.token_up_adds));
    return t;
}

DecodeTime ClosedForm::with_keys(DecodeTime t, double context) const {
    t.softmax = softmax(context);
    if (design_.multiplies_in_place()) {
        auto const dynamic = in_place(context);
        t.key_stream = dynamic.at_keys();
        t.key_distance = dynamic.routes;
    } else if (design_.shares_aggregator()) {
        t.key_stream = std::max(shared_key_stream(), shared_key_products()) * context;
    } else {
        t.key_stream = key_step_ * context;
        t.key_distance = key_routes(context);
    }
    return t;
}

PromptUnits ClosedForm::units(double vectors) const {
    auto const owners = static_cast<double>(std::max<std::int64_t>(1, counts_.max_owners));
    auto const at_first = decode(0.0);
    PromptUnits u;
    u.vectors = vectors + (design_.shares_aggregator() ? busiest_activations() : 0.0);
    u.adapters = adapters_per_token();
    u.crossbar = std::max(product_cycles(machine_, design_), design_.shares_aggregator() ? 0.0 : busiest_activations());
    u.softmax = softmax_per_key_;
    u.stream = key_step_ + machine_.distance_service * full_route_ / queries_per_key_;
    u.products = 2.0 * static_cast<double>(partition_.q) * arithmetic() / owners;
    u.attained = design_.attained_share;
    u.link = busiest_link(counts_.prompt_link + shared_flits()) / machine_.open_loop_share;
    u.alone = std::max(at_first.total(), u.link);
    u.alone_per_key = key_step_ + u.softmax;
    if (design_.multiplies_in_place()) {
        // Collectives are those of the last token: of all keys of the prompt.
        auto const dynamic = in_place(static_cast<double>(max_keys(design_, prompt_tokens(design_))));
        u.alone += dynamic.fixed() - in_place(0.0).fixed();
        u.crossbar = std::max(u.crossbar, dynamic.least);
        u.stream = 0.0;
        u.products = dynamic.per_key;
        u.alone_per_key = dynamic.per_key + u.softmax;
    }
    if (design_.shares_aggregator()) {
        u.stream = shared_key_stream();
        u.products = shared_key_products();
        u.alone_per_key = std::max(u.stream, u.products) + u.softmax;
    }
    return u;
}

PrefillTime ClosedForm::prefill(std::int64_t tokens) const {
    return {decode(static_cast<double>(max_keys(design_, tokens))).total(),
            following(units(prompt_hops() * hop()), held_, tokens_of_prompt(design_, tokens - 1))};
}

PrefillTime ClosedForm::pass(double queries, std::int64_t keys) const {
    return {decode(static_cast<double>(keys)).total(),
            following(units(prompt_hops() * hop()), held_, queries - 1.0, keys)};
}

namespace {

namespace form = sim::noc::closed_form;

/// Placement of the LM head on whole compute tiles side by side.
struct HeadFloor {
    std::int64_t tiles = 0, columns = 0;
    double farthest = 0.0;  ///< hops from the hub to the farthest crossbar
    double borders = 0.0;   ///< borders that chains of partial sums cross
};

HeadFloor lay(MachineConstants const& machine, Design const& d, Tiling const& head) {
    HeadFloor floor{sim::divide_up(head.tiles(), d.pairs_per_tile()), sim::divide_up(head.tiles(), d.mesh_rows), 0, 0};
    double const borders = static_cast<double>(floor.tiles - 1);
    floor.farthest =
        static_cast<double>(d.mesh_rows + floor.columns + 1) / 2.0 + border_hops(machine, d) * borders / 2.0;
    for (std::int64_t at = 1; at < floor.tiles; ++at) {
        if (at * d.pairs_per_tile() % head.rows != 0) floor.borders += 1.0;
    }
    return floor;
}

/// Cycles of the first position of a pass, and of every further one.
struct HeadCost {
    double first = 0.0, further = 0.0;
};

/// serial: column after column. The inputs of a position and one sum enter the busiest router.
HeadCost one_after_the_other(MachineConstants const& machine, Design const& d, Services const& services,
                             Tiling const& head, HeadFloor const& floor) {
    auto const timing = router_timing(machine, d);
    double const per_hop = static_cast<double>(form::per_hop(timing)), fixed = static_cast<double>(form::fixed(timing));
    auto const adds = static_cast<double>((head.rows - 1) * sim::divide_up(head.cols, d.parallel_columns));
    double const hops = 2.0 * floor.farthest + border_hops(machine, d) * floor.borders;
    double const legs = 2.0 * (fixed + services.vector_transfer() - 1.0);
    return {services.hop() * adds + per_hop * hops + legs,
            machine.prefill_vectors * services.hop() * static_cast<double>(head.rows + 1)};
}

/// tree: the hub broadcasts the vectors of a position down one tree; columns are summed towards their middles, and the
/// sums are sent back.
HeadCost all_at_once(MachineConstants const& machine, Design const& d, Services const& services, Tiling const& head,
                     HeadFloor const& floor) {
    auto const timing = router_timing(machine, d);
    double const per_hop = static_cast<double>(form::per_hop(timing)), fixed = static_cast<double>(form::fixed(timing));
    double const vectors = static_cast<double>(head.rows) * (services.vector_transfer() + 1.0);
    double const summed = (per_hop + machine.adder_service) * static_cast<double>(head.rows / 2);
    double const leg = fixed + services.vector_transfer() - 1.0;
    return {vectors + 2.0 * per_hop * floor.farthest + summed + leg + leg + leg, vectors};
}

}  // namespace

double head_cycles(MachineConstants const& machine, Design const& d, Partition const& p, double positions) {
    if (d.searches_schedule())
        return std::min(head_cycles(machine, d.running(Schedule::serial), p, positions),
                        head_cycles(machine, d.running(Schedule::tree), p, positions));
    if (p.head.cols == 0) return 0.0;
    Services const services(machine, d, p);
    auto const floor = lay(machine, d, p.head);
    auto const cost =
        (d.schedule == Schedule::serial ? one_after_the_other : all_at_once)(machine, d, services, p.head, floor);
    return cost.first + cost.further * (positions - 1.0) + product_cycles(machine, d);
}

double first_heads(Design const& d) { return d.diffuses() ? static_cast<double>(d.block_length) : 1.0; }

double later_heads(Design const& d) { return d.diffuses() ? static_cast<double>(d.block_length) : d.pass_positions(); }

}  // namespace pimdse::models::cim_mesh
