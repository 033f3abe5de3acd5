#pragma once

#include <array>
#include <cstdint>

namespace pimdse::sim::noc {

/// Ports of a router, in the order of round-robin arbitration. As an input, `local` is injection; as an output, it is
/// ejection.
enum class Port : std::uint8_t { north, east, south, west, local };
inline constexpr int ports = 5;

[[nodiscard]] constexpr int index(Port port) { return static_cast<int>(port); }
/// A mask with the bit of this port.
[[nodiscard]] constexpr std::uint8_t bit(Port port) { return static_cast<std::uint8_t>(1U << index(port)); }

/// The port at the other end of a link. Precondition: not `local`.
[[nodiscard]] constexpr Port opposite(Port port) { return static_cast<Port>((index(port) + 2) % 4); }

using Node = std::int32_t;

/// A rectangle of routers, numbered row by row; row 0 is north, column 0 is west.
struct Mesh {
    std::int32_t rows = 1;
    std::int32_t cols = 1;

    [[nodiscard]] constexpr Node nodes() const { return rows * cols; }
    [[nodiscard]] constexpr Node at(std::int32_t row, std::int32_t col) const { return row * cols + col; }
    [[nodiscard]] constexpr std::int32_t row(Node node) const { return node / cols; }
    [[nodiscard]] constexpr std::int32_t col(Node node) const { return node % cols; }
    [[nodiscard]] constexpr std::int32_t distance(Node a, Node b) const {
        auto const apart = [](std::int32_t x, std::int32_t y) { return x < y ? y - x : x - y; };
        return apart(row(a), row(b)) + apart(col(a), col(b));
    }
    [[nodiscard]] constexpr bool has_link(Node node, Port port) const {
        switch (port) {
            case Port::north:
                return row(node) > 0;
            case Port::east:
                return col(node) + 1 < cols;
            case Port::south:
                return row(node) + 1 < rows;
            case Port::west:
                return col(node) > 0;
            case Port::local:
                return false;
        }
        return false;
    }
    /// The router behind a port that has a link.
    [[nodiscard]] constexpr Node neighbour(Node node, Port port) const {
        std::array<Node, 4> const step{-cols, 1, cols, -1};
        return node + step[static_cast<std::size_t>(index(port))];
    }
    /// Output port under dimension-ordered routing: along the row (x) first. `local` at the destination.
    [[nodiscard]] constexpr Port towards(Node from, Node to) const {
        if (col(from) != col(to)) return col(from) < col(to) ? Port::east : Port::west;
        if (row(from) != row(to)) return row(from) < row(to) ? Port::south : Port::north;
        return Port::local;
    }
};

/// Index of a port among all ports of a mesh: for outputs and inputs alike, which are counted in separate arrays.
[[nodiscard]] constexpr std::int32_t port_index(Node node, Port port) { return node * ports + index(port); }

/// Maximum number of rows or columns of a mesh (checked in network_state.cpp): the route in a flit has 13 bits for the
/// number of links in each direction.
inline constexpr std::int32_t max_in_line = (1 << 13) - 1;

}  // namespace pimdse::sim::noc
