#include "models/dplena/sampler.hpp"

#include "models/contract/toml_file.hpp"
#include "models/dplena/cycle.hpp"
#include "models/dplena/hbm/clocks.hpp"
#include "models/dplena/host.hpp"
#include "models/dplena/ledger.hpp"
#include "models/dplena/metrics.hpp"
#include "models/dplena/parameters.hpp"
#include "models/dplena/silicon.hpp"
#include "models/llm/request_passes.hpp"
#include "models/text/result.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/memo.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace pimdse::models::dplena {
namespace {

using sim::as_double;
using text::OperatorWork;
using text::PartCost;

/// A point of the part.
class SamplerPart : public SamplerLaw {
  public:
    SamplerPart(text::PartValues const& values, text::LlmRequest const& request, Prepared const& prepared,
                Fidelity fidelity)
        : SamplerLaw(read_sampler(values, request)),
          design_(design()),
          prepared_(prepared),
          fidelity_(fidelity),
          power_(powers_of(design_, prepared.machine)) {
        if (request.speculation.has_model())
            proposing_ = std::make_unique<SamplerPart>(values, of_draft(request), prepared, fidelity);
    }

    /// A pass samples the positions of its sequences once: a share of the sampling of a block of all of them.
    [[nodiscard]] PartCost cost(text::Operator op, OperatorWork const& work, text::LlmRequest const& r) const override {
        if (proposing_ && r.model != design_.model) return proposing_->cost(op, work, r);
        auto const count = std::max<std::int64_t>(1, std::llround(work.tasks));
        return times(block(count).cost, work.query_positions / as_double(count * design_.block_length * steps()));
    }
    [[nodiscard]] Metrics metrics(text::Result const& result, RequestResult const& common) const override {
        auto const& d = block(design_.batch).design;
        auto const& request = result.design.request;
        auto const& all = result.all();
        auto const beside = beside_passes(request);
        double const here = result.seconds_on(*this, all);
        double const samplings = here - (beside.first.seconds.value + beside.rest.seconds.value);
        auto const in_round =
            as_double(std::max<std::size_t>(1, request.diffuses() ? passes_of(request).round.size() : 1));
        // A difference of sums, of which a level has other terms than the other: exact but for their rounding.
        auto const of_others = [&](double seconds, double whole) {
            constexpr double rounding = 0x1p-44;
            if (fidelity_ == Fidelity::cycle) return Estimate::exact(seconds);
            if (!result.design.differs_in_parts_only()) return Estimate::unbounded(seconds);
            double const off = rounding * whole;
            return Estimate::within(seconds, std::max(0.0, seconds - off), seconds + off, Bound::proved);
        };
        constexpr sim::BoundKinds grounds{Bound::proved, Bound::calibrated};
        return sampler_metrics_of(
            {.design = d,
             .machine = prepared_.machine,
             .sampling = block(design_.batch).sampling,
             .fifo = fifo(),
             .accuracy = accuracy_of(d, prepared_, fidelity_),
             .silicon = silicon_of(d, prepared_.machine),
             .all_samplings =
                 Estimate::within(samplings, samplings - all.below, samplings + all.above, grounds).on(grounds),
             .model = of_others(result.yields_tokens() ? all.total() - here : 0.0, all.total()),
             .pass = of_others((result.round.total() - result.seconds_on(*this, result.round)) / in_round,
                               result.round.total()),
             .common = common});
    }
    /// Blocks whose tokens leave over the FIFO; the last of them are hidden behind nothing.
    [[nodiscard]] BesidePasses beside_passes(text::LlmRequest const& r) const override {
        BesidePasses beside;
        if (design_.host_fifo == 0) return beside;
        auto const passes = passes_of(r);
        bool const ends_block = r.steps == 1 || !r.diffuses();
        double const of_first = r.diffuses() ? 1.0 : 1.0 / as_double(design_.block_length);
        double const after_first = r.diffuses() ? passes.repeats : passes.rounds;
        beside.first = leaving(ends_block ? of_first : 0.0, ends_block);
        beside.rest = leaving(after_first + (ends_block ? 0.0 : of_first), !ends_block);
        return beside;
    }
    [[nodiscard]] std::optional<Infeasible> broken_step_rule() const override {
        if (design_.scope == Scope::sampling)
            return Infeasible{"traffic", "the sampling of a block serves no requests: scope = end_to_end"};
        if (design_.host_fifo == 0) return std::nullopt;
        return Infeasible{"traffic", std::string(fifo_in_steps)};
    }
    [[nodiscard]] std::optional<Alone> alone(text::LlmRequest const& r) const override {
        if (design_.scope == Scope::end_to_end) return std::nullopt;
        OperatorWork work;
        work.tasks = as_double(r.batch);
        work.query_positions = as_double(r.batch * r.block_length * (r.diffuses() ? r.steps : 1));
        return Alone{text::Operator::sampling, work, as_double(design_.logits()) * design_.element_bytes(),
                     design_.samples_model};
    }
    /// Of a block that is sampled alone; beside passes of a model, sampling is one of many operators.
    bool explain(std::string const&, std::vector<double> const&, Breakdown& to) const override {
        if (design_.scope == Scope::end_to_end) return false;
        auto const& [served, sampling, cost] = block(design_.batch);
        std::ranges::move(block_times(sampling, fifo(), served, prepared_.machine), std::back_inserter(to.time));
        to.limits.push_back(block_limit(sampling, fifo(), served, prepared_.machine));
        return true;
    }
    /// The instructions and fetches of the sampling of a block; they are timed by simulation at every fidelity.
    [[nodiscard]] Trace trace() const override {
        constexpr std::size_t max_bars = 500'000;  // of the timeline
        auto d = design_;
        d.steps = steps();
        if (d.sampler == Sampler::host) return host_trace(d, prepared_.machine, max_bars);
        return timeline_trace(Program(d, prepared_.machine.costs), prepared_.machine, max_bars);
    }
    [[nodiscard]] Vector vector() const override {
        double const waiting = prepared_.machine.silicon.waiting_share;
        return {as_double(design_.vlen) * unit_clock(design_, prepared_.machine).si, power_.vector,
                waiting * power_.vector};
    }
    [[nodiscard]] std::vector<Share> areas() const override {
        auto all = area_of(design_, prepared_.machine);
        std::erase_if(all, [](Share const& share) { return share.amount == 0.0; });
        return all;
    }
    [[nodiscard]] double memory_area() const override { return memory_area_of(design_, prepared_.machine).si; }
    void add_rest(Standby& to) const override {
        to.add("idle_units", prepared_.machine.silicon.waiting_share * power_.scalar);
        add_memories_at_rest(design_, prepared_.machine, to);
    }
    [[nodiscard]] std::optional<double> logit_bytes() const override { return design_.logit_bytes(); }
    [[nodiscard]] std::optional<Infeasible> broken_rule(text::LlmRequest const& r) const override {
        if (proposing_)
            if (auto rule = proposing_->broken_rule(r)) return rule;
        return dplena::broken_rule(design_, prepared_);
    }
    [[nodiscard]] std::int64_t needed_steps(std::int64_t steps) const override {
        if (!design_.may_end_early() || dplena::broken_rule(design_, prepared_)) return steps;
        return this->steps();
    }

