#include "models/umdam/step_parts.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>

namespace pimdse::models::umdam {
namespace {

bool may_attend(System const& system, PhaseUnit unit) {
    auto const units = open_units(system, Choice::attention);
    return std::ranges::find(units, unit) != units.end();
}

}  // namespace

Spending& Spending::operator+=(Spending const& other) {
    seconds += other.seconds;
    min_seconds += other.min_seconds;
    work += other.work;
    return *this;
}

Spending Spending::times(double n) const { return {seconds * n, min_seconds * n, work.times(n)}; }

SequenceAttention& SequenceAttention::operator+=(SequenceAttention const& other) {
    npu += other.npu;
    banks += other.banks;
    softmax += other.softmax;
    return *this;
}

StepParts::StepParts(Prepared const& prepared, System const& system, Fidelity fidelity)
    : prototype_(prepared, system, fidelity),
      energy_(system, prepared.machine),
      attends_on_npu_(may_attend(system, PhaseUnit::npu)),
      attends_in_banks_(may_attend(system, PhaseUnit::pim)) {
    written_token_ = spending_of(prototype_.written(1.0));
    token_states_ = spending_of(prototype_.token_states(1.0));
    for (auto const& m : system.matrices)
        if (m.head && system.design.moves_weights()) moved_head_ = spending_of(prototype_.moved(m));
}

Spending StepParts::spending_of(Cost const& cost) const {
    return {cost.seconds.value, cost.seconds.lower, energy_.work_of(cost.commands)};
}

Spending StepParts::spending_of(Multiplied const& m) const {
    if (m.positions == 0) return {};
    Serving serving = prototype_;
    double const positions = sim::as_double(m.positions);
    Cost cost;
    if (!m.head && !m.in_banks && system().design.moves_weights()) cost += serving.relayout();
    for (auto const& matrix : system().matrices) {
        if (matrix.head != m.head) continue;
        cost += m.in_banks ? serving.costs.gemv(matrix, positions, matrix.active) : serving.product(matrix, positions);
    }
    return spending_of(cost);
}

Spending const& StepParts::products(Multiplied const& multiplied) const {
    return products_.get(
        multiplied, [](Multiplied const& m, StepParts const& parts) { return parts.spending_of(m); }, *this);
}

Spending const& StepParts::written(std::int64_t tokens) const {
    return written_.get(
        tokens,
        [](std::int64_t count, StepParts const& parts) {
            Serving const serving = parts.prototype_;
            return parts.spending_of(serving.written(sim::as_double(count)));
        },
        *this);
}

Spending StepParts::norms(std::int64_t tokens) const {
    return spending_of(prototype_.vector_work(sim::as_double(tokens), 0.0));
}

Spending StepParts::softmax(sim::serving::PromptChunk const& chunk) const {
    return softmax(chunk.cached + 1, chunk.cached + chunk.tokens);
}

/// Of the contexts `first` to `last`.
Spending StepParts::softmax(std::int64_t first, std::int64_t last) const {
    return spending_of(prototype_.vector_work(0.0, prototype_.scores(first, last)));
}

Spending StepParts::states(sim::serving::PromptChunk const& chunk) const {
    Serving const serving = prototype_;
    return spending_of(serving.prompt_states(sim::as_double(chunk.tokens)));
}

ChunkAttention const& StepParts::chunk_attention(SharedChunk const& chunk) const {
    return chunks_.get(
        chunk, [](SharedChunk const& of, StepParts const& parts) { return parts.attention_of(of); }, *this);
}

ChunkAttention StepParts::attention_of(SharedChunk const& chunk) const {
    Serving serving = prototype_;
    serving.prompt = sim::as_double(chunk.tokens);
    serving.before = sim::as_double(chunk.cached);
    serving.cost.units[Choice::prefill] = chunk.on_npu == chunk.tokens ? PhaseUnit::npu
                                          : chunk.on_npu == 0          ? PhaseUnit::pim
                                                                       : PhaseUnit::both;
    serving.cost.units[Choice::prompt_attention] = chunk.attends_in_banks ? PhaseUnit::pim : PhaseUnit::npu;
    Prefill prefill(serving, sim::as_double(chunk.on_npu));
    prefill.attention();
    ChunkAttention attention;
    attention.turns = prefill.turns();
    auto const first = spending_of(serving.part(Part::prefill_attention)),
               rest = spending_of(serving.part(Part::prefill_rest_attention));
    (chunk.attends_in_banks && chunk.on_npu == 0 ? attention.banks : attention.npu) += first;
    (chunk.attends_in_banks ? attention.banks : attention.npu) += rest;
    return attention;
}

SequenceAttention StepParts::attention_of(Serving const& prepared, std::int64_t context) const {
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
void StepParts::attend_to(std::int64_t context) const {
    constexpr std::int64_t block = 256;
    bool const simulates_reads = prototype_.fidelity == Fidelity::cycle && attends_on_npu_;
    std::int64_t const first = simulates_reads ? (context - 1) / block * block + 1 : context,
                       count = simulates_reads ? block : 1;
    Serving serving = prototype_;
    if (simulates_reads) {
        for (auto const& span : system().spans)
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

Serving StepParts::decoding(std::int64_t sequences, bool attends_in_banks) const {
    Serving serving = prototype_;
    serving.batch = sim::as_double(sequences);
    serving.cost.units[Choice::decode] = PhaseUnit::pim;
    serving.cost.units[Choice::attention] = attends_in_banks ? PhaseUnit::pim : PhaseUnit::npu;
    return serving;
}

StepOverlap StepParts::overlap_of(SequenceSet const& set) const {
    auto serving = decoding(set.sequences, set.attends_in_banks);
    DecodeSchedule schedule(serving);
    for (auto const& m : system().matrices) schedule.product(m, serving.costs.gemv(m, serving.batch, m.active).seconds);
    return schedule.of_step(1.0);
}

/// Every set of sequences has its share of the work of all.
Spending StepParts::hidden(std::vector<std::int64_t> const& contexts, bool attends_in_banks) const {
    if (system().design.concurrency != Concurrency::scheduled) return {};
    SequenceSet const all{static_cast<std::int64_t>(contexts.size()), attends_in_banks};
    auto const& step = overlaps_.get(
        all, [](SequenceSet const& set, StepParts const& parts) { return parts.overlap_of(set); }, *this);
    if (step.sets.empty()) return {};
    auto serving = decoding(1, attends_in_banks);
    DecodeSchedule const schedule(serving);
    Spending saved;
    for (auto const& span : system().spans) {
        double const share = span.layers() / serving.layers;
        double work = 0.0;
        for (auto const context : contexts) {
            auto const keys = span.keys(context);
            if (sim::as_double(keys) <= step.longest) work += schedule.mean_work({keys, 1}, span.layers()).seconds();
        }
        saved.seconds += step.saved(step.values.value * share, work, step.turn.value * share);
        saved.min_seconds += step.saved(step.values.lower * share, work, step.turn.lower * share);
    }
    return saved;
}

SequenceAttention StepParts::sequence_attention(std::vector<std::int64_t> const& contexts) const {
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

}  // namespace pimdse::models::umdam
