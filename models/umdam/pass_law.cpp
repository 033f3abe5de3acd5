#include "models/umdam/pass_law.hpp"

#include "models/umdam/ledger.hpp"
#include "models/umdam/schedule.hpp"
#include "models/umdam/serving.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/memo.hpp"
#include "sim/serving/step.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <utility>
#include <vector>

namespace pimdse::models::umdam {
namespace {

using sim::as_double;
using sim::Bounded;
using sim::serving::StepWork;

/// Positions that one unit multiplies together with the weights of all layers, or of the LM head.
struct Multiplied {
    std::int64_t positions = 0;
    bool head = false, in_banks = false;
    auto operator<=>(Multiplied const&) const = default;
};

/// A part of a prompt that the units share: the NPU multiplies its first `on_npu` positions and the banks the others.
struct SharedChunk {
    std::int64_t tokens = 0, cached = 0, on_npu = 0;
    bool attends_in_banks = false;  ///< positions that the banks multiply, or those behind whole blocks
    auto operator<=>(SharedChunk const&) const = default;
};

/// Decoding sequences whose products the banks execute together.
struct SequenceSet {
    std::int64_t sequences = 0;
    bool attends_in_banks = false;
    auto operator<=>(SequenceSet const&) const = default;
};

/// Parts of prompts, shared in one way: positions that each unit multiplies, and attention in all layers.
struct Prompts {
    std::int64_t on_npu = 0, in_banks = 0;
    Spending attention;
    double turns = 0.0;  ///< of the banks
};

/// Attention of decoding sequences in all layers, on either unit, and its softmax on the NPU.
struct SequenceAttention {
    Spending npu, banks, softmax;

    SequenceAttention& operator+=(SequenceAttention const& other) {
        npu += other.npu;
        banks += other.banks;
        softmax += other.softmax;
        return *this;
    }
};

bool may_attend(System const& system, PhaseUnit unit) {
    auto const units = open_units(system, Choice::attention);
    return std::ranges::find(units, unit) != units.end();
}

class PassByParts : public PassLaw {
  public:
    PassByParts(Prepared const& prepared, System const& of, Fidelity fidelity)
        : system_(of),
          prototype_(prepared, system_, fidelity),
          energy_(system_, prototype_.machine),
          attends_on_npu_(may_attend(system_, PhaseUnit::npu)),
          attends_in_banks_(may_attend(system_, PhaseUnit::pim)),
          written_token_(spending_of(prototype_.written(1.0))),
          token_states_(spending_of(prototype_.states(1.0, true))) {
        sim::expects(system_.design.batch == 1, "passes are those of any number of sequences");
        for (auto const& m : system_.matrices)
            if (m.head && system_.design.moves_weights()) moved_head_ = spending_of(prototype_.moved(m));
    }

    [[nodiscard]] Spending of(StepWork const& work) const override {
        if (!work.chunks.empty()) return fastest(options_of(work), work.contexts);
        auto const compute = [](std::pair<std::int64_t, std::int64_t> const& counts, PassByParts const& law) {
            StepWork tokens;
            tokens.contexts.resize(static_cast<std::size_t>(counts.first));
            tokens.heads = counts.second;
            return law.options_of(tokens);
        };
        return fastest(of_tokens_.get({static_cast<std::int64_t>(work.contexts.size()), work.heads}, compute, *this),
                       work.contexts);
    }
    /// Keys and values that the banks multiply have their layout. Where that is not the layout of the NPU, which reads
    /// and writes the storage, a block is moved to the other layout, in turn with the storage.
    [[nodiscard]] KeyTier tier() const override {
        auto const& c = prototype_.machine.baseline;
        auto const chunk = c.relayout_chunk.si;
        bool const moves = attends_in_banks_ && system_.design.moves_weights();
        auto const moved = moves ? spending_of(prototype_.costs.copy(chunk)) : Spending{};
        auto const rate = [&](double of_storage) { return 1.0 / (1.0 / of_storage + moved.seconds.value / chunk); };
        auto const joules = c.storage_read.si + moved.all_joules() / chunk;
        return {as_double(system_.design.tier_capacity),
                rate(c.storage.si),
                rate(c.storage_written.si),
                0.0,
                joules,
                joules};
    }

