#include "dse/store/hdf5/hdf5_internal.hpp"
#include "dse/store/utf8.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <system_error>

namespace pimdse::dse::hdf5 {
namespace {

/// Deflate makes no more than 1,032 bytes of one; whoever claims more has nothing behind it.
constexpr std::uint64_t most_bytes_of_one = 1100;

bool fits(std::uint64_t count, std::uint64_t size, std::uint64_t limit) { return size == 0 || count <= limit / size; }

std::uint64_t readable_bytes(Origin const& file) {
    constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
    return fits(file.bytes, most_bytes_of_one, no_limit) ? file.bytes * most_bytes_of_one : no_limit;
}

/// An attribute and what it is made of.
struct Attribute {
    Attribute(Handle::Id object, std::string const& name)
        : handle(H5Aopen(object, name.c_str(), H5P_DEFAULT), closing<H5Aclose>),
          type(handle.get() < 0 ? -1 : H5Aget_type(handle.get()), closing<H5Tclose>),
          space(handle.get() < 0 ? -1 : H5Aget_space(handle.get()), closing<H5Sclose>) {}

    [[nodiscard]] bool there() const { return handle.get() >= 0 && type.get() >= 0 && space.get() >= 0; }
    [[nodiscard]] H5T_class_t kind() const { return H5Tget_class(type.get()); }
    /// Elements; -1 where it has no extent.
    [[nodiscard]] hssize_t count() const {
        if (H5Sget_simple_extent_type(space.get()) == H5S_NULL) return 0;
        return H5Sget_simple_extent_ndims(space.get()) > 1 ? -1 : H5Sget_simple_extent_npoints(space.get());
    }
    [[nodiscard]] bool is_one_text() const { return there() && kind() == H5T_STRING && count() == 1; }

    Handle handle, type, space;
};

std::string until_zero(char const* text, std::size_t most) { return {text, std::find(text, text + most, '\0')}; }

std::vector<std::string> fixed_texts(Attribute const& opened, std::size_t count, herr_t& result) {
    std::size_t const length = H5Tget_size(opened.type.get());
    std::vector<char> packed(count * length);
    result = H5Aread(opened.handle.get(), opened.type.get(), packed.data());
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) texts.push_back(until_zero(packed.data() + i * length, length));
    return texts;
}

std::vector<std::string> variable_texts(Attribute const& opened, std::size_t count, herr_t& result) {
    std::vector<char*> data(count, nullptr);
    Handle const type(H5Tget_native_type(opened.type.get(), H5T_DIR_ASCEND), closing<H5Tclose>);
    result = H5Aread(opened.handle.get(), type.get(), data.data());
    if (result < 0) return {};
    std::vector<std::string> texts;
    for (char const* text : data) texts.emplace_back(text != nullptr ? text : "");
    H5Dvlen_reclaim(type.get(), opened.space.get(), H5P_DEFAULT, data.data());
    return texts;
}

}  // namespace

void Object::damaged(std::string const& what) const { hdf5::damaged(file_->path, what); }

bool Object::has_attribute(std::string const& name) const { return H5Aexists(handle_.get(), name.c_str()) > 0; }

std::vector<std::string> Object::text_attributes() const {
    std::vector<std::string> names;
    auto const add = [](hid_t, char const* name, H5A_info_t const*, void* into) -> herr_t {
        static_cast<std::vector<std::string>*>(into)->emplace_back(name);
        return 0;
    };
    check(H5Aiterate2(handle_.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names), "read the attributes of");
    std::erase_if(names, [this](std::string const& name) { return !Attribute(handle_.get(), name).is_one_text(); });
    return names;
}

std::vector<std::string> Object::texts(std::string const& name) const {
    Attribute const opened(handle_.get(), name);
    std::string const doing = "read the attribute " + name + " of";
    if (!opened.there()) check(-1, doing);
    if (opened.kind() != H5T_STRING) damaged(name + " is no text");
    auto const count = opened.count();
    if (count < 0 || !fits(static_cast<std::uint64_t>(count), H5Tget_size(opened.type.get()), file_->bytes))
        damaged(name + " is no list");
    if (count == 0) return {};
    herr_t result = 0;
    bool const variable = H5Tis_variable_str(opened.type.get()) > 0;
    auto texts = variable ? variable_texts(opened, static_cast<std::size_t>(count), result)
                          : fixed_texts(opened, static_cast<std::size_t>(count), result);
    check(result, doing);
    if (!std::all_of(texts.begin(), texts.end(), is_utf8)) damaged(name + " is not UTF-8");
    return texts;
}

