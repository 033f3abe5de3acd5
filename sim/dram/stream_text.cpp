#include "sim/dram/stream_text.hpp"

#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <charconv>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::sim::dram {
namespace {

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

class SpecFields {
  public:
    SpecFields(std::string_view spec, std::vector<std::string> parts) : spec_(spec), parts_(std::move(parts)) {}

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

TileWalk tile_walk(SpecFields const& f, std::string_view spec, std::uint64_t transaction) {
    TileWalk walk{f.number(1, 1), f.number(2, transaction), f.word(3) == "C", f.number(4, 1)};
    if (f.word(3) != "C" && f.word(3) != "R")
        throw InputError(
            fmt::format("stream '{}': '{}' is neither C (chunk columns first) nor R (rows first)", spec, f.word(3)));
    return walk;
}

StreamKind kind_of(SpecFields const& f, std::string_view spec, std::uint64_t transaction) {
    std::string const& kind = f.word(0);
    if (kind == "seq") return SequentialStream{Access::read, f.number(1, transaction)};
    if (kind == "seqw") return SequentialStream{Access::write, f.number(1, transaction)};
    if (kind == "stride") return StridedStream{f.number(1, 0), f.number(2, 1)};
    if (kind == "rand") return RandomStream{f.number(1, 1), f.number(2, transaction)};
    if (kind == "copy") return CopyStream{f.number(1, transaction), f.number(2, 0), f.number(3, 0)};
    if (kind == "colwalk") return ColumnWalk{f.number(1, 1)};
    if (kind == "tile") return tile_walk(f, spec, transaction);
    if (kind == "utile") return StoredTileWalk{f.number(1, 1)};
    return EngineStreams{f.number(1, 1), f.number(2, 1)};
}

StreamKind parse_kind(std::string_view spec, int transaction_bytes) {
    if (transaction_bytes < 1 || transaction_bytes > 65536)
        throw InputError(fmt::format("a transaction of {} B (it moves 1 to 65536)", transaction_bytes));
    SpecFields const f(spec, split(spec));
    auto const known = grammar().find(f.word(0));
    if (known == grammar().end()) {
        std::vector<std::string> names;
        for (auto const& [name, form] : grammar()) names.push_back(name);
        throw InputError(
            fmt::format("stream '{}': unknown kind '{}'.{}", spec, f.word(0), suggestion(f.word(0), names)));
    }
    if (split(spec).size() != known->second.numbers + 1)
        throw InputError(fmt::format("stream '{}' has the wrong number of fields. {}?", spec, known->second.usage));
    auto const kind = kind_of(f, spec, static_cast<std::uint64_t>(transaction_bytes));
    if (auto const why = refusal_of(kind, transaction_bytes); !why.empty())
        throw InputError(fmt::format("stream '{}': {}", spec, why));
    return kind;
}

}  // namespace

Stream parse_stream(std::string_view spec, int transaction_bytes) {
    return make_stream(parse_kind(spec, transaction_bytes), transaction_bytes);
}

}  // namespace pimdse::sim::dram
