#include "models/umdam/classes.hpp"

#include "models/contract/parameter_text.hpp"
#include "models/umdam/parameters.hpp"
#include "models/umdam/pim_npu.hpp"
#include "models/umdam/streams.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/words.hpp"
#include "sim/dram/mapping.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <optional>
#include <set>
#include <utility>

namespace pimdse::models::umdam {
namespace {

using sim::dram::BitOrder;
using sim::dram::Mapping;

using Mappings = std::vector<std::optional<Mapping>>;

using Orders = std::vector<std::optional<BitOrder>>;

/// The bit order of the candidate on every memory; empty where its widths do not fit.
Orders orders_on(MappingCandidate const& candidate, std::vector<MemorySeen> const& memories) {
    Orders orders;
    for (auto const& memory : memories) {
        try {
            orders.emplace_back(order_on(candidate.mapping, memory.organisation, candidate.coll_bits));
        } catch (sim::InputError const&) {
            orders.emplace_back();
        }
    }
    return orders;
}

Mappings mappings_of(Orders const& orders, std::vector<MemorySeen> const& memories) {
    Mappings mappings(orders.size());
    for (std::size_t i = 0; i < orders.size(); ++i) {
        if (!orders[i]) continue;
        try {
            mappings[i] = sim::dram::make_mapping(*orders[i], memories[i].organisation);
        } catch (sim::InputError const&) {  // an order that does not fit this organisation is not an error
        }
    }
    return mappings;
}

bool serves(Mapping const& mapping, MappingCandidate const& candidate, Use const& use, Organisation const& o) {
    int const coll = candidate.coll_bits >= 0 ? candidate.coll_bits : matching_coll_bits(mapping);
    std::int64_t const interleave = std::int64_t{o.burst_bytes} << coll;
    if (interleave > o.row_bytes || interleave % use.design.element_bytes() != 0) return false;
    return std::all_of(use.matrices.begin(), use.matrices.end(), [&](Matrix matrix) {
        return is_legal(mapping, stored_shape(matrix, use.design, o, interleave));
    });
}

/// Properties that two candidates of one class share.
struct CandidateClass {
    int coll_bits = -1;
    std::vector<std::optional<sim::dram::MappingClass>> on_memories;
    auto operator<=>(CandidateClass const&) const = default;
};

CandidateClass class_of(Mappings const& mappings, int coll_bits, std::vector<MemorySeen> const& memories) {
    CandidateClass result{coll_bits, {}};
    for (std::size_t i = 0; i < mappings.size(); ++i) {
        auto& here = result.on_memories.emplace_back();
        if (mappings[i]) here = sim::dram::class_of(*mappings[i], memories[i].visible);
    }
    return result;
}

/// Parameters that decide what a mapping means and which matrices it has to serve.
constexpr std::array<std::string_view, 18> deciding{
    "llm",         "baseline",   "dram",       "channels",    "ranks",   "bank_groups",
    "banks",       "row_bytes",  "density",    "refresh",     "row_pad", "split_k",
    "concurrency", "tile_width", "tile_order", "weight_bits", "lm_head", "weights"};

/// The parameter that moves a key and no other moves; nothing: there is none.
std::optional<std::size_t> position(text::PartSpace const& space, std::string_view key) {
    auto const moving = space.moving(std::array{key});
    return moving.size() == 1 ? std::optional(moving.front()) : std::nullopt;
}

std::vector<Value> values_of(text::PartSpace const& space, std::size_t at) {
    return space.values[at].empty() ? std::vector<Value>{space.parameters[at].default_value} : space.values[at];
}

/// Every combination of the deciding parameters in the space, at most `max`, with all other parameters at their
/// defaults.
std::vector<Design> surroundings(text::PartSpace const& space, double max) {
    std::vector<std::vector<Value>> points{default_point(space.parameters)};
    for (auto const at : space.moving(deciding)) {
        std::vector<std::vector<Value>> more;
        for (auto const& point : points) {
            for (auto const& value : values_of(space, at)) {
                more.push_back(point);
                more.back()[at] = value;
            }
        }
        points = std::move(more);
        if (static_cast<double>(points.size()) > max)
            throw sim::InputError(
                fmt::format("its classes would have to hold for more than {} combinations of memories and models. Use "
                            "fewer of them?",
                            max));
    }
    std::vector<Design> list;
    for (auto const& point : points)
        if (auto const part = space.at(point); part != nullptr)
            if (auto const* design = std::get_if<Design>(&static_cast<PimNpuLaw const&>(*part).design()))
                list.push_back(*design);
    return list;
}

struct Scene {
    std::vector<MemorySeen> memories;
    std::vector<Use> uses;

