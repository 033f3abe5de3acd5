#include "models/llm/gguf.hpp"

#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

/// The layout is that of version 3 of the format; numbers and sizes of element_types are those of ggml.h (2026).
namespace pimdse::models {
namespace {

using sim::Json;

/// A type of elements: blocks of so many elements with so many bytes. A weight has `bits`, and groups of inputs have
/// scales and zero points, as far as a block consists of such.
struct ElementType {
    std::uint32_t number;
    std::string_view name;
    int block, bytes;
    double bits;
    int group;
    double scale, zero;
    bool floating;
};

constexpr std::array element_types{
    ElementType{0, "F32", 1, 4, 32, 0, 0, 0, true},          ElementType{1, "F16", 1, 2, 16, 0, 0, 0, true},
    ElementType{2, "Q4_0", 32, 18, 4, 32, 16, 0, false},     ElementType{3, "Q4_1", 32, 20, 4, 32, 16, 16, false},
    ElementType{6, "Q5_0", 32, 22, 5, 32, 16, 0, false},     ElementType{7, "Q5_1", 32, 24, 5, 32, 16, 16, false},
    ElementType{8, "Q8_0", 32, 34, 8, 32, 16, 0, false},     ElementType{9, "Q8_1", 32, 40, 8, 32, 32, 32, false},
    ElementType{10, "Q2_K", 256, 84, 2, 16, 5, 5, false},    ElementType{11, "Q3_K", 256, 110, 3, 16, 7, 0, false},
    ElementType{12, "Q4_K", 256, 144, 4, 32, 8, 8, false},   ElementType{13, "Q5_K", 256, 176, 5, 32, 8, 8, false},
    ElementType{14, "Q6_K", 256, 210, 6, 16, 9, 0, false},   ElementType{15, "Q8_K", 256, 292, 8, 16, 18, 0, false},
    ElementType{16, "IQ2_XXS", 256, 66, 0, 0, 0, 0, false},  ElementType{17, "IQ2_XS", 256, 74, 0, 0, 0, 0, false},
    ElementType{18, "IQ3_XXS", 256, 98, 0, 0, 0, 0, false},  ElementType{19, "IQ1_S", 256, 50, 0, 0, 0, 0, false},
    ElementType{20, "IQ4_NL", 32, 18, 4, 32, 16, 0, false},  ElementType{21, "IQ3_S", 256, 110, 0, 0, 0, 0, false},
    ElementType{22, "IQ2_S", 256, 82, 0, 0, 0, 0, false},    ElementType{23, "IQ4_XS", 256, 136, 4, 32, 8, 0, false},
    ElementType{24, "I8", 1, 1, 8, 0, 0, 0, false},          ElementType{25, "I16", 1, 2, 16, 0, 0, 0, false},
    ElementType{26, "I32", 1, 4, 32, 0, 0, 0, false},        ElementType{27, "I64", 1, 8, 64, 0, 0, 0, false},
    ElementType{28, "F64", 1, 8, 64, 0, 0, 0, true},         ElementType{29, "IQ1_M", 256, 56, 0, 0, 0, 0, false},
    ElementType{30, "BF16", 1, 2, 16, 0, 0, 0, true},        ElementType{34, "TQ1_0", 256, 54, 0, 0, 0, 0, false},
    ElementType{35, "TQ2_0", 256, 66, 2, 256, 16, 0, false}, ElementType{39, "MXFP4", 32, 17, 4, 32, 8, 0, true},
    ElementType{40, "NVFP4", 64, 36, 4, 16, 8, 0, true},     ElementType{41, "Q1_0", 128, 18, 1, 128, 16, 0, false},
    ElementType{42, "Q2_0", 64, 18, 2, 64, 16, 0, false},
};

NumberFormat format_of(ElementType const& type) {
    constexpr double bits_of_byte = 8;
    NumberFormat f;
    f.bits = type.bits > 0.0 ? type.bits : type.bytes * bits_of_byte / type.block;
    f.floating = type.floating;
    f.group_inputs = type.group;
    f.scale_bits = type.scale;
    f.zero_bits = type.zero;
    return f;
}

/// Reads a file from its beginning, never beyond its end. The file is mapped, since long lists of it are skipped.
class Cursor {
  public:
    explicit Cursor(std::filesystem::path const& file) : file_(file) {
        int const descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat about {};
        bool const there = descriptor >= 0 && ::fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
        size_ = there ? static_cast<std::uint64_t>(about.st_size) : 0;
        void* const mapped = size_ > 0 ? ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0) : nullptr;
        if (descriptor >= 0) ::close(descriptor);
        if (!there || mapped == MAP_FAILED) throw sim::InputError(sim::cannot_be_read(file.string()));
        data_ = static_cast<char*>(mapped);
    }
    Cursor(Cursor const&) = delete;
    Cursor& operator=(Cursor const&) = delete;
    ~Cursor() {
        if (data_ != nullptr) ::munmap(data_, size_);
    }

