#include "models/dplena/program/blocks.hpp"

#include <algorithm>

namespace pimdse::models::dplena {

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
    }
    work.side_by_side(program_.maximum_pass(vectors), rows);
    work.side_by_side(program_.sum_pass(vectors), rows);
    work.in_turn(program_.row_end(), rows);
    work.in_turn(program_.tail(), design_.preload);
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
    if (pass == 0) work.side_by_side(program_.maximum_pass(vectors));
    if (passes == 1) work.in_turn(program_.between_passes(row));
    if (pass == passes - 1) work.side_by_side(program_.sum_pass(vectors));
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
        // The last row of a sequence also carries its tail; the others do not.
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
