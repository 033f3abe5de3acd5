#include "models/cim_mesh/placed_kind.hpp"

#include "models/cim_mesh/layer/commands.hpp"
#include "models/cim_mesh/layer/dynamic_products.hpp"
#include "models/cim_mesh/layer/serial_layer.hpp"
#include "models/cim_mesh/layer/tree_layer.hpp"
#include "models/cim_mesh/power.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::models::cim_mesh {
namespace {

/// Trees add in the routers: next to them a shared aggregator is for comparison only.
Design with_trees(Design d) {
    if (d.shares_aggregator()) d.dynamic_products = DynamicProducts::routers;
    return d;
}

/// The design whose layers are compared with those of tree collectives.
Design compared_with_trees(Design const& d) { return d.searches_schedule() ? d.running(Schedule::serial) : d; }

/// Bounds for an unknown placement: the value is that of the packed layer, the lower bound is `min` (proved), the upper
/// bound is calibrated.
sim::Bounded opened(MachineConstants::Allowances const& allowed, sim::Bounded const& packed, double min) {
    double const lower = std::min(packed.value, min * (1.0 - allowed.rounding_share));
    return {
        packed.value, lower, packed.upper * allowed.searched_upper_bound, {sim::Bound::proved, sim::Bound::calibrated}};
}

LayerParts opened(MachineConstants::Allowances const& allowed, LayerParts const& packed, LayerParts const& min) {
    sim::expects(packed.size() == min.size(), "a layer has the same parts for every placement");
    auto parts = packed;
    double limited = 0.0, least = 0.0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].by_unit) {
            limited += packed[i].cycles.value;
            least += min[i].cycles.value;
        } else if (!parts[i].settled) {
            parts[i].cycles = opened(allowed, packed[i].cycles, min[i].cycles.value);
        }
    }
    // Other units may limit the tokens at the lower bound: it is one of their sum, divided in proportion.
    for (auto& part : parts)
        if (part.by_unit && limited > 0.0)
            part.cycles = opened(allowed, part.cycles, part.cycles.value / limited * least);
    return parts;
}

/// Cycles of a layer for a first pass, from service times alone: the same at every fidelity.
double cycles_of_services(MachineConstants const& machine, Design const& d, Partition const& p,
                          MeshCounts const& counts) {
    ClosedForm const form(machine, d, p, counts);
    std::int64_t const tokens = prompt_tokens(d);
    return (d.diffuses() ? form.pass(static_cast<double>(tokens), tokens) : form.prefill(tokens)).total();
}

}  // namespace

PlacedKind::PlacedKind(MachineConstants const& machine, KindOnMesh const& kind, Floor const& floor, Fidelity fidelity,
                       bool spaced)
    : machine_(machine),
      kind_(kind),
      floor_(floor),
      counts_(count_mesh(machine, compared_with_trees(kind.design), kind.partition, *floor.layer)),
      held_(KvCache(machine, kind.design, kind.partition), kind.design.context_tile),
      each_(event_energy(machine, kind.design, kind.partition)),
      columns_(static_cast<double>(floor.layer->placement().used_cols)),
      undecided_(kind.design.searches_schedule() && fidelity == Fidelity::analytic) {
    auto const& d = design();
    if (floor.open) {
        auto const& min = lower_bound_.emplace(machine, floor.layer->program().key());
        min_counts_ = min_counts(machine, d, partition(), min);
        columns_ = {columns_.value, static_cast<double>(min.min_columns()), static_cast<double>(min.max_columns()),
                    sim::Bound::proved};
    }
    set_links();
    power_ = power_of(columns_.value);
    auto const made = [&](Schedule schedule) {
        return std::make_unique<Program>(Program{d.searches_schedule() ? d.running(schedule) : d});
    };
    auto const fill = [&](Program& program) {
        auto const& own = program.design;
        auto const& p = partition();
        bool const serial = own.schedule == Schedule::serial;
        program.passes = serial ? serial_passes(machine, own, p, *floor.layer, counts_, fidelity)
                                : tree_passes(machine, own, p, *floor.layer, counts_, fidelity, spaced);
        if (lower_bound_)
            program.least =
                (serial ? serial_lower_bound : tree_lower_bound)(machine, own, p, *lower_bound_, min_counts_);
    };
    if (d.schedule != Schedule::tree) fill(*(serial_ = made(Schedule::serial)));
    if (d.schedule != Schedule::serial) fill(*(tree_ = made(Schedule::tree)));
}

sim::Bounded PlacedKind::idle() const {
    return over(columns_, [&](double columns) { return power_of(columns).rest.idle(); });
}

StaticPower PlacedKind::power_of(double columns) const {
    return static_power(machine_, design(), partition(),
                        powered(machine_, design(), partition(), sim::whole_part(columns)));
}

