#include "dse/store/hdf5_object.hpp"

#include "dse/store/hdf5_calls.hpp"
#include "sim/base/check.hpp"
#include "sim/base/digest.hpp"
#include "sim/base/words.hpp"

#include <algorithm>

namespace pimdse::dse::store::hdf5 {
namespace {

/// An opened attribute with its type and data space.
struct Attribute {
    Attribute(Handle::Id object, std::string const& name)
        : handle(H5Aopen(object, name.c_str(), H5P_DEFAULT), closing<H5Aclose>),
          type(handle.get() < 0 ? -1 : H5Aget_type(handle.get()), closing<H5Tclose>),
          space(handle.get() < 0 ? -1 : H5Aget_space(handle.get()), closing<H5Sclose>) {}

    [[nodiscard]] bool exists() const { return handle.get() >= 0 && type.get() >= 0 && space.get() >= 0; }
    [[nodiscard]] H5T_class_t kind() const { return H5Tget_class(type.get()); }
    /// Number of elements; -1 if the attribute has more than one dimension.
    [[nodiscard]] hssize_t count() const {
        if (H5Sget_simple_extent_type(space.get()) == H5S_NULL) return 0;
        return H5Sget_simple_extent_ndims(space.get()) > 1 ? -1 : H5Sget_simple_extent_npoints(space.get());
    }
    [[nodiscard]] bool is_one_text() const { return exists() && kind() == H5T_STRING && count() == 1; }

    Handle handle, type, space;
};

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

/// The names of all attributes, in the order of the alphabet.
std::vector<std::string> attribute_names(Handle::Id object, herr_t& result) {
    std::vector<std::string> names;
    auto const add = [](hid_t, char const* name, H5A_info_t const*, void* into) -> herr_t {
        static_cast<std::vector<std::string>*>(into)->emplace_back(name);
        return 0;
    };
    result = H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names);
    return names;
}

}  // namespace

Handle::Id Object::check(Handle::Id result, std::string const& doing) const {
    return checked(file_->path, result, doing);
}

void Object::damaged(std::string const& what) const { hdf5::damaged(file_->path, what); }

void Object::write_texts(std::string const& name, std::vector<std::string> texts, bool scalar) {
    sim::expects(texts.size() <= longest_list, "a list of this length is a column, not an attribute");
    std::vector<char const*> data;
    for (auto& text : texts) data.push_back((text = sim::as_utf8(text)).c_str());
    Handle const type = text_type(H5T_VARIABLE);
    write_attribute(name, {type.get(), type.get()}, data.data(), data.size(), scalar);
}

void Object::write_numbers(std::string const& name, Type type, void const* numbers, std::size_t count, bool scalar) {
    write_attribute(name, ids_of(type), numbers, count, scalar);
}

void Object::write_attribute(std::string const& name, TypeIds const& type, void const* data, std::size_t count,
                             bool scalar) {
    Handle const space = scalar ? Handle(H5Screate(H5S_SCALAR), closing<H5Sclose>) : space_of({count});
    Handle const made(H5Acreate2(handle_.get(), name.c_str(), type.in_file, space.get(), H5P_DEFAULT, H5P_DEFAULT),
                      closing<H5Aclose>);
    check(made.get(), "write");
    if (count != 0) check(H5Awrite(made.get(), type.in_memory, data), "write");
}

bool Object::has_attribute(std::string const& name) const { return H5Aexists(handle_.get(), name.c_str()) > 0; }

std::vector<std::string> Object::text_attributes() const {
    herr_t result = 0;
    auto names = attribute_names(handle_.get(), result);
    check(result, "read the attributes of");
    std::erase_if(names, [this](std::string const& name) { return !Attribute(handle_.get(), name).is_one_text(); });
    return names;
}

std::vector<std::string> Object::texts(std::string const& name) const {
    Attribute const opened(handle_.get(), name);
    std::string const doing = "read the attribute " + name + " of";
    if (!opened.exists()) check(-1, doing);
    if (opened.kind() != H5T_STRING) damaged(name + " is not a text");
    auto const count = opened.count();
    if (count < 0 || !fits(static_cast<std::uint64_t>(count), H5Tget_size(opened.type.get()), file_->bytes))
        damaged(name + " is not a list");
    if (count == 0) return {};
    herr_t result = 0;
    bool const variable = H5Tis_variable_str(opened.type.get()) > 0;
    auto texts = variable ? variable_texts(opened, static_cast<std::size_t>(count), result)
                          : fixed_texts(opened, static_cast<std::size_t>(count), result);
    check(result, doing);
    if (!std::all_of(texts.begin(), texts.end(), sim::is_utf8)) damaged(name + " is not UTF-8");
    return texts;
}

std::string Object::text(std::string const& name) const {
    auto all = texts(name);
    if (all.size() != 1) damaged(name + " is not one text");
    return std::move(all.front());
}

std::vector<double> Object::reals(std::string const& name) const {
    Attribute const opened(handle_.get(), name);
    if (!opened.exists()) check(-1, "read the attribute " + name + " of");
    auto const count = opened.count();
    if (opened.kind() != H5T_FLOAT || count < 0 ||
        !fits(static_cast<std::uint64_t>(count), sizeof(double), file_->bytes))
        damaged(name + " is not a list of numbers");
    std::vector<double> numbers(static_cast<std::size_t>(count));
    if (count > 0)
        check(H5Aread(opened.handle.get(), H5T_NATIVE_DOUBLE, numbers.data()), "read the attribute " + name + " of");
    return numbers;
}

std::uint64_t Object::number(std::string const& name) const {
    Attribute const opened(handle_.get(), name);
    if (!opened.exists()) check(-1, "read the attribute " + name + " of");
    if (opened.kind() != H5T_INTEGER || opened.count() != 1) damaged(name + " is not one whole number");
    bool const with_sign = H5Tget_sign(opened.type.get()) == H5T_SGN_2;
    std::int64_t signed_number = 0;
    if (with_sign) check(H5Aread(opened.handle.get(), H5T_NATIVE_INT64, &signed_number), "read");
    if (signed_number < 0) damaged(name + " is negative");
    std::uint64_t number = 0;
    check(H5Aread(opened.handle.get(), H5T_NATIVE_UINT64, &number), "read the attribute " + name + " of");
    return number;
}

void Object::add_attributes(sim::Sha256& into) const {
    herr_t result = 0;
    auto const names = attribute_names(handle_.get(), result);
    check(result, "read the attributes of");
    for (auto const& name : names) {
        Attribute const opened(handle_.get(), name);
        if (!opened.exists()) check(-1, "read the attribute " + name + " of");
        auto const kind = opened.kind();
        if (kind != H5T_STRING && kind != H5T_INTEGER && kind != H5T_FLOAT) continue;
        auto const size = static_cast<std::uint64_t>(H5Tget_size(opened.type.get()));
        auto const count = static_cast<std::uint64_t>(std::max<hssize_t>(0, opened.count()));
        into.add(name).add(static_cast<std::uint64_t>(kind)).add(count);
        if (kind == H5T_STRING) {
            for (auto const& text : texts(name)) into.add(text);
            continue;
        }
        if (!fits(count, size, file_->bytes)) damaged(name + " is not a list of numbers");
        std::vector<std::byte> values(count * size);
        if (count > 0)
            check(H5Aread(opened.handle.get(), opened.type.get(), values.data()), "read the attribute " + name + " of");
        into.add(size).add(values);
    }
}

}  // namespace pimdse::dse::store::hdf5
