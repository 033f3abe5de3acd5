#include "dse/store/hdf5/column.hpp"

#include "dse/store/hdf5/calls.hpp"
#include "dse/store/utf8.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <hdf5_hl.h>
#include <algorithm>
#include <limits>

namespace pimdse::dse::store::hdf5 {
namespace {

/// Deflate makes no more than 1,032 bytes of one; whoever claims more has nothing behind it.
constexpr std::uint64_t most_bytes_of_one = 1100;

std::uint64_t readable_bytes(Origin const& file) {
    constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
    return fits(file.bytes, most_bytes_of_one, no_limit) ? file.bytes * most_bytes_of_one : no_limit;
}

}  // namespace

void Column::write_selected(std::uint64_t first, std::size_t count, Handle::Id type, void const* values) {
    sim::expects(first + count <= rows_, "rows lie within the column");
    if (count == 0) return;
    hsize_t const start = first;
    hsize_t const extent = count;
    Handle const in_memory = space_of(count);
    Handle const in_file = space_of(rows_);
    check(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, &start, nullptr, &extent, nullptr), "write");
    check(H5Dwrite(handle_.get(), type, in_memory.get(), in_file.get(), H5P_DEFAULT, values), "write");
}

void Column::write_rows(std::uint64_t first, std::size_t count, Type type, void const* values) {
    write_selected(first, count, ids_of(type).in_memory, values);
}

void Column::write(std::uint64_t first, std::span<std::string_view const> texts) {
    std::size_t const at_once = std::max<std::size_t>(1, packed_bytes / text_length_);
    std::vector<char> packed;
    for (std::size_t done = 0; done < texts.size(); done += at_once) {
        auto const part = texts.subspan(done, std::min(at_once, texts.size() - done));
        packed.assign(part.size() * text_length_, '\0');
        for (std::size_t i = 0; i < part.size(); ++i) {
            sim::expects(part[i].size() <= text_length_, "a text fits its column");
            std::copy(part[i].begin(), part[i].end(), packed.begin() + static_cast<std::ptrdiff_t>(i * text_length_));
        }
        write_selected(first + done, part.size(), text_type(text_length_).get(), packed.data());
    }
}

void Column::write_chunk(std::uint64_t first, std::span<std::byte const> filtered, std::uint32_t skipped_filters) {
    silence();  // is said once per thread
    hsize_t const offset = first;
    check(H5Dwrite_chunk(handle_.get(), H5P_DEFAULT, skipped_filters, &offset, filtered.size(), filtered.data()),
          "write");
}

std::size_t Column::chunk_rows() const {
    Handle const made(H5Dget_create_plist(handle_.get()), closing<H5Pclose>);
    hsize_t rows = 0;
    check(H5Pget_chunk(made.get(), 1, &rows), "look at");
    return rows;
}

std::size_t Column::element_bytes() const {
    Handle const type(H5Dget_type(handle_.get()), closing<H5Tclose>);
    return H5Tget_size(type.get());
}

void Column::make_scale(std::string const& name) { check(H5DSset_scale(handle_.get(), name.c_str()), "write"); }

void Column::attach_scale(Column const& scale) {
    check(H5DSattach_scale(handle_.get(), scale.handle_.get(), 0), "write");
}

/// Nothing is reserved for what the file cannot hold.
void Column::check_storage() const {
    Handle const made(H5Dget_create_plist(handle_.get()), closing<H5Pclose>);
    check(made.get(), "read " + name_ + " of");
    auto const layout = H5Pget_layout(made.get());
    if (layout != H5D_CHUNKED && layout != H5D_CONTIGUOUS && layout != H5D_COMPACT) damaged(name_ + " lies elsewhere");
    if (H5Pget_external_count(made.get()) > 0) damaged(name_ + " lies in another file");
    hsize_t rows_of_chunk = 0;
    if (layout == H5D_CHUNKED) check(H5Pget_chunk(made.get(), 1, &rows_of_chunk), "read " + name_ + " of");
    auto const limit = layout == H5D_CHUNKED ? readable_bytes(*file_) : file_->bytes;
    if (!fits(std::max<std::uint64_t>(rows_, rows_of_chunk), text_length_, limit)) {
        damaged(fmt::format("{} claims {} rows, more than the file can hold", name_, rows_));
    }
}

bool Column::is(Column const& other) const {
    H5O_info_t mine{}, theirs{};
    check(H5Oget_info2(handle_.get(), &mine, H5O_INFO_BASIC), "read " + name_ + " of");
    check(H5Oget_info2(other.handle_.get(), &theirs, H5O_INFO_BASIC), "read " + other.name_ + " of");
    return mine.addr == theirs.addr && mine.fileno == theirs.fileno;
}

Handle::Id Column::ids_in_memory(Type type) { return ids_of(type).in_memory; }

void Column::check_type(Type wanted) const {
    Handle const type(H5Dget_type(handle_.get()), closing<H5Tclose>);
    if (type.get() < 0 || H5Tequal(type.get(), ids_of(wanted).in_file) <= 0)
        damaged(name_ + " has another type than a result file's");
}

void Column::read_rows(std::uint64_t first, std::uint64_t count, Handle::Id memory_type, void* values) const {
    sim::expects(first <= rows_ && count <= rows_ - first, "rows lie within the column");
    if (count == 0) return;
    hsize_t const start = first, extent = count;
    Handle const in_memory = space_of(count);
    Handle const in_file(H5Dget_space(handle_.get()), closing<H5Sclose>);
    check(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, &start, nullptr, &extent, nullptr), "read");
    check(H5Dread(handle_.get(), memory_type, in_memory.get(), in_file.get(), H5P_DEFAULT, values),
          "read " + name_ + " of");
}

std::vector<std::string> Column::read_texts(std::uint64_t first, std::uint64_t count) const {
    Handle const type(H5Dget_type(handle_.get()), closing<H5Tclose>);
    if (type.get() < 0 || H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0 ||
        text_length_ == 0) {
        damaged(name_ + " holds no texts of fixed length");
    }
    std::uint64_t const at_once = std::max<std::uint64_t>(1, packed_bytes / text_length_);
    std::vector<std::string> texts;
    std::vector<char> packed;
    for (std::uint64_t done = 0; done < count; done += at_once) {
        std::uint64_t const part = std::min(at_once, count - done);
        packed.resize(part * text_length_);
        read_rows(first + done, part, type.get(), packed.data());
        for (std::uint64_t i = 0; i < part; ++i)
            texts.push_back(until_zero(packed.data() + i * text_length_, text_length_));
    }
    if (!std::all_of(texts.begin(), texts.end(), is_utf8)) damaged(name_ + " is not UTF-8");
    return texts;
}

}  // namespace pimdse::dse::store::hdf5
