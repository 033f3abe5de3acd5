#include "models/chips/steps.hpp"

#include "models/chips/composition.hpp"
#include "models/llm/state.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

namespace pimdse::models::chips {
namespace {

using sim::as_double;
using sim::serving::StepCost;
using sim::serving::StepWork;

std::int64_t positions_of(StepWork const& work) {
    auto positions = static_cast<std::int64_t>(work.contexts.size());
    for (auto const& chunk : work.chunks) positions += chunk.tokens;
    return positions;
}

/// Sequences of a step in turn to so many parts. Parts of a prompt that complete it are the first ones.
std::vector<StepWork> divided(StepWork const& work, std::int64_t parts) {
    std::vector<StepWork> all(static_cast<std::size_t>(parts));
    std::size_t turn = 0;
    auto const next = [&]() -> StepWork& { return all[turn++ % all.size()]; };
    auto complete = work.heads - static_cast<std::int64_t>(work.contexts.size());
    for (auto const& chunk : work.chunks) {
        auto& part = next();
        part.chunks.push_back(chunk);
        if (complete-- > 0) ++part.heads;
    }
    for (auto const context : work.contexts) {
        auto& part = next();
        part.contexts.push_back(context);
        ++part.heads;
    }
    std::erase_if(all, [](StepWork const& part) { return part.chunks.empty() && part.contexts.empty(); });
    return all;
}

/// What the devices of one stage do for one micro-batch.
struct StageStep {
    double seconds = 0.0;     ///< of the slowest device, without exchanges
    double joules = 0.0;      ///< of all devices, without hosts
    double working = 0.0;     ///< s in which they work, summed over them
    PassExchange exchange{};  ///< of the stage
};

class GroupSteps {
  public:
    explicit GroupSteps(StageEngines engines)
        : e_(std::move(engines)),
          tensor_(as_double(e_.group.tensor)),
          stages_before_(as_double(e_.group.pipeline - 1)),
          of_stage_(as_double(e_.group.tensor * e_.group.expert)),
          beside_((e_.host * as_double(hosts_of(e_.group, e_.shares_hosts)) + e_.group.links_standby) /
                  as_double(e_.group.data)) {}

    /// A power of the engines over all devices of a copy, with its hosts and links.
    [[nodiscard]] double over_devices(double ServiceEngine::*power) const {
        double before = 0.0;
        for (auto const& stage : e_.before) before += stage.stages * without_host(stage, power);
        return of_stage_ * (without_host(e_.last, power) + before) + beside_;
    }

    [[nodiscard]] StepCost one(StepWork const& work) const {
        Sum sum(e_.before.size());
        auto const parts = divided(work, e_.group.micro_batches);
        std::vector<StageStep> before(e_.before.size());
        for (auto const& part : parts) {
            for (std::size_t i = 0; i < before.size(); ++i) before[i] = device_costs(e_.before[i], part);
            add(sum, part, device_costs(e_.last, part), before);
        }
        return cost_of(sum, !work.chunks.empty());
    }

    void many(StepWork const& first, std::span<StepCost> costs) const {
        auto const of = [&](StageEngine const& stage) {
            std::vector<StepCost> each(costs.size());
            stage.engine.law.many(first, each);
            return each;
        };
        auto const of_last = of(e_.last);
        std::vector<std::vector<StepCost>> of_before;
        for (auto const& stage : e_.before) of_before.push_back(of(stage));
        auto last = StageStep{.exchange = exchange_in(e_.last, first)};
        std::vector<StageStep> before;
        for (auto const& stage : e_.before) before.push_back({.exchange = exchange_in(stage, first)});
        for (std::size_t i = 0; i < costs.size(); ++i) {
            Sum sum(e_.before.size());
            last = stage_of({&of_last[i], 1}, last.exchange);
            for (std::size_t b = 0; b < before.size(); ++b)
                before[b] = stage_of({&of_before[b][i], 1}, before[b].exchange);
            add(sum, first, last, before);
            costs[i] = cost_of(sum, false);
        }
    }
    [[nodiscard]] bool has_many() const {
        bool const undivided = e_.group.expert == 1 && e_.group.micro_batches == 1;
        return undivided && every_stage([](StageEngine const& stage) { return bool(stage.engine.law.many); });
    }

