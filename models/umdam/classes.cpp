#include "models/umdam/classes.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>

namespace pimdse::models::umdam {
namespace {

using sim::dram::Mapping;

using Mappings = std::vector<std::optional<Mapping>>;

/// The candidate on every memory; nothing where its widths do not fit.
Mappings parsed(std::vector<std::string> const& tokens, std::vector<Memory> const& memories) {
    Mappings mappings(tokens.size());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].empty()) continue;
        try {
            mappings[i] = Mapping::parse(tokens[i], memories[i].organisation);
        } catch (sim::InputError const&) {  // a text for another organisation is no mistake
        }
    }
    return mappings;
}

std::vector<std::string> tokens_on(Candidate const& candidate, std::vector<Memory> const& memories) {
    std::vector<std::string> tokens;
    for (auto const& memory : memories) {
        try {
            tokens.push_back(mapping_tokens(candidate.text, memory.organisation, candidate.coll_bits));
        } catch (sim::InputError const&) {
            tokens.emplace_back();
        }
    }
    return tokens;
}

bool serves(Mapping const& mapping, Candidate const& candidate, Use const& use, Organisation const& o,
            std::int64_t element_bytes) {
    int const coll = candidate.coll_bits >= 0 ? candidate.coll_bits : matching_coll_bits(mapping);
    std::int64_t const interleave = std::int64_t{o.burst_bytes} << coll;
    if (interleave > o.row_bytes || interleave % element_bytes != 0) return false;
    return std::all_of(use.matrices.begin(), use.matrices.end(), [&](Matrix matrix) {
        return is_legal(mapping, stored_shape(matrix, use.settings, o, interleave, element_bytes));
    });
}

std::string class_of(Mappings const& mappings, Candidate const& candidate, std::vector<Memory> const& memories) {
    std::string key = std::to_string(candidate.coll_bits);
    for (std::size_t i = 0; i < mappings.size(); ++i) {
        key += '|';
        if (mappings[i]) key += sim::dram::canonical_key(*mappings[i], memories[i].visible);
    }
    return key;
}

}  // namespace

Census census(std::vector<Candidate> const& candidates, std::vector<Memory> const& memories,
              std::vector<Use> const& uses, std::int64_t element_bytes) {
    Census result;
    result.candidates = candidates.size();
    std::set<std::pair<std::vector<std::string>, int>>
        texts;  // most candidates are told to be equal by their tokens already
    std::set<std::string> seen;
    for (auto const& candidate : candidates) {
        auto tokens = tokens_on(candidate, memories);
        if (!texts.emplace(tokens, candidate.coll_bits).second) continue;
        auto const mappings = parsed(tokens, memories);
        bool const fits =
            std::any_of(mappings.begin(), mappings.end(), [](auto const& mapping) { return mapping.has_value(); });
        if (!fits || !seen.insert(class_of(mappings, candidate, memories)).second) continue;
        result.classes.push_back(candidate.text);
        bool const legal = std::any_of(uses.begin(), uses.end(), [&](Use const& use) {
            auto const& mapping = mappings[use.memory];
            return mapping && (use.matrices.empty() ||
                               serves(*mapping, candidate, use, memories[use.memory].organisation, element_bytes));
        });
        if (legal) result.legal.push_back(candidate.text);
    }
    return result;
}

}  // namespace pimdse::models::umdam
