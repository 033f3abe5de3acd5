#include "models/umdam/step.hpp"

#include "models/llm/step_passes.hpp"
#include "models/umdam/step_parts.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace pimdse::models::umdam {
namespace {

using sim::as_double;
using sim::serving::StepCost;
using sim::serving::StepWork;

/// Costs of the steps of a serving engine. The units that a point fixes execute their parts of every step: usually the
/// NPU its parts of prompts, and the banks its decoding sequences. Each part that the point leaves open goes to the
/// unit with which the step takes the least time. What one unit multiplies in a step uses the weights together; NPU and
/// banks take turns, or work at the same time as `concurrency` allows. `batch`, `input` and `output` do not matter.
class EngineSteps {
  public:
    /// `made` is a system of one request without a rule of broken_step_rule; `prepared` lives longer.
    EngineSteps(Prepared const& prepared, System made, Fidelity fidelity);
    EngineSteps(EngineSteps const&) = delete;
    EngineSteps& operator=(EngineSteps const&) = delete;

    [[nodiscard]] StepCost one(StepWork const& work) const { return fastest(step_of(work), work.contexts); }
    /// As `one` for each step; what does not depend on contexts is asked for once.
    void many(StepWork const& first, std::span<StepCost> costs) const;
    /// The bound of a step's time at cycle level: proved if the fidelity is analytic.
    [[nodiscard]] double min_seconds(StepWork const& work) const;
    [[nodiscard]] EnergyLaw const& energy() const { return parts_.energy(); }

  private:
    /// Parts of prompts, shared in one way.
    struct Prompts {
        std::int64_t on_npu = 0, in_banks = 0;  ///< positions that each of them multiplies
        Spending attention_on_npu, attention_in_banks;
        double turns = 0.0;
    };
    /// What a step takes on the units of one choice, except the attention of its sequences.
    struct Option {
        Units units;
        std::array<Spending, 7> products{};  ///< with weights, and attention of prompts, on either unit
        Spending in_banks{};               ///< products of decode in the banks, if traffic of the NPU hides behind them
        std::array<Spending, 3> beside{};  ///< of prompts: traffic that hides as well
        double switches = 0.0, launches = 0.0;  ///< s
    };
    /// What a step takes on any units, and the choices that the point leaves open.
    struct Step {
        std::int64_t tokens = 0, sequences = 0, prompt_heads = 0, token_heads = 0;
        Spending vectors, norms;  ///< softmax and states; norms
        Spending written, written_tokens;
        std::vector<Option> options;
    };
    /// Attention of the sequences of a step, and what a schedule hides of it, by whether the banks attend.
    struct Attention {
        SequenceAttention sum;
        std::array<Spending, 2> hidden;
    };

    [[nodiscard]] Step step_of(StepWork const& work) const;
    [[nodiscard]] std::vector<Prompts> prompts_of(StepWork const& work) const;
    [[nodiscard]] Prompts shared(StepWork const& work, PromptSharing units) const;
    /// Without mode switches, which depend on the unit of attention.
    [[nodiscard]] Option option(Step const& step, Prompts const& prompts, Units const& units) const;
    [[nodiscard]] double turns(Step const& step, Prompts const& prompts, Units const& units) const;
    [[nodiscard]] Spending in_banks(bool head, std::int64_t prompts, std::int64_t sequences) const;
    [[nodiscard]] Attention attention_of(std::vector<std::int64_t> const& contexts) const;
    [[nodiscard]] Spending total(Step const& step, Option const& option, Attention const& attention) const;
    [[nodiscard]] StepCost fastest(Step const& step, std::vector<std::int64_t> const& contexts) const;

