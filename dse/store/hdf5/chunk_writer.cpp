#include "dse/store/hdf5/chunk_writer.hpp"

#include "dse/store/hdf5/chunk_filter.hpp"
#include "sim/base/check.hpp"

#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <utility>

namespace pimdse::dse::store::hdf5 {
namespace {

constexpr std::size_t rows_at_once = hdf5::Column::most_chunk_rows;

/// All chunks of one column within the rows of a step.
using Chunks = std::vector<FilteredChunk>;

struct Step {
    std::uint64_t first = 0;
    std::vector<Chunks> columns;
};

Chunks chunks_of(RawRows const& raw, std::size_t rows, std::size_t chunk_rows) {
    Chunks chunks;
    std::size_t const bytes = chunk_rows * raw.element_bytes();
    for (std::size_t row = 0; row < rows; row += chunk_rows)
        chunks.push_back(filter_chunk(raw.bytes().subspan(row * raw.element_bytes(), bytes), raw.element_bytes()));
    return chunks;
}

}  // namespace

void ChunkWriter::write(std::span<hdf5::Column> columns, Fill const& fill) const {
    if (columns.empty() || columns.front().rows() == 0) return;
    std::uint64_t const rows = columns.front().rows();
    std::vector<std::size_t> chunk_rows, element_bytes;
    for (auto const& column : columns) {
        chunk_rows.push_back(column.chunk_rows());
        element_bytes.push_back(column.element_bytes());
    }
    auto const make = [&](std::uint64_t first) {
        auto const count = static_cast<std::size_t>(std::min<std::uint64_t>(rows_at_once, rows - first));
        std::vector<RawRows> raw;
        // The last chunk is a whole one, too: what is not there is zero.
        for (std::size_t c = 0; c < columns.size(); ++c)
            raw.emplace_back((count + chunk_rows[c] - 1) / chunk_rows[c] * chunk_rows[c], element_bytes[c]);
        fill(first, count, raw);
        Step step{first, {}};
        for (std::size_t c = 0; c < columns.size(); ++c)
            step.columns.push_back(chunks_of(raw[c], count, chunk_rows[c]));
        return step;
    };
    auto const put = [&](Step const& step) {
        for (std::size_t c = 0; c < columns.size(); ++c) {
            std::uint64_t row = step.first;
            for (auto const& chunk : step.columns[c]) {
                columns[c].write_chunk(row, chunk.bytes, chunk.skipped);
                row += chunk_rows[c];
            }
        }
    };
    std::uint64_t next = 0;
    auto const steps = [&](tbb::flow_control& control) {
        if (next >= rows) control.stop();
        return std::exchange(next, next + rows_at_once);
    };
    int const cores = tbb::info::default_concurrency();  // TBB complains in print where more are asked for
    tbb::task_arena arena(threads_ > 0 ? std::min(threads_, cores) : cores);
    auto const tokens = static_cast<std::size_t>(2 * arena.max_concurrency());
    arena.execute([&] {
        tbb::parallel_pipeline(tokens, tbb::make_filter<void, std::uint64_t>(tbb::filter_mode::serial_in_order, steps) &
                                           tbb::make_filter<std::uint64_t, Step>(tbb::filter_mode::parallel, make) &
                                           tbb::make_filter<Step, void>(tbb::filter_mode::serial_in_order, put));
    });
}

}  // namespace pimdse::dse::store::hdf5
