#include "models/chips/exchanges.hpp"

namespace pimdse::models::chips {
namespace {

constexpr double bytes_of_element = 2;  // of the residual stream
constexpr double bytes_of_choice = 8;   // of a token: its number and logit
constexpr double moves_of_experts = 2;  // to the experts, and back

void add_layers(PassExchange& to, EqualPasses const& pass, LanguageModel const& part, DeviceGroup const& g,
                double vectors) {
    std::int64_t sums_of_pass = 0;  // after attention or a state, and after the feed-forward network
    for (auto const& alike : alike_layers(part))
        sums_of_pass += alike.layers * ((alike.attends || has_state(alike) ? 1 : 0) + (has_network(alike) ? 1 : 0));
    auto const sum = exchange(g.link, Collective::all_reduce, g.tensor, vectors);
    auto const sums = pass.times * static_cast<double>(sums_of_pass);
    to.stage += sums * sum.seconds;
    to.stage_bytes += sums * sum.all_sent * static_cast<double>(g.expert);
    if (g.expert == 1) return;
    for (auto const& alike : alike_layers(part)) {
        if (alike.experts == 0) continue;
        auto const sent = vectors * static_cast<double>(alike.experts_active);
        auto const move = exchange(g.link, Collective::all_to_all, g.expert, sent);
        auto const moves = pass.times * moves_of_experts * static_cast<double>(alike.layers);
        to.stage += moves * move.seconds;
        to.stage_bytes += moves * move.all_sent * static_cast<double>(g.tensor);
    }
}

/// A pass that denoises `computed` positions per sequence.
EqualPasses denoising(GroupRequest const& r, double times, double computed) {
    return {times, computed, static_cast<double>(r.block_length)};
}

RequestPasses denoising_passes(GroupRequest const& r) {
    auto const all = static_cast<double>(r.input + r.output), block = static_cast<double>(r.block_length);
    auto const blocks = static_cast<double>(r.output / r.block_length), later = static_cast<double>(r.steps - 1);
    RequestPasses passes{{denoising(r, 1.0, all)}, {denoising(r, blocks - 1.0, all)}};
    if (r.cache == PassCache::none) passes.rest.push_back(denoising(r, blocks * later, all));
    if (r.cache == PassCache::dual) passes.rest.push_back(denoising(r, blocks * later, block));
    for (double left = blocks; r.cache == PassCache::prefix && left >= 1.0; left -= 1.0)
        passes.rest.push_back(denoising(r, later, left * block));
    return passes;
}

}  // namespace

RequestPasses passes_of(GroupRequest const& r) {
    if (r.by_diffusion) return denoising_passes(r);
    auto const positions = static_cast<double>(r.speculation.positions());
    return {{{1.0, static_cast<double>(r.input), 1.0}}, {{r.speculation.passes(r.output - 1), positions, positions}}};
}

PassExchange exchange_of(std::vector<EqualPasses> const& passes, LanguageModel const& part, DeviceGroup const& g,
                         double sequences) {
    PassExchange all;
    for (auto const& pass : passes) {
        double const vectors = sequences * pass.positions * static_cast<double>(part.hidden) * bytes_of_element;
        add_layers(all, pass, part, g, vectors);
        double const choices = sequences * pass.heads * bytes_of_choice * static_cast<double>(g.tensor);
        auto const head = exchange(g.link, Collective::all_gather, g.tensor, choices);
        all.head += pass.times * head.seconds;
        all.head_bytes += pass.times * head.all_sent * static_cast<double>(g.expert);
        if (g.pipeline == 1) continue;
        auto const step = exchange(g.stage_link, Collective::send, g.pipeline, vectors);
        all.between += pass.times * step.seconds;
        all.between_bytes += pass.times * step.all_sent * static_cast<double>(g.tensor * g.expert);
    }
    return all;
}

}  // namespace pimdse::models::chips
