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
    auto const sum = exchange(g.link, Collective::all_reduce, g.tensor, vectors, Starter::program, g.expert);
    auto const sums = pass.times * static_cast<double>(sums_of_pass);
    to.stage += sums * sum.seconds;
    to.stage_bytes += sums * sum.all_sent * static_cast<double>(g.expert);
    if (g.expert == 1) return;
    for (auto const& alike : alike_layers(part)) {
        if (alike.experts == 0) continue;
        auto const sent = vectors * static_cast<double>(alike.experts_active);
        auto const move = exchange(g.link, Collective::all_to_all, g.expert, sent, Starter::program, g.tensor);
        auto const moves = pass.times * moves_of_experts * static_cast<double>(alike.layers);
        to.stage += moves * move.seconds;
        to.stage_bytes += moves * move.all_sent * static_cast<double>(g.tensor);
    }
}

}  // namespace

PassExchange exchange_of(std::vector<EqualPasses> const& passes, LanguageModel const& part, DeviceGroup const& g,
                         double sequences) {
    PassExchange all;
    for (auto const& pass : passes) {
        double const vectors = sequences * pass.shape.queries * static_cast<double>(part.hidden) * bytes_of_element;
        add_layers(all, pass, part, g, vectors);
        double const choices = sequences * pass.shape.heads * bytes_of_choice * static_cast<double>(g.tensor);
        auto const head = exchange(g.link, Collective::all_gather, g.tensor, choices, Starter::program, g.expert);
        all.head += pass.times * head.seconds;
        all.head_bytes += pass.times * head.all_sent * static_cast<double>(g.expert);
        if (g.pipeline == 1) continue;
        auto const step =
            exchange(g.stage_link, Collective::send, g.pipeline, vectors, Starter::program, g.tensor * g.expert);
        all.between += pass.times * step.seconds;
        all.between_bytes += pass.times * step.all_sent * static_cast<double>(g.tensor * g.expert);
    }
    return all;
}

}  // namespace pimdse::models::chips
