#include "models/chips/links.hpp"

#include "models/contract/constants.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace pimdse::models::chips {
namespace {

/// Terms of an algorithm: steps, bytes that the busiest device sends, over which share of its bandwidth.
struct Algorithm {
    std::string_view name;
    double steps = 0.0;
    double sent = 0.0;      ///< bytes
    double width = 1.0;     ///< share of a device's bandwidth that the algorithm uses
    double all_sent = 0.0;  ///< bytes over all links
    bool buffered = false;  ///< not in packets
};

/// On a grid.
constexpr double links_of_a_node = 4;
/// The distances of all ordered pairs on a line of n devices sum to n (n^2 - 1) / 3.
constexpr double pairs_to_distance = 3;

/// B/s of each device, of which flags beside data leave a share.
double rate(ChipLink const& link, Collective collective, std::int64_t devices, std::int64_t groups = 1,
            double share = 1.0) {
    bool const adds = collective == Collective::all_reduce || collective == Collective::reduce_scatter;
    bool const sends = collective == Collective::send, trades = collective == Collective::all_to_all;
    double const gathers = sends || link.gather_share == 0.0 ? link.copy_share : link.gather_share;
    double own = link.bandwidth.si * (adds ? link.reduce_share : gathers);
    if (devices == 2 && !sends && !trades) own *= link.pair_share;
    if (link.crossing.si > 0.0 && !sends && (devices > 2 || trades)) own = std::min(own, link.crossing.si);
    own *= share;
    auto const sharing = static_cast<double>(sends ? groups : devices * groups);
    return link.shared.si > 0.0 ? std::min(own, link.shared.si / sharing) : own;
}

/// Bytes that every device sends at least, if no switch adds.
double parts_sent(Collective collective, double n, double bytes) {
    return (collective == Collective::all_reduce ? 2.0 : 1.0) * (n - 1.0) / n * bytes;
}

/// Steps of an algorithm that takes `once` for a gather or a scatter: a sum that all devices get is both.
double steps_of(Collective collective, double once) { return collective == Collective::all_reduce ? 2.0 * once : once; }

/// Around a ring, half of the data in each direction. Parts of an all-to-all take the shorter way; a broadcast passes
/// all devices in small pieces.
Algorithm around(Collective collective, std::int64_t devices, double bytes, double width) {
    auto const n = static_cast<double>(devices);
    if (collective == Collective::all_to_all) {
        auto const hops = static_cast<double>(devices * devices / 4);  // of the parts of a device
        return {"ring", std::floor(n / 2.0), bytes * hops / n, width, bytes * hops};
    }
    if (collective == Collective::broadcast) return {"ring", n - 1.0, bytes, width, (n - 1.0) * bytes};
    double const sent = parts_sent(collective, n, bytes);
    return {"ring", steps_of(collective, n - 1.0), sent, width, n * sent};
}

/// Partners at distances 1, 2, 4 ...: data are halved, or doubled, in every step. A broadcast is a binomial tree.
Algorithm by_halving(Collective collective, std::int64_t devices, double bytes) {
    auto const n = static_cast<double>(devices);
    auto const steps = static_cast<double>(std::bit_width(static_cast<std::uint64_t>(devices - 1)));
    if (collective == Collective::broadcast) return {"tree", steps, steps * bytes, 1.0, (n - 1.0) * bytes};
    double const sent = parts_sent(collective, n, bytes);
    return {"halving", steps_of(collective, steps), sent, 1.0, n * sent};
}

/// Every device reads the vectors of all others, whole, and adds them: after all have written, until all have read.
Algorithm in_one_pass(std::int64_t devices, double bytes) {
    auto const n = static_cast<double>(devices);
    return {"one pass", 2.0, (n - 1.0) * bytes, 1.0, n * (n - 1.0) * bytes};
}

/// Every device sends to all others at the same time. A broadcast hands a part to each device, which sends it on.
Algorithm directly(Collective collective, std::int64_t devices, double bytes) {
    auto const n = static_cast<double>(devices);
    if (collective == Collective::broadcast)
        return {"direct", 2.0, 2.0 * (n - 1.0) / n * bytes, 1.0, (n - 1.0) * bytes};
    double const sent = parts_sent(collective, n, bytes);
    return {"direct", steps_of(collective, 1.0), sent, 1.0, n * sent};
}

/// Bytes over each link of a line of `length` devices, in the direction that has more: device i gathers the i-th part.
double over_line(double length, double bytes) { return (length - 1.0) / length * bytes; }

/// A sum, scatter or gather on a grid with two dimensions: half of the data along the rows first, half along the
/// columns first, each over one link of four in a direction.
Algorithm by_rows_and_columns(Collective collective, double rows, double cols, double bytes) {
    double const half = bytes / 2.0;
    double const first = std::max(over_line(cols, half), over_line(rows, half));
    double const then = std::max(over_line(rows, half / cols), over_line(cols, half / rows));
    double const n = rows * cols, lines = over_line(cols, half) + over_line(rows, half / cols) + over_line(rows, half) +
                                          over_line(cols, half / rows);
    return {"rows and columns", steps_of(collective, 2.0 * std::max(rows, cols) - 2.0),
            steps_of(collective, first + then), 1.0 / links_of_a_node, n * steps_of(collective, lines)};
}

/// The same on one row.
Algorithm along_row(Collective collective, double cols, double bytes) {
    double const sent = steps_of(collective, over_line(cols, bytes));
    return {"row", steps_of(collective, cols - 1.0), sent, 1.0 / links_of_a_node, cols * sent};
}

std::vector<Algorithm> algorithms_on_grid(Collective collective, std::int64_t devices, double bytes) {
    auto const [rows, cols] = grid_of(devices);
    auto const r = static_cast<double>(rows), c = static_cast<double>(cols), n = r * c;
    if (collective == Collective::all_to_all) {
        // Routes along the row first; the middle of the rows is busiest.
        auto const left = static_cast<double>(cols / 2) * r;
        double const hops =
            r * r * c * (c * c - 1.0) / pairs_to_distance + c * c * r * (r * r - 1.0) / pairs_to_distance;
        return {{"routes", r + c - 2.0, left * (n - left) * bytes / n / r, 1.0 / links_of_a_node, hops * bytes / n}};
    }
    if (collective == Collective::broadcast)
        return {{"tree", r + c - 2.0, bytes, 1.0 / links_of_a_node, (n - 1.0) * bytes}};
    if (rows == 1) return {along_row(collective, c, bytes)};
    std::vector<Algorithm> all{by_rows_and_columns(collective, r, c, bytes)};
    if (devices % 2 == 0) all.push_back(around(collective, devices, bytes, 0.5));  // a closed path over all devices
    return all;
}

/// Every device reads its part of the sum from the switch, and writes it to all through the switch.
Algorithm in_the_switch(ChipLink const& link, std::int64_t devices, double bytes, double steps) {
    auto const n = static_cast<double>(devices);
    double const width = link.switch_share * link.bandwidth.si / rate(link, Collective::all_reduce, devices);
    return {"in the switch", steps, bytes, width, n * bytes, true};
}

/// The library of the boards of a host passes data around a ring; an exchange starts with all partners at once.
std::vector<Algorithm> over_switch(ChipLink const& link, Collective collective, std::int64_t devices, double bytes,
                                   Starter starter) {
    bool const of_boards = starter == Starter::host && link.collective_start.si > 0.0;
    if (collective == Collective::all_to_all) {
        auto direct = directly(collective, devices, bytes);
        if (!of_boards) return {direct};
        direct.steps = 1.0 + static_cast<double>(std::bit_width(static_cast<std::uint64_t>(devices - 1)));
        direct.buffered = bytes > static_cast<double>(devices) * link.packet_limit.si;
        return {direct};
    }
    std::vector<Algorithm> all{around(collective, devices, bytes, 1.0)};
    double const ring_steps = all.front().steps;
    bool const halves = !of_boards && std::has_single_bit(static_cast<std::uint64_t>(devices));
    if (collective == Collective::broadcast || halves) all.push_back(by_halving(collective, devices, bytes));
    if (starter == Starter::program) {
        all.push_back(directly(collective, devices, bytes));
        if (collective == Collective::all_reduce && link.start.si > 0.0) {
            all.back().steps *= 2.0;  // its passes are the one below twice, over parts
            all.push_back(in_one_pass(devices, bytes));
        }
    }
    if (collective == Collective::all_reduce && link.switch_share > 0.0)
        all.push_back(in_the_switch(link, devices, bytes, starter == Starter::program ? 2.0 : ring_steps));
    return all;
}

std::vector<Algorithm> algorithms(ChipLink const& link, Collective collective, std::int64_t devices, double bytes,
                                  Starter starter) {
    switch (link.topology) {
        case Topology::by_switch:
            return over_switch(link, collective, devices, bytes, starter);
        case Topology::full:
            return {directly(collective, devices, bytes)};
        case Topology::ring:
            return {around(collective, devices, bytes, 1.0)};
        case Topology::mesh:
            break;
    }
    return algorithms_on_grid(collective, devices, bytes);
}

/// Share of the wires of a device that lead to one neighbour.
double to_neighbour(Topology topology, std::int64_t devices) {
    switch (topology) {
        case Topology::by_switch:
            return 1.0;
        case Topology::full:
            return 1.0 / static_cast<double>(devices - 1);
        case Topology::ring:
            return devices == 2 ? 1.0 : 0.5;
        case Topology::mesh:
            break;
    }
    return 1.0 / links_of_a_node;
}

}  // namespace

