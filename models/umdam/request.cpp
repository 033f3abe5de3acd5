#include "models/umdam/request.hpp"

#include "models/umdam/latent.hpp"
#include "models/umdam/serving.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace pimdse::models::umdam {
namespace {

using sim::Bounded;

/// A skipped head counts as the NPU's, which then has no work.
PhaseUnit requested_unit(Design const& d, Choice choice) {
    auto const head = d.lm_head == LmHead::skip ? PhaseUnit::npu : static_cast<PhaseUnit>(d.lm_head);
    std::array const units{d.prefill_unit, d.attention, head, d.decode_unit, d.attention, d.denoising};
    return units.at(static_cast<std::size_t>(choice));
}

/// Requests that are served part by part, each on other units. A copy continues from the state of the original.
using Requests = std::vector<Serving>;
std::span<Serving const> one(Serving const& request) { return {&request, 1}; }

Bounded prefill_seconds(Serving const& request) { return request.cost.prefill(); }
Bounded head_seconds(Serving const& request) { return request.cost.first[Part::lm_head].seconds; }
Bounded decode_seconds(Serving const& request) { return request.cost.decode(); }

/// Evaluates a request on every assignment of units that may be the fastest. The choices are made one after the other,
/// each by the time of the parts that it decides.
class Assignments {
  public:
    /// Tries only the assignments in `only`; if it is empty, all that the point leaves open.
    Assignments(System const& system, Fidelity fidelity, std::vector<RequestCost> const& only)
        : d_(system), fidelity_(fidelity), only_(only) {}

    /// Later passes depend on the unit of the prompt only where that has moved weights that stay.
    [[nodiscard]] std::vector<RequestCost> serve(Serving const& request) const {
        bool const depend = d_.design.moves_weights() && d_.design.staging == Staging::model;
        std::vector<RequestCost> served;
        Requests later;
        for (auto const& begun : d_.design.diffuses() ? first_step(request) : first_token(request)) {
            if (later.empty() || depend) later = d_.design.diffuses() ? later_steps(begun) : tokens(begun);
            for (auto const& end : later) {
                auto& cost = served.emplace_back(end.cost);
                cost.first = begun.cost.first;
                for (auto const choice : {Choice::prefill, Choice::prompt_attention, Choice::head})
                    cost.units[choice] = begun.cost.units[choice];
            }
        }
        return served;
    }

  private:
    static void append(Requests& to, Requests more) {
        if (to.empty()) return to.swap(more);
        for (auto const& r : more) to.push_back(r);
    }
    [[nodiscard]] static Requests first_step(Serving first) {
        Denoise(first).first();
        return {first};
    }
    [[nodiscard]] Requests later_steps(Serving const& begun) const {
        return fastest(each(one(begun), Choice::denoising, [](Serving& s) { Denoise(s).steps_behind(); }),
                       decode_seconds);
    }
    /// Where weights are moved from one unit's layout to the other's, the unit of the prompt decides what the LM head
    /// costs, and both are chosen together.
    [[nodiscard]] Requests first_token(Serving const& request) const {
        bool const moves_weights = d_.design.moves_weights();
        auto prompts = each(each(one(request), Choice::prefill, [](Serving& s) { Prefill(s).layers(); }),
                            Choice::prompt_attention, [](Serving& s) { Prefill(s).attention(); });
        if (!moves_weights) prompts = fastest(std::move(prompts), prefill_seconds);
        Requests headed;
        for (auto const& prompt : prompts)
            append(headed,
                   fastest(each(one(prompt), Choice::head, [](Serving& s) { Prefill(s).head(); }), head_seconds));
        return moves_weights ? fastest(std::move(headed), prefill_seconds) : headed;
    }
    /// Attention is chosen with the rest of decode where NPU and banks work at the same time.
    [[nodiscard]] Requests tokens(Serving const& headed) const {
        Requests finished;
        for (auto const& decode : each(one(headed), Choice::decode, [](Serving&) {})) {
            auto all = each(one(decode), Choice::attention, [](Serving& s) { Decode(s).all_steps(); });
            append(finished, d_.design.alternates() ? fastest(std::move(all), beside_products) : std::move(all));
        }
        return fastest(std::move(finished), decode_seconds);
    }