    [[nodiscard]] std::uint64_t left() const { return size_ - at_; }
    [[noreturn]] void refuse(std::string const& why) const {
        throw sim::InputError("{}: this is not a whole GGUF file ({})", file_.string(), why);
    }

    template <class T>
    T number() {
        static_assert(std::endian::native == std::endian::little, "numbers are read as they are");
        T value{};
        auto const from = at_;
        skip(sizeof value);
        std::memcpy(&value, data_ + from, sizeof value);
        return value;
    }
    std::string text() {
        constexpr std::uint64_t longest = 1 << 20;
        auto const size = size_of_text();
        auto const from = at_;
        skip(size);
        return {data_ + from, std::min(size, longest)};
    }
    void skip_texts(std::uint64_t count) {
        for (; count > 0 && left() >= sizeof(std::uint64_t); --count) {
            std::uint64_t size = 0;
            std::memcpy(&size, data_ + at_, sizeof size);
            if (size > left() - sizeof size) break;
            at_ += sizeof size + size;
        }
        if (count > 0) skip(size_of_text());  // which says what is wrong
    }
    /// A count of things of at least so many bytes each.
    std::uint64_t count(std::uint64_t bytes, std::string_view what) {
        auto const count = number<std::uint64_t>();
        if (count > left() / bytes) refuse(fmt::format("{} {}, with {} bytes left in the file", count, what, left()));
        return count;
    }
    void skip(std::uint64_t bytes) {
        if (bytes > left()) refuse(fmt::format("it ends {} bytes too early", bytes - left()));
        at_ += bytes;
    }

  private:
    std::uint64_t size_of_text() {
        auto const size = number<std::uint64_t>();
        if (size > left()) refuse(fmt::format("a text of {} bytes, with {} left in the file", size, left()));
        return size;
    }

    std::filesystem::path file_;
    char* data_ = nullptr;
    std::uint64_t size_ = 0, at_ = 0;
};

enum class ValueKind : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, flag, text, list, u64, i64, f64 };

std::uint64_t size_of(ValueKind kind) {
    constexpr std::array<std::uint64_t, 13> sizes{1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};
    return sizes[static_cast<std::size_t>(kind)];
}

ValueKind kind_of(Cursor& from) {
    auto const kind = from.number<std::uint32_t>();
    if (kind > static_cast<std::uint32_t>(ValueKind::f64))
        from.refuse(fmt::format("a value of the unknown kind {}", kind));
    return static_cast<ValueKind>(kind);
}

Json scalar(Cursor& from, ValueKind kind) {
    switch (kind) {
        case ValueKind::u8:
            return from.number<std::uint8_t>();
        case ValueKind::i8:
            return from.number<std::int8_t>();
        case ValueKind::u16:
            return from.number<std::uint16_t>();
        case ValueKind::i16:
            return from.number<std::int16_t>();
        case ValueKind::u32:
            return from.number<std::uint32_t>();
        case ValueKind::i32:
            return from.number<std::int32_t>();
        case ValueKind::f32:
            return static_cast<double>(from.number<float>());
        case ValueKind::flag:
            return from.number<std::uint8_t>() != 0;
        case ValueKind::text:
            return from.text();
        case ValueKind::u64:
            return from.number<std::uint64_t>();
        case ValueKind::i64:
            return from.number<std::int64_t>();
        case ValueKind::f64:
            return from.number<double>();
        case ValueKind::list:
            break;
    }
    return nullptr;
}

/// A list; null if it is long, such as the tokens of a vocabulary.
Json list(Cursor& from, int depth) {
    constexpr std::uint64_t longest = 4096;
    constexpr int deepest_list = 4;
    auto const kind = kind_of(from);
    auto const count = from.count(size_of(kind), "entries of a list");
    if (depth > deepest_list) from.refuse("lists in lists");
    auto entries = Json::array();
    if (kind == ValueKind::list) {
        for (std::uint64_t i = 0; i < count; ++i) entries.push_back(list(from, depth + 1));
    } else if (count <= longest) {
        for (std::uint64_t i = 0; i < count; ++i) entries.push_back(scalar(from, kind));
    } else if (kind == ValueKind::text) {
        from.skip_texts(count);
    } else {
        from.skip(count * size_of(kind));
    }
    return count <= longest ? entries : Json();
}

