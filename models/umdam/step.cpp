#include "models/umdam/step.hpp"

#include "models/llm/step_passes.hpp"
#include "models/umdam/step_parts.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>
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

    [[nodiscard]] sim::serving::StepCost one(sim::serving::StepWork const& work) const;
    void many(sim::serving::StepWork const& first, std::span<sim::serving::StepCost> costs) const;
    /// The bound of a step's time at cycle level: proved if the fidelity is analytic.
    [[nodiscard]] double min_seconds(sim::serving::StepWork const& work) const;
    [[nodiscard]] System const& system() const { return system_; }
    [[nodiscard]] EnergyLaw const& energy() const { return parts_.energy(); }

  private:
    /// Parts of prompts, shared in one way.
    struct Prompts {
        PhaseUnit unit = PhaseUnit::npu;
        std::int64_t on_npu = 0, in_banks = 0;  ///< positions that each of them multiplies
        Spending attention_on_npu, attention_in_banks;
        double turns = 0.0;
    };
    /// Everything that does not depend on the units.
    struct Sums {
        std::int64_t tokens = 0, sequences = 0, prompt_heads = 0, token_heads = 0;
        SequenceAttention attention;
        Spending hidden_on_npu, hidden_in_banks;  ///< by the schedule, if this unit attends
        Spending norms;
        Spending shared;  ///< softmax of prompts; with what the sequences add, and norms
    };
    struct Choices {
        bool head_in_banks = false, decodes_in_banks = false, attends_in_banks = false;
    };

    /// What depends on the numbers of positions and sequences, and not on contexts.
    struct Products {
        std::int64_t rows = 0, vectors = 0;  ///< multiplied by the NPU and in the banks
        Spending weights_on_npu, weights_in_banks, head_on_npu, head_in_banks, moved_head, written, written_tokens;
        bool moves_head = false;
    };

    [[nodiscard]] Products products_of(Prompts const& prompts, Sums const& sums, Choices const& units) const;
    [[nodiscard]] std::vector<Prompts> prompts_of(sim::serving::StepWork const& work) const;
    [[nodiscard]] Prompts shared(sim::serving::StepWork const& work, PhaseUnit unit, bool attends_in_banks) const;
    [[nodiscard]] Sums sums_of(sim::serving::StepWork const& work) const;
    [[nodiscard]] std::vector<bool> open(Choice choice) const;
    using ProductsInBanks = Spending const& (StepParts::*)(std::int64_t vectors) const;
    [[nodiscard]] Spending in_banks(ProductsInBanks products, std::int64_t prompts, std::int64_t sequences) const;
    [[nodiscard]] Spending on(Prompts const& prompts, Sums const& sums, Choices const& units,
                              Products const& given) const;
    void alternate(Prompts const& prompts, Sums const& sums, Choices const& units, Spending& all) const;
    /// Calls use(spending) for each choice of units.
    template <class Use>
    void for_each_choice(sim::serving::StepWork const& work, Use const& use) const;
    /// Adds what depends on the contexts of a step's sequences.
    void attend(Sums& sums, std::vector<std::int64_t> const& contexts) const;
    [[nodiscard]] StepCost cost_of(Spending const& best) const {
        return {best.seconds, energy().joules(best.work, best.seconds)};
    }

    System system_;
    StepParts parts_;
};

EngineSteps::EngineSteps(Prepared const& prepared, System made, Fidelity fidelity)
    : system_(std::move(made)), parts_(prepared, system_, fidelity) {
    sim::expects(system_.design.batch == 1 && !broken_step_rule(system_.design), "steps of the design are modelled");
}

/// Whether the banks may execute a part, for each unit that the point leaves open.
std::vector<bool> EngineSteps::open(Choice choice) const {
    std::vector<bool> banks;
    for (auto const unit : open_units(system_, choice)) banks.push_back(unit == PhaseUnit::pim);
    return banks;
}