  private:
    /// What is asked for in a step.
    struct Asked {
        std::int64_t tokens = 0, sequences = 0, prompt_heads = 0, token_heads = 0;
        Spending written, written_tokens;
    };
    /// What a step takes on the units of one choice, except the attention of its sequences.
    struct Option {
        Units units;
        Spending all;
        /// Products of decode in the banks, and the traffic of the NPU that may hide behind them.
        Spending banks, traffic;
        bool hides = false;
    };
    /// Attention of the sequences of a step, and what a schedule hides of it, by whether the banks attend.
    struct Attention {
        SequenceAttention sum;
        std::array<Bounded, 2> hidden;
    };

    [[nodiscard]] Spending spending_of(Cost const& cost) const { return energy_.spending_of(cost); }
    /// Products with weights; on the NPU with moved weights, if the banks have another layout. A skipped LM head takes
    /// nothing.
    [[nodiscard]] Spending const& products(Multiplied const& multiplied) const {
        auto const compute = [](Multiplied const& m, PassByParts const& steps) {
            Serving serving = steps.prototype_;
            double const positions = as_double(m.positions);
            Cost cost;
            if (m.positions > 0 && !m.head && !m.in_banks && serving.system.design.moves_weights())
                cost += serving.relayout();
            serving.each_product(m.in_banks, m.head ? 0.0 : positions, m.head ? positions : 0.0, 1.0,
                                 [&](Matrix const&, Cost const& product) { cost += product; });
            return steps.spending_of(cost);
        };
        return products_.get(multiplied, compute, *this);
    }
    /// Refreshes may miss every part of a prompt: the bound is that of the pins alone, so that parts add up to it.
    [[nodiscard]] Spending const& written(std::int64_t tokens) const {
        auto const compute = [](std::int64_t count, PassByParts const& steps) {
            Serving const serving = steps.prototype_;
            auto spending = steps.spending_of(serving.written(as_double(count)));
            double const bytes = as_double(count) * serving.kv_bytes() * serving.attending,
                         pins = peak_rate(steps.system_.standard) * as_double(steps.system_.design.channels);
            spending.seconds.lower = std::min(spending.seconds.lower, bytes / pins);
            return spending;
        };
        return written_.get(tokens, compute, *this);
    }
    /// Softmax of the contexts `first` to `last` of one sequence.
    [[nodiscard]] Spending softmax(std::int64_t first, std::int64_t last) const {
        return spending_of(prototype_.vector_work(0.0, prototype_.scores(first, last)));
    }
    [[nodiscard]] Prompts attention_of(SharedChunk const& chunk) const {
        Serving serving = prototype_;
        serving.prompt = as_double(chunk.tokens);
        serving.before = as_double(chunk.cached);
        serving.cost.units[Choice::prefill] = chunk.on_npu == chunk.tokens ? PhaseUnit::npu
                                              : chunk.on_npu == 0          ? PhaseUnit::pim
                                                                           : PhaseUnit::both;
        serving.cost.units[Choice::prompt_attention] = chunk.attends_in_banks ? PhaseUnit::pim : PhaseUnit::npu;
        Prefill prefill(serving, as_double(chunk.on_npu));
        prefill.attention();
        Prompts prompts{.turns = prefill.turns()};
        for (auto const part : {Part::attention, Part::rest_attention})
            prompts.attention += spending_of(serving.cost.first[part]);
        return prompts;
    }
    [[nodiscard]] SequenceAttention attention_of(Serving const& prepared, std::int64_t context) const {
        SequenceAttention attention;
        auto const on = [&](PhaseUnit unit) {
            Serving serving = prepared;
            serving.cost.units[Choice::attention] = unit;
            return spending_of(Decode(serving).attention({context, 1}));
        };
        if (attends_on_npu_) attention.npu = on(PhaseUnit::npu);
        if (attends_in_banks_) attention.banks = on(PhaseUnit::pim);
        attention.softmax = softmax(context, context);
        return attention;
    }
    /// At fidelity cycle, one pass over the longest read of a block of contexts yields the reads of all.
    void attend_to(std::int64_t context) const {
        constexpr std::int64_t block = 256;
        bool const simulates_reads = prototype_.fidelity == Fidelity::cycle && attends_on_npu_;
        std::int64_t const first = simulates_reads ? (context - 1) / block * block + 1 : context,
                           count = simulates_reads ? block : 1;
        Serving serving = prototype_;
        if (simulates_reads) {
            for (auto const& span : system_.spans)
                for (auto const& keys : span.attended({first, count}))
                    serving.costs.presimulate_reads(keys.contexts, serving.kv_bytes());
        }
        std::vector<std::unique_ptr<SequenceAttention const>> found;
        for (std::int64_t i = 0; i < count; ++i)
            found.push_back(std::make_unique<SequenceAttention const>(attention_of(serving, first + i)));
        std::unique_lock const writing(guard_);
        auto const at = static_cast<std::size_t>(first);
        if (sequences_.size() < at + found.size()) sequences_.resize(at + found.size());
        for (std::size_t i = 0; i < found.size(); ++i)
            if (sequences_[at + i] == nullptr) sequences_[at + i] = std::move(found[i]);
    }
    /// Sum over decoding sequences.
    [[nodiscard]] SequenceAttention sequence_attention(std::vector<std::int64_t> const& contexts) const {
        for (;;) {
            SequenceAttention sum;
            std::int64_t missing = 0;
            {
                std::shared_lock const reading(guard_);
                for (auto const context : contexts) {
                    auto const at = static_cast<std::size_t>(context);
                    if (at >= sequences_.size() || sequences_[at] == nullptr) {
                        missing = context;
                        break;
                    }
                    sum += *sequences_[at];
                }
            }
            if (missing == 0) return sum;
            attend_to(missing);
        }
    }
    /// What the schedule of `concurrency = scheduled` hides in the decode of these sequences, if the banks multiply.
    /// Every set of sequences has its share of the work of all.
    [[nodiscard]] Bounded hidden(std::vector<std::int64_t> const& contexts, bool attends_in_banks) const {
        auto const overlap_of = [](SequenceSet const& set, PassByParts const& steps) {
            Serving serving = steps.prototype_;
            serving.batch = as_double(set.sequences);
            serving.cost.units[Choice::decode] = PhaseUnit::pim;
            serving.cost.units[Choice::attention] = set.attends_in_banks ? PhaseUnit::pim : PhaseUnit::npu;
            DecodeSchedule schedule(serving);
            for (auto const& m : steps.system_.matrices)
                schedule.product(m, serving.costs.gemv(m, serving.batch, m.active).seconds);
            return schedule.of_step(1.0);
        };
        auto const& step =
            overlaps_.get({static_cast<std::int64_t>(contexts.size()), attends_in_banks}, overlap_of, *this);
        Bounded saved;
        if (step.sets.empty()) return saved;
        for (auto const& span : system_.spans) {
            double work = 0.0;
            for (auto const context : contexts) {
                auto const keys = span.keys(context);
                if (as_double(keys) <= step.longest)
                    work += npu_work(prototype_, !attends_in_banks, {keys, 1}, span.layers()).seconds();
            }
            saved += step.saved_in(span.layers() / prototype_.layers, work, work, work);
        }
        return saved;
    }

