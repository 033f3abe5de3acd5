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

Sums::Term Sums::reduced(Term term) const {
    while ((term.vector >> lowest_) != 0) {
        auto const& known = by_lead_[static_cast<std::size_t>(std::bit_width(term.vector)) - 1];
        if (known.vector == 0) break;
        term = {term.vector ^ known.vector, term.word ^ known.word};
    }
    return term;
}

Sums::Term Sums::add(Term term) {
    term = reduced(term);
    if ((term.vector >> lowest_) != 0) by_lead_[static_cast<std::size_t>(std::bit_width(term.vector)) - 1] = term;
    return term;
}

Word column(std::span<Word const> rows, int bit) {
    Word all = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) all |= (rows[i] >> bit & 1) << i;
    return all;
}

std::optional<Word> kernel_vector(std::span<Word const> rows, Word columns) {
    // The lowest column that is a sum of columns above it, with these.
    std::optional<Word> found;
    Sums above;
    for (Word rest = columns; rest != 0; rest &= ~std::bit_floor(rest)) {
        auto const sum = above.add({column(rows, std::bit_width(rest) - 1), std::bit_floor(rest)});
        if (sum.vector == 0) found = sum.word;
    }
    return found;
}

std::vector<Word> inverse_images(std::span<Word const> rows, Word columns) {
    Sums sums;
    for (Word rest = columns; rest != 0; rest &= rest - 1)
        sums.add({column(rows, std::countr_zero(rest)), rest & (~rest + 1)});
    std::vector<Word> images;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        auto const sum = sums.reduced({Word{1} << i, 0});
        expects(sum.vector == 0, "the matrix is invertible");
        images.push_back(sum.word);
    }
    return images;
}

}  // namespace pimdse::sim::dram::gf2