    System system_;
    StepParts parts_;
};

EngineSteps::EngineSteps(Prepared const& prepared, System made, Fidelity fidelity)
    : system_(std::move(made)), parts_(prepared, system_, fidelity) {
    sim::expects(system_.design.batch == 1 && !broken_step_rule(system_.design), "steps of the design are modelled");
}

/// Where the NPU takes whole blocks of rows, every part of a prompt leaves as many positions to the banks.
EngineSteps::Prompts EngineSteps::shared(StepWork const& work, PromptSharing units) const {
    std::int64_t tokens = 0;
    for (auto const& chunk : work.chunks) tokens += chunk.tokens;
    auto const edge = sim::whole_part(parts_.serving().machine.npu.cube_edge);
    auto const rest = sim::divide_up(tokens % edge, static_cast<std::int64_t>(work.chunks.size()));
    bool const attends_in_banks = units.attends == PhaseUnit::pim;
    Prompts prompts;
    bool waits = false;
    for (auto const& chunk : work.chunks) {
        auto const in_banks = units.multiplies == PhaseUnit::npu   ? 0
                              : units.multiplies == PhaseUnit::pim ? chunk.tokens
                                                                   : std::min(rest, chunk.tokens);
        auto const on_npu = chunk.tokens - in_banks;
        bool const behind_blocks = in_banks == 0 && attends_in_banks;
        bool const has_rest = behind_blocks && chunk.tokens % edge != 0;
        auto const& attention = parts_.chunk_attention(
            {chunk.tokens, chunk.cached, on_npu, attends_in_banks && (in_banks > 0 || has_rest)});
        prompts.on_npu += on_npu;
        prompts.in_banks += in_banks;
        prompts.attention_on_npu += attention.npu;
        prompts.attention_in_banks += attention.banks;
        if (!has_rest) prompts.turns += attention.turns;
        waits = waits || has_rest;
    }
    // for what is behind whole blocks, the NPU waits once per layer for all prompts
    if (waits) prompts.turns += parts_.serving().attending;
    return prompts;
}

std::vector<EngineSteps::Prompts> EngineSteps::prompts_of(StepWork const& work) const {
    if (work.chunks.empty()) return {Prompts{}};
    auto const edge = sim::whole_part(parts_.serving().machine.npu.cube_edge);
    bool const has_rest = std::ranges::any_of(work.chunks, [&](auto const& chunk) { return chunk.tokens % edge != 0; });
    std::vector<Prompts> all;
    for (auto const& units : prompt_units(system_, has_rest, true)) {
        auto prompts = shared(work, units);
        bool const is_shared = prompts.on_npu > 0 && prompts.in_banks > 0;
        if (is_shared || units.multiplies != PhaseUnit::both) all.push_back(std::move(prompts));
    }
    return all;
}

EngineSteps::Step EngineSteps::step_of(StepWork const& work) const {
    Step step;
    step.sequences = static_cast<std::int64_t>(work.contexts.size());
    step.token_heads = std::min(work.heads, step.sequences);
    step.prompt_heads = work.heads - step.token_heads;
    for (auto const& chunk : work.chunks) {
        step.tokens += chunk.tokens;
        step.vectors += parts_.softmax(chunk);
        if (parts_.serving().stateful > 0.0) step.vectors += parts_.states(chunk);
    }
    double const sequences = as_double(step.sequences);
    step.vectors += parts_.token_states().times(sequences);
    step.norms = parts_.norms(step.tokens + step.sequences);
    step.written = parts_.written(step.tokens);
    step.written_tokens = parts_.written_token().times(sequences);
    auto const units_of = [&](Choice choice, std::int64_t positions) {
        return positions > 0 ? open_units(system_, choice) : std::vector{PhaseUnit::npu};
    };
    auto const heads = units_of(Choice::head, step.prompt_heads), decoding = units_of(Choice::decode, step.sequences),
               attending = units_of(Choice::attention, step.sequences);
    auto const all_prompts = prompts_of(work);
    bool const takes_turns = parts_.serving().takes_turns();
    step.options.reserve(all_prompts.size() * heads.size() * decoding.size() * attending.size());
    for (auto const& prompts : all_prompts)
        for (auto const head : heads)
            for (auto const decode : decoding) {
                Units units;
                units[Choice::head] = head;
                units[Choice::decode] = decode;
                auto const any_attention = option(step, prompts, units);
                for (auto const unit : attending) {
                    auto& added = step.options.emplace_back(any_attention);
                    added.units[Choice::attention] = unit;
                    if (takes_turns) added.switches = parts_.serving().switching(turns(step, prompts, added.units));
                }
            }
    return step;
}

/// The banks multiply vectors of prompts and of sequences together, or those of prompts first, whichever is shorter.
Spending EngineSteps::in_banks(bool head, std::int64_t prompts, std::int64_t sequences) const {
    auto together = parts_.products({prompts + sequences, head, true});
    if (prompts == 0 || sequences == 0) return together;
    auto apart = parts_.products({prompts, head, true});
    apart += parts_.products({sequences, head, true});
    together.min_seconds = apart.min_seconds = std::min(together.min_seconds, apart.min_seconds);
    return apart.seconds < together.seconds ? apart : together;
}

double EngineSteps::turns(Step const& step, Prompts const& prompts, Units const& units) const {
    double sum = prompts.turns;
    if (units.in_banks(Choice::head)) sum += as_double(step.prompt_heads);
    if (step.sequences > 0) sum += parts_.serving().decode_turns(units, as_double(step.sequences));
    return sum;
}

/// If NPU and banks do not take turns, the products of decode in the banks hide the traffic of decode, as in a request.
/// With second row buffers, they also hide the layers of prompts that are all on the NPU; with channels of their own
/// for keys and values, the weights of prompts are in the channels of these products.
EngineSteps::Option EngineSteps::option(Step const& step, Prompts const& prompts, Units const& units) const {
    auto const& serving = parts_.serving();
    bool const decodes_in_banks = units.in_banks(Choice::decode);
    auto const rows = prompts.on_npu + (decodes_in_banks ? 0 : step.sequences),
               vectors = decodes_in_banks ? step.sequences : 0;
    auto const prompt_heads = units.in_banks(Choice::head) ? step.prompt_heads : 0,
               token_heads = decodes_in_banks ? step.token_heads : 0;
    auto const heads_on_npu = step.prompt_heads + step.token_heads - prompt_heads - token_heads;
    // if nothing else has moved the weights, they are in the layout of the banks
    bool const moves_head = heads_on_npu > 0 && rows == 0;
    Option all{units,
               {parts_.products({rows, false, false}), in_banks(false, prompts.in_banks, vectors),
                parts_.products({heads_on_npu, true, false}), in_banks(true, prompt_heads, token_heads),
                moves_head ? parts_.moved_head() : Spending{}, prompts.attention_on_npu, prompts.attention_in_banks}};
    all.launches = serving.launches((rows > 0 ? 1.0 : 0.0) + (prompts.in_banks + vectors > 0 ? 1.0 : 0.0));
    if (!serving.takes_turns() && vectors > 0) {
        all.in_banks = parts_.products({vectors, false, true});
        all.in_banks += parts_.products({step.token_heads, true, true});
        if (system_.design.concurrency == Concurrency::dual_row_buffer && prompts.turns == 0.0)
            all.beside = {parts_.products({prompts.on_npu, false, false}), prompts.attention_on_npu, step.written};
    }
    return all;
}

EngineSteps::Attention EngineSteps::attention_of(std::vector<std::int64_t> const& contexts) const {
    if (contexts.empty()) return {};
    Attention attention{parts_.sequence_attention(contexts), {}};
    if (system_.design.concurrency == Concurrency::scheduled)
        for (auto const unit : open_units(system_, Choice::attention)) {
            bool const in_banks = unit == PhaseUnit::pim;
            attention.hidden.at(in_banks ? 1 : 0) = parts_.hidden(contexts, in_banks);
        }
    return attention;
}

Spending EngineSteps::total(Step const& step, Option const& option, Attention const& attention) const {
    bool const decodes_in_banks = option.units.in_banks(Choice::decode),
               attends_in_banks = option.units.in_banks(Choice::attention);
    auto const& attended = attends_in_banks ? attention.sum.banks : attention.sum.npu;
    Spending all = step.vectors;
    all += attention.sum.softmax;
    all += step.norms;
    for (auto const& products : option.products) all += products;
    all += attended;
    all += step.written;
    all += step.written_tokens;
    all.wait(option.switches);
    if (parts_.serving().takes_turns()) {
        auto const& hidden = attention.hidden.at(attends_in_banks ? 1 : 0);
        if (decodes_in_banks) all.hide(hidden.seconds, hidden.min_seconds);
    } else {
        Spending banks = option.in_banks, traffic = step.written_tokens;
        (attends_in_banks ? banks : traffic) += attended;
        for (auto const& beside : option.beside) traffic += beside;
        if (decodes_in_banks && step.sequences > 0)
            all.hide(std::min(traffic.seconds, banks.seconds), std::min(traffic.min_seconds, banks.min_seconds));
    }
    all.wait(option.launches);
    return all;
}

StepCost EngineSteps::fastest(Step const& step, std::vector<std::int64_t> const& contexts) const {
    auto const attention = attention_of(contexts);
    Spending best;
    best.seconds = std::numeric_limits<double>::infinity();
    for (auto const& option : step.options) {
        auto const found = total(step, option, attention);
        if (found.seconds < best.seconds) best = found;
    }
    return {best.seconds, energy().joules(best.work, best.seconds)};
}

void EngineSteps::many(StepWork const& first, std::span<StepCost> costs) const {
    auto const step = step_of(first);
    auto contexts = first.contexts;
    for (auto& cost : costs) {
        cost = fastest(step, contexts);
        for (auto& context : contexts) ++context;
    }
}

double EngineSteps::min_seconds(StepWork const& work) const {
    constexpr double rounding_of_sums = 0x1p-29;
    auto const step = step_of(work);
    auto const attention = attention_of(work.contexts);
    double min = std::numeric_limits<double>::infinity();
    for (auto const& option : step.options) min = std::min(min, total(step, option, attention).min_seconds);
    return std::max(0.0, min * (1.0 - rounding_of_sums));
}

}  // namespace

