#pragma once

#include "sim/serving/scheduler.hpp"

#include <cstdint>

namespace pimdse::sim::serving {

/// schedule() for equal engines that take the sessions in turn, each with a cache of its own and these settings. In a
/// closed loop the users are divided among them, of whom there are at least as many as engines. Sums are over all
/// engines.
[[nodiscard]] Schedule schedule_in_turn(ServiceLoad const& load, SchedulerSettings const& settings, StepLaw const& law,
                                        std::int64_t engines, GiveUp const* give_up = nullptr,
                                        Observer const& observe = {});

/// Equal engines behind a balancer.
struct EnginePool {
    SchedulerSettings const& settings;
    StepLaw const& law;
    std::int64_t engines = 1;
};

/// What happened in two pools. The requests of `prompts` have the times of both, those of `decoded` are empty.
struct HandedOver {
    Schedule prompts, decoded;
    double joules = 0.0;  ///< of the links
};

/// Serves a load by engines that compute prompts with their first tokens, and by engines that decode the others. Both
/// pools take the sessions in turn, the second one in the order in which they arrive there. Sequences leave over the
/// link of their engine one after the other, in the order of their first tokens; if the second pool has the links
/// (SchedulerSettings::prompt_link), they arrive there with their first token. Turns arrive, and users of a closed loop
/// go on, after the last token in the second pool. prompts.given_up is set if an engine of either pool gave up.
[[nodiscard]] HandedOver schedule_handed_over(ServiceLoad const& load, EnginePool const& prompts,
                                              EnginePool const& decode, PromptLink const& link,
                                              GiveUp const* give_up = nullptr, Observer const& observe = {});

}  // namespace pimdse::sim::serving
