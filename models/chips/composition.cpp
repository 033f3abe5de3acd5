#include "models/chips/composition.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace pimdse::models::chips {
namespace {

constexpr std::int64_t devices_of_host = 8;

using Member = Estimate RequestResult::*;

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
    Composer(MetricList const& own, GroupResult const& result)
        : own_(own),
          r_(result),
          g_(result.group),
          stages_before_(static_cast<double>(g_.pipeline - 1)),
          parts_(static_cast<double>(g_.micro_batches)),
          width_(static_cast<double>(g_.width())),
          copies_(static_cast<double>(g_.data)),
          hosts_(static_cast<double>(hosts_of(result.group, result.shares_hosts)) * result.host),
          beside_(hosts_ + g_.links_standby) {
        compose_times();
        compose_energies();
    }

    Composed composed() const {
        Composed all;
        all.request = request();
        all.exchanging = parts_ * (r_.last.first.stage + r_.last.rest.stage + r_.last.first.head + r_.last.rest.head);
        all.waiting = std::max(0.0, latency_.value - all.exchanging - parts_ * r_.last.device.latency.value);
        all.link_energy = link_energy_first_ + link_energy_rest_ + g_.links_standby * latency_.value;
        all.idle_energy = idle_energy_.value;
        all.host_energy = hosts_ * latency_.value;
        all.host_of_devices = width_ * parts_ * r_.host * over_stages(&RequestResult::latency).value;
        return all;
    }

