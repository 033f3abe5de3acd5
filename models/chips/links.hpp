#pragma once

#include "models/contract/assumptions.hpp"
#include "sim/base/units.hpp"

#include <array>
#include <cstdint>
#include <string_view>

/// Links between devices (boards, chips, chiplets), and what exchanging data over them takes. docs/models.md.
namespace pimdse::models::chips {

/// How the devices are joined. `ring`: each with two neighbours; `switch`: all by a switch without contention; `full`:
/// each pair by its share of a device's bandwidth; `mesh`: the most square grid, each with up to four neighbours.
enum class Topology : std::uint8_t { ring, by_switch, full, mesh };
inline constexpr std::array<std::string_view, 4> topology_names{"ring", "switch", "full", "mesh"};

/// Kinds of links with rows in links.toml, whose names begin with the kind and an underscore.
inline constexpr std::array<std::string_view, 11> link_names{"nvlink3", "nvlink4",    "pcie4",     "pcie5",
                                                             "cxl3_x8", "ucie_x64",   "eth100",    "eth400",
                                                             "nvlink5", "pcie4_host", "pcie5_host"};

/// Number of a kind; precondition: there is one of this name.
[[nodiscard]] consteval std::size_t link_kind(std::string_view name) {
    std::size_t kind = 0;
    while (link_names[kind] != name) ++kind;
    return kind;
}

/// A link of every device of a group. Rates are those of one device in one direction, over all its wires together.
struct ChipLink {
    Topology topology = Topology::by_switch;
    sim::Bandwidth bandwidth;   ///< of the data sheet
    double copy_share = 1.0;    ///< of it, attained by a copy from one device to another
    double gather_share = 0.0;  ///< of it, attained by gathers, broadcasts and exchanges; 0: as copies
    double reduce_share = 1.0;  ///< of it, attained by sums, whose operands pass the units of a device
    double pair_share = 1.0;    ///< factor of gathers and sums between two devices, whose ring is one link
    double switch_share = 0.0;  ///< of it, attained by a sum in the switch; 0: the switch does not add
    sim::Bandwidth shared;      ///< of the memory of a host that all data pass, of all devices together; 0: none
    /// From the boards at one socket of a host to those at the other: what a ring over more than two boards, or an
    /// exchange, attains at most. 0: boards have no sockets between them.
    sim::Bandwidth crossing;
    sim::Time step;              ///< from a device to the next one, without data
    sim::Time call;              ///< until a collective that a host starts begins; nothing within a program of a device
    sim::Time start;             ///< of the kernel of a program of the devices
    sim::Time collective_start;  ///< of the kernel of a host's library, in a recorded graph
    /// Buffers are filled before large data move at the shares above; small ones move without, flags beside data. 0: no
    /// buffers.
    sim::Time fill, exchange_fill;  ///< the latter of exchanges of a host's library
    double packet_share = 1.0;  ///< attained without buffers: of the bandwidth by programs, of its shares by a library
    sim::Data packet_limit;     ///< of a part of an exchange that a library sends without buffers
    sim::EnergyPerByte energy;  ///< per byte sent over one link
    sim::Power standby;         ///< whatever is sent: of a port, and of the device's part of a switch
    std::int64_t reach = 1;     ///< devices that it joins at most
    bool makes_one = false;     ///< devices that share layers over it are one machine, which knows what sharing takes
    double cost = 0.0, carbon = 0.0;  ///< USD and kg for each device that it joins; set for groups (group.hpp)
    /// As many lanes as this bandwidth (B/s) takes, with their ports.
    void set_bandwidth(double rate) {
        double const lanes = rate / bandwidth.si;
        for (auto* const of : {&standby.si, &cost, &carbon}) *of *= lanes;
        bandwidth.si = rate;
    }
    /// A step of its own, which is all that a collective takes beside its bytes.
    void set_latency(double seconds) {
        step.si = seconds;
        start.si = collective_start.si = fill.si = exchange_fill.si = 0.0;
    }
};

/// Links by kind.
using KnownLinks = std::array<ChipLink, link_names.size()>;
/// Reads links.toml under these assumptions. Throws InputError for a constant that is missing or has another dimension.
[[nodiscard]] KnownLinks load_links(ModelOptions const& options = {});
/// One of them by its papers.
[[nodiscard]] ChipLink load_link(std::size_t kind);

/// What the devices of a group do together.
enum class Collective : std::uint8_t {
    send,            ///< one device to a neighbour
    broadcast,       ///< one device to all
    all_gather,      ///< every device has a part and gets all; bytes: of all parts
    reduce_scatter,  ///< every device has a vector and gets a part of the sum; bytes: of the vector
    all_reduce,      ///< every device has a vector and gets the sum; bytes: of the vector
    all_to_all,      ///< every device has a part for every device; bytes: that a device has, its own part included
};
inline constexpr std::array<std::string_view, 6> collective_names{"send",           "broadcast",  "all_gather",
                                                                  "reduce_scatter", "all_reduce", "all_to_all"};

/// Cost of a collective without the call of a host.
struct Exchange {
    double seconds = 0.0;
    double steps = 0.0;     ///< that follow each other
    double sent = 0.0;      ///< bytes that the busiest device sends
    double all_sent = 0.0;  ///< bytes over all links, counted at each link that they pass
    /// The algorithm that is fastest at this size: "ring", "one pass", "halving", "direct", "rows",
    /// "in the switch".
    std::string_view algorithm{};
};

/// Who starts a collective: a program of the devices, in which every device may send to all others at once where a
/// switch joins them; or a host, whose library (NCCL) passes data around a ring or between pairs only.
enum class Starter : std::uint8_t { program, host };

/// The fastest of the algorithms that topology and starter have; nothing for one device. `groups` of as many devices
/// exchange at the same time, which counts where all of them share the memory of a host. Precondition: devices >= 1,
/// bytes >= 0.
[[nodiscard]] Exchange exchange(ChipLink const& link, Collective collective, std::int64_t devices, double bytes,
                                Starter starter = Starter::program, std::int64_t groups = 1);

/// What no algorithm goes below: the bytes that the busiest device must send, at the rate of the data sheet; with a
/// switch that adds, each vector passes once.
[[nodiscard]] double min_seconds(ChipLink const& link, Collective collective, std::int64_t devices, double bytes);

/// The same over nodes of `devices` each, which `between` joins: a part of the sum in every node, summed over the nodes
/// by one device for each, and gathered again. Only for all_reduce.
[[nodiscard]] Exchange all_reduce_over_nodes(ChipLink const& within, std::int64_t devices, ChipLink const& between,
                                             std::int64_t nodes, double bytes, Starter starter = Starter::program);

/// Rows and columns of the most square grid.
[[nodiscard]] std::array<std::int64_t, 2> grid_of(std::int64_t devices);

}  // namespace pimdse::models::chips