LayerParts PlacedKind::launched(LayerPasses const& passes, Design const& d, LayerPass const& pass,
                                HeldQueries const& held) const {
    auto parts = parts_of(passes, d, pass, held);
    parts.push_back({"launch of the layer", d.layer_overhead * d.frequency, true});
    if (design().searches_schedule()) return parts;
    // Commands that repeat are the same for every pass.
    double const issue = machine_.command_issue == 0.0
                             ? 0.0
                             : issue_cycles(machine_, d, commands_of(d, partition(), pass.mean_keys), pass.positions);
    parts.push_back({"issue of commands", issue, true});
    return parts;
}

ScheduledParts PlacedKind::parts(LayerPass const& pass, HeldQueries const& held, LayerPasses Program::*passes) const {
    auto const of = [&](Program const& program) { return launched(program.*passes, program.design, pass, held); };
    if (serial_ && tree_) return faster_parts(machine_, design(), partition(), pass, of(*serial_), of(*tree_));
    return {of(serial_ ? *serial_ : *tree_), design().schedule};
}

ScheduledParts PlacedKind::parts(LayerPass const& pass, HeldQueries const& held) const {
    auto all = parts(pass, held, &Program::passes);
    if (floor_.open) all.parts = opened(machine_.allowance, all.parts, parts(pass, held, &Program::least).parts);
    return all;
}

PlacedKind::Cycles PlacedKind::with_trees(Pass const& first, Pass const& mean) const {
    if (design().schedule == Schedule::tree) return {sum_of(first.parts), sum_of(mean.parts)};
    auto const own = cim_mesh::with_trees(compared_with_trees(design()));
    auto later = mean.asked;
    if (later.last.size() > 1) later.last = {{middle_keys(own), 1.0}};
    auto const packed = tree_passes(machine_, own, partition(), *floor_.layer, counts_, Fidelity::analytic);
    auto const least = floor_.open ? tree_lower_bound(machine_, own, partition(), *lower_bound_, min_counts_) : packed;
    auto const of = [&](LayerPass const& pass) {
        auto const finished = [&](LayerPasses const& passes) {
            auto parts = launched(passes, own, pass, held_);
            for (auto& part : parts) part.cycles = part.cycles.value;
            return parts;
        };
        auto const parts = finished(packed);
        return sum_of(floor_.open ? opened(machine_.allowance, parts, finished(least)) : parts);
    };
    return {of(first.asked), of(later)};
}

Events PlacedKind::events_on(MeshCounts const& counts, LayerPass const& pass, Schedule attention,
                             HeldQueries const& held) const {
    auto const of = [&](Design const& d) { return events_of(machine_, d, partition(), counts, held, pass); };
    return attention == design().schedule ? of(design()) : of(design().running(attention));
}

PlacedKind::Pass PlacedKind::served(LayerPass asked) const {
    auto [parts, attention] = this->parts(asked);
    Pass all{std::move(asked), std::move(parts), {}};
    auto const& pass = all.asked;
    auto const add = [&](Schedule schedule) {
        all.alternatives.push_back(
            {events_on(counts_, pass, schedule, held_), floor_.open ? machine_.allowance.searched_upper_bound : 1.0});
        if (floor_.open) all.alternatives.push_back({events_on(min_counts_, pass, schedule, held_), 1.0});
    };
    add(attention);
    if (undecided_) add(attention == Schedule::serial ? Schedule::tree : Schedule::serial);
    return all;
}

void PlacedKind::set_links() {
    auto const own = compared_with_trees(design());
    double const flits = vector_flits(machine_, own), shared = flits * shared_on_a_link(own, partition());
    busiest_link_ = counts_.busiest_link + shared;
    prompt_link_ = counts_.prompt_link + shared;
    if (!lower_bound_) return;
    double const most = flits * static_cast<double>(lower_bound_->max_on_a_link()) + shared;
    busiest_link_ = {busiest_link_.value, min_counts_.busiest_link + shared, most, sim::Bound::proved};
    prompt_link_ = {prompt_link_.value, min_counts_.prompt_link + shared, most, sim::Bound::proved};
}

/// Tokens that would load it more wait; a single token waits for nothing.
sim::Bounded PlacedKind::prompt_load(sim::Bounded const& prompt_cycles) const {
    auto const& d = design();
    auto prompt = prompt_cycles;
    if (d.schedule == Schedule::serial) {
        prompt = cycles_of_services(machine_, d, partition(), counts_);
        if (lower_bound_)
            prompt = opened(machine_.allowance, prompt, cycles_of_services(machine_, d, partition(), min_counts_));
    }
    Services const services(machine_, d, partition());
    auto const tokens = static_cast<double>(prompt_tokens(d));
    auto const occupied = over(prompt_link_, [&](double flits) { return services.busiest_link(flits) * tokens; });
    return over(occupied / prompt, [&](double load) { return std::min(load, machine_.open_loop_share); });
}

}  // namespace pimdse::models::cim_mesh
