#include "dse/store/hdf5_column.hpp"

#include "dse/base/durable_file.hpp"
#include "dse/store/hdf5_column.hpp"
#include "dse/store/hdf5_file.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/random.hpp"
#include "tests/unit/dse/store/sample.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::store::hdf5::chunk_writer_test {
namespace {

/// Noise, then steps, then one value from end to end.
double number_at(std::uint64_t row) {
    if (row < 6000) return sim::mixed_fraction(row);
    return row < 14000 ? static_cast<double>(row / 7) : 0.25;
}
std::string text_at(std::uint64_t row) { return std::string(row % 11, 'a') + std::to_string(row % 100); }

void build(std::filesystem::path const& path, std::uint64_t rows, int threads) {
    auto file = store::hdf5::File::build(path);
    {
        auto root = file.root();
        std::vector<store::hdf5::Column> columns;
        columns.push_back(root.create_column<double>("numbers", rows));
        columns.push_back(root.create_text_column("texts", rows, 13));
        columns.push_back(root.create_column<std::uint8_t>("bytes", rows));
        columns.push_back(root.create_text_column("long_texts", rows, 3000));
        ChunkWriter(threads).write(columns, [](std::uint64_t first, std::size_t count, std::span<RawRows> into) {
            for (std::size_t i = 0; i < count; ++i) {
                into[0].put(i, number_at(first + i));
                into[1].put_text(i, text_at(first + i));
                into[2].put(i, static_cast<std::uint8_t>(first + i));
                into[3].put_text(i, text_at(first + i));
            }
        });
    }
    base::replace_file(path, file.image());
}

TEST(ChunkWriter, writes_what_HDF5_reads) {
    sample::TemporaryDirectory const directory;
    for (std::uint64_t const rows : {0U, 1U, 1023U, 4096U, 4097U, 20001U}) {
        build(directory / "chunks.h5", rows, 2);
        auto const root = store::hdf5::File::open(directory / "chunks.h5").root();
        auto const numbers = root.open_column("numbers").read<double>();
        auto const texts = root.open_column("texts").read_texts();
        auto const bytes = root.open_column("bytes").read<std::uint8_t>();
        auto const long_texts = root.open_column("long_texts").read_texts();
        ASSERT_EQ(numbers.size(), rows);
        for (std::uint64_t row = 0; row < rows; ++row) {
            ASSERT_EQ(numbers[row], number_at(row)) << "row " << row << " of " << rows;
            ASSERT_EQ(texts[row], text_at(row));
            ASSERT_EQ(bytes[row], static_cast<std::uint8_t>(row));
            ASSERT_EQ(long_texts[row], text_at(row));
        }
    }
}

TEST(ChunkWriter, writes_tables_of_which_any_elements_are_read) {
    sample::TemporaryDirectory const directory;
    auto const number = [](std::uint64_t row, std::size_t element) {
        return sim::mixed_fraction(7919 * row + element);
    };
    using Shapes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
    for (auto const& [rows, width] : Shapes{{0, 3}, {1, 1}, {4, 1000}, {3, 5000}, {100, 101}, {4096, 3}, {9001, 2}}) {
        auto file = store::hdf5::File::build(directory / "table.h5");
        {
            auto table = file.root().create_table<double>("table", rows, width);
            std::size_t const step = rows == 0 ? width : table.chunk().width;
            for (std::size_t at = 0; at < width; at += step) {
                auto const fill = [&, end = std::min<std::size_t>(width, at + step)](
                                      std::uint64_t first, std::size_t count, std::span<RawRows> into) {
                    for (std::size_t i = 0; i < count; ++i)
                        for (std::size_t e = at; e < end; ++e) into[0].put(i * step + e - at, number(first + i, e));
                };
                ChunkWriter(2).write({&table, 1}, fill, at);
            }
        }
        base::replace_file(directory / "table.h5", file.image());
        EXPECT_LT(std::filesystem::file_size(directory / "table.h5"), 11 * rows * width + 6000);
        auto const root = store::hdf5::File::open(directory / "table.h5").root();
        auto const table = root.open_table("table");
        ASSERT_EQ(std::pair(table.rows(), table.width()), std::pair(rows, width));
        EXPECT_THROW((void)root.open_column("table"), sim::StorageError);
        std::vector<std::size_t> which;
        for (std::size_t e = 0; e < width; ++e)
            if (e % 5 != 3) which.push_back(e);
        std::uint64_t const first = rows / 3;
        auto const read = table.read<double>(first, rows - first, which);
        ASSERT_EQ(read.size(), (rows - first) * which.size());
        for (std::size_t i = 0; i < read.size(); ++i)
            ASSERT_EQ(read[i], number(first + i / which.size(), which[i % which.size()]))
                << i << " of " << rows << " x " << width;
    }
}

TEST(ChunkWriter, writes_no_more_than_there_is) {
    sample::TemporaryDirectory const directory;
    build(directory / "chunks.h5", 1, 1);
    EXPECT_LT(std::filesystem::file_size(directory / "chunks.h5"), 20000U) << "memory is reserved by the megabyte";
}

TEST(ChunkWriter, writes_the_same_bytes_with_any_number_of_threads) {
    sample::TemporaryDirectory const directory;
    for (int threads = 1; threads <= 4; ++threads) build(directory / std::to_string(threads), 20001, threads);
    for (int threads = 2; threads <= 4; ++threads)
        EXPECT_EQ(sample::content(directory / std::to_string(threads)), sample::content(directory / "1"))
            << threads << " threads";
}

TEST(ChunkFilter, stores_what_does_not_shrink_as_it_is) {
    std::vector<std::byte> noise(4096);
    for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<std::byte>(sim::mixed_bits(i));
    auto const chunk = filter_chunk(noise, 1);
    EXPECT_EQ(chunk.skipped, 2U);
    EXPECT_EQ(chunk.bytes.size(), noise.size() + 4);
    EXPECT_LT(filter_chunk(std::vector<std::byte>(32768), 8).bytes.size(), 200U);
}

}  // namespace
}  // namespace pimdse::dse::store::hdf5::chunk_writer_test
