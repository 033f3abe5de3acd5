#include "models/umdam/request.hpp"

#include "models/umdam/serving.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace pimdse::models::umdam {

/// A request that is served phase by phase. A copy continues from the state of the original, on other units.
class Request {
  public:
    Request(Prepared const& prepared, System const& system, Fidelity fidelity) : serving_(prepared, system, fidelity) {
        if (system.design.weight_load == WeightLoad::once) serving_.part(Part::load) = serving_.load();
    }

    void choose(Choice choice, PhaseUnit unit) { serving_.cost.units[choice] = unit; }
    /// Everything before the first token on the chosen units, except attention and the LM head.
    void begin();
    /// Attention of the prompt.
    void attend();
    /// The LM head, which follows attention.
    void end_prefill();
    /// Everything after the first token.
    void finish();
    [[nodiscard]] Serving const& serving() const { return serving_; }
    [[nodiscard]] RequestCost const& cost() const { return serving_.cost; }

  private:
    Serving serving_;
};

void Request::begin() {
    if (serving_.system.design.diffuses())
        Denoise(serving_).first();
    else
        Prefill(serving_).layers();
}

void Request::attend() {
    if (!serving_.system.design.diffuses()) Prefill(serving_).attention();
}

void Request::end_prefill() {
    if (!serving_.system.design.diffuses()) Prefill(serving_).head();
}

void Request::finish() {
    if (serving_.system.design.diffuses())
        Denoise(serving_).steps_behind();
    else
        Decode(serving_).all_steps();
}

namespace {

using sim::Bounded;
using Requests = std::vector<Request>;
using Seconds = std::function<Bounded(Request const&)>;

/// Evaluates a request on every assignment of units that may be the fastest. The choices are made one after the other,
/// each by the time of the parts that it decides.
class Service {
  public:
    /// Tries only the assignments in `only`; if it is empty, all that the point leaves open.
    Service(System const& system, Fidelity fidelity, std::vector<RequestCost> const& only)
        : d_(system), fidelity_(fidelity), only_(only) {}

    [[nodiscard]] Requests serve(Request const& request) const {
        Requests served;
        for (auto const& headed : first_token(request)) append(served, finish(headed));
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
    [[nodiscard]] Requests first_token(Request const& request) const {
        auto const prefill = [](Request const& r) { return r.cost().prefill(); };
        bool const moves_weights = d_.design.moves_weights();
        auto const prompts = served_prompts(request);
        Requests headed;
        for (auto const& prompt : moves_weights ? prompts : fastest(prompts, prefill))
            append(headed, fastest(each(prompt, Choice::head, &Request::end_prefill),
                                   [](Request const& r) { return r.cost().at(Part::prefill_head).seconds; }));
        return moves_weights ? fastest(headed, prefill) : headed;
    }
    /// The prompt on every unit, and its attention on every unit that may follow.
    [[nodiscard]] Requests served_prompts(Request const& request) const {
        Requests prompts;
        for (auto const& multiplied : each(request, Choice::prefill, &Request::begin))
            append(prompts, each(multiplied, Choice::prompt_attention, &Request::attend));
        return prompts;
    }
    [[nodiscard]] Requests finish(Request const& headed) const {
        auto const all = [](Request const& r) { return r.cost().decode(); };
        if (d_.design.diffuses()) return fastest(each(headed, Choice::denoising, &Request::finish), all);
        Requests finished;
        for (auto const& decode : each(headed, Choice::decode, nullptr)) append(finished, attend(decode));
        return fastest(finished, all);
    }
    /// Where NPU and banks work concurrently, attention may be hidden; it is then decided with the rest of decode.
    [[nodiscard]] Requests attend(Request const& decode) const {
        auto const attended = each(decode, Choice::attention, &Request::finish);
        bool const is_hidden = d_.design.concurrency == Concurrency::scheduled
                                   ? decode.serving().in_banks(Choice::decode)
                                   : !d_.design.alternates();
        if (is_hidden) return attended;
        return fastest(attended, [](Request const& r) { return attention_alone(r.serving()); });
    }

    /// A prompt whose unit is left open may also be shared: the NPU takes whole blocks and the banks the remaining
    /// tokens.
    [[nodiscard]] std::vector<PhaseUnit> units_for(Request const& request, Choice choice) const {
        auto const& serving = request.serving();
        auto units = open_units(d_, choice);
        bool const is_open = open_units(d_, Choice::prefill).size() > 1,
                   has_rest = serving.whole_blocks() < serving.prompt;
        bool const leaves_rows = serving.whole_rows() > 0.0 && serving.whole_rows() < serving.prompt;
        if (choice == Choice::prefill && is_open && leaves_rows) units.push_back(PhaseUnit::both);
        bool const is_on_npu = serving.cost.units[Choice::prefill] == PhaseUnit::npu;
        if (choice == Choice::prompt_attention && is_on_npu && (!is_open || !has_rest || units.size() == 1))
            return {PhaseUnit::npu};
        return units;
    }
    /// One copy of the request for each unit that may execute the step, after that unit has executed it.
    [[nodiscard]] Requests each(Request const& from, Choice choice, void (Request::*step)()) const {
        Requests all;
        for (auto const unit : units_for(from, choice)) {
            Request next = from;
            next.choose(choice, unit);
            bool const is_needed = only_.empty() || std::ranges::any_of(only_, [&](RequestCost const& result) {
                                       return result.units.agree(next.cost().units, choice);
                                   });
            if (!is_needed) continue;
            if (step != nullptr) (next.*step)();
            all.push_back(std::move(next));
        }
        return all;
    }

    /// The requests that may take the least time, the one with the best estimate first. At fidelity cycle, times are
    /// exact and one request with the least time is kept.
    [[nodiscard]] Requests fastest(Requests const& requests, Seconds const& seconds) const {
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
    if (fidelity == Fidelity::cycle && !Service(system, fidelity, {}).is_settled())
        possible = run_model(prepared, system, Fidelity::analytic);
    for (auto const& r : Service(system, fidelity, possible).serve(Request(prepared, system, fidelity)))
        results.push_back(r.cost());
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

std::vector<RequestCost> run_request(Prepared const& prepared, System const& system, Fidelity fidelity) {
    auto const results = run_model(prepared, system, fidelity);
    if (system.draft == nullptr) return results;
    std::vector<RequestCost> both;
    for (auto const& draft : run_model(prepared, *system.draft, fidelity))
        for (auto const& result : results) both.push_back(with_draft(result, draft));
    return both;
}

}  // namespace pimdse::models::umdam