/// Where the NPU takes whole blocks of rows, every part of a prompt leaves as many positions to the banks.
EngineSteps::Prompts EngineSteps::shared(StepWork const& work, PhaseUnit unit, bool attends_in_banks) const {
    std::int64_t tokens = 0;
    for (auto const& chunk : work.chunks) tokens += chunk.tokens;
    auto const edge = sim::whole_part(parts_.serving().machine.npu.cube_edge);
    auto const rest = sim::divide_up(tokens % edge, static_cast<std::int64_t>(work.chunks.size()));
    Prompts prompts;
    prompts.unit = unit;
    bool waits = false;
    for (auto const& chunk : work.chunks) {
        auto const in_banks = unit == PhaseUnit::npu   ? 0
                              : unit == PhaseUnit::pim ? chunk.tokens
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

/// All ways to share the parts of prompts that the point leaves open (request.cpp has the same for equal prompts).
std::vector<EngineSteps::Prompts> EngineSteps::prompts_of(StepWork const& work) const {
    if (work.chunks.empty()) return {Prompts{}};
    auto const edge = sim::whole_part(parts_.serving().machine.npu.cube_edge);
    auto const units = open(Choice::prefill), attention = open(Choice::prompt_attention);
    bool const is_open = units.size() > 1;
    bool const has_rest = std::ranges::any_of(work.chunks, [&](auto const& chunk) { return chunk.tokens % edge != 0; });
    std::vector<Prompts> all;
    for (bool const banks : units) {
        bool const shares = banks || (is_open && has_rest && attention.size() > 1);
        for (bool const attends : shares ? attention : std::vector<bool>{false})
            all.push_back(shared(work, banks ? PhaseUnit::pim : PhaseUnit::npu, attends));
    }
    if (!is_open) return all;
    for (bool const attends : attention) {
        auto both = shared(work, PhaseUnit::both, attends);
        if (both.on_npu > 0 && both.in_banks > 0) all.push_back(std::move(both));
    }
    return all;
}

EngineSteps::Sums EngineSteps::sums_of(StepWork const& work) const {
    Sums sums;
    sums.sequences = static_cast<std::int64_t>(work.contexts.size());
    sums.token_heads = std::min(work.heads, sums.sequences);
    sums.prompt_heads = work.heads - sums.token_heads;
    for (auto const& chunk : work.chunks) {
        sums.tokens += chunk.tokens;
        sums.shared += parts_.softmax(chunk);
        if (parts_.serving().stateful > 0.0) sums.shared += parts_.states(chunk);
    }
    sums.shared += parts_.token_states().times(as_double(sums.sequences));
    sums.norms = parts_.norms(sums.tokens + sums.sequences);
    return sums;
}

void EngineSteps::attend(Sums& sums, std::vector<std::int64_t> const& contexts) const {
    if (sums.sequences > 0) {
        sums.attention = parts_.sequence_attention(contexts);
        if (system_.design.concurrency == Concurrency::scheduled)
            for (bool const in_banks : open(Choice::attention))
                (in_banks ? sums.hidden_in_banks : sums.hidden_on_npu) = parts_.hidden(contexts, in_banks);
    }
    sums.shared += sums.attention.softmax;
    sums.shared += sums.norms;
}

/// Mode switches, if NPU and banks take turns, and what a schedule hides; otherwise what the products of decode in the
/// banks hide. They hide the traffic of decode, as in a request. With second row buffers, they also hide the layers of
/// prompts that are all on the NPU; with channels of their own for keys and values, the weights of prompts are in the
/// channels of these products.
void EngineSteps::alternate(Prompts const& prompts, Sums const& sums, Choices const& units, Spending& all) const {
    auto const& serving = parts_.serving();
    if (!serving.takes_turns()) {
        if (!units.decodes_in_banks || sums.sequences == 0) return;
        bool const beside_prompts = system_.design.concurrency == Concurrency::dual_row_buffer && prompts.turns == 0.0;
        Spending banks = parts_.weights_in_banks(sums.sequences);
        banks += parts_.head_in_banks(sums.token_heads);
        Spending traffic = parts_.written_token().times(as_double(sums.sequences));
        if (units.attends_in_banks)
            banks += sums.attention.banks;
        else
            traffic += sums.attention.npu;
        if (beside_prompts) {
            traffic += parts_.weights_on_npu(prompts.on_npu);
            traffic += prompts.attention_on_npu;
            traffic += parts_.written(sums.tokens);
        }
        all.seconds -= std::min(traffic.seconds, banks.seconds);
        all.min_seconds -= std::min(traffic.min_seconds, banks.min_seconds);
        return;
    }
    double turns = prompts.turns;
    if (units.head_in_banks) turns += as_double(sums.prompt_heads);
    if (sums.sequences > 0) {
        auto decode = Units{};
        if (units.decodes_in_banks) decode[Choice::decode] = PhaseUnit::pim;
        if (units.attends_in_banks) decode[Choice::attention] = PhaseUnit::pim;
        turns += serving.decode_turns(decode, as_double(sums.sequences));
    }
    double const switches = serving.switching(turns);
    all.seconds += switches;
    all.min_seconds += switches;
    if (!units.decodes_in_banks) return;
    auto const& hidden = units.attends_in_banks ? sums.hidden_in_banks : sums.hidden_on_npu;
    all.seconds -= hidden.seconds;
    all.min_seconds -= hidden.min_seconds;
}

/// The banks multiply vectors of prompts and of sequences together, or those of prompts first, whichever is shorter.
Spending EngineSteps::in_banks(ProductsInBanks products, std::int64_t prompts, std::int64_t sequences) const {
    auto together = (parts_.*products)(prompts + sequences);
    if (prompts == 0 || sequences == 0) return together;
    auto apart = (parts_.*products)(prompts);
    apart += (parts_.*products)(sequences);
    together.min_seconds = apart.min_seconds = std::min(together.min_seconds, apart.min_seconds);
    return apart.seconds < together.seconds ? apart : together;
}

EngineSteps::Products EngineSteps::products_of(Prompts const& prompts, Sums const& sums, Choices const& units) const {
    auto const rows = prompts.on_npu + (units.decodes_in_banks ? 0 : sums.sequences),
               vectors = prompts.in_banks + (units.decodes_in_banks ? sums.sequences : 0);
    auto const prompt_heads = units.head_in_banks ? sums.prompt_heads : 0,
               token_heads = units.decodes_in_banks ? sums.token_heads : 0;
    auto const heads_on_npu = sums.prompt_heads + sums.token_heads - prompt_heads - token_heads;
    return {rows, vectors, parts_.weights_on_npu(rows),
            in_banks(&StepParts::weights_in_banks, prompts.in_banks, vectors - prompts.in_banks),
            parts_.head_on_npu(heads_on_npu), in_banks(&StepParts::head_in_banks, prompt_heads, token_heads),
            parts_.moved_head(), parts_.written(sums.tokens), parts_.written_token().times(as_double(sums.sequences)),
            // if nothing else has moved the weights, they are in the layout of the banks
            heads_on_npu > 0 && rows == 0};
}

Spending EngineSteps::on(Prompts const& prompts, Sums const& sums, Choices const& units, Products const& given) const {
    Spending all = sums.shared;
    all += given.weights_on_npu;
    all += given.weights_in_banks;
    all += given.head_on_npu;
    all += given.head_in_banks;
    if (given.moves_head) all += given.moved_head;
    all += prompts.attention_on_npu;
    all += prompts.attention_in_banks;
    all += units.attends_in_banks ? sums.attention.banks : sums.attention.npu;
    all += given.written;
    all += given.written_tokens;
    alternate(prompts, sums, units, all);
    double const launches = parts_.serving().launches((given.rows > 0 ? 1.0 : 0.0) + (given.vectors > 0 ? 1.0 : 0.0));
    all.seconds += launches;
    all.min_seconds += launches;
    return all;
}

template <class Use>
void EngineSteps::for_each_choice(StepWork const& work, Use const& use) const {
    auto sums = sums_of(work);
    attend(sums, work.contexts);
    auto const none = std::vector<bool>{false};
    auto const heads = sums.prompt_heads > 0 ? open(Choice::head) : none;
    auto const decode = sums.sequences > 0 ? open(Choice::decode) : none;
    auto const attention = sums.sequences > 0 ? open(Choice::attention) : none;
    for (auto const& prompts : prompts_of(work))
        for (bool const head_in_banks : heads)
            for (bool const decodes_in_banks : decode)
                for (bool const attends_in_banks : attention) {
                    Choices const units{head_in_banks, decodes_in_banks, attends_in_banks};
                    use(on(prompts, sums, units, products_of(prompts, sums, units)));
                }
}

StepCost EngineSteps::one(StepWork const& work) const {
    Spending best;
    best.seconds = std::numeric_limits<double>::infinity();
    for_each_choice(work, [&](Spending const& found) {
        if (found.seconds < best.seconds) best = found;
    });
    return cost_of(best);
}

/// As `one` for each step; what does not depend on contexts is asked for once.
void EngineSteps::many(StepWork const& first, std::span<StepCost> costs) const {
    Prompts const no_prompts;
    auto const same = sums_of(first);
    std::vector<std::pair<Choices, Products>> choices;
    for (bool const decodes_in_banks : open(Choice::decode)) {
        for (bool const attends_in_banks : open(Choice::attention)) {
            Choices const units{false, decodes_in_banks, attends_in_banks};
            choices.emplace_back(units, products_of(no_prompts, same, units));
        }
    }
    auto contexts = first.contexts;
    for (auto& cost : costs) {
        auto sums = same;
        attend(sums, contexts);
        Spending best;
        best.seconds = std::numeric_limits<double>::infinity();
        for (auto const& [units, of_units] : choices) {
            auto const found = on(no_prompts, sums, units, of_units);
            if (found.seconds < best.seconds) best = found;
        }
        cost = cost_of(best);
        for (auto& context : contexts) ++context;
    }
}

double EngineSteps::min_seconds(StepWork const& work) const {
    constexpr double rounding_of_sums = 0x1p-29;
    double min = std::numeric_limits<double>::infinity();
    for_each_choice(work, [&](Spending const& found) { min = std::min(min, found.min_seconds); });
    return std::max(0.0, min * (1.0 - rounding_of_sums));
}

}  // namespace

std::optional<Infeasible> broken_step_rule(Design const& d) {
    auto const refused = [](char const* reason) { return Infeasible{"traffic", reason}; };
    if (d.diffuses()) return refused("steps of denoised blocks are not modelled: generation = autoregressive");
    if (d.draft > 0) return refused("steps that verify proposed tokens are not modelled: draft = 0");
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