    /// Bounds the time of every device's part of every micro-batch, each of which the whole step contains.
    [[nodiscard]] double min_seconds(StepWork const& work) const {
        double min = 0.0;
        for (auto const& part : divided(work, e_.group.micro_batches))
            for (auto const& of_rank : divided(part, e_.group.expert)) min = std::max(min, min_through(of_rank));
        return min;
    }
    [[nodiscard]] bool has_min() const {
        return every_stage([](StageEngine const& stage) { return bool(stage.engine.min_seconds); });
    }

  private:
    template <class Holds>
    [[nodiscard]] bool every_stage(Holds const& holds) const {
        return holds(e_.last) && std::ranges::all_of(e_.before, holds);
    }
    /// What the micro-batches of a step add up to.
    struct Sum {
        double parts = 0.0;
        double through = 0.0;  ///< s of the slowest micro-batch through all stages
        double longest = 0.0;  ///< s that a micro-batch is longest in a stage
        double back = 0.0;     ///< s in which its tokens return to the first stage
        double joules = 0.0;
        double last_working = 0.0;           ///< s of a stage, summed over its devices
        std::vector<double> before_working;  ///< likewise, of every kind of stage before the last one
        explicit Sum(std::size_t kinds_before) : before_working(kinds_before, 0.0) {}
    };

    [[nodiscard]] double without_host(StageEngine const& stage, double ServiceEngine::*power) const {
        return stage.engine.*power - e_.host;
    }

    /// Costs of devices that have these costs, which share the experts of a stage.
    [[nodiscard]] StageStep stage_of(std::span<StepCost const> costs, PassExchange const& exchange) const {
        StageStep step{.exchange = exchange};
        for (auto const& cost : costs) {
            step.seconds = std::max(step.seconds, cost.seconds);
            step.joules += tensor_ * (cost.joules - e_.host * cost.seconds);
            step.working += tensor_ * cost.seconds;
        }
        return step;
    }
    [[nodiscard]] StageStep device_costs(StageEngine const& stage, StepWork const& part) const {
        std::vector<StepCost> costs;
        auto const ranks = divided(part, e_.group.expert);
        for (auto const& of_rank : ranks) costs.push_back(stage.engine.law.one(of_rank));
        return stage_of(costs, exchange_of_rank(stage, ranks.front()));
    }
    /// What a device sends for its part of the sequences.
    [[nodiscard]] PassExchange exchange_of_rank(StageEngine const& stage, StepWork const& of_rank) const {
        PassShape const shape{.queries = as_double(positions_of(of_rank)), .heads = as_double(of_rank.heads)};
        return exchange_of({{shape}}, *stage.part, e_.group, 1.0);
    }
    [[nodiscard]] PassExchange exchange_in(StageEngine const& stage, StepWork const& part) const {
        return exchange_of_rank(stage, divided(part, e_.group.expert).front());
    }
    /// A bound of the time that a device's part of the sequences takes through all stages.
    [[nodiscard]] double min_through(StepWork const& of_rank) const {
        auto const in_last = exchange_of_rank(e_.last, of_rank);
        double through = e_.last.engine.min_seconds(of_rank) + in_last.stage + in_last.head;
        for (auto const& stage : e_.before) {
            auto const exchange = exchange_of_rank(stage, of_rank);
            through += stage.stages * (stage.engine.min_seconds(of_rank) + exchange.stage + exchange.between);
        }
        return through;
    }