  private:
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
    Estimate over_stages(Member member) const {
        return sum([&](StageResult const& stage) { return stage.device.*member; });
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
    bool has_rest() const { return r_.last.device.rest.value > 0.0; }
    /// Time of one micro-batch in a stage until its first token, and after that.
    Estimate first_of(StageResult const& stage) const {
        return stage.device.ttft + Estimate(exchanged(&StageResult::first, stage));
    }
    Estimate rest_of(StageResult const& stage) const {
        return stage.device.rest + Estimate(exchanged(&StageResult::rest, stage));
    }

    void compose_times() {
        auto const first = [&](StageResult const& stage) { return first_of(stage); };
        ttft_ = sum(first) + Estimate(stages_before_ * r_.last.first.between);
        if (parts_ > 1.0) ttft_ += Estimate(parts_ - 1.0) * largest(first);
        if (!has_rest()) {
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
        latency_ = over_stages(&RequestResult::latency) +
                   Estimate(in_stages + stages_before_ * first_of_last.between + between);
    }

    /// Time in which a device of this stage does not work.
    Estimate idle_of(StageResult const& stage, Estimate const& whole, Member busy) const {
        if (r_.before.empty())
            return Estimate(exchanged(&StageResult::first, stage) +
                            (busy == &RequestResult::ttft ? 0.0 : exchanged(&StageResult::rest, stage)));
        auto const working = Estimate(parts_) * stage.device.*busy;
        auto idle = difference(whole, working);
        // This stage waits while others work for the first micro-batch.
        auto const least = parts_ == 1.0 ? busy : &RequestResult::ttft;
        auto const all = sum([&](StageResult const& other) { return other.device.*least; });
        idle.lower = all.lower - (stage.device.*least).lower;
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
        auto const idle = [&](Estimate const& whole, Member busy) {
            return Estimate(width_) * sum([&](StageResult const& stage) {
                       return stage.device.waiting_power * idle_of(stage, whole, busy);
                   });
        };
        idle_energy_ = idle(latency_, &RequestResult::latency);
        auto const host = Estimate(r_.host);
        auto const working =
            sum([&](StageResult const& stage) { return without(stage.device.energy, host * stage.device.latency); });
        energy_ = Estimate(width_ * parts_) * working + idle_energy_ +
                  Estimate(link_energy_first_ + link_energy_rest_) + Estimate(beside_) * latency_;
        auto const prefill = sum(
            [&](StageResult const& stage) { return without(stage.device.prefill_power, host) * stage.device.ttft; });
        first_energy_ = Estimate(width_ * parts_) * prefill + idle(ttft_, &RequestResult::ttft) +
                        Estimate(link_energy_first_) + Estimate(beside_) * ttft_;
    }

    Estimate power() const {
        return within_stages(energy_ / latency_, &RequestResult::power,
                             (link_energy_first_ + link_energy_rest_) / latency_.lower);
    }
    Estimate prefill_power() const {
        return within_stages(first_energy_ / ttft_, &RequestResult::prefill_power, link_energy_first_ / ttft_.lower);
    }
    Estimate decode_power() const {
        if (!has_rest() || !applies(energy_)) return does_not_apply();
        return within_stages(difference(energy_, first_energy_) / rest_, &RequestResult::decode_power,
                             link_energy_rest_ / rest_.lower);
    }
    /// At least the mean powers of both phases, in which links draw power, too.
    Estimate peak_power() const {
        auto const working = [&](StageResult const& stage) { return without_host(stage, &RequestResult::peak_power); };
        auto const waiting = (r_.before.empty() ? r_.last : r_.before.front().each).device.waiting_power;
        auto peak = power_of_busy_stages(working, waiting);
        if (applies(prefill_power())) peak = larger(peak, prefill_power());
        return applies(decode_power()) ? larger(peak, decode_power()) : peak;
    }
    Estimate without_host(StageResult const& stage, Member power) const {
        return without(stage.device.*power, Estimate(r_.host));
    }
    /// Stages that work at the same time draw this power in each device, the others wait.
    template <class OfStage>
    Estimate power_of_busy_stages(OfStage working, Estimate const& waiting) const {
        if (r_.before.empty()) return Estimate(width_) * working(r_.last) + Estimate(beside_);
        double const stages = stages_before_ + 1.0, busy = std::min(stages, parts_);
        auto const all = Estimate(busy - 1.0) * largest_before(working) + largest(working);
        return Estimate(width_) * (all + Estimate(stages - busy) * waiting) + Estimate(beside_);
    }
    /// Energy and time take the ends of a mean power from different designs: a device that works draws what it may
    /// alone, the others wait. `links`: W at highest.
    Estimate within_stages(Estimate mean, Member power, double links) const {
        if (!applies(r_.last.device.*power)) return mean;
        auto const waiting = [](StageResult const& stage) { return stage.device.waiting_power; };
        auto const at_work = [&](StageResult const& stage) {
            return larger(without_host(stage, power), waiting(stage));
        };
        auto const at_rest = [&](StageResult const& stage) {
            return smaller(without_host(stage, power), waiting(stage));
        };
        auto const highest = power_of_busy_stages(at_work, largest(waiting)) + Estimate(links);
        if (highest.kinds.upper != Bound::none && highest.upper < mean.upper) {
            mean.upper = std::max(mean.value, highest.upper);
            mean.kinds.upper = highest.kinds.upper;
        }
        auto const lowest = Estimate(width_) * sum(at_rest) + Estimate(beside_);
        if (lowest.kinds.lower != Bound::none && lowest.lower > mean.lower) {
            mean.lower = std::min(mean.value, lowest.lower);
            mean.kinds.lower = lowest.kinds.lower;
        }
        return mean;
    }

    Estimate per_token() const {
        double const tokens = r_.last.device.later_tokens;
        return tokens > 0.0 ? rest_ / Estimate(tokens) : does_not_apply();
    }

    RequestResult request() const {
        auto const& last = r_.last.device;
        RequestResult all;
        all.latency = latency_;
        all.ttft = ttft_;
        all.rest = rest_;
        all.later_tokens = last.later_tokens;
        if (applies(last.itl)) all.itl = per_token();
        all.energy = energy_;
        all.power = power();
        all.prefill_power = prefill_power();
        if (applies(last.decode_power)) all.decode_power = decode_power();
        all.peak_power = peak_power();
        all.package_power = largest([](StageResult const& stage) { return stage.device.package_power; });
        for (auto const member : RequestResult::of_machine) all.*member = Estimate(width_) * over_stages(member);
        all.footprint = Estimate(width_) * sum([](StageResult const& stage) { return stage.footprint; });
        all.precision = smallest([](StageResult const& stage) { return stage.device.precision; });
        all.tokens = static_cast<double>(g_.batch_parts()) * last.tokens;
        all.positions = static_cast<double>(g_.batch_parts()) * last.positions;
        all.idle_power += Estimate(g_.links_standby);
        all.cost += Estimate(g_.links_cost);
        all.embodied_carbon += Estimate(g_.links_carbon);
        r_.economy->add_use(all);
        for (std::size_t i = 0; i < own_.size(); ++i) all.own.push_back(own(i));
        return all;
    }

    Estimate own(std::size_t i) const {
        auto const& of_last = r_.last.device.own[i];
        auto const all_devices = [&] {
            return Estimate(width_) * sum([&](StageResult const& stage) { return stage.device.own[i]; });
        };
        switch (own_[i].over_devices) {
            case OverDevices::device:
                return of_last;
            case OverDevices::all_devices:
                return all_devices();
            case OverDevices::request:
                return Estimate(parts_) * all_devices();
            case OverDevices::latency:
                return latency_;
            case OverDevices::itl:
                return per_token();
        }
        return does_not_apply();
    }

    MetricList const& own_;
    GroupResult const& r_;
    DeviceGroup const& g_;
    double stages_before_, parts_, width_, copies_, hosts_, beside_;  // W of hosts, and with links at rest
    Estimate ttft_, rest_, latency_, energy_, first_energy_, idle_energy_;
    double link_energy_first_ = 0.0, link_energy_rest_ = 0.0;
};

constexpr double bytes_of_element = 2;  // of the residual stream
constexpr double bytes_of_choice = 8;   // of a token: its number and logit
constexpr double moves_of_experts = 2;  // to the experts, and back

void add_layers(PassExchange& to, EqualPasses const& pass, LanguageModel const& part, DeviceGroup const& g,
                double vectors) {
    std::int64_t sums_of_pass = 0;  // after attention or a state, and after the feed-forward network
    for (auto const& alike : alike_layers(part))
        sums_of_pass += alike.layers * ((alike.attends || has_state(alike) ? 1 : 0) + (has_network(alike) ? 1 : 0));
    auto const sum = exchange(g.link, Collective::all_reduce, g.tensor, vectors, Starter::program, g.expert);
    auto const sums = pass.times * static_cast<double>(sums_of_pass);
    to.stage += sums * sum.seconds;
    to.stage_bytes += sums * sum.all_sent * static_cast<double>(g.expert);
    if (g.expert == 1) return;
    for (auto const& alike : alike_layers(part)) {
        if (alike.experts == 0) continue;
        auto const width = static_cast<double>(alike.expert_width()) / static_cast<double>(alike.hidden);
        auto const sent = vectors * width * static_cast<double>(alike.experts_active);
        auto const move = exchange(g.link, Collective::all_to_all, g.expert, sent, Starter::program, g.tensor);
        auto const moves = pass.times * moves_of_experts * static_cast<double>(alike.layers);
        to.stage += moves * move.seconds;
        to.stage_bytes += moves * move.all_sent * static_cast<double>(g.tensor);
    }
}

}  // namespace

std::int64_t hosts_of(DeviceGroup const& group, bool shares_hosts) {
    return shares_hosts ? sim::divide_up(group.devices, devices_of_host) : group.devices;
}

Composed compose(MetricList const& own, GroupResult const& result) { return Composer(own, result).composed(); }

PassExchange exchange_of(std::vector<EqualPasses> const& passes, LanguageModel const& part, DeviceGroup const& g,
                         double sequences) {
    PassExchange all;
    for (auto const& pass : passes) {
        double const vectors = sequences * pass.shape.queries * static_cast<double>(part.hidden) * bytes_of_element;
        add_layers(all, pass, part, g, vectors);
        double const choices = sequences * pass.shape.heads * bytes_of_choice * static_cast<double>(g.tensor);
        auto const head = exchange(g.link, Collective::all_gather, g.tensor, choices, Starter::program, g.expert);
        all.head += pass.times * head.seconds;
        all.head_bytes += pass.times * head.all_sent * static_cast<double>(g.expert);
        if (g.pipeline == 1) continue;
        auto const step =
            exchange(g.stage_link, Collective::send, g.pipeline, vectors, Starter::program, g.tensor * g.expert);
        all.between += pass.times * step.seconds;
        all.between_bytes += pass.times * step.all_sent * static_cast<double>(g.tensor * g.expert);
    }
    return all;
}

}  // namespace pimdse::models::chips