  private:
    [[nodiscard]] std::int64_t steps() const {
        return prepared_.accuracy->steps_needed(design_, prepared_.machine.proxy);
    }
    /// The tokens of so many blocks on their way to the host, which waits for the last of them if `is_last`.
    [[nodiscard]] PartCost leaving(double blocks, bool is_last) const {
        auto const& machine = prepared_.machine;
        auto const cycles = fifo();
        PartCost all;
        all.seconds = (blocks * cycles.entering + (is_last ? cycles.leaving : 0.0)) / unit_clock(design_, machine).si;
        all.joules[energy_row("sram")] = (fifo_energy(design_, machine) * blocks).si;
        all.joules[energy_row("host_transfer")] =
            (machine.sampling_host.link_energy * (fifo_tokens(design_, machine) * blocks)).si;
        return all;
    }
    [[nodiscard]] FifoCycles fifo() const {
        auto const& machine = prepared_.machine;
        return fidelity_ == Fidelity::cycle ? host_fifo_timeline(design_, machine) : host_fifo(design_, machine);
    }
    /// All steps of a block of so many sequences.
    struct Block {
        Design design;
        SamplingCost sampling;
        PartCost cost;
    };
    [[nodiscard]] Block const& block(std::int64_t sequences) const {
        auto const compute = [](std::int64_t of, SamplerPart const* sampler) { return sampler->block_of(of); };
        return blocks_.get(sequences, compute, this);
    }
    [[nodiscard]] Block block_of(std::int64_t sequences) const {
        constexpr auto arithmetic = energy_row("arithmetic"), sram = energy_row("sram"),
                       idle = energy_row("idle_units"), transfer = energy_row("host_transfer"),
                       host = energy_row("host_compute");
        auto const& machine = prepared_.machine;
        auto d = with_sequences(design_, sequences);
        d.steps = steps();
        auto const clock = unit_clock(d, machine).si;
        auto const cost = sampling_of(Program(d, machine.costs), machine, fidelity_);
        double const at_work = power_.vector * as_double(cost.counts.vector) / clock +
                               power_.scalar * as_double(cost.counts.beside_vector()) / clock;
        PartCost all{cost.total * (1.0 / clock), {}, bytes_sampled(cost, d)};
        all.joules[arithmetic] = at_work;
        all.joules[idle] = -machine.silicon.waiting_share * at_work;
        all.joules[sram] = vector_memory_energy(d, machine.silicon).si;
        if (d.sampler == Sampler::host) {
            all.joules[transfer] = (machine.sampling_host.link_energy * sim::Data{host_bytes(d, machine)}).si;
            all.joules[host] = machine.sampling_host.power.si * host_seconds(d, machine);
        }
        return {d, cost, all};
    }

