#include "models/umdam/pim_npu.hpp"

#include "models/contract/toml_file.hpp"
#include "models/umdam/ledger.hpp"
#include "models/umdam/parameters.hpp"
#include "models/umdam/pass_law.hpp"
#include "models/umdam/spans.hpp"
#include "sim/serving/step.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace pimdse::models::umdam {
namespace {

using sim::serving::StepWork;
using text::PartCost;

/// A request of one token.
text::LlmRequest smallest(text::LlmRequest request) {
    request.batch = request.input = request.output = 1;
    return request;
}

/// A point of the part.
class PimNpu : public text::PartLaw {
  public:
    PimNpu(Prepared const& prepared, text::PartValues const& values, text::LlmRequest const& request, Fidelity fidelity)
        : prepared_(prepared), values_(values), request_(request) {
        broken_ = broken_format(request);
        if (broken_) return;
        auto made = make_system(prepared, read_pim_npu(values, smallest(request), prepared));
        broken_ = refusal(made);
        if (broken_) return;
        auto& system = std::get<System>(made);
        // a window may be exceeded by any request
        system.spans = spans_of(*system.model, std::numeric_limits<std::int64_t>::max());
        closed_form_ = pass_law(prepared, system, Fidelity::analytic);
        law_ = fidelity == Fidelity::analytic ? closed_form_ : pass_law(prepared, system, fidelity);
    }

    [[nodiscard]] PartCost pass(text::WholePass const& pass) const override {
        StepWork work;
        work.heads = sim::whole_part(pass.positions.heads);
        for (auto const& [shape, count] : pass.sequences) {
            auto const first = static_cast<std::int64_t>(shape.contexts.first),
                       last = static_cast<std::int64_t>(shape.contexts.last),
                       sequences = static_cast<std::int64_t>(count);
            if (shape.decodes && last > first)
                return within(law_->mean({first, last - first + 1}, sequences, work.heads));
            for (std::int64_t i = 0; i < sequences; ++i)
                shape.decodes ? work.contexts.push_back(first)
                              : work.chunks.push_back({sim::whole_part(shape.queries), first - 1});
        }
        return within(law_->of(work));
    }
    [[nodiscard]] std::optional<sim::serving::StepCost> step(StepWork const& work, bool least) const override {
        if (least) return sim::serving::StepCost{within(closed_form_->of(work)).seconds.lower, 0.0};
        auto const cost = law_->of(work);
        return sim::serving::StepCost{cost.seconds.value, cost.all_joules()};
    }
    [[nodiscard]] std::vector<Share> areas() const override {
        if (broken_) return {};
        auto all = area_of(law_->system(), prepared_.machine);
        std::erase_if(all, [](Share const& share) { return share.amount == 0.0; });
        return all;
    }
    [[nodiscard]] double memory_area() const override {
        return broken_ ? 0.0 : materials_of(law_->system(), prepared_.machine).memory;
    }
    void add_rest(Standby& to) const override {
        if (!broken_) law_->add_rest(to);
    }
    void set_engine(ServiceEngine& engine) const override {
        engine.cache_bytes = std::max(0.0, law_->system().room_for_caches());
        if (law_->system().design.tier_capacity > 0) engine.tier = law_->tier();
    }
    void refine(RequestResult& common, text::Result const&) const override {
        auto const made = make_system(prepared_, read_pim_npu(values_, request_, prepared_));
        if (auto const* system = std::get_if<System>(&made))
            common.footprint += system->all_weights() + system->all_caches();
    }
    [[nodiscard]] std::optional<Infeasible> broken_rule(text::LlmRequest const& request) const override {
        if (broken_) return broken_;
        if (request.speculation.draft > 0)
            return Infeasible{"draft",
                              "an NPU with banks that multiply verifies no proposals as a part of a file: "
                              "draft = 0"};
        return refusal(make_system(prepared_, read_pim_npu(values_, request, prepared_)));
    }

  private:
    static std::optional<Infeasible> refusal(std::variant<System, Infeasible> const& made) {
        auto const* refused = std::get_if<Infeasible>(&made);
        return refused == nullptr ? std::nullopt : std::optional(*refused);
    }
    [[nodiscard]] std::optional<Infeasible> broken_format(text::LlmRequest const& request) const {
        constexpr double bits_per_byte = 8;
        constexpr std::array<double, 3> stored{16, 8, 4};
        if (request.diffuses())
            return Infeasible{"generation",
                              "an NPU with banks that multiply denoises no blocks as a part of a file: "
                              "generation = autoregressive"};
        if (!request.follows_file && std::ranges::find(stored, bits_per_byte * request.weight_bytes) == stored.end())
            return infeasible("weights", "weights have 16, 8 or 4 bits in the banks, not {:g}",
                              bits_per_byte * request.weight_bytes);
        if (request.cache_bytes == prepared_.machine.element_bytes) return std::nullopt;
        return infeasible("kv_cache", "keys and values have {:g} bits in the banks, not {:g}",
                          bits_per_byte * prepared_.machine.element_bytes, bits_per_byte * request.cache_bytes);
    }
    /// The ends of an interval allow for the rounding of sums.
    static PartCost within(Spending const& spent) {
        constexpr double rounding_of_sums = 0x1p-29;
        PartCost cost{spent.seconds};
        for (std::size_t i = 0; i < spent.joules.size(); ++i) cost.joules[Spending::rows[i]] = spent.joules[i];
        cost.joules_below = spent.joules_below;
        cost.joules_above = spent.joules_above;
        auto& seconds = cost.seconds;
        if (seconds.is_exact()) return cost;
        seconds = {seconds.value,
                   std::max(0.0, seconds.lower * (1.0 - rounding_of_sums)),
                   std::max(seconds.value, seconds.upper) * (1.0 + rounding_of_sums),
                   {sim::Bound::proved, sim::Bound::calibrated}};
        return cost;
    }

    Prepared const& prepared_;
    text::PartValues values_;
    text::LlmRequest request_;
    std::optional<Infeasible> broken_;
    std::shared_ptr<PassLaw const> law_, closed_form_;  ///< unless a rule is broken; of its fidelity, and analytic
};

}  // namespace

text::PartKind pim_npu() {
    text::PartKind kind;
    kind.name = "pim_npu";
    kind.keys = pim_npu_keys();
    kind.constants = [] { return Constants::load(data_directory() / "models" / "umdam" / "constants.toml"); };
    kind.constant_rules = constant_rules;
    kind.constants_without_slopes = constants_without_slopes;
    kind.prepare = [](Constants const& constants, Parameters const& keys,
                      Assumptions const&) -> std::shared_ptr<void const> {
        auto all = parameters();
        for (auto const& key : keys) all[static_cast<std::size_t>(find_parameter(all, key.name))] = key;
        return prepared_with(all, MachineConstants::from(constants));
    };
    kind.at = [](void const* prepared, text::PartValues const& values, text::LlmRequest const& request,
                 Fidelity fidelity) -> std::shared_ptr<text::PartLaw const> {
        return std::make_shared<PimNpu const>(*static_cast<Prepared const*>(prepared), values, request, fidelity);
    };
    auto own = ledger();
    kind.energy = std::move(own.energy);
    kind.area = std::move(own.area);
    return kind;
}

}  // namespace pimdse::models::umdam
