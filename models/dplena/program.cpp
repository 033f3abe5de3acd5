#include "models/dplena/program.hpp"

#include "models/dplena/issue.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::models::dplena {
namespace {

constexpr std::int64_t bumps_per_prefetch = 2, bumps_per_maximum = 2, bumps_per_sum = 1;

/// Scalar instructions that keep the index of a maximum: a selection and an addition; and those that exchange two
/// confidences and their positions: a maximum, a minimum and two selections.
constexpr std::int64_t scalars_per_index = 2, scalars_per_exchange = 4;

/// Cycles of the noise of a vector, and of the maximum of its logits beside that of the noisy ones.
std::int64_t noise_cost(InstructionCosts const& costs) { return costs.plain_max + costs.random + costs.add; }

}  // namespace

Counts& Counts::operator+=(Counts const& other) {
    vector += other.vector;
    scalar += other.scalar;
    control += other.control;
    copy += other.copy;
    stall += other.stall;
    return *this;
}

Program::Program(Design const& design, InstructionCosts const& costs)
    : design_(design), costs_(costs), bump_(design.loop_hardware == LoopHardware::on ? 0 : costs.scalar) {
    if (!design.is_pipelined()) return;
    for (auto* cycles :
         {&costs_.red_max, &costs_.plain_max, &costs_.sub, &costs_.exp, &costs_.red_sum, &costs_.multiply})
        *cycles = 1;
    stalls_ = stalls_of(*this);
}

std::int64_t Program::load(std::int64_t constant) const {
    return costs_.scalar * (constant <= costs_.immediate_limit ? 1 : 2);
}

std::int64_t Program::logits_base() const {
    return scratch_address() + (design_.has_scratch_vector() ? design_.vlen : 0);
}

std::int64_t Program::row_address(std::int64_t row) const {
    return logits_base() + row * design_.vlen * design_.vectors_per_row();
}

std::int64_t Program::mask_base() const {
    auto const elements = design_.batch * design_.block_length * design_.vocab;
    return design_.element == Element::bf16 ? 2 * elements : elements * 9 / 8;
}

std::int64_t Program::mask_prefetches() const { return design_.batch / design_.prefetch; }

std::int64_t Program::fetches_per_chunk() const {
    if (design_.mode == Mode::performance || design_.passes == Passes::one) return 1;
    return design_.softmax == SoftmaxForm::plain ? 3 : 2;
}

std::int64_t Program::preloads() const {
    if (design_.overlap == Overlap::fused_head) return 0;
    if (design_.mode == Mode::performance) return design_.steps * design_.batch / design_.preload;
    return design_.rows() * design_.chunks_per_row() * fetches_per_chunk();
}

std::int64_t Program::prefetches_per_preload() const {
    auto const elements =
        design_.mode == Mode::performance ? design_.preload * design_.block_length * design_.vocab : design_.v_chunk;
    return elements / (design_.vlen * design_.prefetch);
}

std::int64_t Program::distinct_prefetches() const {
    return logit_prefetches() / design_.steps * design_.steps_in_memory();
}

std::int64_t Program::preload_offset(std::int64_t preload) const {
    auto const rows = design_.rows_in_memory();
    if (design_.mode == Mode::performance) {
        auto const group = design_.preload * design_.block_length;
        return preload % (rows / group) * group * design_.vocab;
    }
    auto const chunks = design_.chunks_per_row();
    auto const row = preload / (chunks * fetches_per_chunk()) % rows;
    return row * design_.vocab + preload % chunks * design_.v_chunk;
}

Counts Program::prologue() const {
    auto const elements = design_.batch * design_.block_length * design_.vocab;
    auto const mask = design_.batch * design_.vlen;
    auto const bases = load(mask_base()) + load((elements + design_.batch * design_.block_length) * 9 / 8);
    auto const preload = load(mask) + load(0) + load(mask) + costs_.scalar;
    auto const pointers = load(logits_base()) + load(mask) + load(0) + load(2 * mask) + load(design_.block_length);
    Counts c{.scalar = bases + 2 * address_resets * costs_.scalar + preload + pointers, .control = 4 * costs_.control};
    if (design_.has_scratch_vector()) c.scalar += load(scratch_address());
    if (design_.is_noisy()) c.scalar += costs_.scalar;       // the seed
    if (design_.scales_logits()) c.scalar += costs_.scalar;  // the reciprocal of the temperature
    return c += prefetch_bumps(mask_prefetches());
}

Counts Program::preload_header(std::int64_t offset) const {
    return {.scalar = load(design_.logits()) + load(offset) + load(logits_base()) + costs_.scalar,
            .control = 2 * costs_.control};
}