    Design const& design_;
    Prepared const& prepared_;
    Fidelity fidelity_;
    Powers power_;
    std::unique_ptr<SamplerPart const> proposing_;  ///< of the logits of the draft model, if there is one
    sim::Memo<std::int64_t, Block> blocks_;         ///< by sequences
};

Design const& design_of(text::PartLaw const& part) { return static_cast<SamplerLaw const&>(part).design(); }

/// Whether rows of logits are processed in chunks.
bool has_chunks(Design const& d) {
    return d.mode == Mode::edge || d.overlap == Overlap::fused_head || d.passes == Passes::one;
}

template <auto member>
Value number_of(text::PartLaw const& part) {
    return Value::integer(design_of(part).*member);
}

template <auto member, auto choice>
bool is_other(text::PartLaw const& part) {
    return design_of(part).*member != choice;
}

/// What stands for keys in a cycle key.
std::vector<text::PartKeyRow> key_rows() {
    text::PartKeyRows rows;
    rows.stands_for("vocab", number_of<&Design::vocab>, "0 stands for the padded vocabulary of the model");
    rows.irrelevant(
        "v_chunk", [](text::PartLaw const& part) { return !has_chunks(design_of(part)); },
        "whole rows are on chip and are not processed in chunks");
    rows.stands_for("v_chunk", number_of<&Design::v_chunk>, "0 stands for a whole row");
    rows.stands_for("exp_lanes", number_of<&Design::exp_lanes>, "0 stands for one per lane of the vector unit");
    rows.irrelevant("preload", is_other<&Design::mode, Mode::performance>,
                    "edge mode has one chunk of one row on chip");
    rows.irrelevant("confidence_threshold", is_other<&Design::remasking, Remasking::threshold>,
                    "only remasking threshold reads it");
    rows.irrelevant("confidence_factor", is_other<&Design::remasking, Remasking::factor>,
                    "only remasking factor reads it");
    rows.irrelevant(
        "step_logits", [](text::PartLaw const& part) { return design_of(part).steps == 1; }, "there is one step");
    rows.stands_for(
        "topk_entries", [](text::PartLaw const& part) { return Value::integer(design_of(part).topk_list()); },
        "0 stands for block_length");
    rows.stands_for("mx_block", number_of<&Design::mx_block>, "BF16 has no scales");
    rows.irrelevant(
        "addressing", [](text::PartLaw const& part) { return design_of(part).element == Element::bf16; },
        "BF16 has no scales");
    rows.irrelevant(
        "host_fifo_depth", [](text::PartLaw const& part) { return design_of(part).host_fifo == 0; },
        "there is no FIFO to the host");
    rows.stands_for(
        "chains", [](text::PartLaw const& part) { return Value::integer(design_of(part).interleaved_rows()); },
        "only rows that are on chip together are interleaved, where instructions wait for results");
    rows.irrelevant("sram_limit", nullptr, "it only decides whether a point is feasible");
    return rows.rows();
}

/// How bounds move with keys (README.md, Lower bounds).
std::vector<MonotoneGroup> directions() {
    using enum Slope;
    return {
        {{"outstanding", "host_fifo_depth"}, down, {"latency"}},
        {{"outstanding", "prefetch", "buffers", "chains", "host_fifo", "host_fifo_depth", "channels"}, up, {"area"}},
        {{"channels"}, up, {"memory_area", "cost", "embodied_carbon"}},
        {{"sram_limit"}, flat, {"latency", "energy", "area"}}};
}

/// Constants of which the dimension does not tell how they move metrics.
std::vector<std::string> constants_without_slopes() {
    // Parts of the published unit that a design may lack; its area, by which its power is divided; and a limit, which
    // is a power that none draws.
    return {"dequantizer_area", "hbm_package_limit",  "index_path_area",
            "topk_entry_area",  "vector_area_offset", "vector_area_per_lane"};
}

}  // namespace

text::PartKind sampler() {
    text::PartKind kind;
    kind.name = "sampler";
    kind.results_version = 4;
    kind.keys = sampler_keys();
    kind.takes = {text::Operator::sampling};
    kind.is_vector = kind.built_for_batch = kind.denoises_any_model = kind.sized_by_model = true;
    kind.asked_by = "scope";
    kind.of_models = "end_to_end";
    kind.key_rows = key_rows();
    kind.directions = directions();
    kind.metrics = sampler_metrics();
    kind.metric_notes = metric_notes();
    kind.constants = [] { return Constants::load(data_directory() / "models" / "dplena" / "constants.toml"); };
    kind.constant_rules = constant_rules;
    kind.constants_without_slopes = constants_without_slopes;
    kind.prepare = [](Constants const& constants, Parameters const&,
                      Assumptions const&) -> std::shared_ptr<void const> {
        return std::make_shared<Prepared const>(constants);
    };
    kind.at = [](void const* prepared, text::PartValues const& values, text::LlmRequest const& request,
                 Fidelity fidelity) -> std::shared_ptr<text::PartLaw const> {
        auto const& inputs = *static_cast<Prepared const*>(prepared);
        return std::make_shared<SamplerPart const>(values, request, inputs, fidelity);
    };
    auto own = ledger();
    kind.energy = std::move(own.energy);
    kind.area = std::move(own.area);
    return kind;
}

}  // namespace pimdse::models::dplena
