#include "sim/base/check.hpp"
#include "sim/dram/stream.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

/// Every kind of stream is compared with explicit loops over its addresses.
namespace pimdse::sim::dram::stream_kind_test {
namespace {

using Addresses = std::vector<std::uint64_t>;

Addresses addresses_of(Stream const& stream) {
    Addresses out;
    for (std::uint64_t i = 0; i < stream.size(); ++i) out.push_back(stream.at(i).address);
    return out;
}

/// The byte address of an element of the matrix: rows of 4096 bytes.
std::uint64_t in_matrix(std::uint64_t row, std::uint64_t byte) { return row * 4096 + byte; }

TEST(StreamKind, tile_walk_goes_down_the_tiles_of_a_stripe_and_then_to_the_next) {
    for (auto const [rows, width, transaction] :
         {std::array{16U, 128U, 32U}, {2048U, 64U, 64U}, {1U, 32U, 32U}, {512U, 4096U, 2048U}}) {
        for (bool const column_first : {true, false}) {
            Addresses slow;
            for (std::uint64_t stripe = 0; stripe < 4096 && slow.size() < 9000; stripe += width) {
                for (std::uint64_t top = 0; top < 2048; top += rows) {
                    std::uint64_t const across = width / transaction;
                    for (std::uint64_t i = 0; i < rows * across; ++i) {
                        auto const row = column_first ? i % rows : i / across;
                        auto const column = column_first ? i / rows : i % across;
                        slow.push_back(in_matrix(top + row, stripe + column * transaction));
                    }
                }
            }
            auto const stream =
                make_stream(TileWalk{rows, width, column_first, slow.size()}, static_cast<int>(transaction));
            EXPECT_EQ(addresses_of(stream), slow) << rows << " x " << width;
        }
    }
}

TEST(StreamKind, column_walk_goes_down_every_column_of_bursts) {
    Addresses slow;
    for (std::uint64_t byte = 0; byte < 4 * 64; byte += 64) {
        for (std::uint64_t row = 0; row < 2048; ++row) slow.push_back(in_matrix(row, byte));
    }
    EXPECT_EQ(addresses_of(make_stream(ColumnWalk{slow.size()}, 64)), slow);
}

TEST(StreamKind, stored_tile_walk_visits_every_burst_of_the_matrix_once) {
    // 16 x 32 tiles of 16 KiB: 8 MiB, which is 2048 x 4096 bytes.
    auto const addresses = addresses_of(make_stream(StoredTileWalk{(8 << 20) / 1024}, 1024));
    std::vector<bool> seen(addresses.size());
    for (auto const address : addresses) {
        ASSERT_EQ(address % 1024, 0U);
        ASSERT_LT(address, 8U << 20);
        EXPECT_FALSE(seen[address / 1024]);
        seen[address / 1024] = true;
    }
    for (std::uint64_t i = 0; i < addresses.size(); ++i) {
        auto const tile = i / 16, inside = i % 16;
        EXPECT_EQ(addresses[i], (tile % 32 * 16 + tile / 32) * 16384 + inside * 1024);
    }
}

TEST(StreamKind, copy_of_a_matrix_writes_every_burst_once_and_transposed) {
    for (auto const [rows, columns] : {std::array{4U, 8U}, {8U, 4U}, {1U, 32U}, {32U, 1U}}) {
        auto const stream = make_stream(CopyStream{rows * columns * 64U, 1 << 20, rows}, 64);
        ASSERT_EQ(stream.size(), 2U * rows * columns);
        for (std::uint64_t i = 0; i < rows * columns; ++i) {
            auto const row = i / columns, column = i % columns;
            EXPECT_EQ(stream.at(2 * i), (Transaction{i * 64, Access::read}));
            EXPECT_EQ(stream.at(2 * i + 1), (Transaction{(1U << 20) + (column * rows + row) * 64, Access::write}));
        }
    }
    auto const plain = make_stream(CopyStream{640, 1 << 20, 0}, 64);
    for (std::uint64_t i = 0; i < 10; ++i) {
        EXPECT_EQ(plain.at(2 * i), (Transaction{i * 64, Access::read}));
        EXPECT_EQ(plain.at(2 * i + 1), (Transaction{(1U << 20) + i * 64, Access::write}));
    }
}

TEST(StreamKind, engines_read_a_part_each_in_turn) {
    for (auto const [engines, bytes, transaction] :
         {std::array{4U, 65536U, 32U}, {3U, 1000U, 32U}, {1U, 64U, 64U}, {7U, 7U * 64 + 63, 64U}}) {
        Addresses slow;
        auto const each = bytes / engines / transaction;
        for (std::uint64_t step = 0; step < each; ++step) {
            for (std::uint64_t engine = 0; engine < engines; ++engine)
                slow.push_back(engine * each * transaction + step * transaction);
        }
        EXPECT_EQ(addresses_of(make_stream(EngineStreams{engines, bytes}, static_cast<int>(transaction))), slow);
    }
}

TEST(StreamKind, random_reads_lie_on_bursts_within_their_range_and_reach_all_of_it) {
    auto const stream = make_stream(RandomStream{2000, 32 * 64 + 63}, 64);
    std::vector<int> seen(32);
    for (auto const address : addresses_of(stream)) {
        ASSERT_EQ(address % 64, 0U);
        ASSERT_LT(address / 64, 32U);
        ++seen[address / 64];
    }
    for (int const times : seen) EXPECT_GT(times, 2000 / 32 / 3);
}

/// "made" or "refused": refusal_of and make_stream must agree, and nothing else may happen.
std::string fate_of(StreamKind const& kind, int transaction) {
    bool const refused = !refusal_of(kind, transaction).empty();
    try {
        auto const stream = make_stream(kind, transaction);
        if (stream.size() > 0) (void)stream.at(stream.size() - 1);
        EXPECT_FALSE(refused);
        return "made";
    } catch (InputError const& error) {
        EXPECT_EQ(error.what(), refusal_of(kind, transaction));
        return "refused";
    }
}

TEST(StreamKind, is_refused_wherever_it_cannot_be_made) {
    for (int const transaction : {1, 32, 64, 16384, 32768, 65536}) {
        for (std::uint64_t const number :
             {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{31}, std::uint64_t{32}, std::uint64_t{2048},
              std::uint64_t{2049}, std::uint64_t{65536}, std::uint64_t{1} << 50}) {
            for (StreamKind const& kind : std::initializer_list<StreamKind>{
                     SequentialStream{Access::write, number}, StridedStream{number, 3}, RandomStream{3, number},
                     CopyStream{4096, 0, number}, CopyStream{number, 0, 4}, ColumnWalk{number},
                     TileWalk{number, 65536, true, 3}, TileWalk{4, number, false, 3}, StoredTileWalk{number},
                     EngineStreams{number, 65536}, EngineStreams{2, number}}) {
                auto const fate = fate_of(kind, transaction);
                EXPECT_TRUE(fate == "made" || fate == "refused") << kind.index() << " of " << number;
            }
        }
    }
}

TEST(StreamKind, says_why_it_is_refused) {
    EXPECT_THAT(refusal_of(CopyStream{128, 0, 5}, 32), says("rows-more-transactions-copied"));
    EXPECT_EQ(refusal_of(CopyStream{128, 0, 4}, 32), "");
    EXPECT_THAT(refusal_of(TileWalk{2049, 64, true, 1}, 32), says("tile-rows-fit-matrix"));
    EXPECT_THAT(refusal_of(EngineStreams{4, 127}, 32), says("engines-less-one-transaction"));
    EXPECT_EQ(refusal_of(EngineStreams{4, 128}, 32), "");
    for (int const transaction : {0, -1, 65537, std::numeric_limits<int>::min()})
        EXPECT_THAT(refusal_of(ColumnWalk{1}, transaction), ::testing::HasSubstr("(1 to 65536 B)"));
}

}  // namespace
}  // namespace pimdse::sim::dram::stream_kind_test
