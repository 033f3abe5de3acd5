#include "dse/store/hdf5/hdf5_internal.hpp"

#include "dse/store/utf8.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <hdf5_hl.h>
#include <algorithm>
#include <bit>

namespace pimdse::dse::hdf5 {
namespace {

static_assert(sizeof(hid_t) == sizeof(Handle::Id));
constexpr std::size_t chunk_bytes = std::size_t{1} << 22;
constexpr std::size_t memory_step = std::size_t{16} << 20;

/// What HDF5 says was the matter, from the place where it was noticed first.
std::string reason() {
    std::string text;
    auto const keep_last = [](unsigned, H5E_error2_t const* error, void* into) -> herr_t {
        if (error->desc != nullptr) *static_cast<std::string*>(into) = error->desc;
        return 0;
    };
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_last, &text);
    H5Eclear2(H5E_DEFAULT);
    return text.empty() ? "unknown reason" : text;
}

}  // namespace

TypeIds ids_of(Type type) {
    switch (type) {
        case Type::u8:
            return {H5T_STD_U8LE, H5T_NATIVE_UINT8};
        case Type::i32:
            return {H5T_STD_I32LE, H5T_NATIVE_INT32};
        case Type::i64:
            return {H5T_STD_I64LE, H5T_NATIVE_INT64};
        case Type::u64:
            return {H5T_STD_U64LE, H5T_NATIVE_UINT64};
        case Type::f64:
            return {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE};
    }
    return {H5I_INVALID_HID, H5I_INVALID_HID};
}

Handle::Id checked(std::filesystem::path const& file, Handle::Id result, std::string const& doing) {
    if (result < 0) throw StorageError(file, fmt::format("cannot {} {} ({})", doing, file.string(), reason()));
    return result;
}

void damaged(std::filesystem::path const& file, std::string const& what) {
    throw StorageError(file, fmt::format("{} is damaged ({})", file.string(), what));
}

Handle space_of(std::uint64_t rows) {
    hsize_t const extent = rows;
    return {H5Screate_simple(1, &extent, nullptr), closing<H5Sclose>};
}

Handle text_type(std::size_t length) {
    Handle type(H5Tcopy(H5T_C_S1), closing<H5Tclose>);
    H5Tset_size(type.get(), length);
    H5Tset_cset(type.get(), H5T_CSET_UTF8);
    H5Tset_strpad(type.get(), length == H5T_VARIABLE ? H5T_STR_NULLTERM : H5T_STR_NULLPAD);
    return type;
}

void silence() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

Handle& Handle::operator=(Handle&& other) noexcept {
    if (this != &other) {
        reset();
        id_ = std::exchange(other.id_, -1);
        close_ = other.close_;
    }
    return *this;
}

void Handle::reset() noexcept {
    if (id_ >= 0 && close_ != nullptr) close_(id_);
    id_ = -1;
}

Handle::Id Object::check(Handle::Id result, std::string const& doing) const {
    return checked(file_->path, result, doing);
}

