#include "sim/base/check.hpp"
#include "sim/base/words.hpp"
#include "sim/dram/stream.hpp"

#include <fmt/format.h>
#include <charconv>
#include <map>

namespace pimdse::sim::dram {
namespace {

/// The matrix of `colwalk`, `tile` and `utile`: 2048 x 2048 two-byte elements, row-major.
constexpr std::uint64_t matrix_side = 2048;
constexpr std::int64_t matrix_pitch = 4096;
constexpr std::uint64_t tile_bytes = 16384;
constexpr std::uint64_t endless = std::uint64_t{1} << 62;

struct Grammar {
    std::string_view usage;
    std::size_t numbers;
};

std::map<std::string, Grammar, std::less<>> const& grammar() {
    static std::map<std::string, Grammar, std::less<>> const forms{{"seq", {"seq:BYTES", 1}},
                                                                   {"seqw", {"seqw:BYTES", 1}},
                                                                   {"stride", {"stride:STRIDE:COUNT", 2}},
                                                                   {"rand", {"rand:COUNT:RANGE", 2}},
                                                                   {"copy", {"copy:BYTES:WRITE_BASE:ROWS", 3}},
                                                                   {"colwalk", {"colwalk:COUNT", 1}},
                                                                   {"tile", {"tile:ROWS:WIDTH:C|R:COUNT", 4}},
                                                                   {"utile", {"utile:COUNT", 1}},
                                                                   {"engines", {"engines:ENGINES:BYTES", 2}}};
    return forms;
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at != std::string_view::npos;) {
        auto const colon = text.find(':', at);
        parts.emplace_back(text.substr(at, colon == std::string_view::npos ? colon : colon - at));
        at = colon == std::string_view::npos ? colon : colon + 1;
    }
    return parts;
}

class Fields {
  public:
    Fields(std::string_view spec, std::vector<std::string> parts) : spec_(spec), parts_(std::move(parts)) {}

    [[nodiscard]] std::string const& word(std::size_t i) const { return parts_[i]; }

    [[nodiscard]] std::uint64_t number(std::size_t i, std::uint64_t least) const {
        auto const& text = parts_[i];
        std::uint64_t value = 0;
        auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || value > (std::uint64_t{1} << 50)) {
            throw InputError(fmt::format("stream '{}': '{}' is not a whole number up to 2^50", spec_, text));
        }
        if (value < least)
            throw InputError(fmt::format("stream '{}': {} is too small (at least {})", spec_, value, least));
        return value;
    }

  private:
    std::string_view spec_;
    std::vector<std::string> parts_;
};

}  // namespace

namespace {

Stream copy_stream(std::uint64_t pairs, std::uint64_t write_base, std::uint64_t rows, std::string_view spec,
                   int transaction) {
    std::int64_t const t = transaction;
    if (rows == 0)
        return Stream::nest({{endless, t, t}}, Stream::Kinds::alternating, 2 * pairs, 0, write_base, transaction);
    std::uint64_t const columns = pairs / rows;
    if (columns == 0)
        throw InputError(
            fmt::format("stream '{}': {} rows are more than the {} transactions copied", spec, rows, pairs));
    return Stream::nest(
        {{columns, t, static_cast<std::int64_t>(rows) * t}, {endless, static_cast<std::int64_t>(columns) * t, t}},
        Stream::Kinds::alternating, 2 * pairs, 0, write_base, transaction);
}

Stream tile_stream(Fields const& f, std::string_view spec, int transaction) {
    std::uint64_t const height = f.number(1, 1), width = f.number(2, static_cast<std::uint64_t>(transaction)),
                        count = f.number(4, 1);
    std::uint64_t const chunks = width / static_cast<std::uint64_t>(transaction), tile_rows = matrix_side / height;
    if (tile_rows == 0)
        throw InputError(
            fmt::format("stream '{}': a tile of {} rows does not fit a matrix of {}", spec, height, matrix_side));
    if (f.word(3) != "C" && f.word(3) != "R")
        throw InputError(
            fmt::format("stream '{}': '{}' is neither C (chunk columns first) nor R (rows first)", spec, f.word(3)));
    Loop const down{height, matrix_pitch, 0}, across{chunks, transaction, 0};
    bool const column_first = f.word(3) == "C";
    return Stream::nest({column_first ? down : across,
                         column_first ? across : down,
                         {tile_rows, static_cast<std::int64_t>(height) * matrix_pitch, 0},
                         {endless, static_cast<std::int64_t>(width), 0}},
                        Stream::Kinds::reads, count, 0, 0, transaction);
}

Stream engine_stream(Fields const& f, std::string_view spec, int transaction) {
    std::uint64_t const engines = f.number(1, 1);
    std::uint64_t const each = f.number(2, 1) / engines / static_cast<std::uint64_t>(transaction);
    if (each == 0)
        throw InputError(fmt::format("stream '{}': {} engines have less than one transaction each", spec, engines));
    auto const part = static_cast<std::int64_t>(each * static_cast<std::uint64_t>(transaction));
    return Stream::nest({{engines, part, 0}, {endless, transaction, 0}}, Stream::Kinds::reads, engines * each, 0, 0,
                        transaction);
}

}  // namespace

Stream Stream::parse(std::string_view spec, int transaction_bytes) {
    if (transaction_bytes < 1 || transaction_bytes > 65536)
        throw InputError(fmt::format("a transaction of {} B (it moves 1 to 65536)", transaction_bytes));
    Fields const f(spec, split(spec));
    auto const known = grammar().find(f.word(0));
    if (known == grammar().end()) {
        std::vector<std::string> names;
        for (auto const& [name, form] : grammar()) names.push_back(name);
        throw InputError(
            fmt::format("stream '{}': unknown kind '{}'.{}", spec, f.word(0), suggestion(f.word(0), names)));
    }
    if (split(spec).size() != known->second.numbers + 1)
        throw InputError(fmt::format("stream '{}' has the wrong number of fields. {}?", spec, known->second.usage));
    auto const t = static_cast<std::uint64_t>(transaction_bytes);
    std::string const& kind = f.word(0);
    if (kind == "seq" || kind == "seqw")
        return sequential(kind == "seq" ? Access::read : Access::write, 0, f.number(1, t), transaction_bytes);
    if (kind == "stride")
        return nest({{endless, static_cast<std::int64_t>(f.number(1, 0)), 0}}, Kinds::reads, f.number(2, 1), 0, 0,
                    transaction_bytes);
    if (kind == "copy") return copy_stream(f.number(1, t) / t, f.number(2, 0), f.number(3, 0), spec, transaction_bytes);
    if (kind == "colwalk")
        return nest({{matrix_side, matrix_pitch, 0}, {endless, transaction_bytes, 0}}, Kinds::reads, f.number(1, 1), 0,
                    0, transaction_bytes);
    if (kind == "tile") return tile_stream(f, spec, transaction_bytes);
    if (kind == "engines") return engine_stream(f, spec, transaction_bytes);
    if (kind == "utile") {
        // Tiles stored column by column (16 to a column), visited row by row (32 to a row).
        auto const bytes = static_cast<std::int64_t>(tile_bytes);
        return nest({{tile_bytes / t, transaction_bytes, 0}, {32, 16 * bytes, 0}, {endless, bytes, 0}}, Kinds::reads,
                    f.number(1, 1), 0, 0, transaction_bytes);
    }
    Stream random;
    random.form_ = Form::random;
    random.transaction_bytes_ = transaction_bytes;
    random.size_ = f.number(1, 1);
    random.range_ = f.number(2, t) / t;
    return random;
}

}  // namespace pimdse::sim::dram