Counts Program::prefetch_bumps(std::int64_t prefetches) const {
    return {.scalar = bumps_per_prefetch * bump_ * prefetches};
}

Counts Program::row_start(std::int64_t row) const {
    auto const pointer = design_.mode == Mode::performance ? load(row_address(row)) : 0;
    return {.scalar = pointer + 4 * costs_.scalar, .stall = stalls_.row_start};
}

Counts Program::maximum_pass(std::int64_t vectors) const {
    if (design_.softmax == SoftmaxForm::plain) return {.vector = vectors * costs_.plain_max, .scalar = vectors * bump_};
    auto const noise = (design_.is_noisy() ? noise_cost(costs_) : 0) + (design_.scales_logits() ? costs_.multiply : 0);
    if (design_.max_idx == Means::program) {
        Counts counts{.vector = vectors * (costs_.plain_max + noise), .scalar = vectors * bump_};
        if (design_.is_noisy()) counts += index_search(vectors) + Counts{.scalar = vectors * costs_.scalar};
        return counts;
    }
    return {.vector = vectors * (costs_.red_max + noise), .scalar = vectors * bumps_per_maximum * bump_};
}

Counts Program::after_maximum() const {
    if (!design_.is_noisy()) return {};
    constexpr std::int64_t address_and_load = 2;
    auto const selection = design_.mode == Mode::edge ? costs_.scalar + bump_ : 0;
    return {.scalar = address_and_load * costs_.scalar + selection};
}

std::int64_t Program::online_rescale() const {
    return design_.passes == Passes::one ? costs_.scalar_exp + costs_.scalar_multiply : 0;
}

Counts Program::between_passes(std::int64_t row) const {
    if (design_.mode == Mode::performance) return {.scalar = load(row_address(row)) + online_rescale()};
    return {.scalar = design_.passes == Passes::one ? load(logits_base()) + online_rescale() : 0};
}

Counts Program::sum_pass(std::int64_t vectors) const {
    Counts counts{.vector = vectors * (costs_.sub + exponential() + costs_.red_sum),
                  .scalar = vectors * bumps_per_sum * bump_};
    if (design_.scales_logits_again()) counts.vector += vectors * costs_.multiply;
    if (design_.searches_logits()) counts += index_search(vectors);
    return counts;
}

std::int64_t Program::exponential() const { return costs_.exp * sim::divide_up(design_.vlen, design_.exp_lanes); }

Counts Program::index_search(std::int64_t vectors) const {
    return {.vector = vectors * (costs_.compare + costs_.find_first),
            .scalar = vectors * (scalars_per_index * costs_.scalar + bump_)};
}

Counts Program::before_probabilities(std::int64_t row) const {
    auto const pointer = design_.mode == Mode::performance ? load(row_address(row)) : 0;
    return {.scalar = pointer + costs_.scalar, .stall = stalls_.before_probabilities};
}

Counts Program::probability_pass(std::int64_t vectors) const {
    auto const again = design_.mode == Mode::edge ? costs_.sub + exponential() : 0;
    Counts counts{.vector = vectors * (again + costs_.multiply), .scalar = vectors * bump_};
    if (design_.max_idx == Means::program) return counts += index_search(vectors);
    return counts += {.vector = vectors * costs_.red_max, .scalar = vectors * bump_};
}

Counts Program::chunk_end() const { return {.scalar = design_.mode == Mode::edge ? bump_ : 0}; }

Counts Program::row_end() const {
    auto const stores = store_cycles() * 2 * costs_.scalar;
    auto const chosen =
        design_.is_noisy() ? costs_.scalar + costs_.scalar_exp + costs_.scalar_multiply : std::int64_t{0};
    return {.scalar = stores + chosen + (design_.softmax == SoftmaxForm::plain ? 0 : costs_.scalar),
            .stall = stalls_.row_end};
}

std::int64_t Program::store_cycles() const { return design_.memories == Memories::unified ? 2 : 1; }

std::int64_t Program::topk_rounds() const { return sim::divide_up(design_.committed(), design_.topk_list()); }

std::int64_t Program::sort_exchanges() const {
    auto const length = design_.block_length;
    auto const stages = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(length - 1)));
    auto const network = (std::int64_t{1} << stages) * stages * (stages + 1) / 4;
    return std::min(length * design_.committed(), network);
}

Counts Program::map_cycles() const {
    if (design_.is_pipelined()) return {.scalar = costs_.scalar};
    return {.scalar = store_cycles() * design_.block_length, .copy = design_.block_length};
}

