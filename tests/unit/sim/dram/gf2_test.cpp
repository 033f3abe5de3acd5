#include "sim/dram/gf2.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <random>
#include <set>

/// Compared with sets: a span is the set of all sums of its rows, a kernel the set of all words that each row maps to
/// 0.
namespace pimdse::sim::dram::gf2::gf2_test {
namespace {

using Words = std::vector<Word>;

std::set<Word> span_of(Words const& rows) {
    std::set<Word> reached{0};
    for (auto const row : rows) {
        for (auto const word : Words(reached.begin(), reached.end())) reached.insert(word ^ row);
    }
    return reached;
}

int ones_in(Word word) { return std::popcount(word) & 1; }

/// Up to `max` rows of the lowest `bits` bits, shifted by `at`; some are zero, some occur twice.
Words some_rows(std::mt19937_64& random, std::size_t max, int bits, int at = 0) {
    Words rows(random() % (max + 1));
    for (auto& row : rows) row = (random() % (Word{1} << bits)) << at;
    if (rows.size() > 2) rows[random() % rows.size()] = rows[random() % rows.size()];
    if (rows.size() > 1 && random() % 4 == 0) rows.back() = 0;
    return rows;
}

TEST(Gf2, parity_is_the_last_bit_of_a_count) {
    std::mt19937_64 random(1);
    for (auto const word : {Word{0}, Word{1}, Word{3}, Word{1} << 63, Word{1} << 32, ~Word{0}, ~Word{0} - 1})
        EXPECT_EQ(parity(word), static_cast<Word>(ones_in(word))) << word;
    for (int i = 0; i < 1000; ++i) {
        auto const word = random();
        EXPECT_EQ(parity(word), static_cast<Word>(ones_in(word)));
    }
}

TEST(Gf2, a_basis_spans_what_its_rows_span_and_no_row_of_it_is_spare) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 400; ++i) {
        auto const rows = some_rows(random, 9, 8, i % 2 == 0 ? 0 : 56);
        auto const basis = row_echelon(rows);
        auto const reached = span_of(rows);
        ASSERT_EQ(span_of(basis), reached);
        EXPECT_EQ(reached.size(), std::size_t{1} << basis.size());
        EXPECT_EQ(rank(rows), basis.size());
    }
}

TEST(Gf2, a_basis_is_reduced_and_in_order) {
    std::mt19937_64 random(3);
    for (int i = 0; i < 400; ++i) {
        auto const basis = row_echelon(some_rows(random, 40, 48, 16));
        EXPECT_TRUE(std::is_sorted(basis.begin(), basis.end(), std::greater<>()));
        for (auto const row : basis) {
            ASSERT_NE(row, 0U);
            auto const with_its_lead = [&](Word other) { return (other & std::bit_floor(row)) != 0; };
            EXPECT_EQ(std::count_if(basis.begin(), basis.end(), with_its_lead), 1);
        }
    }
}

TEST(Gf2, equal_spans_have_one_basis_whatever_generates_them) {
    std::mt19937_64 random(4);
    for (int i = 0; i < 300; ++i) {
        auto rows = some_rows(random, 30, 48);
        auto const basis = row_echelon(rows);
        for (std::size_t k = 0; k + 1 < rows.size(); ++k) rows[k] ^= rows[k + 1];
        std::shuffle(rows.begin(), rows.end(), random);
        rows.push_back(std::accumulate(rows.begin(), rows.end(), Word{0}, std::bit_xor<>()));
        EXPECT_EQ(row_echelon(rows), basis);
    }
}

TEST(Gf2, a_kernel_vector_lies_within_its_columns_and_is_missing_only_where_there_is_none) {
    std::mt19937_64 random(5);
    int found = 0;
    for (int i = 0; i < 2000; ++i) {
        auto const rows = some_rows(random, 8, 7);
        Word const columns = random() % 128;
        auto const solves = [&](Word v) {
            return v != 0 && (v & ~columns) == 0 &&
                   std::all_of(rows.begin(), rows.end(), [v](Word row) { return ones_in(row & v) == 0; });
        };
        bool exists = false;
        for (Word v = 1; v < 128; ++v) exists = exists || solves(v);
        auto const v = kernel_vector(rows, columns);
        ASSERT_EQ(v.has_value(), exists) << "columns " << columns;
        EXPECT_TRUE(!v || solves(*v)) << "columns " << columns;
        found += exists ? 1 : 0;
    }
    EXPECT_GT(found, 200);
    EXPECT_LT(found, 1800);
}

TEST(Gf2, inverse_images_are_taken_to_unit_vectors) {
    std::mt19937_64 random(6);
    for (int i = 0; i < 200; ++i) {
        Word const columns = random() & random() & 0xFFFF'FFFF'FFFFULL;
        auto const size = static_cast<std::size_t>(std::popcount(columns));
        Words rows;
        while (rows.size() < size) {
            rows.push_back(random() & columns);
            if (rank(rows) < rows.size()) rows.pop_back();
        }
        auto const images = inverse_images(rows, columns);
        ASSERT_EQ(images.size(), size);
        for (std::size_t image = 0; image < size; ++image) {
            EXPECT_EQ(images[image] & ~columns, 0U);
            for (std::size_t row = 0; row < size; ++row)
                EXPECT_EQ(ones_in(rows[row] & images[image]), row == image ? 1 : 0);
        }
    }
}

TEST(Gf2, sums_write_a_vector_by_those_that_were_added) {
    std::mt19937_64 random(7);
    for (int i = 0; i < 400; ++i) {
        int const lowest = i % 3;
        auto const rows = some_rows(random, 9, 8);
        Sums sums(lowest);
        Words upper;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            auto const before = rank(upper);
            upper.push_back(rows[row] >> lowest);
            bool const fresh = rank(upper) > before;
            auto const left = sums.add({rows[row], Word{1} << row});
            EXPECT_EQ(left.vector >> lowest != 0, fresh);
        }
        auto const sum_of = [&](Word those) {
            Word sum = 0;
            for (std::size_t row = 0; row < rows.size(); ++row) sum ^= (those >> row & 1) != 0 ? rows[row] : 0;
            return sum;
        };
        auto const span = span_of(upper);
        for (Word word = 0; word < 256; ++word) {
            auto const left = sums.reduced({word, 0});
            EXPECT_EQ(left.vector, word ^ sum_of(left.word));
            EXPECT_EQ(left.vector >> lowest == 0, span.contains(word >> lowest));
        }
    }
}

TEST(Gf2, nothing_has_rank_0_and_maps_every_column_to_0) {
    EXPECT_TRUE(row_echelon({}).empty());
    EXPECT_EQ(rank(Words{0, 0}), 0U);
    EXPECT_EQ(kernel_vector({}, 0), std::nullopt);
    EXPECT_EQ(kernel_vector({}, Word{1} << 63), Word{1} << 63);
    EXPECT_TRUE(inverse_images({}, 0).empty());
}

}  // namespace
}  // namespace pimdse::sim::dram::gf2::gf2_test
