#include "sim/noc/traffic.hpp"

#include "sim/base/random.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <array>
#include <bit>
#include <string>
#include <utility>

namespace pimdse::sim::noc {
namespace {

constexpr std::array<std::pair<std::string_view, Traffic>, 4> names{{{"uniform", Traffic::uniform},
                                                                     {"transpose", Traffic::transpose},
                                                                     {"bitcomp", Traffic::bitcomp},
                                                                     {"neighbor", Traffic::neighbor}}};

}  // namespace

Traffic traffic_named(std::string_view name) {
    std::vector<std::string> known;
    for (auto const& [text, traffic] : names) {
        if (text == name) return traffic;
        known.emplace_back(text);
    }
    throw InputError(fmt::format("unknown traffic '{}'.{}", name, suggestion(name, known)));
}

std::string_view name_of(Traffic traffic) { return names.at(static_cast<std::size_t>(traffic)).first; }

std::string_view why_not(Traffic traffic, Mesh mesh) {
    if (traffic == Traffic::transpose && mesh.rows != mesh.cols)
        return "transpose traffic needs as many rows as columns";
    if (traffic == Traffic::bitcomp && !std::has_single_bit(static_cast<std::uint32_t>(mesh.nodes()))) {
        return "bit-complement traffic needs a power of two of nodes";
    }
    return "";
}

std::uint64_t hashed(std::uint64_t seed, std::uint64_t counter) { return mixed_bits(mixed_bits(seed) ^ counter); }

Node destination(Traffic traffic, Mesh mesh, Node source, std::uint64_t random) {
    auto const row = mesh.row(source), col = mesh.col(source);
    switch (traffic) {
        case Traffic::uniform:
            return static_cast<Node>((random >> 32U) * static_cast<std::uint64_t>(mesh.nodes()) >> 32U);
        case Traffic::transpose:
            return mesh.at(col, row);
        case Traffic::bitcomp:
            return mesh.nodes() - 1 - source;
        case Traffic::neighbor:
            return mesh.at((row + 1) % mesh.rows, (col + 1) % mesh.cols);
    }
    return source;
}

std::vector<double> destination_shares(Traffic traffic, Mesh mesh, Node source) {
    auto const n = static_cast<std::size_t>(mesh.nodes());
    if (traffic == Traffic::uniform) return std::vector<double>(n, 1.0 / static_cast<double>(n));
    std::vector<double> shares(n, 0.0);
    shares[static_cast<std::size_t>(destination(traffic, mesh, source, 0))] = 1.0;
    return shares;
}

}  // namespace pimdse::sim::noc