Counts Program::tail() const {
    auto const length = design_.block_length;
    auto const writes = store_cycles() * length;
    auto counts = map_cycles() + Counts{.vector = 2 * writes, .scalar = 6 * costs_.scalar, .stall = stalls_.tail};
    if (design_.topk == Means::instruction)
        counts.vector += topk_rounds() * length;
    else
        counts.scalar += (scalars_per_exchange * sort_exchanges() + 2 * length) * costs_.scalar;
    return counts;
}

/// Offsets increase with every row and with every chunk within it, as long as logits do not overwrite those of an
/// earlier step.
std::int64_t Program::near_preloads() const {
    auto const limit = costs_.immediate_limit;
    if (preloads() == 0) return 0;
    auto const repeats = design_.steps / design_.steps_in_memory();
    if (design_.mode == Mode::performance) {
        auto const near = limit / (design_.preload * design_.block_length * design_.vocab) + 1;
        return std::min(preloads() / repeats, near) * repeats;
    }
    auto const chunks = design_.chunks_per_row(), rows = design_.rows() / repeats;
    auto const near = [&](std::int64_t row) {
        auto const room = limit - row * design_.vocab;
        return room < 0 ? 0 : std::min(chunks, room / design_.v_chunk + 1);
    };
    // All chunks are near, except in the last one or two rows.
    auto const whole = std::min(rows, std::max<std::int64_t>(0, limit / design_.vocab - 1));
    auto small = whole * chunks;
    for (auto row = whole; row < rows && row * design_.vocab <= limit; ++row) small += near(row);
    return small * fetches_per_chunk() * repeats;
}

Counts Program::all_preloads() const {
    if (preloads() == 0) return {};
    auto const small = near_preloads();
    auto const far = costs_.immediate_limit + 1;
    return small * preload_header(0) + (preloads() - small) * preload_header(far) + prefetch_bumps(logit_prefetches());
}

std::int64_t Program::near_rows() const {
    auto const room = costs_.immediate_limit - logits_base();
    auto const rows = design_.preload * design_.block_length;
    return room < 0 ? 0 : std::min(rows, room / (design_.vlen * design_.vectors_per_row()) + 1);
}

Counts Program::all_rows() const {
    if (design_.mode == Mode::edge) {
        auto const chunks = design_.chunks_per_row();
        auto const ends = fetches_per_chunk() * chunks;
        auto const stalls = chunk_stalls(0) + chunk_stalls(1) + chunk_stalls(2);
        auto const probabilities =
            design_.softmax == SoftmaxForm::plain
                ? before_probabilities(0) + probability_pass(chunks * design_.vectors_per_chunk())
                : Counts{};
        return design_.rows() *
               (row_start(0) + maximum_pass(chunks * design_.vectors_per_chunk()) +
                chunks * (after_maximum() + between_passes(0) + stalls) +
                sum_pass(chunks * design_.vectors_per_chunk()) + ends * chunk_end() + row_end() + probabilities);
    }
    auto const rows = design_.preload * design_.block_length;
    auto const small = near_rows();
    auto const groups = design_.rows() / rows;
    auto const last = rows - 1;
    auto const vectors = design_.vectors_per_row();
    auto const pointers =
        small * (row_start(0) + between_passes(0)) + (rows - small) * (row_start(last) + between_passes(last));
    auto counts = groups * (pointers + group_stalls()) +
                  design_.rows() * (maximum_pass(vectors) + after_maximum() + sum_pass(vectors) + row_end());
    if (design_.softmax == SoftmaxForm::stable_max) return counts;
    counts += groups * (small * before_probabilities(0) + (rows - small) * before_probabilities(last));
    return counts += design_.rows() * probability_pass(vectors);
}

Counts Program::total() const {
    return prologue() + all_preloads() + all_rows() + design_.steps * design_.batch * tail();
}

void Blocks::Work::in_turn(Counts const& counts, std::int64_t times) {
    all += times * counts;
    dual += times * counts.sum();
}

void Blocks::Work::side_by_side(Counts const& counts, std::int64_t times) {
    all += times * counts;
    dual += times * std::max(counts.vector, counts.beside_vector());
}

Blocks::Blocks(Program const& program) : program_(program), design_(program.design()) {
    if (design_.mode == Mode::performance) {
        count_ = design_.steps * design_.batch / design_.preload;
        group_ = group_work();
    } else {
        count_ = design_.rows() * design_.chunks_per_row() * passes_per_row();
    }
}

