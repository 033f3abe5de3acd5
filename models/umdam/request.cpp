#include "models/umdam/request.hpp"

#include "models/umdam/latent.hpp"
#include "models/umdam/serving.hpp"

#include <algorithm>
#include <functional>
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

/// The same request as far as it is served, each time on other units.
using Requests = std::vector<RequestCost>;
std::span<RequestCost const> one(RequestCost const& request) { return {&request, 1}; }

Bounded head_seconds(RequestCost const& request) { return request.first[Part::lm_head].seconds; }

/// Evaluates a request on every assignment of units that may be the fastest. The choices are made one after the other,
/// each by the time of the parts that it decides.
class Assignments {
  public:
    /// Tries only the assignments in `only`; if it is empty, all that the point leaves open.
    Assignments(Serving& serving, std::vector<RequestCost> const& only)
        : s_(serving), d_(serving.system), only_(only) {}

    /// Later passes depend on the unit of the prompt only where that has moved weights that stay.
    [[nodiscard]] Requests serve() {
        bool const depend = d_.design.moves_weights() && d_.design.staging == Staging::model;
        Requests served, later;
        for (auto const& begun : d_.design.diffuses() ? first_step() : first_token(RequestCost(s_.cost))) {
            if (later.empty() || depend) later = d_.design.diffuses() ? later_steps(begun) : tokens(begun);
            for (auto const& end : later) {
                auto& cost = served.emplace_back(end);
                cost.first = begun.first;
                for (auto const choice : {Choice::prefill, Choice::prompt_attention, Choice::head})
                    cost.units[choice] = begun.units[choice];
            }
        }
        return served;
    }

  private:
    static void append(Requests& to, Requests more) {
        if (to.empty()) return to.swap(more);
        for (auto const& r : more) to.push_back(r);
    }
    [[nodiscard]] Requests first_step() {
        Denoise(s_).first();
        return {s_.cost};
    }
    [[nodiscard]] Requests later_steps(RequestCost const& begun) {
        return fastest(each(one(begun), Choice::denoising, [](Serving& s) { Denoise(s).steps_behind(); }),
                       &RequestCost::decode);
    }
    /// Where weights are moved from one unit's layout to the other's, the unit of the prompt decides what the LM head
    /// costs, and both are chosen together.
    [[nodiscard]] Requests first_token(RequestCost const& request) {
        bool const moves_weights = d_.design.moves_weights();
        Requests prompts;
        double const rows = s_.whole_rows();
        bool const has_rest = s_.whole_blocks() < s_.prompt;
        bool const shares_rows = rows > 0.0 && rows < s_.prompt;
        for (auto const& [multiplies, attends] : prompt_units(d_, has_rest, shares_rows)) {
            auto units = request.units;
            units[Choice::prefill] = multiplies;
            units[Choice::prompt_attention] = attends;
            add(
                request, units, Choice::prompt_attention, [](Serving& s) { Prefill(s).layers_and_attention(); },
                prompts);
        }
        if (!moves_weights) prompts = fastest(std::move(prompts), &RequestCost::prefill);
        Requests headed;
        for (auto const& prompt : prompts)
            append(headed,
                   fastest(each(one(prompt), Choice::head, [](Serving& s) { Prefill(s).head(); }), head_seconds));
        return moves_weights ? fastest(std::move(headed), &RequestCost::prefill) : headed;
    }
    /// Attention is chosen with the rest of decode where NPU and banks work at the same time.
    [[nodiscard]] Requests tokens(RequestCost const& headed) {
        Requests finished;
        for (auto const& decode : each(one(headed), Choice::decode, [](Serving&) {})) {
            auto all = each(one(decode), Choice::attention, [](Serving& s) { Decode(s).all_steps(); });
            auto const alone = [&](RequestCost const& cost) { return beside_products(s_, cost); };
            append(finished, d_.design.alternates() ? fastest(std::move(all), alone) : std::move(all));
        }
        return fastest(std::move(finished), &RequestCost::decode);
    }

    /// Adds the request after these units, which are chosen up to `last`, have executed a part.
    void add(RequestCost const& before, Units const& units, Choice last, void (*part)(Serving&), Requests& to) {
        auto const agrees = [&](RequestCost const& result) { return result.units.agree(units, last); };
        if (!only_.empty() && std::ranges::none_of(only_, agrees)) return;
        s_.cost = before;
        s_.cost.units = units;
        s_.costs.resume(before.banks);
        part(s_);
        s_.cost.banks = s_.costs.sequence();
        to.push_back(s_.cost);
    }
    /// Each request on each unit that may execute the part.
    [[nodiscard]] Requests each(std::span<RequestCost const> from, Choice choice, void (*part)(Serving&)) {
        constexpr std::size_t most = 2;  // units of a choice
        Requests all;
        all.reserve(from.size() * most);
        for (auto const& before : from)
            for (auto const unit : open_units(d_, choice)) {
                auto units = before.units;
                units[choice] = unit;
                add(before, units, choice, part, all);
            }
        return all;
    }

    /// The requests that may take the least time, the one with the best estimate first. At fidelity cycle, times are
    /// exact and one request with the least time is kept.
    template <class Seconds>
    [[nodiscard]] Requests fastest(Requests requests, Seconds const& seconds) const {
        constexpr double rounded_by = 0x1p-30;
        if (requests.size() == 1) return requests;
        std::vector<Bounded> times;
        for (auto const& r : requests) times.push_back(std::invoke(seconds, r));
        auto const best =
            static_cast<std::size_t>(std::ranges::min_element(times, {}, &Bounded::value) - times.begin());
        double const latest = std::ranges::min(times, {}, &Bounded::upper).upper;
        Requests kept{requests[best]};
        for (std::size_t i = 0; s_.fidelity != Fidelity::cycle && i < times.size(); ++i)
            if (i != best && times[i].lower <= latest * (1.0 + rounded_by)) kept.push_back(requests[i]);
        return kept;
    }

    Serving& s_;
    System const& d_;
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
    return Assignments(request, possible).serve();
}

}  // namespace pimdse::models::umdam