/// A tensor, and where its data begin behind the header.
struct Placed {
    TensorEntry entry;
    std::uint64_t offset = 0;
};

Placed tensor(Cursor& from) {
    constexpr std::uint32_t max_dimensions = 4;
    TensorEntry entry;
    entry.name = from.text();
    auto const dimensions = from.number<std::uint32_t>();
    if (dimensions > max_dimensions)
        from.refuse(fmt::format("{} has {} dimensions", sim::clipped(entry.name), dimensions));
    for (std::uint32_t i = 0; i < dimensions; ++i) {
        auto const width = from.number<std::uint64_t>();
        if (width == 0 || width > (std::uint64_t{1} << 40))
            from.refuse(fmt::format("{} has a dimension of {}", sim::clipped(entry.name), width));
        entry.shape.insert(entry.shape.begin(), static_cast<std::int64_t>(width));
    }
    auto const number = from.number<std::uint32_t>();
    auto const type = std::ranges::find(element_types, number, &ElementType::number);
    if (type == element_types.end())
        from.refuse(fmt::format("type {} of {} is not known", number, sim::clipped(entry.name)));
    entry.type = type->name;
    entry.format = format_of(*type);
    entry.bytes = entry.elements() / type->block * type->bytes;
    if (!entry.shape.empty() && entry.shape.back() % type->block != 0)
        from.refuse(fmt::format("rows of {} are not whole blocks of {}", sim::clipped(entry.name), entry.type));
    return {std::move(entry), from.number<std::uint64_t>()};
}

/// Reads one file of a model into what is there.
void read_part(std::filesystem::path const& file, TensorFile& into) {
    constexpr std::uint32_t magic = 0x46554747, oldest = 2, newest = 3;
    Cursor from(file);
    if (from.left() < 8 || from.number<std::uint32_t>() != magic) from.refuse("it does not begin with GGUF");
    auto const version = from.number<std::uint32_t>();
    if (version < oldest || version > newest)
        throw sim::InputError("{}: version {} of GGUF is not read (versions 2 and 3 are, little-endian)", file.string(),
                              version);
    constexpr std::uint64_t min_tensor = 24, min_value = 13;
    auto const tensors = from.count(min_tensor, "tensors"), values = from.count(min_value, "values");
    for (std::uint64_t i = 0; i < values; ++i) {
        auto const key = from.text();
        auto const kind = kind_of(from);
        auto value = kind == ValueKind::list ? list(from, 0) : scalar(from, kind);
        if (!value.is_null() && key.size() < 256) into.metadata[key] = std::move(value);
    }
    std::vector<Placed> placed;
    for (std::uint64_t i = 0; i < tensors; ++i) placed.push_back(tensor(from));
    auto const data = from.left();  // with the bytes that align it
    for (auto& [entry, offset] : placed) {
        if (offset > data || entry.bytes > static_cast<double>(data - offset))
            from.refuse(fmt::format("{} lies beyond its end", sim::clipped(entry.name)));
        into.tensors.push_back(std::move(entry));
    }
}

/// "model-00002-of-00003.gguf" of the first of them.
std::filesystem::path part_of(std::filesystem::path const& file, std::int64_t part, std::int64_t parts) {
    auto const name = file.filename().string();
    auto const at = name.rfind("-of-");
    constexpr std::size_t digits = 5;
    if (at == name.npos || at < digits) return file;
    return file.parent_path() / fmt::format("{}{:05}-of-{:05}.gguf", name.substr(0, at - digits), part, parts);
}

}  // namespace

TensorFile read_gguf(std::filesystem::path const& file) {
    TensorFile all;
    read_part(file, all);
    constexpr std::int64_t max_parts = 1000;
    auto const* count = all.metadata.member("split.count");
    auto const parts = count != nullptr && count->is_number() ? count->get<std::int64_t>() : 1;
    for (std::int64_t part = 1; part <= std::min(parts, max_parts) && parts > 1; ++part) {
        auto const other = part_of(file, part, parts);
        if (other.filename() != file.filename()) read_part(other, all);
    }
    return all;
}

}  // namespace pimdse::models
