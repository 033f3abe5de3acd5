#include "dse/store/hdf5_column.hpp"

#include "dse/store/hdf5_calls.hpp"
#include "sim/base/check.hpp"
#include "sim/base/digest.hpp"
#include "sim/base/wire.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <hdf5_hl.h>
#include <libdeflate.h>
#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>
#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>

namespace pimdse::dse::store::hdf5 {
namespace {

/// Deflate expands one byte to at most 1,032 bytes, so a file cannot hold more data than that.
constexpr std::uint64_t max_expansion = 1100;

/// The most bytes that compressed columns of the file can hold.
std::uint64_t readable_bytes(Origin const& file) {
    constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
    return fits(file.bytes, max_expansion, no_limit) ? file.bytes * max_expansion : no_limit;
}

constexpr std::uint32_t deflate_bit = 1U << 1;  // deflate is filter 1, after shuffle
constexpr int fastest_level = 1;

/// The shuffle filter: byte 0 of every element, then byte 1 of every element, and so on.
std::vector<std::byte> shuffled(std::span<std::byte const> raw, std::size_t width) {
    std::vector<std::byte> bytes(raw.size());
    auto const shuffle = [from = raw.data(), count = raw.size() / width, into = bytes.data()](auto const each) {
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t b = 0; b < each; ++b) into[b * count + i] = from[i * each + b];
    };
    // A constant width makes a fast loop.
    if (width == sizeof(std::uint8_t))
        shuffle(std::integral_constant<std::size_t, sizeof(std::uint8_t)>());
    else if (width == sizeof(std::uint32_t))
        shuffle(std::integral_constant<std::size_t, sizeof(std::uint32_t)>());
    else if (width == sizeof(std::uint64_t))
        shuffle(std::integral_constant<std::size_t, sizeof(std::uint64_t)>());
    else
        shuffle(width);
    return bytes;
}

struct FreeCompressor {
    void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
};

/// The bytes compressed by deflate; empty if they would not be smaller.
std::vector<std::byte> deflated(std::span<std::byte const> bytes) {
    thread_local std::unique_ptr<libdeflate_compressor, FreeCompressor> const compressor(
        libdeflate_alloc_compressor(fastest_level));
    sim::ensures(compressor != nullptr, "there is memory for a compressor");
    std::vector<std::byte> smaller(bytes.size());
    smaller.resize(
        libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), smaller.data(), smaller.size()));
    return smaller;
}

/// Fletcher's checksum of 16-bit words, the high byte first (J. G. Fletcher, "An arithmetic checksum for serial
/// transmissions", 1982).
std::uint32_t fletcher32(std::span<std::byte const> bytes) {
    constexpr std::size_t words_without_overflow = 360;
    auto const fold = [](std::uint32_t sum) { return (sum & 0xFFFFU) + (sum >> 16); };
    std::uint32_t first = 0, second = 0;
    for (std::size_t at = 0; at < bytes.size();) {
        std::size_t const end = std::min(bytes.size(), at + 2 * words_without_overflow);
        for (; at < end; at += 2) {
            auto const lower = at + 1 < bytes.size() ? std::to_integer<std::uint32_t>(bytes[at + 1]) : 0U;
            first += std::to_integer<std::uint32_t>(bytes[at]) << 8 | lower;
            second += first;
        }
        first = fold(first);
        second = fold(second);
    }
    return fold(second) << 16 | fold(first);
}

bool all_equal(std::span<std::byte const> raw, std::size_t width) {
    return raw.size() >= 2 * width && std::memcmp(raw.data(), raw.data() + width, raw.size() - width) == 0;
}

FilteredChunk filtered(std::span<std::byte const> raw, std::size_t width) {
    FilteredChunk chunk;
    auto plain = shuffled(raw, width);
    chunk.bytes = deflated(plain);
    if (chunk.bytes.empty()) {
        chunk.bytes = std::move(plain);
        chunk.skipped = deflate_bit;
    }
    sim::wire::put(chunk.bytes, fletcher32(chunk.bytes));
    return chunk;
}

constexpr std::size_t rows_at_once = Column::max_chunk_rows;

/// A chunk with the CRC-32 and the number of its bytes before the filters, without rows beyond the end.
struct SummedChunk {
    FilteredChunk stored;
    std::uint32_t sum = 0;
    std::uint64_t bytes = 0;
};

