#include "dse/hdf5.hpp"

#include "sim/check.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <hdf5_hl.h>
#include <algorithm>

namespace pimdse::dse::hdf5 {
namespace {

static_assert(sizeof(hid_t) == sizeof(Handle::Id));
constexpr hsize_t chunk_rows = 4096;
constexpr std::size_t memory_step = std::size_t{16} << 20;

template <herr_t (*close)(hid_t)>
int closing(Handle::Id id) {
    return close(id);
}

struct TypeIds {
    hid_t in_file, in_memory;
};

TypeIds ids_of(Type type) {
    switch (type) {
        case Type::u8: return {H5T_STD_U8LE, H5T_NATIVE_UINT8};
        case Type::i32: return {H5T_STD_I32LE, H5T_NATIVE_INT32};
        case Type::i64: return {H5T_STD_I64LE, H5T_NATIVE_INT64};
        case Type::u64: return {H5T_STD_U64LE, H5T_NATIVE_UINT64};
        case Type::f64: return {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE};
    }
    return {H5I_INVALID_HID, H5I_INVALID_HID};
}

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

[[noreturn]] void fail(std::filesystem::path const& file, std::string const& doing) {
    throw StorageError(file, fmt::format("cannot {} {} ({})", doing, file.string(), reason()));
}

Handle::Id checked(std::filesystem::path const& file, Handle::Id result, std::string const& doing) {
    if (result < 0) fail(file, doing);
    return result;
}

Handle property_list(hid_t kind) { return {H5Pcreate(kind), closing<H5Pclose>}; }
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

}  // namespace

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

Handle::Id Object::check(Handle::Id result, std::string const& doing) const { return checked(*file_, result, doing); }

void Object::attribute(std::string const& name, std::string_view text) {
    std::string const owned(text);
    char const* const data = owned.c_str();
    Handle const type = text_type(H5T_VARIABLE);
    Handle const space(H5Screate(H5S_SCALAR), closing<H5Sclose>);
    Handle const made(H5Acreate2(handle_.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), closing<H5Aclose>);
    check(made.get(), "write");
    check(H5Awrite(made.get(), type.get(), &data), "write");
}

void Object::attribute(std::string const& name, std::vector<std::string> const& texts) {
    std::vector<char const*> data;
    for (auto const& text : texts) data.push_back(text.c_str());
    Handle const type = text_type(H5T_VARIABLE);
    Handle const space = space_of(texts.size());
    Handle const made(H5Acreate2(handle_.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), closing<H5Aclose>);
    check(made.get(), "write");
    if (!texts.empty()) check(H5Awrite(made.get(), type.get(), data.data()), "write");
}

void Object::write_numbers(std::string const& name, Type type, void const* numbers, std::size_t count, bool scalar) {
    Handle const space = scalar ? Handle(H5Screate(H5S_SCALAR), closing<H5Sclose>) : space_of(count);
    Handle const made(H5Acreate2(handle_.get(), name.c_str(), ids_of(type).in_file, space.get(), H5P_DEFAULT, H5P_DEFAULT), closing<H5Aclose>);
    check(made.get(), "write");
    if (count != 0) check(H5Awrite(made.get(), ids_of(type).in_memory, numbers), "write");
}

bool Object::has_attribute(std::string const& name) const { return H5Aexists(handle_.get(), name.c_str()) > 0; }

std::vector<std::string> Object::texts(std::string const& name) const {
    Handle const made(H5Aopen(handle_.get(), name.c_str(), H5P_DEFAULT), closing<H5Aclose>);
    check(made.get(), "read the attribute " + name + " of");
    Handle const space(H5Aget_space(made.get()), closing<H5Sclose>);
    auto const count = check(H5Sget_simple_extent_npoints(space.get()), "read");
    std::vector<char*> data(static_cast<std::size_t>(count), nullptr);
    if (data.empty()) return {};
    Handle const type = text_type(H5T_VARIABLE);
    check(H5Aread(made.get(), type.get(), data.data()), "read the attribute " + name + " of");
    std::vector<std::string> texts;
    for (char const* text : data) texts.emplace_back(text != nullptr ? text : "");
    H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, data.data());
    return texts;
}

std::string Object::text(std::string const& name) const {
    auto all = texts(name);
    return all.empty() ? std::string() : std::move(all.front());
}

std::uint64_t Object::number(std::string const& name) const {
    Handle const made(H5Aopen(handle_.get(), name.c_str(), H5P_DEFAULT), closing<H5Aclose>);
    check(made.get(), "read the attribute " + name + " of");
    std::uint64_t number = 0;
    check(H5Aread(made.get(), H5T_NATIVE_UINT64, &number), "read the attribute " + name + " of");
    return number;
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
    std::vector<char> packed(texts.size() * text_length_, '\0');
    for (std::size_t i = 0; i < texts.size(); ++i) {
        sim::expects(texts[i].size() <= text_length_, "a text fits its column");
        std::copy(texts[i].begin(), texts[i].end(), packed.begin() + static_cast<std::ptrdiff_t>(i * text_length_));
    }
    write_selected(first, texts.size(), text_type(text_length_).get(), packed.data());
}