std::array<std::int64_t, 2> grid_of(std::int64_t devices) {
    sim::expects(devices >= 1, "there is a device");
    auto rows = static_cast<std::int64_t>(std::sqrt(static_cast<double>(devices)));
    while (devices % rows != 0) --rows;
    return {rows, devices / rows};
}

Exchange exchange(ChipLink const& link, Collective collective, std::int64_t devices, double bytes, Starter starter,
                  std::int64_t groups) {
    sim::expects(devices >= 1 && bytes >= 0.0, "a group has devices, and data a size");
    if (devices == 1) return {};
    if (collective == Collective::send) {
        double const width = to_neighbour(link.topology, devices);
        return {link.step.si + bytes / (rate(link, collective, devices, groups) * width), 1.0, bytes, bytes, "direct"};
    }
    Exchange best;
    if (link.shared.si > 0.0) starter = Starter::host;  // no program writes into another device
    double const attained = rate(link, collective, devices, groups);
    bool const by_library = starter == Starter::host;
    bool const trades = by_library && collective == Collective::all_to_all;
    double const fill = trades ? link.exchange_fill.si : link.fill.si;
    double const packets = by_library ? rate(link, collective, devices, groups, link.packet_share)
                                      : std::min(attained, link.packet_share * link.bandwidth.si);
    for (auto const& algorithm : algorithms(link, collective, devices, bytes, starter)) {
        double moving = fill + algorithm.sent / (attained * algorithm.width);
        if (!algorithm.buffered) moving = std::min(moving, algorithm.sent / (packets * algorithm.width));
        double const seconds =
            (by_library ? link.collective_start.si : link.start.si) + algorithm.steps * link.step.si + moving;
        if (best.algorithm.empty() || seconds < best.seconds)
            best = {seconds, algorithm.steps, algorithm.sent, algorithm.all_sent, algorithm.name};
    }
    return best;
}

