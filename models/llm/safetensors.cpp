#include "models/llm/safetensors.hpp"

#include "sim/base/check.hpp"
#include "sim/base/file_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <set>
#include <string_view>

/// The layout is that of safetensors 0.8: a length of 64 bits, a JSON object of so many bytes, and the data.
namespace pimdse::models {
namespace {

using sim::Json;

constexpr double bits_of_byte = 8;

struct Dtype {
    std::string_view name;
    double bits;
    bool floating;
};
constexpr std::array dtypes{
    Dtype{"BF16", 16, true},       Dtype{"BOOL", 8, false},   Dtype{"C64", 64, true},        Dtype{"F16", 16, true},
    Dtype{"F32", 32, true},        Dtype{"F4", 4, true},      Dtype{"F64", 64, true},        Dtype{"F6_E2M3", 6, true},
    Dtype{"F6_E3M2", 6, true},     Dtype{"F8_E4M3", 8, true}, Dtype{"F8_E4M3FNUZ", 8, true}, Dtype{"F8_E5M2", 8, true},
    Dtype{"F8_E5M2FNUZ", 8, true}, Dtype{"F8_E8M0", 8, true}, Dtype{"I16", 16, false},       Dtype{"I32", 32, false},
    Dtype{"I64", 64, false},       Dtype{"I8", 8, false},     Dtype{"U16", 16, false},       Dtype{"U32", 32, false},
    Dtype{"U64", 64, false},       Dtype{"U8", 8, false}};

[[noreturn]] void refuse(std::filesystem::path const& file, std::string const& why) {
    throw sim::InputError("{}: this is not a whole safetensors file ({})", file.string(), why);
}

/// The JSON text of a header.
std::string header_of(std::filesystem::path const& file, std::uintmax_t size) {
    constexpr std::uint64_t longest = 100'000'000;  // as the library has it
    std::ifstream stream(file, std::ios::binary);
    std::uint64_t length = 0;
    std::array<char, sizeof length> first{};
    if (!stream) throw sim::InputError(sim::cannot_be_read(file.string()));
    if (size < first.size() || !stream.read(first.data(), first.size())) refuse(file, "it has fewer than 8 bytes");
    std::memcpy(&length, first.data(), sizeof length);
    if (length > longest || length > size - first.size())
        refuse(file, fmt::format("a header of {} bytes in a file of {}", length, size));
    std::string text(length, '\0');
    if (!stream.read(text.data(), static_cast<std::streamsize>(length))) refuse(file, "its header is cut");
    return text;
}

TensorEntry entry_of(std::filesystem::path const& file, std::string const& name, Json const& value,
                     std::uintmax_t data) {
    try {
        TensorEntry entry;
        entry.name = name;
        entry.type = value.at("dtype").get<std::string>();
        auto const type = std::ranges::find(dtypes, entry.type, &Dtype::name);
        if (type == dtypes.end())
            refuse(file, fmt::format("{} has the unknown type {}", name, sim::clipped(entry.type)));
        for (auto const& width : value.at("shape")) {
            if (!width.is_number_unsigned() || width.get<std::uint64_t>() > (std::uint64_t{1} << 40))
                refuse(file, fmt::format("the shape of {}", sim::clipped(name)));
            entry.shape.push_back(width.get<std::int64_t>());
        }
        auto const offsets = value.at("data_offsets").get<std::vector<double>>();
        entry.format.bits = type->bits;
        entry.format.floating = type->floating;
        entry.bytes = entry.elements() * type->bits / bits_of_byte;
        bool const inside = offsets.size() == 2 && offsets[0] >= 0.0 && offsets[1] <= static_cast<double>(data);
        if (!inside || offsets[1] - offsets[0] != entry.bytes)
            refuse(file, fmt::format("the data of {} are not where its header says", sim::clipped(name)));
        return entry;
    } catch (Json::Error const&) {
        refuse(file, fmt::format("{} has no type, shape or place", sim::clipped(name)));
    }
}

void read_one(std::filesystem::path const& file, TensorFile& into) {
    std::error_code error;
    auto const size = std::filesystem::file_size(file, error);
    if (error) throw sim::InputError(sim::cannot_be_read(file.string()));
    auto const text = header_of(file, size);
    auto const header = Json::parse_or_null(text);
    if (!header.is_object()) refuse(file, "its header is not a JSON object");
    for (auto const& [name, value] : header.items()) {
        if (name != "__metadata__") into.tensors.push_back(entry_of(file, name, value, size - 8 - text.size()));
    }
}

/// The files of an index, and the bytes that it states for all tensors.
void read_index(std::filesystem::path const& file, TensorFile& into) {
    std::error_code error;
    constexpr std::uintmax_t largest = 100'000'000;
    auto const size = std::filesystem::file_size(file, error);
    if (!error && size > largest) throw sim::InputError("{}: an index of {} bytes is not read", file.string(), size);
    auto const text = error ? std::nullopt : sim::file_text(file);
    if (!text) throw sim::InputError(sim::cannot_be_read(file.string()));
    auto const index = Json::parse_or_null(*text);
    auto const* map = index.member("weight_map");
    if (map == nullptr || !map->is_object())
        throw sim::InputError("{}: it has no 'weight_map' (an index of safetensors has one)", file.string());
    std::set<std::string> parts;
    for (auto const& [name, part] : map->items())
        if (part.is_string()) parts.insert(std::filesystem::path(part.get<std::string>()).filename().string());
    bool all = true;
    for (auto const& part : parts) all = all && std::filesystem::exists(file.parent_path() / part, error);
    if (all) {
        for (auto const& part : parts) read_one(file.parent_path() / part, into);
        return;
    }
    auto const* metadata = index.member("metadata");
    auto const* bytes = metadata == nullptr ? nullptr : metadata->member("total_size");
    if (bytes != nullptr && bytes->is_number()) into.metadata["total_size"] = *bytes;
}

}  // namespace

TensorFile read_safetensors(std::filesystem::path const& file) {
    TensorFile all;
    if (file.extension() == ".json")
        read_index(file, all);
    else
        read_one(file, all);
    return all;
}

}  // namespace pimdse::models
