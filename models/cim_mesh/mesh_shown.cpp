#include "models/cim_mesh/flow_graph.hpp"
#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/layer_program.hpp"
#include "models/cim_mesh/ledger.hpp"
#include "models/cim_mesh/mesh_part.hpp"
#include "models/cim_mesh/power.hpp"
#include "sim/base/check.hpp"
#include "sim/noc/program.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sstream>

namespace pimdse::models::cim_mesh {
namespace {

/// Adds a share to the one of the same name.
void add_share(std::vector<Share>& shares, std::string const& name, double amount) {
    if (amount == 0.0) return;
    auto const same = std::ranges::find(shares, name, &Share::what);
    (same == shares.end() ? shares.emplace_back(name) : *same).amount += amount;
}

}  // namespace

bool MeshPart::is_first(std::string const& phase) const {
    return phase == (design_.diffuses() ? "first step" : "prefill");
}

/// The time of a phase is divided among what is before its passes and the parts of its layers, those of the same name
/// together; what is left is that of the LM head, and of requests that wait for others. Energy is divided among what
/// draws it: events, and the power of units at work beyond that of the mesh at rest.
bool MeshPart::explain(std::string const& phase, std::vector<double> const& amounts, Breakdown& to) const {
    constexpr double rounding = 0x1p-40;
    bool const of_first = is_first(phase);
    auto const passes = of_first ? first().kinds : later();
    double const times = of_first ? 1.0 : design_.later_passes();
    double left = amounts.front();
    auto const before = [&](std::string const& what, double seconds) {
        add_share(to.time, what, seconds);
        left -= seconds;
    };
    auto const named = [&](EnergyByRow const& joules, std::string const& what, double share) {
        for (std::size_t row = 0; row < joules.size(); ++row)
            add_share(to.energy, fmt::format("{}/{}", energy_rows[row].name, what), share * joules[row]);
    };
    if (of_first) {
        auto const swap = swap_of(machine(), on_mesh_.kinds);
        before("load/programming of cells", programming(machine(), on_mesh_.design(), on_mesh_.parts()).time);
        before("reprogram/first layer", swap.first());
        before("reprogram/not hidden",
               swap.later([&](std::size_t kind) { return kinds()[kind]->seconds(passes[kind].parts).value; }));
    }
    std::vector<Share> parts;
    double in_layers = 0.0, at_work = 0.0;
    for (std::size_t i = 0; i < kinds().size(); ++i) {
        auto const& kind = *kinds()[i];
        auto const& d = kind.design();
        double seconds = 0.0;
        for (auto const& part : passes[i].parts) {
            double const of_part = times * kind.layers() * part.cycles.value / d.frequency;
            add_share(parts, std::string(part.what), of_part);
            seconds += of_part;
        }
        in_layers += seconds;
        at_work += d.sequences() * kind.power().layer * seconds;
        double const heads = of_first ? first_heads(d) : later_heads(d);
        auto const of_head = head_events(machine(), d, kind.partition(), kind.counts());
        for (auto const& share : shares_of(kind.each(), passes[i].events() + heads * of_head))
            add_share(to.energy, share.what, d.sequences() * times * share.amount);
        at_work += d.sequences() * times * kind.power().head *
                   head_cycles(machine(), on_mesh_.design(), on_mesh_.parts(), heads) / d.frequency;
        if (!of_first) continue;
        named(adapter_joules(machine(), d, kind.partition(), kind.each()), "writing adapters",
              1.0 / d.batches_per_swap());
        named(programming_joules(machine(), d, kind.partition(), kind.each()), "programming of cells", 1.0);
    }
    add_share(to.energy, "idle_units/crossbars and routers at work", at_work);
    for (auto const& share : parts) to.time.push_back({phase + "/" + share.what, share.amount});
    if (left - in_layers > rounding * amounts.front())
        to.time.push_back({phase + "/LM head, and waiting for other requests", left - in_layers});
    if (in_layers > 0.0) {
        auto const longest = std::ranges::max_element(parts, {}, &Share::amount);
        to.limits.push_back({phase, longest->what, longest->amount / in_layers, 1.0, "1"});
    }
    return true;
}

Trace MeshPart::trace() const {
    auto const& c = on_mesh_;
    auto const& prompts = first().kinds;
    auto const tokens = later();
    Trace bars;
    std::vector<std::size_t> kind_of;
    for (std::size_t i = 0; i < c.kinds.size(); ++i)
        kind_of.insert(kind_of.end(), static_cast<std::size_t>(c.kinds[i].design.model->layers), i);
    std::vector<double> since(kind_of.size(), 0.0);
    std::string const waiting = c.design().gating == Gating::srpg ? "gated" : "ungated";
    auto const bar = [&](std::string const& state, std::size_t layer, double start, double end) {
        auto& from = since[layer];
        auto const unit = fmt::format("layer {}", layer);
        if (start > from) bars.push_back({waiting, unit, from, start - from});
        if (end > start) bars.push_back({state, unit, start, end - start});
        from = std::max(from, end);
    };
    auto const seconds = [&](PlacedKind::Pass const& pass) { return sum_of(pass.parts).value / c.design().frequency; };
    auto const reprogram = [&](std::size_t layer) {
        auto const& [design, parts] = c.kinds[kind_of[layer]];
        return reprogram_time(machine(), design, parts);
    };
    double now = programming(machine(), c.design(), c.parts()).time, ready = now + reprogram(0);
    for (std::size_t layer = 0; layer < kind_of.size(); ++layer) bar("program cells", layer, 0.0, now);
    if (ready > now) bar("reprogram", 0, now, ready);
    for (std::size_t layer = 0; layer < kind_of.size(); ++layer) {
        now = std::max(now, ready);
        double const next = layer + 1 < kind_of.size() ? reprogram(layer + 1) : 0.0;
        if (next > 0.0) bar("reprogram", layer + 1, now, now + next);
        ready = now + next;
        double const prompt = seconds(prompts[kind_of[layer]]);
        bar("active: prompt", layer, now, now + prompt);
        now += prompt;
    }
    for (std::size_t layer = 0; layer < kind_of.size(); ++layer) {
        double const token = seconds(tokens[kind_of[layer]]);
        bar("active: token", layer, now, now + token);
        now += token;
    }
    return bars;
}

void MeshPart::expect_token() const {
    if (design_.diffuses())
        throw sim::InputError(
            "a denoising step is a pipeline of positions, not one token (use generation = autoregressive)");
    if (on_mesh_.design().verifies())
        throw sim::InputError("a pass over proposed tokens is a pipeline of positions, not one token (use draft = 0)");
}

FlowGraph MeshPart::flow_graph() const {
    expect_token();
    auto const& c = on_mesh_;
    if (c.design().searches_schedule())
        throw sim::InputError("a graph shows one schedule (use schedule = serial or schedule = tree)");
    return flow_graph_of(machine(), c.design(), c.parts(), c.layer(), later().front().parts);
}

std::string MeshPart::network_program() const {
    expect_token();
    auto const& c = on_mesh_;
    if (c.design().schedule != Schedule::tree)
        throw sim::InputError(
            "a program of the network has spanning trees, which the serial schedule does not use (use schedule = "
            "tree)");
    if (c.design().multiplies_in_place())
        throw sim::InputError(
            "a program of the network is that of a token whose queries travel to the keys (use dynamic_products = "
            "routers)");
    std::int64_t const keys = middle_keys(c.design());
    auto const token = kinds().front()->parts({{{keys, 1.0}}, 1.0, static_cast<double>(keys)}).parts;
    std::ostringstream text;
    sim::noc::write_program(text, layer_program(machine(), c.design(), c.parts(), c.layer(), token, keys));
    return "# one decoded token in one layer of " + c.design().model->name + "; pimdse noc run simulates it\n" +
           text.str();
}

}  // namespace pimdse::models::cim_mesh