std::int64_t Blocks::passes_per_row() const { return program_.fetches_per_chunk(); }

Blocks::Work Blocks::group_work() const {
    Work work;
    auto const vectors = design_.vectors_per_row();
    auto const rows = design_.preload * design_.block_length;
    auto const near = program_.near_rows();
    for (auto const& [row, times] : {std::pair{std::int64_t{0}, near}, std::pair{rows - 1, rows - near}}) {
        work.in_turn(program_.row_start(row), times);
        work.in_turn(program_.between_passes(row), times);
        if (design_.softmax == SoftmaxForm::plain) work.in_turn(program_.before_probabilities(row), times);
    }
    work.side_by_side(program_.maximum_pass(vectors), rows);
    work.side_by_side(program_.sum_pass(vectors), rows);
    if (design_.softmax == SoftmaxForm::plain) work.side_by_side(program_.probability_pass(vectors), rows);
    work.in_turn(program_.after_maximum(), rows);
    work.in_turn(program_.row_end(), rows);
    work.in_turn(program_.tail(), design_.preload);
    work.in_turn(program_.group_stalls());
    return work;
}

Blocks::Work Blocks::chunk_work(std::int64_t index) const {
    Work work;
    auto const chunks = design_.chunks_per_row();
    auto const passes = passes_per_row();
    auto const vectors = design_.vectors_per_chunk();
    auto const chunk = index % chunks;
    auto const pass = index / chunks % passes;
    auto const row = index / (chunks * passes);
    if (pass == 0 && chunk == 0) work.in_turn(program_.row_start(row));
    if (pass == 0) {
        work.side_by_side(program_.maximum_pass(vectors));
        work.in_turn(program_.after_maximum());
    }
    if (passes == 1) work.in_turn(program_.between_passes(row));
    if (pass == std::min<std::int64_t>(passes - 1, 1)) work.side_by_side(program_.sum_pass(vectors));
    if (pass == 2 && chunk == 0) work.in_turn(program_.before_probabilities(row));
    if (pass == 2) work.side_by_side(program_.probability_pass(vectors));
    work.in_turn(program_.chunk_stalls(pass));
    work.in_turn(program_.chunk_end());
    if (pass == passes - 1 && chunk == chunks - 1) {
        work.in_turn(program_.row_end());
        if ((row + 1) % design_.block_length == 0) work.in_turn(program_.tail());
    }
    return work;
}

std::int64_t Blocks::cycles(Work work, std::int64_t index) const {
    if (program_.preloads() > 0) {
        work.all += program_.preload_header(program_.preload_offset(index)) +
                    program_.prefetch_bumps(program_.prefetches_per_preload());
        // Vectors that arrive take the port of a unified memory, one cycle each.
        if (design_.overlap != Overlap::none && design_.memories == Memories::unified) {
            auto const vectors = program_.prefetches_per_preload() * design_.prefetch;
            work.all.copy += vectors;
            work.dual += vectors;
        }
    }
    if (design_.overlap == Overlap::none || design_.overlap == Overlap::prefetch) return work.all.sum();
    return std::max(work.dual, work.all.beside_vector());
}

std::int64_t Blocks::work(std::int64_t index) const {
    return cycles(design_.mode == Mode::performance ? group_ : chunk_work(index), index);
}

std::int64_t Blocks::repeats() const { return design_.mode == Mode::performance ? 1 : design_.steps * design_.batch; }

std::vector<Blocks::Phase> Blocks::phases() const {
    if (design_.mode == Mode::performance)
        return {{count_, static_cast<double>(count_) * static_cast<double>(work(count_ - 1))}};
    auto const chunks = design_.chunks_per_row();
    auto const passes = passes_per_row();
    auto const last_row = count_ - chunks * passes;
    std::vector<Phase> phases;
    for (std::int64_t pass = 0; pass < passes; ++pass) {
        auto const first = last_row + pass * chunks;
        // Only the last row of a sequence includes the tail.
        auto const middle = chunks > 2 ? static_cast<double>(work(first + 1)) * static_cast<double>(chunks - 2) : 0.0;
        auto const ends =
            static_cast<double>(work(first)) + (chunks > 1 ? static_cast<double>(work(first + chunks - 1)) : 0.0);
        auto const tails = pass == passes - 1 ? static_cast<double>(design_.block_length - 1) *
                                                    static_cast<double>(program_.tail().sum())
                                              : 0.0;
        phases.push_back(
            {chunks * design_.block_length, (middle + ends) * static_cast<double>(design_.block_length) - tails});
    }
    return phases;
}

}  // namespace pimdse::models::dplena
