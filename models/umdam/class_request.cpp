#include "models/umdam/class_request.hpp"

#include "models/contract/parameter_text.hpp"
#include "models/umdam/classes.hpp"
#include "models/umdam/parameters.hpp"
#include "models/umdam/rules.hpp"
#include "models/umdam/streams/controller.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/words.hpp"
#include "sim/dram/mapping/mapping_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <bit>

namespace pimdse::models::umdam {
namespace {

/// Parameters that decide what a mapping means and whom it serves.
constexpr std::array<std::string_view, 14> deciding{"llm",         "baseline", "dram",      "channels",   "ranks",
                                                    "bank_groups", "banks",    "row_bytes", "density",    "lm_head",
                                                    "refresh",     "row_pad",  "split_k",   "concurrency"};

std::size_t position(Parameters const& parameters, std::string_view name) {
    int const at = find_parameter(parameters, name);
    sim::ensures(at >= 0, "the parameter is in the table");
    return static_cast<std::size_t>(at);
}

std::vector<Value> values_of(Parameters const& parameters, AxisValues const& values, std::size_t at) {
    return values[at].empty() ? std::vector<Value>{parameters[at].fallback} : values[at];
}

/// Every combination of the deciding parameters in the space, `most` at most, all others at their defaults.
std::vector<Design> surroundings(Parameters const& parameters, AxisValues const& values, double most) {
    std::vector<std::vector<Value>> points{default_point(parameters)};
    for (auto const name : deciding) {
        auto const at = position(parameters, name);
        std::vector<std::vector<Value>> more;
        for (auto const& point : points) {
            for (auto const& value : values_of(parameters, values, at)) {
                more.push_back(point);
                more.back()[at] = value;
            }
        }
        points = std::move(more);
        if (static_cast<double>(points.size()) > most)
            throw sim::InputError(fmt::format(
                "its classes would have to hold for more than {} memories and models. Fewer of them?", most));
    }
    std::vector<Design> list;
    for (auto const& point : points) list.push_back(read_design(point));
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
    for (auto const& s : list) {
        System d;
        d.design = s;
        d.design.coll_bits = -1;
        if (check_numbers(s, prepared)) continue;
        d.standard = standard_of(s, prepared.standards.at(s.dram).at(static_cast<int>(s.density)));
        if (check_organisation(d)) continue;
        auto const memory = scene.index_of({d.standard.organisation, sim::dram::visible_to(d.standard, controller(s))});
        bool const multiplied = s.baseline == Baseline::umdam && !s.split_k;
        scene.uses.push_back(
            {memory, s, multiplied ? matrices_of(prepared.models.at(s.llm), s) : std::vector<Matrix>{}});
    }
    if (scene.memories.empty()) throw sim::InputError("no memory of the space can exist, so that no mapping fits one");
    return scene;
}

/// The space's own coll_bits where it names some, else all that any of its memories can have. Descending, so that a
/// class is called by the ColL it has: "colm-coll0" at the bottom is the same as "coll6".
std::vector<int> coll_values(std::vector<Value> const& named, Scene const& scene) {
    std::vector<int> list;
    for (auto const& value : named) {
        if (value.as_integer() >= 0) list.push_back(static_cast<int>(value.as_integer()));
    }
    std::sort(list.rbegin(), list.rend());
    if (!list.empty()) return list;
    int most = 0;
    for (auto const& memory : scene.memories)
        most = std::max(most, std::countr_zero(static_cast<unsigned>(memory.organisation.columns())));
    for (int coll = most; coll >= 0; --coll) list.push_back(coll);
    return list;
}

/// The orderings of { permute = ... }, each with the ColL the space gives it.
std::vector<MappingCandidate> permutations(Parameter const& mapping, std::vector<int> const& coll_bits) {
    std::vector<MappingCandidate> list;
    for (int const coll : coll_bits) {
        for (std::uint64_t rank = 0; rank < sim::factorial(mapping.items.size()); ++rank)
            list.push_back({{read_order(permutation(mapping.items, rank)), {}}, coll});
    }
    return list;
}

std::vector<MappingCandidate> family(ClassRequest const& request, Parameter const& mapping,
                                     std::vector<int> const& coll_bits, Scene const& scene, double most_bit_orders) {
    if (request.family.empty()) return permutations(mapping, coll_bits);
    if (request.family == "all") return field_orders(coll_bits);
    if (request.family == "row_highest") return row_highest_orders(coll_bits);
    if (request.family != "bits")
        throw sim::InputError(fmt::format("unknown classes '{}' of mapping.{}", request.family,
                                          sim::suggestion(request.family, {"all", "row_highest", "bits"})));
    if (scene.memories.size() > 1)
        throw sim::InputError(
            "orders of bits fit one memory (the space has several channel, bank or row counts). Use classes = "
            "\"all\"?");
    return bit_orders(scene.memories.front().organisation,
                      static_cast<std::uint64_t>(sim::whole_part(most_bit_orders)));
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
            throw sim::InputError(fmt::format("xor = '{}' is no hash ({})", text, why.empty() ? "it is empty" : why));
        hashes.push_back(read_mapping("umdam " + text).terms);
    }
    return hashes;
}

}  // namespace

Classes classes(Parameters const& parameters, ClassRequest const& request, AxisValues const& values) {
    auto const& mapping = parameters.at(request.parameter);
    if (mapping.name != "mapping") throw sim::InputError(fmt::format("{} has no classes (mapping has)", mapping.name));
    auto const prepared = prepare(parameters, "");
    auto const& known = *static_cast<Prepared const*>(prepared.get());
    auto const scene = scene_of(known, surroundings(parameters, values, known.machine.mappings.surroundings));
    auto const coll_at = position(parameters, "coll_bits");
    bool const counted_only = request.family.empty();
    auto const coll = counted_only ? values_of(parameters, values, coll_at) : values[coll_at];
    auto const candidates = hashed(
        family(request, mapping, coll_values(coll, scene), scene, known.machine.mappings.bit_orders), hashes(request));
    auto const found =
        census(candidates, scene.memories, scene.uses, static_cast<std::int64_t>(known.machine.element_bytes));
    Classes result;
    result.counts = {
        {"candidates", found.candidates}, {"distinct", found.classes.size()}, {"legal", found.legal.size()}};
    if (counted_only) return result;
    if (found.legal.empty())
        throw sim::InputError(
            fmt::format("none of {} distinct mappings keeps matrix columns in one bank (PIM adds up inside a bank). "
                        "split_k = true?",
                        found.classes.size()));
    result.texts = found.legal;
    result.decided = {{coll_at, Value::integer(-1)}};
    return result;
}

}  // namespace pimdse::models::umdam
