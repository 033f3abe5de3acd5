#include "models/cim_mesh/layer/layer_pass.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <cmath>
#include <functional>

namespace pimdse::models::cim_mesh {
namespace {

/// Positions that attend to all `keys` positions, as those that are denoised do.
LayerPass denoising(double queries, std::int64_t keys) {
    return {{{keys, 1.0}}, queries, static_cast<double>(keys), false, 0, keys};
}

/// Tokens and proposals that a pass verifies: the mean over all passes of the request.
LayerPass verification(MachineConstants const& machine, Design const& d) {
    return {sampled_keys(d, sim::whole_part(machine.allowance.contexts)),
            d.pass_positions(),
            mean_decoded_keys(d),
            false,
            0,
            middle_keys(d)};
}

/// The mean over passes that differ in the keys of their last position.
LayerParts mean(LayerPasses const& passes, std::vector<Sample> const& last) {
    LayerParts all, parts;
    passes.position(last.front().context, all);
    if (last.size() == 1) return all;
    for (auto& part : all) part.cycles = part.cycles * last.front().weight;
    for (std::size_t i = 1; i < last.size(); ++i) {
        auto const [keys, weight] = last[i];
        passes.position(keys, parts);
        sim::expects(parts.size() == all.size(), "positions have the same parts at all contexts");
        for (std::size_t at = 0; at < parts.size(); ++at) {
            auto& sum = all[at].cycles;
            auto const& one = parts[at].cycles;
            sum.value += one.value * weight;
            sum.lower += one.lower * weight;
            sum.upper += one.upper * weight;
            if (sum.kinds != one.kinds) sum.kinds = sum.kinds.weaker(one.kinds);
        }
    }
    return all;
}

}  // namespace

LayerPass prompt_pass(Design const& d, std::int64_t tokens, std::int64_t cached) {
    return {
        {{max_keys(d, cached + tokens), 1.0}}, static_cast<double>(tokens), mean_prompt_keys(d, tokens), true, cached};
}

LayerPass token_pass(MachineConstants const& machine, Design const& d, std::int64_t first, std::int64_t last) {
    LayerPass pass;
    pass.last = keys_between(d, first, last, sim::whole_part(machine.allowance.contexts));
    for (auto const& [keys, weight] : pass.last) pass.mean_keys += weight * static_cast<double>(keys);
    return pass;
}

LayerPass pass_of(MachineConstants const& machine, Design const& d, PassShape const& shape) {
    auto const first = std::llround(shape.contexts.first), last = std::llround(shape.contexts.last);
    if (d.diffuses()) return denoising(shape.queries, last);
    if (!shape.decodes) return prompt_pass(d, std::llround(shape.queries), first - 1);
    if (shape.queries > 1.0) return verification(machine, d);
    return token_pass(machine, d, first, std::max(first, last));
}

LayerPass first_pass(Design const& d) {
    auto const tokens = prompt_tokens(d);
    return d.diffuses() ? denoising(static_cast<double>(tokens), tokens) : prompt_pass(d, tokens);
}

LayerPass later_pass(MachineConstants const& machine, Design const& d) {
    if (d.diffuses()) return denoising(later_queries(d), prompt_tokens(d));
    if (d.verifies()) return verification(machine, d);
    return token_pass(machine, d, d.input + 1, std::max(d.input + 1, d.longest_context() - 1));
}

LayerParts parts_of(LayerPasses const& passes, Design const& d, LayerPass const& pass, HeldQueries const& held) {
    auto const last = mean(passes, pass.last);
    if (pass.is_alone()) return last;
    auto const before = [&](PromptUnits const& units) {
        if (pass.is_prompt) return following(units, held, tokens_of_prompt(d, pass.tokens() - 1, pass.cached));
        return following(units, held, pass.positions - 1.0, pass.keys);
    };
    return passes.pipeline(last, std::cref(before));
}

}  // namespace pimdse::models::cim_mesh