    [[nodiscard]] std::vector<Option> options_of(StepWork const& work) const {
        Asked asked;
        asked.sequences = static_cast<std::int64_t>(work.contexts.size());
        asked.token_heads = std::min(work.heads, asked.sequences);
        asked.prompt_heads = work.heads - asked.token_heads;
        auto common = token_states_.times(as_double(asked.sequences));
        for (auto const& chunk : work.chunks) {
            asked.tokens += chunk.tokens;
            common += softmax(chunk.cached + 1, chunk.cached + chunk.tokens);
            if (prototype_.stateful > 0.0) common += spending_of(prototype_.states(as_double(chunk.tokens), false));
        }
        common += spending_of(prototype_.vector_work(as_double(asked.tokens + asked.sequences), 0.0));
        common += asked.written = written(asked.tokens);
        common += asked.written_tokens = written_token_.times(as_double(asked.sequences));
        auto const units_of = [&](Choice choice, std::int64_t positions) {
            return positions > 0 ? open_units(system_, choice) : std::vector{PhaseUnit::npu};
        };
        auto const heads = units_of(Choice::head, asked.prompt_heads),
                   decoding = units_of(Choice::decode, asked.sequences),
                   attending = units_of(Choice::attention, asked.sequences);
        auto const all_prompts = prompts_of(work);
        std::vector<Option> options;
        options.reserve(all_prompts.size() * heads.size() * decoding.size() * attending.size());
        for (auto const& prompts : all_prompts)
            for (auto const head : heads)
                for (auto const decode : decoding) {
                    Units units;
                    units[Choice::head] = head;
                    units[Choice::decode] = decode;
                    auto any_attention = option(asked, prompts, units);
                    any_attention.all += common;
                    for (auto const unit : attending) {
                        auto& added = options.emplace_back(any_attention);
                        added.units[Choice::attention] = unit;
                        if (prototype_.takes_turns())
                            added.all.seconds += prototype_.switching(turns(asked, prompts, added.units));
                    }
                }
        return options;
    }
    [[nodiscard]] std::vector<Prompts> prompts_of(StepWork const& work) const {
        if (work.chunks.empty()) return {Prompts{}};
        auto const edge = sim::whole_part(prototype_.machine.npu.cube_edge);
        bool const has_rest =
            std::ranges::any_of(work.chunks, [&](auto const& chunk) { return chunk.tokens % edge != 0; });
        std::vector<Prompts> all;
        for (auto const& units : prompt_units(system_, has_rest, true)) {
            auto prompts = shared(work, units);
            bool const is_shared = prompts.on_npu > 0 && prompts.in_banks > 0;
            if (is_shared || units.multiplies != PhaseUnit::both) all.push_back(std::move(prompts));
        }
        return all;
    }
    /// Where the NPU takes whole blocks of rows, every part of a prompt leaves as many positions to the banks.
    [[nodiscard]] Prompts shared(StepWork const& work, PromptSharing units) const {
        std::int64_t tokens = 0;
        for (auto const& chunk : work.chunks) tokens += chunk.tokens;
        auto const edge = sim::whole_part(prototype_.machine.npu.cube_edge);
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
            auto const& attention = chunks_.get(
                {chunk.tokens, chunk.cached, on_npu, attends_in_banks && (in_banks > 0 || has_rest)},
                [](SharedChunk const& of, PassByParts const& steps) { return steps.attention_of(of); }, *this);
            prompts.on_npu += on_npu;
            prompts.in_banks += in_banks;
            prompts.attention += attention.attention;
            if (!has_rest) prompts.turns += attention.turns;
            waits = waits || has_rest;
        }
        // for what is behind whole blocks, the NPU waits once per layer for all prompts
        if (waits) prompts.turns += prototype_.attending;
        return prompts;
    }
    /// Without mode switches, which depend on the unit of attention.
    /// If NPU and banks do not take turns, the products of decode in the banks hide the traffic of decode, as in a
    /// request. With second row buffers, they also hide the layers of prompts that are all on the NPU; with channels of
    /// their own for keys and values, the weights of prompts are in the channels of these products.
    [[nodiscard]] Option option(Asked const& asked, Prompts const& prompts, Units const& units) const {
        bool const decodes_in_banks = units.in_banks(Choice::decode);
        auto const rows = prompts.on_npu + (decodes_in_banks ? 0 : asked.sequences),
                   vectors = decodes_in_banks ? asked.sequences : 0;
        auto const prompt_heads = units.in_banks(Choice::head) ? asked.prompt_heads : 0,
                   token_heads = decodes_in_banks ? asked.token_heads : 0;
        auto const heads_on_npu = asked.prompt_heads + asked.token_heads - prompt_heads - token_heads;
        Option option{.units = units, .all = products({rows, false, false})};
        option.all += in_banks(false, prompts.in_banks, vectors);
        option.all += products({heads_on_npu, true, false});
        option.all += in_banks(true, prompt_heads, token_heads);
        // if nothing else has moved the weights, they are in the layout of the banks
        if (heads_on_npu > 0 && rows == 0) option.all += moved_head_;
        option.all += prompts.attention;
        option.all.seconds +=
            prototype_.launches((rows > 0 ? 1.0 : 0.0) + (prompts.in_banks + vectors > 0 ? 1.0 : 0.0));
        option.hides = !prototype_.takes_turns() && vectors > 0;
        if (!option.hides) return option;
        option.banks = products({vectors, false, true});
        option.banks += products({asked.token_heads, true, true});
        option.traffic = asked.written_tokens;
        if (system_.design.concurrency == Concurrency::dual_row_buffer && prompts.turns == 0.0)
            for (auto const& beside : {products({prompts.on_npu, false, false}), prompts.attention, asked.written})
                option.traffic += beside;
        return option;
    }
    [[nodiscard]] double turns(Asked const& asked, Prompts const& prompts, Units const& units) const {
        double sum = prompts.turns;
        if (units.in_banks(Choice::head)) sum += as_double(asked.prompt_heads);
        if (asked.sequences > 0) sum += prototype_.decode_turns(units, as_double(asked.sequences));
        return sum;
    }
    /// The banks multiply vectors of prompts and of sequences together, or those of prompts first, whichever is
    /// shorter.
    [[nodiscard]] Spending in_banks(bool head, std::int64_t prompts, std::int64_t sequences) const {
        auto together = products({prompts + sequences, head, true});
        if (prompts == 0 || sequences == 0) return together;
        auto apart = products({prompts, head, true});
        apart += products({sequences, head, true});
        auto const both = smaller(together.seconds, apart.seconds);
        auto& less = apart.seconds.value < together.seconds.value ? apart : together;
        less.seconds = both;
        return less;
    }
    [[nodiscard]] Attention attention_of(std::vector<std::int64_t> const& contexts) const {
        if (contexts.empty()) return {};
        Attention attention{sequence_attention(contexts), {}};
        if (system_.design.concurrency == Concurrency::scheduled)
            for (auto const unit : open_units(system_, Choice::attention)) {
                bool const in_banks = unit == PhaseUnit::pim;
                attention.hidden.at(in_banks ? 1 : 0) = hidden(contexts, in_banks);
            }
        return attention;
    }
    /// Takes times from the estimate, the lower and the upper end.
    static void hide(double value, double lower, double upper, Spending& of) {
        auto& seconds = of.seconds;
        seconds = {seconds.value - value, seconds.lower - lower, seconds.upper - upper, seconds.kinds};
    }
    [[nodiscard]] Spending total(Option const& option, Attention const& attention) const {
        bool const attends_in_banks = option.units.in_banks(Choice::attention);
        auto const& attended = attends_in_banks ? attention.sum.banks : attention.sum.npu;
        Spending all = option.all;
        all += attention.sum.softmax;
        all += attended;
        if (option.hides) {
            auto const &banks = option.banks, &traffic = option.traffic;
            auto const hidden = attends_in_banks ? smaller(traffic.seconds, banks.seconds + attended.seconds)
                                                 : smaller(traffic.seconds + attended.seconds, banks.seconds);
            hide(hidden.value, hidden.lower, hidden.upper, all);
        } else if (option.units.in_banks(Choice::decode)) {
            auto const& hidden = attention.hidden.at(attends_in_banks ? 1 : 0);
            hide(hidden.value, hidden.upper, hidden.lower, all);
        }
        return all;
    }
    /// At cycle level another option may be the fastest, and draw more or less.
    [[nodiscard]] Spending fastest(std::vector<Option> const& options,
                                   std::vector<std::int64_t> const& contexts) const {
        auto const attention = attention_of(contexts);
        std::vector<Spending> all;
        for (auto const& option : options) all.push_back(total(option, attention));
        auto best = *std::ranges::min_element(all, {}, [](Spending const& one) { return one.seconds.value; });
        if (prototype_.fidelity == Fidelity::cycle) return best;
        for (auto const& one : all) best.seconds.upper = std::min(best.seconds.upper, one.seconds.upper);
        for (auto const& one : all) {
            if (one.seconds.lower > best.seconds.upper) continue;
            best.seconds.lower = std::min(best.seconds.lower, one.seconds.lower);
            best.include(one);
        }
        return best;
    }

    System system_;
    Serving prototype_;  ///< of one request; copied for each computation that reads or writes memory
    EnergyLaw energy_;
    bool attends_on_npu_, attends_in_banks_;  ///< whether a sequence may
    Spending moved_head_;                     ///< the weights of the LM head, to the layout of the NPU
    Spending written_token_, token_states_;   ///< of one decoding sequence
    sim::Memo<Multiplied, Spending> products_;
    sim::Memo<std::int64_t, Spending> written_;
    sim::Memo<SharedChunk, Prompts> chunks_;
    sim::Memo<SequenceSet, StepOverlap> overlaps_;
    sim::Memo<std::pair<std::int64_t, std::int64_t>, std::vector<Option>> of_tokens_;  ///< by sequences and heads
    mutable std::shared_mutex guard_;
    mutable std::vector<std::unique_ptr<SequenceAttention const>> sequences_;  ///< by context
};

}  // namespace

std::shared_ptr<PassLaw const> pass_law(Prepared const& prepared, System const& of, Fidelity fidelity) {
    return std::make_shared<PassByParts const>(prepared, of, fidelity);
}

}  // namespace pimdse::models::umdam