void Column::read_rows(Type type, void* values) const {
    if (rows_ != 0) check(H5Dread(handle_.get(), ids_of(type).in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "read");
}

std::vector<std::string> Column::read_texts() const {
    std::vector<char> packed(rows_ * text_length_);
    if (rows_ != 0) check(H5Dread(handle_.get(), text_type(text_length_).get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, packed.data()), "read");
    std::vector<std::string> texts;
    texts.reserve(rows_);
    for (std::size_t i = 0; i < rows_; ++i) {
        auto const* const start = packed.data() + i * text_length_;
        texts.emplace_back(start, std::find(start, start + text_length_, '\0'));
    }
    return texts;
}

void Column::make_scale(std::string const& name) { check(H5DSset_scale(handle_.get(), name.c_str()), "write"); }

void Column::attach_scale(Column const& scale) { check(H5DSattach_scale(handle_.get(), scale.handle_.get(), 0), "write"); }

Group Group::create_group(std::string const& name) {
    Handle const properties = property_list(H5P_GROUP_CREATE);
    check(H5Pset_obj_track_times(properties.get(), false), "write");
    Handle group(H5Gcreate2(handle_.get(), name.c_str(), H5P_DEFAULT, properties.get(), H5P_DEFAULT), closing<H5Gclose>);
    check(group.get(), "write");
    return {std::move(group), file_};
}

Group Group::open_group(std::string const& name) const {
    Handle group(H5Gopen2(handle_.get(), name.c_str(), H5P_DEFAULT), closing<H5Gclose>);
    check(group.get(), "read /" + name + " of");
    return {std::move(group), file_};
}

bool Group::has(std::string const& name) const { return H5Lexists(handle_.get(), name.c_str(), H5P_DEFAULT) > 0; }

void Group::link(std::string const& name, std::string const& path) {
    check(H5Lcreate_hard(handle_.get(), path.c_str(), handle_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), "write");
}

Column Group::create_of_type(std::string const& name, std::uint64_t rows, Handle::Id type, std::size_t text_length) {
    Handle const properties = property_list(H5P_DATASET_CREATE);
    check(H5Pset_obj_track_times(properties.get(), false), "write");
    if (rows != 0) {
        hsize_t const chunk = std::min<hsize_t>(chunk_rows, rows);
        check(H5Pset_chunk(properties.get(), 1, &chunk), "write");
        check(H5Pset_shuffle(properties.get()), "write");
        check(H5Pset_deflate(properties.get(), 1), "write");
    }
    Handle column(H5Dcreate2(handle_.get(), name.c_str(), type, space_of(rows).get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
                  closing<H5Dclose>);
    check(column.get(), "write");
    return {std::move(column), file_, rows, text_length};
}

Column Group::create(std::string const& name, std::uint64_t rows, Type type) { return create_of_type(name, rows, ids_of(type).in_file, 0); }

Column Group::create_text_column(std::string const& name, std::uint64_t rows, std::size_t longest) {
    std::size_t const length = std::max<std::size_t>(1, longest);
    return create_of_type(name, rows, text_type(length).get(), length);
}

Column Group::open_column(std::string const& name) const {
    Handle column(H5Dopen2(handle_.get(), name.c_str(), H5P_DEFAULT), closing<H5Dclose>);
    check(column.get(), "read " + name + " of");
    Handle const space(H5Dget_space(column.get()), closing<H5Sclose>);
    Handle const type(H5Dget_type(column.get()), closing<H5Tclose>);
    auto const rows = check(H5Sget_simple_extent_npoints(space.get()), "read");
    return {std::move(column), file_, static_cast<std::uint64_t>(rows), H5Tget_size(type.get())};
}

Column Group::put_texts(std::string const& name, std::vector<std::string_view> const& texts) {
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
    Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), closing<H5Fclose>);
    checked(path, file.get(), "write");
    return {std::move(file), std::make_shared<std::filesystem::path const>(path)};
}

File File::open(std::filesystem::path const& path) {
    silence();
    if (H5Fis_hdf5(path.c_str()) == 0) throw sim::InputError(fmt::format("{} is no HDF5 file (it has no HDF5 signature)", path.string()));
    H5Eclear2(H5E_DEFAULT);
    Handle const access = property_list(H5P_FILE_ACCESS);
    checked(path, H5Pset_file_locking(access.get(), false, true), "read");
    Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), closing<H5Fclose>);
    checked(path, file.get(), "read");
    return {std::move(file), std::make_shared<std::filesystem::path const>(path)};
}

Group File::root() const {
    Handle group(H5Gopen2(handle_.get(), "/", H5P_DEFAULT), closing<H5Gclose>);
    checked(*path_, group.get(), "read");
    return {std::move(group), path_};
}

std::vector<std::byte> File::image() {
    checked(*path_, H5Fflush(handle_.get(), H5F_SCOPE_GLOBAL), "write");
    auto const size = checked(*path_, H5Fget_file_image(handle_.get(), nullptr, 0), "write");
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    checked(*path_, H5Fget_file_image(handle_.get(), bytes.data(), bytes.size()), "write");
    handle_.reset();
    return bytes;
}

}  // namespace pimdse::dse::hdf5
