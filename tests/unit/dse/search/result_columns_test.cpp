#include "dse/search/result_columns.hpp"

#include "tests/unit/dse/store/sample.hpp"

#include <gtest/gtest.h>
#include <bit>
#include <cmath>
#include <random>

namespace pimdse::dse::search::result_columns_test {
namespace {

/// A row as it was appended.
struct Row {
    space::Result result;
    Status status = Status::ok;
    models::Metrics metrics;
    std::uint32_t failure = 0;
};

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// `inexact`: one estimate in so many has a range; 0: none.
Row random_row(std::mt19937_64& random, std::size_t metrics, std::uint64_t inexact) {
    Row row;
    row.result.task = {space::PointId{random()}, static_cast<models::Fidelity>(random() % 3)};
    row.result.seconds = static_cast<float>(random() % 1000) / 8.0F;
    row.result.rank = static_cast<int>(random() % 5) - 2;
    if (random() % 3 == 0) {
        row.status = static_cast<Status>(1 + random() % 5);
        row.failure = static_cast<std::uint32_t>(random());
        return row;
    }
    for (std::size_t m = 0; m < metrics; ++m) {
        double const value = static_cast<double>(random() % 50);
        auto const kinds = sim::all_bound_kinds[random() % sim::all_bound_kinds.size()];
        bool const wide = m != 0 && inexact != 0 && random() % inexact == 0;
        row.metrics.push_back(
            {value, value - (wide ? 1.0 : 0.0), value + (wide && random() % 2 == 0 ? 2.0 : 0.0), kinds});
    }
    return row;
}

void append(ResultColumns& columns, Row const& row) {
    columns.append(row.result, row.status, row.status == Status::ok ? &row.metrics : nullptr, row.failure);
}

void expect_row(ResultColumns const& columns, search::Row at, Row const& row) {
    ASSERT_EQ(columns.task(at), row.result.task);
    ASSERT_EQ(columns.status(at), row.status);
    ASSERT_EQ(columns.seconds(at), row.result.seconds);
    ASSERT_EQ(columns.rank(at), row.result.rank);
    ASSERT_TRUE(row.status == Status::ok || columns.failure(at) == row.failure);
    for (std::size_t m = 0; m < columns.metrics(); ++m) {
        auto const estimate = columns.estimate(at, m);
        if (row.status != Status::ok) {
            ASSERT_TRUE(std::isnan(columns.value(at, m)) && std::isnan(estimate.lower) && std::isnan(estimate.upper));
            continue;
        }
        auto const& put = row.metrics[m];
        ASSERT_TRUE(same(columns.value(at, m), put.value) && same(estimate.value, put.value));
        ASSERT_TRUE(same(estimate.lower, put.lower) && same(estimate.upper, put.upper))
            << "row " << at << ", metric " << m;
        ASSERT_EQ(estimate.kinds, put.kinds);
    }
}

TEST(ResultColumns, are_what_was_appended_across_the_edges_of_blocks) {
    for (std::uint64_t const inexact : {0ULL, 2ULL, 5000ULL}) {
        std::mt19937_64 random(inexact);
        ResultColumns columns(3);
        std::vector<Row> rows;
        std::array<bool, 3> exact{true, true, true};
        for (std::size_t count = 2 * ResultColumns::block_rows + 100; rows.size() < count;) {
            rows.push_back(random_row(random, 3, inexact));
            append(columns, rows.back());
            for (std::size_t m = 0; m < rows.back().metrics.size(); ++m) {
                auto const& put = rows.back().metrics[m];
                exact[m] = exact[m] && same(put.lower, put.value) && same(put.upper, put.value);
            }
        }
        ASSERT_EQ(columns.size(), rows.size());
        for (std::size_t m = 0; m < 3; ++m) EXPECT_EQ(columns.exact(m), exact[m]);
        for (std::size_t at = 0; at < rows.size(); ++at) expect_row(columns, static_cast<search::Row>(at), rows[at]);
    }
}

TEST(ResultColumns, copied_at_any_row_stay_what_they_were) {
    std::mt19937_64 random(3);
    ResultColumns columns(2);
    std::vector<Row> rows;
    std::vector<std::pair<ResultColumns, std::size_t>> copies;
    while (rows.size() < ResultColumns::block_rows + 20) {
        bool const near_edge =
            rows.size() + 3 > ResultColumns::block_rows && rows.size() < ResultColumns::block_rows + 3;
        if (near_edge || rows.size() % 1000 == 0) copies.emplace_back(columns, rows.size());
        rows.push_back(random_row(random, 2, 3));
        append(columns, rows.back());
    }
    for (auto& [copy, size] : copies) {
        ASSERT_EQ(copy.size(), size);
        for (std::size_t at = 0; at < size; at += 7) expect_row(copy, static_cast<search::Row>(at), rows[at]);
        append(copy, rows.back());
        expect_row(copy, static_cast<search::Row>(size), rows.back());
    }
    expect_row(columns, ResultColumns::block_rows, rows[ResultColumns::block_rows]);
}

}  // namespace
}  // namespace pimdse::dse::search::result_columns_test
