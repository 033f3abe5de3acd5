#include "models/umdam/request.hpp"

#include "models/umdam/latent.hpp"
#include "models/umdam/serving.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::models::umdam {
namespace {

using sim::Bounded;

/// A skipped head counts as the NPU's, which then has no work.
PhaseUnit unit_of(LmHead head) {
    if (head == LmHead::automatic) return PhaseUnit::automatic;
    return head == LmHead::pim ? PhaseUnit::pim : PhaseUnit::npu;
}

PhaseUnit requested_unit(Design const& d, Choice choice) {
    switch (choice) {
        case Choice::prefill:
            return d.prefill_unit;
        case Choice::head:
            return unit_of(d.lm_head);
        case Choice::decode:
            return d.decode_unit;
        case Choice::prompt_attention:
        case Choice::attention:
            return d.attention;
        default:
            return d.denoising;
    }
}

/// Requests that are served part by part, each on other units. A copy continues from the state of the original.
using Requests = std::vector<Serving>;

Bounded prefill_seconds(Serving const& request) { return request.cost.prefill(); }
Bounded head_seconds(Serving const& request) { return request.cost.at(Part::prefill_head).seconds; }
Bounded decode_seconds(Serving const& request) { return request.cost.decode(); }

/// Evaluates a request on every assignment of units that may be the fastest. The choices are made one after the other,
/// each by the time of the parts that it decides.
class Assignments {
  public:
    /// Tries only the assignments in `only`; if it is empty, all that the point leaves open.
    Assignments(System const& system, Fidelity fidelity, std::vector<RequestCost> const& only)
        : d_(system), fidelity_(fidelity), only_(only) {}

    [[nodiscard]] Requests serve(Serving const& request) const {
        Requests served;
        for (auto const& headed : first_token(request)) append(served, rest(headed));
        return served;
    }
    [[nodiscard]] bool is_settled() const {
        for (auto i = std::size_t{0}; i < static_cast<std::size_t>(Choice::end); ++i) {
            if (open_units(d_, static_cast<Choice>(i)).size() > 1) return false;
        }
        return true;
    }

  private:
    static void append(Requests& to, Requests const& more) {
        for (auto const& r : more) to.push_back(r);
    }
    /// Where weights are moved from one unit's layout to the other's, the unit of the prompt decides what the LM head
    /// costs, and both are chosen together.
    [[nodiscard]] Requests first_token(Serving const& request) const {
        if (d_.design.diffuses()) {
            Serving first = request;
            Denoise(first).first();
            return {first};
        }
        bool const moves_weights = d_.design.moves_weights();
        Requests prompts, headed;
        for (auto const& multiplied : each(request, Choice::prefill, [](Serving& s) { Prefill(s).layers(); }))
            append(prompts, each(multiplied, Choice::prompt_attention, [](Serving& s) { Prefill(s).attention(); }));
        for (auto const& prompt : moves_weights ? prompts : fastest(prompts, prefill_seconds))
            append(headed, fastest(each(prompt, Choice::head, [](Serving& s) { Prefill(s).head(); }), head_seconds));
        return moves_weights ? fastest(headed, prefill_seconds) : headed;
    }
    [[nodiscard]] Requests rest(Serving const& headed) const {
        if (d_.design.diffuses())
            return fastest(each(headed, Choice::denoising, [](Serving& s) { Denoise(s).steps_behind(); }),
                           decode_seconds);
        Requests finished;
        for (auto const& decode : each(headed, Choice::decode, [](Serving&) {})) append(finished, attended(decode));
        return fastest(finished, decode_seconds);
    }
    /// Where NPU and banks work concurrently, attention may be hidden; it is then decided with the rest of decode.
    [[nodiscard]] Requests attended(Serving const& decode) const {
        auto const all = each(decode, Choice::attention, [](Serving& s) { Decode(s).all_steps(); });
        bool const is_hidden =
            d_.design.concurrency == Concurrency::scheduled ? decode.in_banks(Choice::decode) : !d_.design.alternates();
        return is_hidden ? all : fastest(all, attention_alone);
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
    /// One copy of the request for each unit that may execute the part, after that unit has executed it.
    [[nodiscard]] Requests each(Serving const& from, Choice choice, void (*part)(Serving&)) const {
        Requests all;
        for (auto const unit : units_for(from, choice)) {
            Serving next = from;
            next.cost.units[choice] = unit;
            bool const is_needed = only_.empty() || std::ranges::any_of(only_, [&](RequestCost const& result) {
                                       return result.units.agree(next.cost.units, choice);
                                   });
            if (!is_needed) continue;
            part(next);
            all.push_back(std::move(next));
        }
        return all;
    }

    /// The requests that may take the least time, the one with the best estimate first. At fidelity cycle, times are
    /// exact and one request with the least time is kept.
    [[nodiscard]] Requests fastest(Requests const& requests, Bounded (*seconds)(Serving const&)) const {
        constexpr double rounded_by = 0x1p-30;
        if (requests.size() == 1) return requests;
        std::vector<Bounded> times;
        for (auto const& r : requests) times.push_back(seconds(r));
        std::size_t best = 0;
        double latest = times.front().upper;
        for (std::size_t i = 1; i < times.size(); ++i) {
            latest = std::min(latest, times[i].upper);
            if (times[i].value < times[best].value) best = i;
        }
        Requests kept{requests[best]};
        if (fidelity_ == Fidelity::cycle) return kept;
        for (std::size_t i = 0; i < times.size(); ++i) {
            if (i != best && times[i].lower <= latest * (1.0 + rounded_by)) kept.push_back(requests[i]);
        }
        return kept;
    }

    System const& d_;
    Fidelity fidelity_;
    std::vector<RequestCost> const& only_;
};

std::vector<RequestCost> run_model(Prepared const& prepared, System const& system, Fidelity fidelity) {
    std::vector<RequestCost> possible, results;
    if (fidelity == Fidelity::cycle && !Assignments(system, fidelity, {}).is_settled())
        possible = run_model(prepared, system, Fidelity::analytic);
    Serving request(prepared, system, fidelity);
    if (system.design.weight_load == WeightLoad::once) request.part(Part::load) = request.load();
    for (auto const& served : Assignments(system, fidelity, possible).serve(request)) results.push_back(served.cost);
    return results;
}

/// The request with what the model that proposes tokens takes before its first token and after it.
RequestCost with_draft(RequestCost cost, RequestCost const& draft) {
    auto const first = static_cast<std::size_t>(Part::decode_weights);
    for (std::size_t i = 0; i < part_count; ++i)
        cost.parts[static_cast<std::size_t>(i < first ? Part::prefill_draft : Part::decode_draft)] += draft.parts[i];
    return cost;
}

}  // namespace

Cost RequestCost::sum(Part first, Part end) const {
    Cost all;
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(end); ++i) all += parts[i];
    return all;
}

Bounded RequestCost::prefill() const { return sum(Part::load, Part::decode_weights).seconds; }
Bounded RequestCost::decode() const { return sum(Part::decode_weights, Part::end).seconds; }
Cost RequestCost::total() const { return {prefill() + decode(), sum(Part::load, Part::end).commands}; }

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
    auto const results = run_model(prepared, system, fidelity);
    if (system.draft == nullptr) return results;
    std::vector<RequestCost> both;
    for (auto const& draft : run_model(prepared, *system.draft, fidelity))
        for (auto const& result : results) both.push_back(with_draft(result, draft));
    return both;
}

}  // namespace pimdse::models::umdam
