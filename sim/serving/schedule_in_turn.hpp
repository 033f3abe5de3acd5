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

}  // namespace pimdse::sim::serving
