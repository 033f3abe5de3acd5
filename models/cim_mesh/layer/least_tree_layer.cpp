#include "models/cim_mesh/layer/least_tree_layer.hpp"

#include "models/cim_mesh/layer/stage_cost.hpp"
#include "models/cim_mesh/layer/tree_times.hpp"

namespace pimdse::models::cim_mesh {
namespace {

/// Of the least layer: what simulated stages are never below, or what closed forms say of them.
class LeastTree {
  public:
    LeastTree(MachineConstants const& machine, Design const& design, Partition const& partition,
              LeastLayer const& layer)
        : allowed_(machine.allowance),
          design_(design),
          of_a_key_(products_of_a_key(design, partition)),
          layer_(layer),
          flits_(vector_flits(machine, design)),
          timing_(router_timing(machine, design)),
          simulates_(design.schedule == Schedule::tree) {}

    [[nodiscard]] TreeTimes times(MachineConstants const& machine, MeshCounts const& counts) const {
        TreeTimes t;
        sim::Bounded slowest;
        auto const tokens = prompt_tokens(design_);
        for (auto const& shape : layer_.fixed()) {
            t.weights += first(shape);
            slowest = larger(slowest, further(shape));
        }
        std::int64_t const full = layer_.filling_context();
        for (auto const& shape : {layer_.append(), layer_.query(full), layer_.sum(full)})
            slowest = larger(slowest, further(shape));
        t.prompt_cache = cache(tokens) + products(tokens);
        t.full_cache = cache(full);
        t.pace = pace_of(machine, design_, counts, slowest);
        t.keys_and_values = mean();
        return t;
    }

  private:
    [[nodiscard]] double least(sim::Bounded const& cost) const { return simulates_ ? cost.low : cost.value; }
    [[nodiscard]] double first(StageShape const& shape) const {
        return least(closed_cost(allowed_, timing_, shape, flits_).first);
    }
    [[nodiscard]] double further(StageShape const& shape) const {
        return least(closed_cost(allowed_, timing_, shape, flits_).further);
    }
    [[nodiscard]] double cache(std::int64_t context) const {
        return first(layer_.append()) + first(layer_.query(context)) + first(layer_.sum(context));
    }
    [[nodiscard]] double products(std::int64_t context) const {
        return static_cast<double>(layer_.keys_per_router(context) * of_a_key_);
    }
    /// More keys lie no nearer: contexts before the middle count as the first, those behind as the middle.
    [[nodiscard]] double mean() const {
        std::int64_t const middle = design_.input + design_.output / 2;
        double const before = cache(design_.input), behind = cache(middle);
        if (!simulates_) return behind + products(middle);
        double sum = 0.0;
        for (auto const& [context, weight] :
             sampled_contexts(design_.input, design_.output, static_cast<std::int64_t>(allowed_.contexts)))
            sum += weight * ((context < middle ? before : behind) + products(context));
        return sum;
    }

    MeshAllowances const& allowed_;
    Design const& design_;
    std::int64_t of_a_key_;
    LeastLayer const& layer_;
    std::int32_t flits_;
    sim::noc::RouterTiming timing_;
    bool simulates_;
};

}  // namespace

LayerTime least_tree_layer(MachineConstants const& machine, Design const& design, Partition const& p,
                           LeastLayer const& layer, MeshCounts const& counts) {
    return composed(machine, design, p, counts, LeastTree(machine, design, p, layer).times(machine, counts));
}

}  // namespace pimdse::models::cim_mesh
