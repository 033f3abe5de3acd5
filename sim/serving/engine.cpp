#include "sim/serving/engine.hpp"

namespace pimdse::sim::serving {

void expect_to_serve(ServiceLoad const& load, SchedulerSettings const& settings, StepLaw const& law) {
    expects(settings.max_sequences > 0 && settings.max_batched_tokens >= 0 && settings.block_tokens > 0 &&
                settings.block_tokens <= max_block_tokens && settings.blocks > 0 && settings.state_blocks >= 0 &&
                settings.max_context >= 0 && load.concurrency >= 0,
            "settings of a scheduler are positive");
    expects(settings.position_blocks >= 0 && std::ranges::all_of(settings.windows,
                                                                 [](WindowBlocks const& window) {
                                                                     return window.positions > 0 && window.blocks > 0;
                                                                 }),
            "layers take blocks");
    expects(settings.tokens_per_step > 0 &&
                (settings.max_batched_tokens == 0 || settings.max_batched_tokens >= settings.tokens_per_step),
            "a step may have the tokens that a sequence yields");
    expects(static_cast<bool>(law.one), "a law gives the cost of a step");
    expects(settings.prefix_units.tokens == 0 || (settings.tokens_per_step == 1 && settings.prefix_units.blocks > 0),
            "units of prefixes take blocks, and tokens come one by one");
    auto const& tier = settings.tier;
    expects(tier.units >= 0 && tier.fetch_seconds >= 0.0 && tier.store_seconds >= 0.0 && tier.latency >= 0.0 &&
                std::isfinite(tier.fetch_seconds + tier.store_seconds + tier.latency),
            "times of a tier are finite and not negative");
    double last = 0.0;
    for (std::size_t i = 0; i < load.requests.size(); ++i) {
        auto const& request = load.requests[i];
        expects(request.parent == ServiceRequest::none || request.parent < i, "a request follows the one it continues");
        expects(request.input > 0 && request.output > (request.has_prompt ? 1 : 0), "a request has tokens");
        expects(!request.has_prompt || settings.tokens_per_step == 1,
                "prompts are handed over to decode token by token");
        if (load.concurrency > 0 || request.parent != ServiceRequest::none) continue;
        expects(request.arrival >= last && std::isfinite(request.arrival), "requests are in the order of arrival");
        last = request.arrival;
    }
}

}  // namespace pimdse::sim::serving