    std::size_t index_of(MemorySeen const& memory) {
        auto const found =
            std::find_if(memories.begin(), memories.end(), [&](MemorySeen const& other) { return other == memory; });
        auto const index = static_cast<std::size_t>(found - memories.begin());
        if (index == memories.size()) memories.push_back(memory);
        return index;
    }
};

Scene scene_of(Prepared const& prepared, std::vector<Design> const& list) {
    Scene scene;
    for (auto const& asked : list) {
        auto made = hardware_of(prepared, asked);
        auto* const found = std::get_if<System>(&made);
        if (found == nullptr) continue;
        auto& d = *found;
        auto const s = d.design;
        d.design.coll_bits = -1;
        if (check_organisation(d)) continue;
        auto const memory = scene.index_of({d.standard.organisation, sim::dram::visible_to(d.standard, controller(s))});
        bool const multiplied = s.baseline == Baseline::umdam && !s.split_k;
        scene.uses.push_back({memory, s, multiplied ? matrices_of(*s.model, s) : std::vector<Matrix>{}});
    }
    if (scene.memories.empty()) throw sim::InputError("no memory of the space is feasible, so no mapping fits");
    return scene;
}

/// The values of coll_bits that the space names, or every value that one of its memories can have. They descend so that
/// a class is named after its actual ColL: "colm-coll0" at the bottom is the same mapping as "coll6".
std::vector<int> coll_values(std::vector<Value> const& named, Scene const& scene) {
    std::vector<int> list;
    for (auto const& value : named) {
        if (value.as_integer() >= 0) list.push_back(static_cast<int>(value.as_integer()));
    }
    std::sort(list.rbegin(), list.rend());
    if (!list.empty()) return list;
    int max = 0;
    for (auto const& memory : scene.memories)
        max = std::max(max, std::countr_zero(static_cast<unsigned>(memory.organisation.columns())));
    for (int coll = max; coll >= 0; --coll) list.push_back(coll);
    return list;
}

/// The orders of { permute = ... }, each with every ColL of the space.
std::vector<MappingCandidate> permutations(Parameter const& mapping, std::vector<int> const& coll_bits) {
    std::vector<MappingCandidate> list;
    for (int const coll : coll_bits) {
        for (std::uint64_t rank = 0; rank < sim::factorial(mapping.items.size()); ++rank)
            list.push_back({{read_order(permutation(mapping.items, rank)), {}}, coll});
    }
    return list;
}

std::vector<MappingCandidate> family(ClassRequest const& request, Parameter const& mapping,
                                     std::vector<int> const& coll_bits, Scene const& scene, double max_bit_orders) {
    if (request.family.empty()) return permutations(mapping, coll_bits);
    if (request.family == "all") return field_orders(coll_bits);
    if (request.family == "row_highest") return row_highest_orders(coll_bits);
    if (request.family != "bits")
        throw sim::InputError(fmt::format("unknown classes '{}' of mapping.{}", request.family,
                                          sim::suggestion(request.family, {"all", "row_highest", "bits"})));
    if (scene.memories.size() > 1)
        throw sim::InputError(
            "classes = \"bits\" needs one memory organisation (the space has several channel, bank or row counts). Use "
            "classes = \"all\"?");
    return bit_orders(scene.memories.front().organisation, static_cast<std::uint64_t>(sim::whole_part(max_bit_orders)));
}

std::vector<std::vector<sim::dram::FieldXor>> hashes(ClassRequest const& request) {
    std::vector<std::string> list;
    for (auto const& [key, texts] : request.details) {
        if (key != "xor")
            throw sim::InputError(fmt::format("unknown key '{}'.{}", key, sim::suggestion(key, {"classes", "xor"})));
        list = texts;
    }
    std::vector<std::vector<sim::dram::FieldXor>> hashes;
    for (auto const& text : list) {
        if (auto const why = refusal_of_mapping("umdam " + text); !why.empty() || text.empty())
            throw sim::InputError(
                fmt::format("xor = '{}' is not a hash ({})", text, why.empty() ? "it is empty" : why));
        hashes.push_back(read_mapping("umdam " + text).terms);
    }
    return hashes;
}

/// All orders of `items` between `top` and `bottom`, in lexicographic order of the positions of `items`, for each ColL.
std::vector<MappingCandidate> orders(std::vector<int> const& coll_bits, std::vector<OrderItem> const& top,
                                     std::vector<OrderItem> const& items, std::vector<OrderItem> const& bottom) {
    std::vector<MappingCandidate> list;
    for (int const coll : coll_bits) {
        std::vector<std::size_t> places(items.size());
        for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
        do {
            FieldOrder order{top, coll};
            for (auto const place : places) order.highest_first.push_back(items[place]);
            order.highest_first.insert(order.highest_first.end(), bottom.begin(), bottom.end());
            list.push_back({{order, {}}, -1});
        } while (std::next_permutation(places.begin(), places.end()));
    }
    return list;
}

}  // namespace

Census census(std::vector<MappingCandidate> const& candidates, std::vector<MemorySeen> const& memories,
              std::vector<Use> const& uses) {
    Census result;
    result.candidates = candidates.size();
    std::set<std::pair<Orders, int>> orders_seen;  // the bit orders alone already show that most candidates are equal
    std::set<CandidateClass> seen;
    for (auto const& candidate : candidates) {
        auto const orders = orders_on(candidate, memories);
        if (!orders_seen.emplace(orders, candidate.coll_bits).second) continue;
        auto const mappings = mappings_of(orders, memories);
        bool const fits =
            std::any_of(mappings.begin(), mappings.end(), [](auto const& mapping) { return mapping.has_value(); });
        if (!fits || !seen.insert(class_of(mappings, candidate.coll_bits, memories)).second) continue;
        result.classes.push_back(text_of(candidate.mapping));
        bool const legal = std::any_of(uses.begin(), uses.end(), [&](Use const& use) {
            auto const& mapping = mappings[use.memory];
            return mapping &&
                   (use.matrices.empty() || serves(*mapping, candidate, use, memories[use.memory].organisation));
        });
        if (legal) result.legal.push_back(text_of(candidate.mapping));
    }
    return result;
}

Classes classes(text::PartSpace const& space, ClassRequest const& request) {
    auto const& mapping = space.parameters.at(request.parameter);
    if (position(space, "mapping") != request.parameter)
        throw sim::InputError(fmt::format("{} has no classes (only mapping has)", mapping.name));
    auto const coll_at = position(space, "coll_bits");
    if (!coll_at) throw sim::InputError("classes of mapping decide coll_bits, and the machine has no such parameter");
    auto const& known = *static_cast<Prepared const*>(space.prepared);
    auto const& allowed = known.machine.mappings;
    auto const scene = scene_of(known, surroundings(space, allowed.surroundings));
    bool const counted_only = request.family.empty();
    auto const coll = counted_only ? values_of(space, *coll_at) : space.values[*coll_at];
    auto const candidates =
        hashed(family(request, mapping, coll_values(coll, scene), scene, allowed.bit_orders), hashes(request));
    auto const found = census(candidates, scene.memories, scene.uses);
    Classes result;
    result.counts = {
        {"candidates", found.candidates}, {"distinct", found.classes.size()}, {"legal", found.legal.size()}};
    if (counted_only) return result;
    if (found.legal.empty())
        throw sim::InputError(
            fmt::format("none of {} distinct mappings keeps every matrix column in one bank (PIM sums inside a bank "
                        "only). Set split_k = true?",
                        found.classes.size()));
    result.texts = found.legal;
    result.decided = {{*coll_at, Value::integer(-1)}};
    return result;
}

std::vector<MappingCandidate> field_orders(std::vector<int> const& coll_bits) {
    using enum OrderItem;
    return orders(coll_bits, {}, {row, colm, bank, group, channel, coll}, {});
}

std::vector<MappingCandidate> row_highest_orders(std::vector<int> const& coll_bits) {
    using enum OrderItem;
    return orders(coll_bits, {row}, {colm, bank, group, channel}, {coll});
}

std::vector<MappingCandidate> bit_orders(Organisation const& o, std::uint64_t max) {
    auto const bits = [](int count) { return std::countr_zero(static_cast<unsigned>(count)); };
    sim::dram::BitOrders const all(
        {bits(o.channels), bits(o.ranks), bits(o.bank_groups), bits(o.banks), 0, bits(o.columns())}, o);
    if (all.count() > max)
        throw sim::InputError(
            fmt::format("there are {} orders of the bits below the row (at most {} are enumerated)", all.count(), max));
    std::vector<MappingCandidate> list;
    for (std::uint64_t i = 0; i < all.count(); ++i) list.push_back({{all.at(i), {}}, -1});
    return list;
}

std::vector<MappingCandidate> hashed(std::vector<MappingCandidate> candidates,
                                     std::vector<std::vector<sim::dram::FieldXor>> const& hashes) {
    std::size_t const plain = candidates.size();
    for (auto const& hash : hashes) {
        for (std::size_t i = 0; i < plain; ++i) {
            candidates.push_back(candidates[i]);
            auto& terms = candidates.back().mapping.terms;
            terms.insert(terms.end(), hash.begin(), hash.end());
        }
    }
    return candidates;
}

}  // namespace pimdse::models::umdam