/// The chunks of one column for the rows of one step.
using Chunks = std::vector<SummedChunk>;

/// Up to rows_at_once rows of all columns, compressed.
struct Step {
    std::uint64_t first = 0;
    std::vector<Chunks> columns;
};

Chunks chunks_of(RawRows const& raw, std::size_t rows, Shape const& chunk) {
    Chunks chunks;
    std::size_t const width = chunk.width * raw.element_bytes();
    for (std::size_t row = 0; row < rows; row += chunk.rows) {
        auto const whole = raw.bytes().subspan(row * width, chunk.rows * width);
        auto const used = whole.first(std::min<std::size_t>(chunk.rows, rows - row) * width);
        chunks.push_back({filter_chunk(whole, raw.element_bytes()), sim::crc32(used), used.size()});
    }
    return chunks;
}

}  // namespace

void Column::write_selected(std::uint64_t first, std::size_t count, Handle::Id type, void const* values) {
    sim::expects(first + count <= rows(), "rows lie within the column");
    if (count == 0) return;
    hsize_t const start = first;
    hsize_t const extent = count;
    Handle const in_memory = space_of({count});
    Handle const in_file = space_of(shape_);
    check(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, &start, nullptr, &extent, nullptr), "write");
    check(H5Dwrite(handle_.get(), type, in_memory.get(), in_file.get(), H5P_DEFAULT, values), "write");
}

void Column::write(std::uint64_t first, std::span<std::string_view const> texts) {
    Handle const type(H5Dget_type(handle_.get()), closing<H5Tclose>);
    std::size_t const at_once = std::max<std::size_t>(1, packed_bytes / text_length_);
    std::vector<char> packed;
    for (std::size_t done = 0; done < texts.size(); done += at_once) {
        auto const part = texts.subspan(done, std::min(at_once, texts.size() - done));
        packed.assign(part.size() * text_length_, '\0');
        for (std::size_t i = 0; i < part.size(); ++i) {
            sim::expects(part[i].size() <= text_length_, "a text fits its column");
            std::copy(part[i].begin(), part[i].end(), packed.begin() + static_cast<std::ptrdiff_t>(i * text_length_));
        }
        write_selected(first + done, part.size(), type.get(), packed.data());
    }
}

void Column::write_chunk(std::uint64_t first, std::uint64_t at, std::span<std::byte const> filtered,
                         std::uint32_t skipped_filters) {
    silence();  // HDF5 keeps this setting per thread
    std::array<hsize_t, 2> const offset{first, at};
    check(H5Dwrite_chunk(handle_.get(), H5P_DEFAULT, skipped_filters, offset.data(), filtered.size(), filtered.data()),
          "write");
}

Shape Column::chunk() const {
    Handle const made(H5Dget_create_plist(handle_.get()), closing<H5Pclose>);
    std::array<hsize_t, 2> chunk{0, 1};
    check(H5Pget_chunk(made.get(), shape_.rank, chunk.data()), "read " + name_ + " of");
    return {chunk[0], chunk[1], shape_.rank};
}

std::size_t Column::element_bytes() const {
    Handle const type(H5Dget_type(handle_.get()), closing<H5Tclose>);
    return H5Tget_size(type.get());
}

void Column::make_scale(std::string const& name) { check(H5DSset_scale(handle_.get(), name.c_str()), "write"); }

