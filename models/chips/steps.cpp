#include "models/chips/steps.hpp"

#include "models/chips/composition.hpp"
#include "models/chips/exchanges.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

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
    double seconds = 0.0;  ///< of the slowest device, without exchanges
    double joules = 0.0;   ///< of all devices, without hosts
    double working = 0.0;  ///< s in which they work, summed over them
};

class GroupSteps {
  public:
    explicit GroupSteps(StageEngines engines)
        : e_(std::move(engines)),
          tensor_(as_double(e_.group.tensor)),
          stages_before_(as_double(e_.group.pipeline - 1)),
          of_stage_(as_double(e_.group.tensor * e_.group.expert)),
          hosts_(e_.host * as_double(hosts_of(e_.group, e_.shares_hosts)) / as_double(e_.group.data)) {}

    [[nodiscard]] double idle_power() const {
        return of_stage_ * (idle_of(e_.last) + (e_.before ? stages_before_ * idle_of(*e_.before) : 0.0)) + hosts_;
    }

    [[nodiscard]] StepCost one(StepWork const& work) const {
        Sum sum;
        auto const parts = divided(work, e_.group.micro_batches);
        for (auto const& part : parts)
            add(sum, part, exchange_in(part), device_costs(e_.last, part), costs_before(part));
        return cost_of(sum, !work.chunks.empty());
    }

    void many(StepWork const& first, std::span<StepCost> costs) const {
        std::vector<StepCost> of_last(costs.size()), of_before(costs.size());
        e_.last.law.many(first, of_last);
        if (e_.before) e_.before->law.many(first, of_before);
        auto const exchange = exchange_in(first);
        for (std::size_t i = 0; i < costs.size(); ++i) {
            Sum sum;
            add(sum, first, exchange, stage_of({&of_last[i], 1}), stage_of({&of_before[i], 1}));
            costs[i] = cost_of(sum, false);
        }
    }
    [[nodiscard]] bool has_many() const {
        bool const undivided = e_.group.expert == 1 && e_.group.micro_batches == 1;
        return undivided && e_.last.law.many && (!e_.before || e_.before->law.many);
    }

    /// Bounds the time of every device's part of every micro-batch, each of which the whole step contains.
    [[nodiscard]] double min_seconds(StepWork const& work) const {
        double min = 0.0;
        for (auto const& part : divided(work, e_.group.micro_batches))
            for (auto const& of_rank : divided(part, e_.group.expert)) min = std::max(min, min_through(of_rank));
        return min;
    }
    [[nodiscard]] bool has_min() const { return e_.last.min_seconds && (!e_.before || e_.before->min_seconds); }

  private:
    /// What the micro-batches of a step add up to.
    struct Sum {
        double parts = 0.0;
        double through = 0.0;  ///< s of the slowest micro-batch through all stages
        double longest = 0.0;  ///< s that a micro-batch is longest in a stage
        double back = 0.0;     ///< s in which its tokens return to the first stage
        double joules = 0.0;
        double last_working = 0.0, before_working = 0.0;  ///< s of a stage, summed over its devices
    };

    /// Idle power of a device without its host.
    [[nodiscard]] double idle_of(ServiceEngine const& device) const { return device.idle_power - e_.host; }

    /// Costs of devices that have these costs, which share the experts of a stage.
    [[nodiscard]] StageStep stage_of(std::span<StepCost const> costs) const {
        StageStep step;
        for (auto const& cost : costs) {
            step.seconds = std::max(step.seconds, cost.seconds);
            step.joules += tensor_ * (cost.joules - e_.host * cost.seconds);
            step.working += tensor_ * cost.seconds;
        }
        return step;
    }
    [[nodiscard]] StageStep device_costs(ServiceEngine const& device, StepWork const& part) const {
        std::vector<StepCost> costs;
        for (auto const& of_rank : divided(part, e_.group.expert)) costs.push_back(device.law.one(of_rank));
        return stage_of(costs);
    }
    [[nodiscard]] StageStep costs_before(StepWork const& part) const {
        return e_.before ? device_costs(*e_.before, part) : StageStep{};
    }
    /// What a device sends for its part of the sequences.
    [[nodiscard]] PassExchange exchange_of_rank(StepWork const& of_rank) const {
        return exchange_of({{1.0, as_double(positions_of(of_rank)), as_double(of_rank.heads)}}, *e_.part, e_.group,
                           1.0);
    }
    [[nodiscard]] PassExchange exchange_in(StepWork const& part) const {
        return exchange_of_rank(divided(part, e_.group.expert).front());
    }
    /// A bound of the time that a device's part of the sequences takes through all stages.
    [[nodiscard]] double min_through(StepWork const& of_rank) const {
        auto const exchange = exchange_of_rank(of_rank);
        double const last = e_.last.min_seconds(of_rank) + exchange.stage + exchange.head;
        double const before = e_.before ? e_.before->min_seconds(of_rank) + exchange.stage + exchange.between : 0.0;
        return last + stages_before_ * before;
    }