std::string Object::text(std::string const& name) const {
    auto all = texts(name);
    if (all.size() != 1) damaged(name + " is not one text");
    return std::move(all.front());
}

std::vector<double> Object::reals(std::string const& name) const {
    Attribute const opened(handle_.get(), name);
    if (!opened.there()) check(-1, "read the attribute " + name + " of");
    auto const count = opened.count();
    if (opened.kind() != H5T_FLOAT || count < 0 ||
        !fits(static_cast<std::uint64_t>(count), sizeof(double), file_->bytes))
        damaged(name + " is no list of numbers");
    std::vector<double> numbers(static_cast<std::size_t>(count));
    if (count > 0)
        check(H5Aread(opened.handle.get(), H5T_NATIVE_DOUBLE, numbers.data()), "read the attribute " + name + " of");
    return numbers;
}

std::uint64_t Object::number(std::string const& name) const {
    Attribute const opened(handle_.get(), name);
    if (!opened.there()) check(-1, "read the attribute " + name + " of");
    if (opened.kind() != H5T_INTEGER || opened.count() != 1) damaged(name + " is not one whole number");
    bool const with_sign = H5Tget_sign(opened.type.get()) == H5T_SGN_2;
    std::int64_t lowest = 0;
    if (with_sign) check(H5Aread(opened.handle.get(), H5T_NATIVE_INT64, &lowest), "read");
    if (lowest < 0) damaged(name + " is negative");
    std::uint64_t number = 0;
    check(H5Aread(opened.handle.get(), H5T_NATIVE_UINT64, &number), "read the attribute " + name + " of");
    return number;
}

Group Group::open_group(std::string const& name) const {
    Handle group(H5Gopen2(handle_.get(), name.c_str(), H5P_DEFAULT), closing<H5Gclose>);
    check(group.get(), "read /" + name + " of");
    return {std::move(group), file_};
}

bool Group::has(std::string const& name) const { return H5Lexists(handle_.get(), name.c_str(), H5P_DEFAULT) > 0; }

Column Group::open_column(std::string const& name) const {
    Handle column(H5Dopen2(handle_.get(), name.c_str(), H5P_DEFAULT), closing<H5Dclose>);
    check(column.get(), "read " + name + " of");
    Handle const space(H5Dget_space(column.get()), closing<H5Sclose>);
    Handle const type(H5Dget_type(column.get()), closing<H5Tclose>);
    if (H5Sget_simple_extent_ndims(space.get()) != 1) damaged(name + " is no column");
    auto const rows = check(H5Sget_simple_extent_npoints(space.get()), "read");
    Column opened(std::move(column), file_, name, static_cast<std::uint64_t>(rows), H5Tget_size(type.get()));
    opened.check_storage();
    return opened;
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

File File::open(std::filesystem::path const& path, std::filesystem::path const& place) {
    silence();
    auto const is_hdf5 = H5Fis_hdf5(place.c_str());
    H5Eclear2(H5E_DEFAULT);
    if (is_hdf5 == 0)
        throw sim::InputError(fmt::format("{} is no HDF5 file (it has no HDF5 signature)", path.string()));
    std::error_code unknown;
    Origin origin{path};
    origin.bytes = std::filesystem::file_size(place, unknown);  // the largest number there is where nobody knows
    Handle const access = property_list(H5P_FILE_ACCESS);
    checked(path, H5Pset_file_locking(access.get(), false, true), "read");
    Handle file(H5Fopen(place.c_str(), H5F_ACC_RDONLY, access.get()), closing<H5Fclose>);
    checked(path, file.get(), "read");
    return {std::move(file), std::make_shared<Origin const>(std::move(origin))};
}

Group File::root() const {
    Handle group(H5Gopen2(handle_.get(), "/", H5P_DEFAULT), closing<H5Gclose>);
    checked(file_->path, group.get(), "read");
    return {std::move(group), file_};
}

}  // namespace pimdse::dse::hdf5
