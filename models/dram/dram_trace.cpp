#include "models/dram/dram_trace.hpp"

#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>

namespace pimdse::models {
namespace {

using sim::dram::Access;
using sim::dram::Transaction;

std::optional<Access> access_named(std::string const& word) {
    if (word == "LD" || word == "R") return Access::read;
    if (word == "ST" || word == "W") return Access::write;
    return std::nullopt;
}

std::optional<std::uint64_t> address_of(std::string const& word) {
    bool const hexadecimal = word.starts_with("0x") || word.starts_with("0X");
    std::uint64_t value = 0;
    char const* const begin = word.data() + (hexadecimal ? 2 : 0);
    auto const [end, error] = std::from_chars(begin, word.data() + word.size(), value, hexadecimal ? 16 : 10);
    if (error != std::errc{} || end != word.data() + word.size() || (value >> 62) != 0) return std::nullopt;
    return value;
}

/// Nothing for a blank line.
std::optional<Transaction> parse_line(std::string const& line, std::string const& place) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string kind, address, rest;
    if (!(words >> kind)) return std::nullopt;
    words >> address;
    auto const access = access_named(kind);
    if (!access)
        throw sim::InputError(fmt::format("{}: '{}' is neither LD nor ST. A line reads: LD 0x40?", place, kind));
    auto const number = address_of(address);
    if (!number) throw sim::InputError(fmt::format("{}: '{}' is not an address (decimal or 0x...)", place, address));
    if (words >> rest)
        throw sim::InputError(fmt::format("{}: '{}' after the address (one request a line)", place, rest));
    return Transaction{*number, *access};
}

}  // namespace

sim::dram::Stream read_dram_trace(std::filesystem::path const& file, int transaction_bytes) {
    std::ifstream stream(file);
    if (!stream)
        throw sim::InputError(fmt::format("{}: cannot be read (no such file, or no permission)", file.string()));
    std::vector<Transaction> transactions;
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number) {
        if (auto const transaction = parse_line(line, fmt::format("{}:{}", file.string(), number)))
            transactions.push_back(*transaction);
    }
    if (transactions.empty()) throw sim::InputError(fmt::format("{}: the trace has no requests", file.string()));
    return sim::dram::Stream::list(transactions, transaction_bytes);
}

}  // namespace pimdse::models