double min_seconds(ChipLink const& link, Collective collective, std::int64_t devices, double bytes) {
    if (devices == 1) return 0.0;
    bool const whole = collective == Collective::send || collective == Collective::broadcast ||
                       (collective == Collective::all_reduce && link.switch_share > 0.0);
    double const sent = whole ? bytes : parts_sent(collective, static_cast<double>(devices), bytes);
    return sent / link.bandwidth.si;
}

Exchange all_reduce_over_nodes(ChipLink const& within, std::int64_t devices, ChipLink const& between,
                               std::int64_t nodes, double bytes, Starter starter) {
    auto const inner = exchange(within, Collective::all_reduce, devices, bytes, starter);
    if (nodes == 1) return inner;
    // All devices of a node share its link to the others.
    auto const outer = exchange(between, Collective::all_reduce, nodes, bytes, starter);
    auto const count = static_cast<double>(nodes);
    return {inner.seconds + outer.seconds, inner.steps + outer.steps, inner.sent + outer.sent,
            count * inner.all_sent + outer.all_sent, outer.algorithm};
}

KnownLinks load_links(ModelOptions const& options) {
    auto const constants = Constants::load(data_directory() / "models" / "chips" / "links.toml", options, "links");
    KnownLinks links;
    for (std::size_t kind = 0; kind < links.size(); ++kind) {
        std::string const name(link_names.at(kind));
        auto& link = links.at(kind);
        link.topology = kind == link_kind("ucie_x64") ? Topology::mesh : Topology::by_switch;
        constants.bind(link.bandwidth, name + "_bandwidth");
        constants.bind(link.copy_share, name + "_copy_share");
        constants.bind(link.reduce_share, name + "_reduce_share");
        constants.bind(link.step, name + "_step");
        constants.bind(link.call, name + "_call");
        constants.bind(link.energy, name + "_energy");
        constants.bind(link.standby, name + "_standby");
        constants.bind(link.reach, name + "_reach");
        auto const bind_if_stated = [&](auto& value, std::string const& row) {
            if (constants.all().contains(row)) constants.bind(value, row);
        };
        bind_if_stated(link.gather_share, name + "_gather_share");
        bind_if_stated(link.pair_share, name + "_pair_share");
        bind_if_stated(link.switch_share, name + "_switch_share");
        bind_if_stated(link.shared, name + "_shared");
        bind_if_stated(link.crossing, name + "_crossing");
        bind_if_stated(link.collective_start, name + "_library");
        if (link.collective_start.si == 0.0) continue;
        constants.bind(link.start, "kernel_start");
        constants.bind(link.fill, "kernel_fill");
        constants.bind(link.exchange_fill, "exchange_fill");
        constants.bind(link.packet_share, "packet_share");
        constants.bind(link.packet_limit, "packet_limit");
    }
    return links;
}

ChipLink load_link(std::size_t kind) {
    static auto const links = load_links();
    return links.at(kind);
}

}  // namespace pimdse::models::chips