    void add(Sum& sum, StepWork const& part, PassExchange const& exchange, StageStep const& last,
             StageStep const& before) const {
        double const in_last = last.seconds + exchange.stage + exchange.head;
        double const in_before = before.seconds + exchange.stage;
        bool const pipeline = e_.group.pipeline > 1;
        double const through = stages_before_ * (in_before + exchange.between) + in_last;
        sum.parts += 1.0;
        sum.through = std::max(sum.through, through);
        sum.longest = std::max({sum.longest, in_last, pipeline ? in_before : 0.0});
        if (pipeline) sum.back = std::max(sum.back, exchange.between);
        double const boundaries = stages_before_ + (pipeline && !part.contexts.empty() ? 1.0 : 0.0);
        sum.joules += last.joules + stages_before_ * before.joules +
                      e_.group.link.energy.si * ((stages_before_ + 1.0) * exchange.stage_bytes + exchange.head_bytes) +
                      e_.group.stage_link.energy.si * boundaries * exchange.between_bytes;
        sum.last_working += last.working;
        sum.before_working += before.working;
    }

    [[nodiscard]] StepCost cost_of(Sum const& sum, bool has_prompts) const {
        double const seconds = has_prompts ? sum.through + (sum.parts - 1.0) * sum.longest
                                           : std::max(sum.through + sum.back, sum.parts * sum.longest);
        auto const idle = [&](double working) { return std::max(0.0, of_stage_ * seconds - working); };
        double joules = sum.joules + idle_of(e_.last) * idle(sum.last_working) + hosts_ * seconds;
        if (e_.before) joules += stages_before_ * idle_of(*e_.before) * idle(sum.before_working);
        return {seconds, joules};
    }

    StageEngines e_;
    double tensor_, stages_before_, of_stage_;  ///< of_stage_: devices of a stage
    double hosts_;                              ///< W of the hosts of one copy
};

/// Positions that fit into all devices of a copy.
double positions_in(StageEngines const& e) {
    double positions = e.last.cache_bytes / e.last.position_bytes;
    if (e.before) positions = std::min(positions, e.before->cache_bytes / e.before->position_bytes);
    return positions * as_double(e.group.expert);
}

}  // namespace

ServiceEngine engine_of(StageEngines engines) {
    sim::expects(engines.last.tokens_per_step == 1, "devices of a group decode token by token");
    auto const& group = engines.group;
    ServiceEngine all;
    double const stages_before = as_double(group.pipeline - 1);
    all.position_bytes =
        as_double(group.tensor) *
        (engines.last.position_bytes + (engines.before ? stages_before * engines.before->position_bytes : 0.0));
    all.cache_bytes = positions_in(engines) * all.position_bytes;
    all.chunk = engines.last.chunk;
    all.max_context = engines.last.max_context;
    all.max_sequences = engines.last.max_sequences * group.expert * group.micro_batches;
    all.copies = group.data;
    all.bounds_requests = engines.last.bounds_requests && (!engines.before || engines.before->bounds_requests);
    auto const steps = std::make_shared<GroupSteps const>(std::move(engines));
    all.idle_power = steps->idle_power();
    all.law.one = [steps](StepWork const& work) { return steps->one(work); };
    if (steps->has_many())
        all.law.many = [steps](StepWork const& first, std::span<StepCost> costs) { steps->many(first, costs); };
    if (steps->has_min()) all.min_seconds = [steps](StepWork const& work) { return steps->min_seconds(work); };
    return all;
}

}  // namespace pimdse::models::chips