    void add(Sum& sum, StepWork const& part, StageStep const& last, std::span<StageStep const> before) const {
        auto const& exchange = last.exchange;
        double const in_last = last.seconds + exchange.stage + exchange.head;
        bool const pipeline = e_.group.pipeline > 1;
        double through = in_last, longest = in_last, joules = last.joules, stage_bytes = exchange.stage_bytes;
        for (std::size_t i = 0; i < before.size(); ++i) {
            double const in_stage = before[i].seconds + before[i].exchange.stage, stages = e_.before[i].stages;
            through += stages * (in_stage + exchange.between);
            longest = std::max(longest, in_stage);
            joules += stages * before[i].joules;
            stage_bytes += stages * before[i].exchange.stage_bytes;
            sum.before_working[i] += before[i].working;
        }
        sum.parts += 1.0;
        sum.through = std::max(sum.through, through);
        sum.longest = std::max(sum.longest, longest);
        if (pipeline) sum.back = std::max(sum.back, exchange.between);
        double const boundaries = stages_before_ + (pipeline && !part.contexts.empty() ? 1.0 : 0.0);
        sum.joules += joules + e_.group.link.energy.si * (stage_bytes + exchange.head_bytes) +
                      e_.group.stage_link.energy.si * boundaries * exchange.between_bytes;
        sum.last_working += last.working;
    }

    [[nodiscard]] StepCost cost_of(Sum const& sum, bool has_prompts) const {
        double const seconds = has_prompts ? sum.through + (sum.parts - 1.0) * sum.longest
                                           : std::max(sum.through + sum.back, sum.parts * sum.longest);
        auto const waiting = [&](StageEngine const& stage, double working) {
            return without_host(stage, &ServiceEngine::waiting_power) * std::max(0.0, of_stage_ * seconds - working);
        };
        double joules = sum.joules + waiting(e_.last, sum.last_working) + beside_ * seconds;
        for (std::size_t i = 0; i < e_.before.size(); ++i)
            joules += e_.before[i].stages * waiting(e_.before[i], sum.before_working[i]);
        return {seconds, joules};
    }

