#include "models/chips/composition.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

namespace pimdse::models::chips {
namespace {

constexpr std::int64_t devices_of_host = 8;

consteval std::size_t number_of(std::string_view name) {
    for (std::size_t i = 0; i < common_metrics.size(); ++i)
        if (common_metrics[i].name == name) return i;
    throw "no common metric";  // not a constant expression
}

/// A sum may take longer than its parts, but neither end of a difference is below 0.
Estimate difference(Estimate const& all, Estimate const& part) {
    return Estimate::within(std::max(0.0, all.value - part.value), std::max(0.0, all.lower - part.upper),
                            std::max(0.0, all.upper - part.lower), all.kinds.weaker(part.kinds.swapped()));
}

/// The same where the lower end of the whole contains the lower end of the part, and the upper end the upper.
Estimate without(Estimate const& all, Estimate const& part) {
    return Estimate::within(all.value - part.value, std::max(0.0, all.lower - part.lower),
                            std::max(0.0, all.upper - part.upper), all.kinds.weaker(part.kinds));
}

class Composer {
  public:
    Composer(MetricPlan const& plan, GroupResult const& result)
        : plan_(plan),
          r_(result),
          g_(result.group),
          stages_before_(static_cast<double>(g_.pipeline - 1)),
          parts_(static_cast<double>(g_.micro_batches)),
          width_(static_cast<double>(g_.width())),
          copies_(static_cast<double>(g_.data)),
          hosts_(static_cast<double>(hosts_of(result.group, result.shares_hosts)) * result.host) {
        compose_times();
        compose_energies();
    }

    Composed composed() const {
        Composed all;
        all.metrics.reserve(plan_.table.size());
        for (std::size_t i = 0; i < plan_.table.size(); ++i)
            all.metrics.push_back(plan_.common[i] == MetricPlan::none ? own(i) : common(plan_.common[i]));
        auto const& of_last = at(r_.last, number_of("latency"));
        all.exchanging = parts_ * (r_.last.first.stage + r_.last.rest.stage + r_.last.first.head + r_.last.rest.head);
        all.working = parts_ * of_last.value;
        all.waiting = std::max(0.0, latency_.value - all.exchanging - all.working);
        all.link_energy = link_energy_first_ + link_energy_rest_;
        all.idle_energy = idle_energy_.value;
        all.host_energy = hosts_ * latency_.value;
        all.host_of_devices = width_ * parts_ * r_.host * over_stages(number_of("latency")).value;
        return all;
    }

  private:
    Estimate at(StageResult const& stage, std::size_t common_metric) const {
        auto const position = plan_.position[common_metric];
        return position == MetricPlan::none ? does_not_apply() : stage.metrics[position];
    }
    /// f of every stage, added up.
    template <class OfStage>
    Estimate sum(OfStage of_stage) const {
        auto const last = of_stage(r_.last);
        if (r_.before.empty()) return last;
        auto all = Estimate(r_.before.front().stages) * of_stage(r_.before.front().each);
        for (auto const& before : std::span(r_.before).subspan(1))
            all += Estimate(before.stages) * of_stage(before.each);
        return all + last;
    }
    Estimate over_stages(std::size_t common_metric) const {
        return sum([&](StageResult const& stage) { return at(stage, common_metric); });
    }
    /// The same for numbers of their exchanges; equal stages together.
    template <class OfStage>
    double sum_of_exchanges(OfStage of_stage) const {
        double const last = of_stage(r_.last);
        double stages = 1.0, others = 0.0;
        for (auto const& before : r_.before) {
            double const each = of_stage(before.each);
            (each == last ? stages : others) += each == last ? before.stages : before.stages * each;
        }
        return stages * last + others;
    }
    template <class OfStage>
    Estimate largest_before(OfStage of_stage) const {
        auto all = of_stage(r_.before.front().each);
        for (auto const& before : std::span(r_.before).subspan(1)) all = larger(all, of_stage(before.each));
        return all;
    }
    template <class OfStage>
    Estimate largest(OfStage of_stage) const {
        return r_.before.empty() ? of_stage(r_.last) : larger(largest_before(of_stage), of_stage(r_.last));
    }
    template <class OfStage>
    Estimate smallest(OfStage of_stage) const {
        auto all = of_stage(r_.last);
        for (auto const& before : r_.before) all = smaller(of_stage(before.each), all);
        return all;
    }
    double exchanged(PassExchange StageResult::*passes, StageResult const& stage) const {
        auto const& of_stage = stage.*passes;
        return &stage == &r_.last ? of_stage.stage + of_stage.head : of_stage.stage;
    }
    bool decodes() const { return r_.output > 1.0; }
    /// Time of one micro-batch in a stage until its first token, and after it.
    Estimate first_of(StageResult const& stage) const {
        return at(stage, number_of("ttft")) + Estimate(exchanged(&StageResult::first, stage));
    }
    Estimate rest_of(StageResult const& stage) const {
        return at(stage, number_of("itl")) * Estimate(r_.output - 1.0) + Estimate(exchanged(&StageResult::rest, stage));
    }

