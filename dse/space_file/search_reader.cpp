#include "dse/space_file/search_reader.hpp"

#include "dse/space/search_names.hpp"
#include "dse/strategy/strategies.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>

namespace pimdse::dse::space_file {
namespace {

using models::TableReader;

std::uint64_t count(TableReader& reader, std::string_view key, std::uint64_t fallback) {
    if (reader.node(key) == nullptr) return fallback;
    std::int64_t const value = reader.integer(key);
    if (value < 0) reader.mistake(key, fmt::format("'{}' is negative (it is a count)", key));
    return static_cast<std::uint64_t>(value);
}

/// Does it; what it complains of becomes a mistake at the key.
template <class Read>
void at(TableReader& reader, std::string_view key, Read const& read) {
    try {
        read();
    } catch (sim::InputError const& error) {
        reader.mistake(key, error.what());
    }
}

}  // namespace

space::SearchSettings search_settings(TableReader& reader, std::span<models::Architecture const* const> architectures) {
    space::SearchSettings search;
    search.strategy = reader.text_or("strategy", search.strategy);
    search.budget = count(reader, "budget", search.budget);
    search.seed = count(reader, "seed", search.seed);
    if (reader.node("epsilon") != nullptr) search.epsilon = reader.number("epsilon");
    bool const named = reader.node("strategy") != nullptr;  // else a flag may say which
    search.audit = count(reader, "audit", search.audit);
    search.stop_after_no_gain = count(reader, "stop_after_no_gain", search.stop_after_no_gain);
    std::string const fidelity = reader.text_or("fidelity", "analytic");
    std::string const keep = reader.text_or("keep", "all");
    reader.refuse_unknown_keys();
    at(reader, "keep", [&] { search.keep = space::parse_keep(keep); });
    at(reader, "strategy", [&] { strategy::check_strategy(search.strategy); });
    at(reader, "epsilon", [&] { strategy::check_epsilon(search.epsilon); });
    if (named) {
        at(reader, search.epsilon != 0.0 ? "epsilon" : "audit", [&] { strategy::check_bounds_settings(search); });
        at(reader, "keep", [&] { strategy::check_keep(search); });
    }
    at(reader, "fidelity", [&] { search.fidelity = space::parse_fidelity(architectures, fidelity); });
    return search;
}

}  // namespace pimdse::dse::space_file
