#include "models/text/result.hpp"

#include "models/contract/common_metrics.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace pimdse::models::text {
void Result::add_up() {
    sum_ = first;
    sum_ += rest;
}

Estimate Result::seconds_of(PassCost const& cost) const {
    double const value = cost.total();
    if (design.fidelity == Fidelity::cycle) return Estimate::exact(value);
    double const lower = std::min(value, cost.min);  // sums of the same numbers in another order
    if (design.hardware.slower == 0.0) return Estimate::within(value, lower, value, {Bound::proved, Bound::none});
    return Estimate::within(value, lower, std::max(value, cost.max), {Bound::proved, Bound::calibrated});
}

Estimate Result::itl() const {
    auto const output = design.request.output;
    return output == 1 ? does_not_apply() : seconds_of(rest) / static_cast<double>(output - 1);
}

double Result::host_energy() const { return design.prepared->host() * all().total(); }

Estimate Result::energy() const {
    auto const& request = all();
    auto const& h = design.hardware;
    double const host = design.prepared->host(), standing = h.rest.waiting() + host;
    CostLaw const law(design.prepared->machine(), h, design.fidelity);
    double const value = h.rest.waiting() * request.total() + host_energy() + law.joules(request);
    if (design.fidelity == Fidelity::cycle) return Estimate::exact(value);
    if (h.slower == 0.0)  // the machine is what its file says; otherwise, a real one may need less for an operation
        return Estimate::within(value, std::min(value, standing * request.min + request.min_joules), value,
                                {Bound::proved, Bound::none});
    if (h.limit == 0.0) return Estimate::within(value, standing * request.min, value, {Bound::proved, Bound::none});
    return Estimate::within(value, standing * request.min, std::max(value, (h.limit + host) * request.max),
                            {Bound::proved, Bound::calibrated});
}

/// Mean power of machine and host: at least what flows whatever they do, at most the power limit.
Estimate Result::mean_power(PassCost const& cost) const {
    if (!(cost.total() > 0.0)) return does_not_apply();
    auto const& h = design.hardware;
    double const host = design.prepared->host(), standing = h.rest.waiting() + host;
    CostLaw const law(design.prepared->machine(), h, design.fidelity);
    double const value = standing + law.joules(cost) / cost.total();
    if (design.fidelity == Fidelity::cycle) return Estimate::exact(value);
    if (h.limit == 0.0) return Estimate::within(value, standing, value, {Bound::proved, Bound::none});
    return Estimate::within(value, standing, std::max(value, h.limit + host), {Bound::proved, Bound::proved});
}

Estimate Result::power() const { return mean_power(all()); }
Estimate Result::prefill_power() const { return mean_power(first); }
Estimate Result::decode_power() const { return mean_power(rest); }

double Result::package_watts(PassCost const& cost) const {
    if (!(cost.total() > 0.0)) return 0.0;
    double most = 0.0;
    for (std::size_t m = 0; m < design.hardware.memories.size(); ++m) {
        auto const& memory = design.hardware.memories[m];
        if (memory.packages > 0.0)
            most = std::max(most, (cost.read[m] * memory.fixed + cost.written[m] * memory.write_fixed) / cost.total() /
                                      memory.packages);
    }
    return most;
}

Estimate Result::package_power() const {
    double const watts = std::max(package_watts(first), package_watts(rest));
    double limit = 0.0;
    for (auto const& memory : design.hardware.memories)
        if (memory.packages > 0.0)
            limit = std::max(limit, memory.bandwidth * std::max(memory.fixed, memory.write_fixed) / memory.packages);
    if (limit == 0.0) return does_not_apply();
    return Estimate::within(watts, 0.0, std::max(watts, limit), {Bound::proved, Bound::proved});
}

PhaseLimit Result::limit_of(std::string phase, PassCost const& cost) const {
    auto const at = static_cast<std::size_t>(std::ranges::max_element(cost.limited) - cost.limited.begin());
    auto const& file = design.prepared->machine().file();
    double const time = cost.total();
    if (at >= no_component) return {std::move(phase), "waiting", cost.limited[at] / time, 1.0, "1"};
    if (at >= max_memories) {
        auto const unit = at - max_memories;
        return {std::move(phase), file.units[unit].name, cost.operations[unit] / time, design.hardware.units[unit].peak,
                "FLOP/s"};
    }
    auto const& memory = design.hardware.memories[at];
    auto const& name = file.memories[at].name;
    if (memory.write_bandwidth == 0.0) return {std::move(phase), name, cost.bytes(at) / time, memory.bandwidth, "B/s"};
    if (cost.written[at] * memory.bandwidth > cost.read[at] * memory.write_bandwidth)  // the port that is busier
        return {std::move(phase), name, cost.written[at] / time, memory.write_bandwidth, "B/s"};
    return {std::move(phase), name, cost.read[at] / time, memory.bandwidth, "B/s"};
}

std::vector<PhaseLimit> Result::limits() const {
    bool const tokens = !design.request.diffuses();
    std::vector<PhaseLimit> limits{limit_of(tokens ? "prefill" : "first step", first)};
    if (rest.total() > 0.0) limits.push_back(limit_of(tokens ? "decode" : "later steps", rest));
    return limits;
}

Result analytic(Design const& design) {
    Result result(design);
    CostLaw const law(design.prepared->machine(), design.hardware, design.fidelity);
    auto const cost = cost_of_request(law, design.request, design.logit_bytes());
    result.first = cost.first;
    result.rest = cost.rest;
    result.add_up();
    return result;
}

}  // namespace pimdse::models::text
