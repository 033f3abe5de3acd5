#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Linear algebra over GF(2): a vector is the bits of a word, a matrix its rows.
namespace pimdse::sim::dram::gf2 {

using Word = std::uint64_t;

[[nodiscard]] inline Word parity(Word word) { return static_cast<Word>(__builtin_parityll(word)); }

/// The reduced row echelon basis of the rows' span, highest leading bit first: equal spans give equal bases.
[[nodiscard]] std::vector<Word> row_echelon(std::span<Word const> rows);

/// Independent vectors, each with a word that stands for it: when vectors are added, so are their words. Of the vectors
/// only the bits from `lowest` on count.
class Sums {
  public:
    struct Term {
        Word vector = 0, word = 0;
    };
    explicit Sums(int lowest = 0) : lowest_(lowest) {}

    /// The term after adding those that clear its bits from the highest on, as far as there are any.
    [[nodiscard]] Term reduced(Term term) const;
    /// Keeps the reduced term if it is independent of the earlier ones.
    Term add(Term term);

  private:
    int lowest_;
    std::array<Term, 64> by_lead_{};
};

/// The column of a matrix at a bit.
[[nodiscard]] Word column(std::span<Word const> rows, int bit);

[[nodiscard]] std::size_t rank(std::span<Word const> rows);

/// A non-zero v with parity(row & v) = 0 for every row and no bit outside `columns`; nullopt if there is none.
[[nodiscard]] std::optional<Word> kernel_vector(std::span<Word const> rows, Word columns);

/// For a square invertible matrix that maps the bits of `columns` (x -> bit i = parity(rows[i] & x)): the word whose
/// image is each unit vector. Precondition: rows.size() == popcount(columns), invertible.
[[nodiscard]] std::vector<Word> inverse_images(std::span<Word const> rows, Word columns);

}  // namespace pimdse::sim::dram::gf2
