#include "models/dram/dram_trace.hpp"

#include "sim/base/check.hpp"
#include "sim/base/number_in.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <utility>

namespace pimdse::models {

/// " Known formats: ..." with an example line of each, for messages.
[[nodiscard]] std::string trace_format_help();

/// The format whose words a line has, even if the values are wrong; nullopt if none fits.
[[nodiscard]] std::optional<TraceFormat> format_of_words(std::vector<std::string> const& words);

namespace {

using sim::InputError;
using sim::dram::Tick;

/// Words of a line without its comment.
std::vector<std::string> words_of_line(std::string const& line) {
    std::istringstream stream(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

TraceFormat detected(std::vector<std::string> const& words) {
    if (auto const format = format_of_words(words)) return *format;
    std::string shown;
    for (auto const& word : words) shown += (shown.empty() ? "" : " ") + word;
    throw InputError("'{}' is a request in no known format.{}", sim::clipped(shown), trace_format_help());
}

class TraceReader {
  public:
    TraceReader(TraceFormat format, sim::dram::Mapping const& mapping) : format_(format), mapping_(mapping) {}

    void read(std::string const& line) {
        auto const words = words_of_line(line);
        if (words.empty()) return;
        if (format_ == TraceFormat::automatic) format_ = detected(words);
        auto const request = read_request(format_, words, mapping_);
        if (request.arrival) note_arrival(*request.arrival);
        transactions_.push_back(request.transaction);
    }

    [[nodiscard]] bool empty() const { return transactions_.empty(); }
    [[nodiscard]] sim::dram::Stream stream(int transaction_bytes) && {
        if (arrivals_.empty()) return sim::dram::Stream::list(transactions_, transaction_bytes);
        return sim::dram::Stream::list(transactions_, transaction_bytes, std::move(arrivals_));
    }

  private:
    void note_arrival(Tick arrival) {
        if (!arrivals_.empty() && arrival < arrivals_.back())
            throw InputError(
                "cycle {} comes after cycle {} of the request before (requests must be in the "
                "order of their cycles). Sort the trace?",
                arrival, arrivals_.back());
        arrivals_.push_back(arrival);
    }

    TraceFormat format_;
    sim::dram::Mapping const& mapping_;
    std::vector<sim::dram::Transaction> transactions_;
    std::vector<Tick> arrivals_;
};

using sim::dram::Access;

struct Row {
    TraceFormat format;
    std::string_view name, example;
};

constexpr std::array<Row, 6> formats{{{TraceFormat::plain, "pimdse", "LD 0x40"},
                                      {TraceFormat::timed, "pimdse-timed", "LD 0x40 120"},
                                      {TraceFormat::ramulator2_load_store, "ramulator2-loadstore", "LD 0x40"},
                                      {TraceFormat::ramulator2_read_write, "ramulator2-readwrite", "R 0,0,1,2,100,5"},
                                      {TraceFormat::ramulator, "ramulator", "0x40 R"},
                                      {TraceFormat::dramsim3, "dramsim3", "0x40 READ 120"}}};

constexpr std::string_view automatic_name = "auto";
constexpr Tick latest = Tick{1} << 50;  ///< cycles; sums over channels and requests stay far below 2^63

using Words = std::vector<std::pair<std::string_view, Access>>;
Words const loads_and_stores{{"LD", Access::read}, {"ST", Access::write}};
Words const reads_and_writes{{"R", Access::read}, {"W", Access::write}};
Words const ours{{"LD", Access::read}, {"ST", Access::write}, {"R", Access::read}, {"W", Access::write}};
Words const of_dramsim3{{"READ", Access::read},    {"WRITE", Access::write},   {"read", Access::read},
                        {"write", Access::write},  {"P_MEM_RD", Access::read}, {"P_MEM_WR", Access::write},
                        {"P_FETCH", Access::read}, {"BOFF", Access::write}};

std::optional<Access> access_named(std::string const& word, Words const& known) {
    auto const found = std::ranges::find(known, std::string_view(word), &Words::value_type::first);
    return found == known.end() ? std::nullopt : std::optional(found->second);
}

std::string_view example_of(TraceFormat format) { return std::ranges::find(formats, format, &Row::format)->example; }

/// Parses an address; `base` applies to numbers without 0x.
std::uint64_t address_of(std::string const& word, int base) {
    bool const marked = word.starts_with("0x") || word.starts_with("0X");
    auto const value = marked ? sim::number_in<std::uint64_t>(std::string_view(word).substr(2), 16)
                              : sim::number_in<std::uint64_t>(word, base);
    if (!value || (*value >> 62) != 0)
        throw InputError("'{}' is not an address ({} or 0x..., below 2^62)", sim::clipped(word),
                         base == 16 ? "hexadecimal" : "decimal");
    return *value;
}

Tick cycle_of(std::string const& word) {
    auto const value = sim::number_in<std::uint64_t>(word);
    if (!value || *value > static_cast<std::uint64_t>(latest))
        throw InputError("'{}' is not a cycle (a whole number from 0 to 2^50)", sim::clipped(word));
    return static_cast<Tick>(*value);
}

/// Address of an address vector: channel, rank (or pseudo channel), bank group, bank, row and column, where a column is
/// a burst.
std::uint64_t address_of_vector(std::string const& word, sim::dram::Mapping const& mapping) {
    using sim::dram::field_count;
    auto const parts = sim::split(word, ',');
    if (parts.size() != field_count)
        throw InputError(
            "'{}' has {} numbers where an address vector has {} (channel, rank, bank group, "
            "bank, row, column)",
            sim::clipped(word), parts.size(), field_count);
    sim::dram::Coordinates coordinates;
    for (std::size_t i = 0; i < field_count; ++i) {
        static constexpr std::array<std::string_view, field_count> names{"channel", "rank", "bank group",
                                                                         "bank",    "row",  "column"};
        std::uint64_t const count = std::uint64_t{1} << mapping.masks(static_cast<sim::dram::Field>(i)).size();
        auto const value = sim::number_in<std::uint64_t>(parts[i]);
        if (!value || *value >= count)
            throw InputError("{} '{}' of address vector '{}' is out of range (0 to {})", names[i],
                             sim::clipped(parts[i]), sim::clipped(word), count - 1);
        coordinates.of[i] = static_cast<std::uint32_t>(*value);
    }
    return mapping.address(coordinates);
}

/// Positions of the words of a format.
struct Shape {
    Words const* accesses;
    std::size_t access, address, words;
};

Shape shape_of(TraceFormat format) {
    switch (format) {
        case TraceFormat::timed:
            return {&ours, 0, 1, 3};
        case TraceFormat::ramulator2_load_store:
            return {&loads_and_stores, 0, 1, 2};
        case TraceFormat::ramulator2_read_write:
            return {&reads_and_writes, 0, 1, 2};
        case TraceFormat::ramulator:
            return {&reads_and_writes, 1, 0, 2};
        case TraceFormat::dramsim3:
            return {&of_dramsim3, 1, 0, 3};
        default:
            return {&ours, 0, 1, 2};
    }
}

void check_access(TraceFormat format, std::string const& word) {
    auto const& known = *shape_of(format).accesses;
    if (access_named(word, known)) return;
    throw InputError("'{}' is neither {} nor {}. A line reads: {}?", sim::clipped(word), known[0].first, known[1].first,
                     example_of(format));
}

}  // namespace

sim::dram::Stream read_dram_trace(std::filesystem::path const& file, TraceFormat format,
                                  sim::dram::Mapping const& mapping, int transaction_bytes) {
    std::ifstream stream(file);
    if (!stream) throw InputError(sim::cannot_be_read(file.string()));
    TraceReader reader(format, mapping);
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number) {
        try {
            reader.read(number == 1 ? std::string(sim::without_byte_order_mark(line)) : line);
        } catch (InputError const& error) {
            throw InputError("{}:{}: {}", file.string(), number, error.what());
        }
    }
    if (reader.empty()) throw InputError("{}: the trace has no requests", file.string());
    return std::move(reader).stream(transaction_bytes);
}

TraceFormat trace_format_named(std::string_view name) {
    if (name == automatic_name) return TraceFormat::automatic;
    auto const found = std::ranges::find(formats, name, &Row::name);
    if (found == formats.end())
        throw InputError("unknown trace format '{}'.{}", name, sim::suggestion(name, trace_format_names()));
    return found->format;
}

std::vector<std::string> trace_format_names() {
    std::vector<std::string> names{std::string(automatic_name)};
    for (auto const& row : formats) names.emplace_back(row.name);
    return names;
}

std::string trace_format_help() {
    std::string text = " Known formats:";
    for (auto const& row : formats)
        text += fmt::format("{} {} ({})", &row == formats.data() ? "" : ",", row.name, row.example);
    return text + ". Name one with --trace-format?";
}

std::optional<TraceFormat> format_of_words(std::vector<std::string> const& words) {
    if (access_named(words[0], ours)) {
        if (words.size() > 2) return TraceFormat::timed;
        bool const is_vector = words.size() == 2 && words[1].find(',') != std::string::npos;
        return is_vector ? TraceFormat::ramulator2_read_write : TraceFormat::plain;
    }
    if (words.size() == 2 && access_named(words[1], reads_and_writes)) return TraceFormat::ramulator;
    if (words.size() == 3 && access_named(words[1], of_dramsim3)) return TraceFormat::dramsim3;
    return std::nullopt;
}

TracedRequest read_request(TraceFormat format, std::vector<std::string> const& words,
                           sim::dram::Mapping const& mapping) {
    auto const shape = shape_of(format);
    auto const word = [&words](std::size_t i) { return i < words.size() ? words[i] : std::string(); };
    check_access(format, word(shape.access));
    TracedRequest request;
    request.transaction.access = *access_named(word(shape.access), *shape.accesses);
    request.transaction.address = format == TraceFormat::ramulator2_read_write
                                      ? address_of_vector(word(shape.address), mapping)
                                      : address_of(word(shape.address), format == TraceFormat::dramsim3 ? 16 : 10);
    if (shape.words == 3) request.arrival = cycle_of(word(2));
    if (words.size() > shape.words)
        throw InputError("'{}' after the {} (one request a line, as {})", sim::clipped(words[shape.words]),
                         shape.words == 3    ? "cycle"
                         : shape.access == 0 ? "address"
                                             : "access",
                         example_of(format));
    return request;
}

}  // namespace pimdse::models
