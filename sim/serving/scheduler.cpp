#include "sim/serving/scheduler.hpp"

#include "sim/base/counting.hpp"
#include "sim/serving/engine.hpp"

#include <algorithm>
#include <limits>

namespace pimdse::sim::serving {

std::int64_t blocks_for(SchedulerSettings const& settings, std::int64_t positions) {
    auto blocks = settings.state_blocks + settings.position_blocks * divide_up(positions, settings.block_tokens);
    for (auto const& window : settings.windows)
        blocks += window.blocks * divide_up(std::min(positions, window.positions), settings.block_tokens);
    return blocks;
}

std::int64_t longest_cached(SchedulerSettings const& settings) {
    std::int64_t fits = 0, above = std::int64_t{1} << 40;
    while (above - fits > 1) {
        auto const middle = fits + (above - fits) / 2;
        (blocks_for(settings, middle) <= settings.blocks ? fits : above) = middle;
    }
    return fits;
}

bool is_too_long(SchedulerSettings const& settings, ServiceRequest const& request) {
    return blocks_for(settings, positions_of(settings, request)) > settings.blocks ||
           (settings.max_context > 0 && request.input + request.output > settings.max_context);
}

Schedule schedule(ServiceLoad const& load, SchedulerSettings const& settings, StepLaw const& law, GiveUp const* give_up,
                  Observer const& observe) {
    Engine engine(load, settings, law, give_up, observe);
    while (!engine.over()) engine.step(std::numeric_limits<double>::infinity());
    return engine.finished();
}

}  // namespace pimdse::sim::serving