void Column::attach_scales(std::span<Column const* const> scales) {
    sim::expects(std::cmp_equal(scales.size(), shape_.rank), "every dimension has a scale");
    std::array<hobj_ref_t, 2> references{};
    std::array<hvl_t, 2> lists{};
    for (std::size_t i = 0; i < scales.size(); ++i) {
        check(H5Rcreate(&references[i], scales[i]->handle_.get(), ".", H5R_OBJECT, -1), "write");
        lists[i] = {1, &references[i]};
    }
    Handle const type(H5Tvlen_create(H5T_STD_REF_OBJ), closing<H5Tclose>);
    Handle const space = space_of({scales.size()});
    Handle const made(H5Acreate2(handle_.get(), "DIMENSION_LIST", type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                      closing<H5Aclose>);
    check(made.get(), "write");
    check(H5Awrite(made.get(), type.get(), lists.data()), "write");
}

/// Rejects columns that claim more rows than the file can hold, before memory is reserved for them.
void Column::check_storage() const {
    Handle const made(H5Dget_create_plist(handle_.get()), closing<H5Pclose>);
    check(made.get(), "read " + name_ + " of");
    auto const layout = H5Pget_layout(made.get());
    if (layout != H5D_CHUNKED && layout != H5D_CONTIGUOUS && layout != H5D_COMPACT)
        damaged(name_ + " is not stored in the file itself");
    if (H5Pget_external_count(made.get()) > 0) damaged(name_ + " is stored in another file");
    auto const of_chunk = layout == H5D_CHUNKED ? chunk() : Shape{0, 0};
    auto const limit = layout == H5D_CHUNKED ? readable_bytes(*file_) : file_->bytes;
    std::uint64_t const max_rows = std::max(rows(), of_chunk.rows), max_elements = std::max(width(), of_chunk.width);
    if (!fits(max_rows, max_elements, limit) || !fits(max_rows * max_elements, text_length_, limit))
        damaged(fmt::format("{} claims {} rows, more than the file can hold", name_, rows()));
}

bool Column::is(Column const& other) const { return file_ == other.file_ && address() == other.address(); }

std::uint64_t Column::address() const {
    H5O_info_t info{};
    check(H5Oget_info2(handle_.get(), &info, H5O_INFO_BASIC), "read " + name_ + " of");
    return info.addr;
}

std::uint32_t Column::sum() const {
    auto const [known, is_new] = file_->sums.try_emplace(address());
    if (!is_new) return known->second;
    Handle const type(H5Dget_type(handle_.get()), closing<H5Tclose>);
    std::vector<std::size_t> all(width());
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::uint64_t const row_bytes = text_length_ * width();
    std::uint64_t const at_once = std::max<std::uint64_t>(1, packed_bytes / row_bytes);
    std::vector<std::byte> values;
    for (std::uint64_t done = 0; done < rows(); done += at_once) {
        auto const part = std::min(at_once, rows() - done);
        values.resize(part * row_bytes);
        read_rows(done, part, all, type.get(), values.data());
        known->second = sim::joined_crc32(known->second, sim::crc32(values), values.size());
    }
    return known->second;
}

void Column::add_content(sim::Sha256& into) const {
    Handle const type(H5Dget_type(handle_.get()), closing<H5Tclose>);
    check(type.get(), "read " + name_ + " of");
    into.add(static_cast<std::uint64_t>(H5Tget_class(type.get()))).add(std::uint64_t{text_length_}).add(rows());
    into.add(width()).add(std::uint64_t{sum()});
    add_attributes(into);
}

Handle::Id Column::ids_in_memory(Type type) { return ids_of(type).in_memory; }

void Column::check_type(Type wanted) const {
    Handle const type(H5Dget_type(handle_.get()), closing<H5Tclose>);
    if (type.get() < 0 || H5Tequal(type.get(), ids_of(wanted).in_file) <= 0)
        damaged(name_ + " has another type than in a result file");
}

void Column::read_rows(std::uint64_t first, std::uint64_t count, std::span<std::size_t const> which,
                       Handle::Id memory_type, void* values) const {
    sim::expects(first <= rows() && count <= rows() - first, "rows lie within the column");
    if (count == 0) return;
    Handle const in_memory = space_of({count, which.size(), 2});
    Handle const in_file(H5Dget_space(handle_.get()), closing<H5Sclose>);
    auto const select = [&](Handle const& space, std::array<hsize_t, 2> start, std::array<hsize_t, 2> extent) {
        check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr), "read");
    };
    for (std::size_t at = 0, run = 1; at < which.size(); at += run, run = 1) {  // elements that follow each other
        while (at + run < which.size() && which[at + run] == which[at] + run) ++run;
        select(in_file, {first, which[at]}, {count, run});
        select(in_memory, {0, at}, {count, run});
        check(H5Dread(handle_.get(), memory_type, in_memory.get(), in_file.get(), H5P_DEFAULT, values),
              "read " + name_ + " of");
    }
}