    void compose_times() {
        auto const first = [&](StageResult const& stage) { return first_of(stage); };
        ttft_ = sum(first) + Estimate(stages_before_ * r_.last.first.between);
        if (parts_ > 1.0) ttft_ += Estimate(parts_ - 1.0) * largest(first);
        if (!decodes()) {
            rest_ = Estimate(0.0);
            latency_ = ttft_;
            return;
        }
        auto const rest = [&](StageResult const& stage) { return rest_of(stage); };
        // A token returns to the first stage.
        double const between = r_.before.empty() ? 0.0 : (stages_before_ + 1.0) * r_.last.rest.between;
        rest_ = sum(rest) + Estimate(between);
        if (parts_ > 1.0) {
            rest_ = larger(rest_, Estimate(parts_) * largest(rest));
            latency_ = ttft_ + rest_;
            return;
        }
        auto const& [first_of_last, rest_of_last] = std::pair(r_.last.first, r_.last.rest);
        double const in_stages =
            sum_of_exchanges([](StageResult const& stage) { return stage.first.stage + stage.rest.stage; }) +
            first_of_last.head + rest_of_last.head;
        latency_ =
            over_stages(number_of("latency")) + Estimate(in_stages + stages_before_ * first_of_last.between + between);
    }

    /// Time in which a device of this stage does not work.
    Estimate idle_of(StageResult const& stage, Estimate const& whole, std::size_t busy) const {
        if (r_.before.empty())
            return Estimate(exchanged(&StageResult::first, stage) +
                            (busy == number_of("ttft") ? 0.0 : exchanged(&StageResult::rest, stage)));
        auto const working = Estimate(parts_) * at(stage, busy);
        auto idle = difference(whole, working);
        // This stage waits while others work for the first micro-batch.
        auto const least = parts_ == 1.0 ? busy : number_of("ttft");
        auto const all = sum([&](StageResult const& other) { return at(other, least); });
        idle.lower = all.lower - at(stage, least).lower;
        idle.kinds.lower = all.kinds.lower;
        return idle;
    }

    void compose_energies() {
        double const links = g_.link.energy.si * copies_ * parts_, between = g_.stage_link.energy.si * copies_ * parts_;
        auto const of_links = [&](PassExchange StageResult::*passes, double boundaries) {
            auto const& last = r_.last.*passes;
            double const in_stages =
                sum_of_exchanges([&](StageResult const& stage) { return (stage.*passes).stage_bytes; });
            return links * (in_stages + last.head_bytes) + between * boundaries * last.between_bytes;
        };
        link_energy_first_ = of_links(&StageResult::first, stages_before_);
        link_energy_rest_ = of_links(&StageResult::rest, r_.before.empty() ? 0.0 : stages_before_ + 1.0);
        auto const idle = [&](Estimate const& whole, std::size_t busy) {
            return Estimate(width_) * sum([&](StageResult const& stage) {
                       return at(stage, number_of("idle_power")) * idle_of(stage, whole, busy);
                   });
        };
        idle_energy_ = idle(latency_, number_of("latency"));
        auto const host = Estimate(r_.host);
        auto const working = sum([&](StageResult const& stage) {
            return without(at(stage, number_of("energy")), host * at(stage, number_of("latency")));
        });
        energy_ = Estimate(width_ * parts_) * working + idle_energy_ +
                  Estimate(link_energy_first_ + link_energy_rest_) + Estimate(hosts_) * latency_;
        auto const prefill = sum([&](StageResult const& stage) {
            return without(at(stage, number_of("prefill_power")), host) * at(stage, number_of("ttft"));
        });
        first_energy_ = Estimate(width_ * parts_) * prefill + idle(ttft_, number_of("ttft")) +
                        Estimate(link_energy_first_) + Estimate(hosts_) * ttft_;
    }

    Estimate prefill_power() const { return first_energy_ / ttft_; }
    Estimate decode_power() const { return decodes() ? difference(energy_, first_energy_) / rest_ : does_not_apply(); }
    /// At least the mean powers of both phases, in which links draw power, too.
    Estimate peak_power() const {
        auto peak = power_of_busy_stages();
        if (applies(prefill_power())) peak = larger(peak, prefill_power());
        return applies(decode_power()) ? larger(peak, decode_power()) : peak;
    }
    /// Stages that work at the same time draw their peaks, the others their idle power.
    Estimate power_of_busy_stages() const {
        auto const peak = [&](StageResult const& stage) {
            return without(at(stage, number_of("peak_power")), Estimate(r_.host));
        };
        double const stages = stages_before_ + 1.0, busy = std::min(stages, parts_);
        if (r_.before.empty()) return Estimate(width_) * peak(r_.last) + Estimate(hosts_);
        auto const working = Estimate(busy - 1.0) * largest_before(peak) + largest(peak);
        auto const idle = Estimate(stages - busy) * at(r_.before.front().each, number_of("idle_power"));
        return Estimate(width_) * (working + idle) + Estimate(hosts_);
    }