    StageEngines e_;
    double tensor_, stages_before_, of_stage_;  ///< of_stage_: devices of a stage
    double beside_;                             ///< W of the hosts and links of one copy, whatever they do
};

/// The largest share of the cache of a device that so many bytes take.
double largest_share(StageEngines const& e, double ServiceEngine::*bytes) {
    auto const share = [&](StageEngine const& stage) {
        return stage.engine.*bytes == 0.0 ? 0.0 : stage.engine.*bytes / stage.engine.cache_bytes;
    };
    double largest = share(e.last);
    for (auto const& stage : e.before) largest = std::max(largest, share(stage));
    return largest;
}

/// Bytes over all devices that have a part of a sequence.
double over_devices(StageEngines const& e, double ServiceEngine::*bytes) {
    double before = 0.0;
    for (auto const& stage : e.before) before += stage.stages * stage.engine.*bytes;
    return as_double(e.group.tensor) * (e.last.engine.*bytes + before);
}

/// The share of the cache of a device that a position takes in layers with this window.
double share_of(KeyWindow const& window, StageEngine const& stage) {
    auto const& list = stage.engine.windows;
    auto const same = std::ranges::find(list, window.positions, &KeyWindow::positions);
    return same == list.end() ? 0.0 : same->position_bytes / stage.engine.cache_bytes;
}

/// The cache of a copy of the model: a sequence takes of it what it takes of the device with the least room.
/// Of layers with windows, every device is taken to have no more than the one with the fewest: more is kept, not less.
void set_cache(ServiceEngine& all, StageEngines const& e) {
    double const of_position = largest_share(e, &ServiceEngine::position_bytes),
                 of_state = largest_share(e, &ServiceEngine::state_bytes);
    all.position_bytes = over_devices(e, &ServiceEngine::position_bytes);
    double const in_cache = of_position > 0.0 ? all.position_bytes / of_position
                            : of_state > 0.0  ? over_devices(e, &ServiceEngine::state_bytes) / of_state
                                              : 0.0;
    all.state_bytes = in_cache > 0.0 ? of_state * in_cache : over_devices(e, &ServiceEngine::state_bytes);
    all.cache_bytes = in_cache * as_double(e.group.expert);
    all.memory_over_cache = e.last.engine.memory_over_cache;
    for (auto const& stage : e.before)
        all.memory_over_cache = std::max(all.memory_over_cache, stage.engine.memory_over_cache);
    all.device_memory = e.last.engine.device_memory;
    if (in_cache > 0.0) all.windows = e.last.engine.windows;
    for (auto& window : all.windows) {
        double least = share_of(window, e.last);
        for (auto const& stage : e.before) least = std::min(least, share_of(window, stage));
        window.position_bytes = least * in_cache;
    }
    std::erase_if(all.windows, [](KeyWindow const& window) { return window.position_bytes == 0.0; });
}

/// The tiers of all devices that share a sequence: the device with the largest part of it decides how much they hold
/// and how fast they move it.
KeyTier tier_of(StageEngines const& e) {
    auto const bytes =
        e.last.engine.position_bytes > 0.0 ? &ServiceEngine::position_bytes : &ServiceEngine::state_bytes;
    double largest = e.last.engine.*bytes;
    for (auto const& stage : e.before) largest = std::max(largest, stage.engine.*bytes);
    auto tier = e.last.engine.tier;
    if (largest == 0.0) return {};
    double const devices = over_devices(e, bytes) / largest;
    tier.bytes *= devices * as_double(e.group.expert);
    tier.read_bandwidth *= devices;
    tier.write_bandwidth *= devices;
    return tier;
}

/// What the parts have of the keys or states of the model, each once.
ServiceEngine::Moved moved_by(StageEngines const& e) {
    double positions = position_elements(*e.last.part), states = sequence_state_bytes(*e.last.part);
    for (auto const& stage : e.before) {
        positions += stage.stages * position_elements(*stage.part);
        states += stage.stages * sequence_state_bytes(*stage.part);
    }
    double const tensor = as_double(e.group.tensor);
    auto const once = [&](double of_model, double of_parts) {
        return of_parts > 0.0 ? of_model / (tensor * of_parts) : 0.0;
    };
    return {over_devices(e, &ServiceEngine::position_bytes) * once(position_elements(*e.model), positions),
            over_devices(e, &ServiceEngine::state_bytes) * once(sequence_state_bytes(*e.model), states)};
}

}  // namespace

ServiceEngine engine_of(StageEngines engines) {
    auto const& last = engines.last.engine;
    sim::expects(last.tokens_per_step == 1, "devices of a group decode token by token");
    auto const& group = engines.group;
    ServiceEngine all;
    set_cache(all, engines);
    all.moved = moved_by(engines);
    all.tier = tier_of(engines);
    all.chunk = last.chunk;
    all.spread = last.spread;
    all.max_context = last.max_context;
    all.max_sequences = last.max_sequences * group.expert * group.micro_batches;
    all.copies = group.data;
    all.bounds_requests = last.bounds_requests && std::ranges::all_of(engines.before, [](StageEngine const& stage) {
                              return stage.engine.bounds_requests;
                          });
    auto const steps = std::make_shared<GroupSteps const>(std::move(engines));
    all.idle_power = steps->over_devices(&ServiceEngine::idle_power);
    all.waiting_power = steps->over_devices(&ServiceEngine::waiting_power);
    all.law.one = [steps](StepWork const& work) { return steps->one(work); };
    if (steps->has_many())
        all.law.many = [steps](StepWork const& first, std::span<StepCost> costs) { steps->many(first, costs); };
    if (steps->has_min()) all.min_seconds = [steps](StepWork const& work) { return steps->min_seconds(work); };
    return all;
}

}  // namespace pimdse::models::chips