std::vector<std::string> Column::read_texts(std::uint64_t first, std::uint64_t count) const {
    Handle const type(H5Dget_type(handle_.get()), closing<H5Tclose>);
    if (type.get() < 0 || H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0 ||
        text_length_ == 0) {
        damaged(name_ + " does not hold texts of fixed length");
    }
    std::uint64_t const at_once = std::max<std::uint64_t>(1, packed_bytes / text_length_);
    std::vector<std::string> texts;
    std::vector<char> packed;
    for (std::uint64_t done = 0; done < count; done += at_once) {
        std::uint64_t const part = std::min(at_once, count - done);
        packed.resize(part * text_length_);
        read_rows(first + done, part, only_element, type.get(), packed.data());
        for (std::uint64_t i = 0; i < part; ++i)
            texts.push_back(until_zero(packed.data() + i * text_length_, text_length_));
    }
    if (!std::all_of(texts.begin(), texts.end(), sim::is_utf8)) damaged(name_ + " is not UTF-8");
    return texts;
}

FilteredChunk filter_chunk(std::span<std::byte const> raw, std::size_t element_bytes) {
    sim::expects(element_bytes > 0 && raw.size() % element_bytes == 0, "whole elements");
    if (!all_equal(raw, element_bytes)) return filtered(raw, element_bytes);
    // Many columns have one value in all rows: their equal chunks are compressed once.
    struct Last {
        std::vector<std::byte> element;
        std::size_t size = 0;
        FilteredChunk chunk;
    };
    thread_local Last last;
    bool const known = last.size == raw.size() && std::ranges::equal(last.element, raw.first(element_bytes));
    if (!known)
        last = {{raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(element_bytes)},
                raw.size(),
                filtered(raw, element_bytes)};
    return last.chunk;
}

void ChunkWriter::write(std::span<Column> columns, Fill const& fill, std::uint64_t at) const {
    if (columns.empty() || columns.front().rows() == 0) return;
    std::uint64_t const rows = columns.front().rows();
    std::vector<Shape> chunks;
    std::vector<std::size_t> element_bytes;
    std::vector<std::uint32_t*> sums;  // of whole rows; other columns are read again for theirs
    for (auto const& column : columns) {
        chunks.push_back(column.chunk());
        element_bytes.push_back(column.element_bytes());
        sums.push_back(column.width() == 1 ? &column.file_->sums[column.address()] : nullptr);
    }
    auto const make = [&](std::uint64_t first) {
        auto const count = static_cast<std::size_t>(std::min<std::uint64_t>(rows_at_once, rows - first));
        std::vector<RawRows> raw;
        // The last chunk has full length, too: rows beyond the end are zero.
        for (std::size_t c = 0; c < columns.size(); ++c)
            raw.emplace_back((count + chunks[c].rows - 1) / chunks[c].rows * chunks[c].rows * chunks[c].width,
                             element_bytes[c]);
        fill(first, count, raw);
        Step step{first, {}};
        for (std::size_t c = 0; c < columns.size(); ++c) step.columns.push_back(chunks_of(raw[c], count, chunks[c]));
        return step;
    };
    auto const put = [&](Step const& step) {
        for (std::size_t c = 0; c < columns.size(); ++c) {
            std::uint64_t row = step.first;
            for (auto const& chunk : step.columns[c]) {
                columns[c].write_chunk(row, at, chunk.stored.bytes, chunk.stored.skipped);
                if (sums[c] != nullptr) *sums[c] = sim::joined_crc32(*sums[c], chunk.sum, chunk.bytes);
                row += chunks[c].rows;
            }
        }
    };
    if (rows <= rows_at_once) return put(make(0));  // one step has nothing to overlap with
    std::uint64_t next = 0;
    auto const steps = [&](tbb::flow_control& control) {
        if (next >= rows) control.stop();
        return std::exchange(next, next + rows_at_once);
    };
    int const cores = tbb::info::default_concurrency();  // TBB prints a warning if more threads are requested
    tbb::task_arena arena(threads_ > 0 ? std::min(threads_, cores) : cores);
    auto const tokens = static_cast<std::size_t>(2 * arena.max_concurrency());
    arena.execute([&] {
        tbb::parallel_pipeline(tokens, tbb::make_filter<void, std::uint64_t>(tbb::filter_mode::serial_in_order, steps) &
                                           tbb::make_filter<std::uint64_t, Step>(tbb::filter_mode::parallel, make) &
                                           tbb::make_filter<Step, void>(tbb::filter_mode::serial_in_order, put));
    });
}

}  // namespace pimdse::dse::store::hdf5