    Estimate all_devices(std::size_t which) const { return Estimate(width_) * over_stages(which); }

    Estimate tokens_per_second() const {
        auto const which = number_of("tokens_per_second");
        return amount(at(r_.last, which), at(r_.last, number_of("latency"))) / latency_;
    }
    Estimate cost() const { return all_devices(number_of("cost")) + Estimate(g_.links_cost); }
    economy::RequestFigures served() const {
        return {latency_, energy_, all_devices(number_of("idle_power")), tokens_per_second(),
                energy_ / amount_of_tokens()};
    }

    Estimate common(std::size_t which) const {
        switch (which) {
            case number_of("ttft"):
                return ttft_;
            case number_of("itl"):
                return decodes() ? rest_ / Estimate(r_.output - 1.0) : does_not_apply();
            case number_of("latency"):
                return latency_;
            case number_of("tokens_per_second"):
                return tokens_per_second();
            case number_of("energy"):
                return energy_;
            case number_of("energy_per_token"):
                return energy_ / amount_of_tokens();
            case number_of("power"):
                return energy_ / latency_;
            case number_of("prefill_power"):
                return prefill_power();
            case number_of("decode_power"):
                return decode_power();
            case number_of("peak_power"):
                return peak_power();
            case number_of("package_power"):
                return largest([&](StageResult const& stage) { return at(stage, which); });
            case number_of("footprint"):
                return Estimate(width_) * sum([](StageResult const& stage) { return stage.footprint; });
            case number_of("precision"):
                return smallest([&](StageResult const& stage) { return at(stage, which); });
            case number_of("cost"):
                return cost();
            case number_of("cost_per_million_tokens"):
                return r_.economy->per_million_tokens(cost(), served());
            case number_of("carbon"):
                return r_.economy->carbon(all_devices(number_of("embodied_carbon")), served());
            default:
                return all_devices(which);  // idle_power, area, memory_area, silicon, embodied_carbon
        }
    }

    /// What all devices together do in the batch, from a rate and the time or energy of one.
    Estimate amount(Estimate const& rate, Estimate const& per) const {
        if (!applies(rate)) return does_not_apply();
        return Estimate(static_cast<double>(g_.batch_parts()) * rate.value * per.value);
    }
    Estimate amount_of_tokens() const {
        auto const per_token = at(r_.last, number_of("energy_per_token")), energy = at(r_.last, number_of("energy"));
        if (!applies(per_token)) return does_not_apply();
        return Estimate(static_cast<double>(g_.batch_parts()) * energy.value / per_token.value);
    }

    Estimate own(std::size_t i) const {
        auto const& of_last = r_.last.metrics[i];
        auto const all_devices = [&] {
            return Estimate(width_) * sum([&](StageResult const& stage) { return stage.metrics[i]; });
        };
        switch (plan_.table[i].over_devices) {
            case OverDevices::device:
                return of_last;
            case OverDevices::all_devices:
                return all_devices();
            case OverDevices::request:
                return Estimate(parts_) * all_devices();
            case OverDevices::latency:
                return latency_;
            case OverDevices::itl:
                return common(number_of("itl"));
            case OverDevices::per_second:
                return amount(of_last, at(r_.last, number_of("latency"))) / latency_;
            case OverDevices::per_joule:
                return amount(of_last, at(r_.last, number_of("energy"))) / energy_;
            case OverDevices::energy_delay:
                return energy_ * latency_;
        }
        return does_not_apply();
    }

    MetricPlan const& plan_;
    GroupResult const& r_;
    DeviceGroup const& g_;
    double stages_before_, parts_, width_, copies_, hosts_;  // hosts_: W
    Estimate ttft_, rest_, latency_, energy_, first_energy_, idle_energy_;
    double link_energy_first_ = 0.0, link_energy_rest_ = 0.0;
};

}  // namespace

MetricPlan::MetricPlan(MetricList metrics) : table(std::move(metrics)) {
    position.fill(none);
    common.assign(table.size(), none);
    for (std::size_t i = 0; i < table.size(); ++i) {
        for (std::size_t c = 0; c < common_metrics.size(); ++c) {
            if (common_metrics[c].name != table[i].name) continue;
            position[c] = i;
            common[i] = c;
        }
    }
}

std::int64_t hosts_of(DeviceGroup const& group, bool shares_hosts) {
    return shares_hosts ? sim::divide_up(group.devices, devices_of_host) : group.devices;
}

Composed compose(MetricPlan const& plan, GroupResult const& result) { return Composer(plan, result).composed(); }

}  // namespace pimdse::models::chips