void Object::attribute(std::string const& name, std::string_view text) {
    std::string const owned = as_utf8(text);
    char const* const data = owned.c_str();
    Handle const type = text_type(H5T_VARIABLE);
    Handle const space(H5Screate(H5S_SCALAR), closing<H5Sclose>);
    Handle const made(H5Acreate2(handle_.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                      closing<H5Aclose>);
    check(made.get(), "write");
    check(H5Awrite(made.get(), type.get(), &data), "write");
}

void Object::attribute(std::string const& name, std::vector<std::string> const& texts) {
    sim::expects(texts.size() <= longest_list, "a list of this length is a column, not an attribute");
    std::vector<std::string> owned(texts.size());
    std::transform(texts.begin(), texts.end(), owned.begin(), as_utf8);
    std::vector<char const*> data;
    for (auto const& text : owned) data.push_back(text.c_str());
    Handle const type = text_type(H5T_VARIABLE);
    Handle const space = space_of(texts.size());
    Handle const made(H5Acreate2(handle_.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                      closing<H5Aclose>);
    check(made.get(), "write");
    if (!texts.empty()) check(H5Awrite(made.get(), type.get(), data.data()), "write");
}

void Object::write_numbers(std::string const& name, Type type, void const* numbers, std::size_t count, bool scalar) {
    Handle const space = scalar ? Handle(H5Screate(H5S_SCALAR), closing<H5Sclose>) : space_of(count);
    Handle const made(
        H5Acreate2(handle_.get(), name.c_str(), ids_of(type).in_file, space.get(), H5P_DEFAULT, H5P_DEFAULT),
        closing<H5Aclose>);
    check(made.get(), "write");
    if (count != 0) check(H5Awrite(made.get(), ids_of(type).in_memory, numbers), "write");
}

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

Group Group::create_group(std::string const& name) {
    Handle const properties = property_list(H5P_GROUP_CREATE);
    check(H5Pset_obj_track_times(properties.get(), false), "write");
    Handle group(H5Gcreate2(handle_.get(), name.c_str(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
                 closing<H5Gclose>);
    check(group.get(), "write");
    return {std::move(group), file_};
}

void Group::link(std::string const& name, std::string const& path) {
    check(H5Lcreate_hard(handle_.get(), path.c_str(), handle_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), "write");
}

Column Group::create_of_type(std::string const& name, std::uint64_t rows, Handle::Id type, std::size_t text_length) {
    Handle const properties = property_list(H5P_DATASET_CREATE);
    check(H5Pset_obj_track_times(properties.get(), false), "write");
    if (rows != 0) {
        // A chunk is a piece of memory: long texts must not make it a large one.
        std::size_t const most =
            std::clamp<std::size_t>(chunk_bytes / std::max<std::size_t>(1, text_length), 1, Column::most_chunk_rows);
        hsize_t const chunk = std::min<hsize_t>(std::bit_floor(most), rows);
        check(H5Pset_chunk(properties.get(), 1, &chunk), "write");
        check(H5Pset_shuffle(properties.get()), "write");
        check(H5Pset_deflate(properties.get(), 1), "write");
        check(H5Pset_fletcher32(properties.get()), "write");
    }
    Handle column(
        H5Dcreate2(handle_.get(), name.c_str(), type, space_of(rows).get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
        closing<H5Dclose>);
    check(column.get(), "write");
    return {std::move(column), file_, name, rows, text_length};
}

Column Group::create(std::string const& name, std::uint64_t rows, Type type) {
    return create_of_type(name, rows, ids_of(type).in_file, 0);
}

Column Group::create_text_column(std::string const& name, std::uint64_t rows, std::size_t longest) {
    std::size_t const length = std::max<std::size_t>(1, longest);
    return create_of_type(name, rows, text_type(length).get(), length);
}

Column Group::put_texts(std::string const& name, std::vector<std::string_view> const& texts) {
    if (!std::all_of(texts.begin(), texts.end(), is_utf8)) {
        std::vector<std::string> owned(texts.size());
        std::transform(texts.begin(), texts.end(), owned.begin(), as_utf8);
        return put_texts(name, owned);
    }
    std::size_t longest = 0;
    for (auto const text : texts) longest = std::max(longest, text.size());
    auto column = create_text_column(name, texts.size(), longest);
    column.write(0, texts);
    return column;
}

File File::build(std::filesystem::path const& path) {
    silence();
    Handle const access = property_list(H5P_FILE_ACCESS);
    checked(path, H5Pset_fapl_core(access.get(), memory_step, false), "write");
    Handle const creation = property_list(H5P_FILE_CREATE);
    checked(path, H5Pset_obj_track_times(creation.get(), false), "write");
    checked(path, H5Pset_userblock(creation.get(), user_block), "write");
    Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), closing<H5Fclose>);
    checked(path, file.get(), "write");
    return {std::move(file), std::make_shared<Origin const>(Origin{path})};
}

std::span<std::byte> File::image() {
    auto const& path = file_->path;
    checked(path, H5Fflush(handle_.get(), H5F_SCOPE_GLOBAL), "write");
    void* memory = nullptr;
    checked(path, H5Fget_vfd_handle(handle_.get(), H5P_DEFAULT, &memory), "write");
    // Not H5Fget_filesize, which counts all that was allocated.
    auto const size = checked(path, H5Fget_file_image(handle_.get(), nullptr, 0), "write");
    return {*static_cast<std::byte**>(memory), user_block + static_cast<std::size_t>(size)};
}

}  // namespace pimdse::dse::hdf5