    [[nodiscard]] std::vector<PhaseUnit> units_for(Serving const& s, Choice choice) const {
        if (choice != Choice::prefill && choice != Choice::prompt_attention) return open_units(d_, choice);
        bool const shares_rows = s.whole_rows() > 0.0 && s.whole_rows() < s.prompt;
        std::vector<PhaseUnit> units;
        for (auto const& [multiplies, attends] : prompt_units(d_, s.whole_blocks() < s.prompt, shares_rows)) {
            bool const chosen = choice == Choice::prefill || multiplies == s.cost.units[Choice::prefill];
            auto const unit = choice == Choice::prefill ? multiplies : attends;
            if (chosen && std::ranges::find(units, unit) == units.end()) units.push_back(unit);
        }
        return units;
    }
    /// A copy of each request for each unit that may execute the part, after that unit has executed it.
    [[nodiscard]] Requests each(std::span<Serving const> from, Choice choice, void (*part)(Serving&)) const {
        constexpr std::size_t most = 3;  // units of a choice
        Requests all;
        all.reserve(from.size() * most);
        for (auto const& before : from)
            for (auto const unit : units_for(before, choice)) {
                auto units = before.cost.units;
                units[choice] = unit;
                auto const agrees = [&](RequestCost const& result) { return result.units.agree(units, choice); };
                if (!only_.empty() && std::ranges::none_of(only_, agrees)) continue;
                all.emplace_back(before).cost.units = units;
                part(all.back());
            }
        return all;
    }

    /// The requests that may take the least time, the one with the best estimate first. At fidelity cycle, times are
    /// exact and one request with the least time is kept.
    [[nodiscard]] Requests fastest(Requests requests, Bounded (*seconds)(Serving const&)) const {
        constexpr double rounded_by = 0x1p-30;
        if (requests.size() == 1) return requests;
        std::vector<Bounded> times;
        for (auto const& r : requests) times.push_back(seconds(r));
        auto const best =
            static_cast<std::size_t>(std::ranges::min_element(times, {}, &Bounded::value) - times.begin());
        double const latest = std::ranges::min(times, {}, &Bounded::upper).upper;
        Requests kept{requests[best]};
        for (std::size_t i = 0; fidelity_ != Fidelity::cycle && i < times.size(); ++i)
            if (i != best && times[i].lower <= latest * (1.0 + rounded_by)) kept.push_back(requests[i]);
        return kept;
    }

    System const& d_;
    Fidelity fidelity_;
    std::vector<RequestCost> const& only_;
};

}  // namespace

Cost PhaseCost::sum(Part from) const {
    Cost all;
    for (auto i = static_cast<std::size_t>(from); i < part_count; ++i) all += parts[i];
    return all;
}

Cost RequestCost::total() const {
    auto sum = first.all();
    return sum += rest.all();
}

bool Units::agree(Units const& other, Choice last) const {
    auto const count = static_cast<std::ptrdiff_t>(last) + 1;
    return std::equal(of.begin(), of.begin() + count, other.of.begin());
}

std::vector<PhaseUnit> open_units(System const& d, Choice choice) {
    bool const has_part = (choice == Choice::denoising) == d.design.diffuses();
    if (!has_part || !d.uses_pim()) return {PhaseUnit::npu};
    bool const attends = choice == Choice::prompt_attention || choice == Choice::attention;
    if (attends && has_latent_attention(*d.model)) return {PhaseUnit::npu};
    auto const unit = requested_unit(d.design, choice);
    if (unit == PhaseUnit::automatic) return {PhaseUnit::npu, PhaseUnit::pim};
    return {unit};
}

std::vector<PromptSharing> prompt_units(System const& d, bool has_rest, bool shares_rows) {
    auto multiply = open_units(d, Choice::prefill);
    auto const attend = open_units(d, Choice::prompt_attention);
    bool const is_open = multiply.size() > 1;
    if (is_open && shares_rows) multiply.push_back(PhaseUnit::both);
    std::vector<PromptSharing> all;
    for (auto const unit : multiply) {
        bool const all_at_once = unit == PhaseUnit::npu && (!is_open || !has_rest || attend.size() == 1);
        for (auto const attends : all_at_once ? std::vector{PhaseUnit::npu} : attend) all.push_back({unit, attends});
    }
    return all;
}

std::vector<RequestCost> run_request(Prepared const& prepared, System const& system, Fidelity fidelity) {
    std::vector<RequestCost> possible;
    if (fidelity == Fidelity::cycle) possible = run_request(prepared, system, Fidelity::analytic);
    Serving request(prepared, system, fidelity);
    if (system.design.weight_load == WeightLoad::once) request.cost.first[Part::load] = request.load();
    return Assignments(system, fidelity, possible).serve(request);
}

}  // namespace pimdse::models::umdam
