#include "sim/dram/gf2.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <bit>
#include <functional>

namespace pimdse::sim::dram::gf2 {
namespace {

/// Inserts `row` into a fully reduced basis; false if it was already in the span.
bool insert(std::vector<Word>& basis, Word row) {
    for (Word const b : basis) row = std::min(row, row ^ b);
    if (row == 0) return false;
    Word const lead = std::bit_floor(row);
    for (Word& b : basis) {
        if ((b & lead) != 0) b ^= row;
    }
    basis.insert(std::upper_bound(basis.begin(), basis.end(), row, std::greater<>()), row);
    return true;
}

}  // namespace

std::vector<Word> row_echelon(std::span<Word const> rows) {
    std::vector<Word> basis;
    for (Word const row : rows) insert(basis, row);
    return basis;
}

std::size_t rank(std::span<Word const> rows) { return row_echelon(rows).size(); }

std::optional<Word> kernel_vector(std::span<Word const> rows, Word columns) {
    std::vector<Word> within(rows.begin(), rows.end());
    for (Word& row : within) row &= columns;
    auto const basis = row_echelon(within);
    Word leads = 0;
    for (Word const b : basis) leads |= std::bit_floor(b);
    Word const free = columns & ~leads;
    if (free == 0) return std::nullopt;
    Word const chosen = free & (~free + 1);
    Word v = chosen;
    for (Word const b : basis) {
        if ((b & chosen) != 0) v |= std::bit_floor(b);
    }
    return v;
}

std::vector<Word> inverse_images(std::span<Word const> rows, Word columns) {
    // Gauss-Jordan on [rows | identity]: the row operations that turn row i into a single bit c give the outputs whose
    // sum is bit c.
    struct Augmented {
        Word left, right;
    };
    std::vector<Augmented> work;
    for (std::size_t i = 0; i < rows.size(); ++i) work.push_back({rows[i], Word{1} << i});
    std::size_t done = 0;
    for (Word rest = columns; rest != 0; rest &= rest - 1, ++done) {
        Word const bit = rest & (~rest + 1);
        auto const pivot = std::find_if(work.begin() + static_cast<std::ptrdiff_t>(done), work.end(),
                                        [&](auto const& w) { return (w.left & bit) != 0; });
        expects(pivot != work.end(), "the matrix is invertible");
        std::swap(work[done], *pivot);
        for (std::size_t i = 0; i < work.size(); ++i) {
            if (i != done && (work[i].left & bit) != 0)
                work[i] = {work[i].left ^ work[done].left, work[i].right ^ work[done].right};
        }
    }
    std::vector<Word> images(rows.size(), 0);
    for (auto const& w : work) {
        for (Word rest = w.right; rest != 0; rest &= rest - 1)
            images[static_cast<std::size_t>(std::countr_zero(rest))] |= w.left;
    }
    return images;
}

}  // namespace pimdse::sim::dram::gf2