std::optional<Infeasible> broken_step_rule(Design const& d) {
    auto const refused = [](char const* reason) { return Infeasible{"traffic", reason}; };
    if (d.diffuses()) return refused("steps of denoised blocks are not modelled: generation = autoregressive");
    if (auto rule = models::broken_step_rule({.speculation = {d.draft}})) return rule;
    if (!d.count_first) return refused("the first token of a request is that of its prompt: count_first = true");
    if (d.weight_load == WeightLoad::once)
        return refused("weights are loaded before the first step and not in it: weight_load = none");
    if (d.moves_weights() && d.staging == Staging::model)
        return refused("what a step takes would depend on whether an earlier one moved the weights: staging = layer");
    if (d.ignore_capacity)
        return refused("the cache of an engine is what the weights leave of the memory: ignore_capacity = false");
    return std::nullopt;
}

std::variant<ServiceEngine, Infeasible> service_engine(Inputs const& inputs, Design const& design, Fidelity fidelity) {
    if (auto rule = broken_step_rule(design)) return *std::move(rule);
    auto const& prepared = inputs.as<Prepared>();
    auto smallest = design;
    smallest.batch = smallest.input = smallest.output = 1;
    auto made = make_system(prepared, smallest);
    if (auto* refused = std::get_if<Infeasible>(&made)) return std::move(*refused);
    auto& system = std::get<System>(made);
    // a window may be exceeded by any request
    system.spans = spans_of(*system.model, std::numeric_limits<std::int64_t>::max());
    struct Owned {
        std::shared_ptr<void const> prepared;  // destroyed last
        EngineSteps costs;
        std::unique_ptr<EngineSteps const> closed_form;
        Owned(Inputs const& from, System const& of, Fidelity level)
            : prepared(from.prepared), costs(from.as<Prepared>(), of, level) {
            if (level != Fidelity::analytic)
                closed_form = std::make_unique<EngineSteps const>(from.as<Prepared>(), of, Fidelity::analytic);
        }
    };
    auto const owned = std::make_shared<Owned const>(inputs, system, fidelity);
    ServiceEngine engine{
        {[owned](StepWork const& work) { return owned->costs.one(work); },
         [owned](StepWork const& first, std::span<StepCost> costs) { owned->costs.many(first, costs); }},
        [owned](StepWork const& work) {
            return (owned->closed_form ? *owned->closed_form : owned->costs).min_seconds(work);
        }};
    engine.bounds_requests = true;
    engine.idle_power = owned->costs.energy().idle_watts();
    engine.cache_bytes = std::max(0.0, system.room_for_caches());
    set_sequences(engine, {system.model}, [&](LanguageModel const& alike) {
        return as_double(alike.layers * kv_elements_per_token(alike)) * prepared.machine.element_bytes;
    });
    return engine;
}

}  // namespace pimdse::models::umdam
