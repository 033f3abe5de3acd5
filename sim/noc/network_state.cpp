#include "sim/noc/network_state.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <cstdlib>

namespace pimdse::sim::noc {

[[nodiscard]] constexpr Flit message_bits(MessageId message) { return static_cast<Flit>(message) << 2U; }

NetworkState::NetworkState(Mesh on, RouterTiming with)
    : mesh(on), timing(with), below_deepest(lanes::all(lanes::max - 1)) {
    expects(mesh.rows > 0 && mesh.cols > 0 && mesh.rows <= max_in_line && mesh.cols <= max_in_line,
            "the numbers of rows and columns are in 1..max_in_line");
    expects(timing.fifo_flits > 0 && timing.fifo_flits <= lanes::max, "a FIFO holds 1 to 2048 flits");
    expects(timing.traversal >= 2 && timing.injection >= 2 && timing.adder >= 0,
            "a flit arrives at least two cycles after it leaves a router");
    auto const longest = std::max({2 * timing.traversal, timing.traversal + timing.adder, timing.injection});
    routers.resize(static_cast<std::size_t>(mesh.nodes()));
    slot_mask = std::bit_ceil(static_cast<std::size_t>(longest) + 1) - 1;
    blocks = (nodes() + news_block - 1) / news_block;
    news.resize((slot_mask + 1) * nodes());
    late_news.resize(news.size());
    has_news.resize((slot_mask + 1) * blocks);
    ejecting.resize(slot_mask + 1);
    tails.resize(slot_mask + 1);

    std::size_t const n = nodes() * ports;
    auto const capacity = std::bit_ceil(static_cast<std::uint32_t>(timing.fifo_flits));
    fifo_shift = static_cast<std::uint32_t>(std::countr_zero(capacity));
    fifo_mask = capacity - 1;
    fifo = std::make_unique_for_overwrite<Flit[]>(n << fifo_shift);
    for (auto* masks : {&leaves_by, &joined}) masks->resize(n);
    delay.resize(n);
    link_flits.resize(n);
    sources.resize(nodes());
    visited.resize(nodes() + 1);
    injecting.resize(nodes() + 1);
    movable_pairs.resize(nodes() + 1);
    heads.resize(nodes() + 1);
    moves.resize(n + 1);
    for (auto& router : routers) router.credits = lanes::all(static_cast<std::uint64_t>(timing.fifo_flits));
    for (Port const port : {Port::north, Port::east, Port::south, Port::west, Port::local}) {
        auto const p = static_cast<std::size_t>(index(port));
        step[p] = port == Port::local ? 0 : mesh.neighbour(0, port);
        fifo_step[p] = (step[p] * ports + other_end[p]) * static_cast<std::ptrdiff_t>(capacity);
    }
}

MessageId new_message(NetworkState& n, NetworkState::Kind kind, std::int32_t target, std::int32_t flits,
                      std::int32_t tails) {
    expects(flits > 0, "a message has at least one flit");
    NetworkState::Message const message{-1, target, tails, kind};
    if (n.free_messages.empty()) {
        n.messages.push_back(message);
        expects(n.messages.size() < std::size_t{1} << 30U, "a message number in flight fits 30 bits");
        return static_cast<MessageId>(n.messages.size() - 1);
    }
    MessageId const id = n.free_messages.back();
    n.free_messages.pop_back();
    n.messages[static_cast<std::size_t>(id)] = message;
    return id;
}

void queue_message(NetworkState& n, Node node, MessageId message, std::int32_t flits, Flit flit) {
    auto const router = static_cast<std::size_t>(node);
    n.sources[router].messages.push_back({flit | message_bits(message), message, flits});
    n.routers[router].queued = 1;
    post_news(n, n.now, router, 1U << wake_at);
    n.flits_alive += flits;
}

void finish_message(NetworkState& n, MessageId id, Cycle when) {
    auto& message = n.messages[static_cast<std::size_t>(id)];
    if (--message.to_arrive > 0) return;
    n.arrivals.push_back({id, message.injected, when});
    n.free_messages.push_back(id);
}

namespace {

int path_depth(std::size_t length, std::size_t root_at) {
    return static_cast<int>(std::max(root_at, length - 1 - root_at));
}

}  // namespace

Tree Tree::xy(Mesh mesh, Node root, std::span<Node const> members) {
    // Along the row of the root to every column in use, then up and down the columns: the extent of each column
    // describes the tree.
    struct Reach {
        std::int32_t top, bottom;
    };
    auto const row = mesh.row(root), col = mesh.col(root);
    std::vector<Reach> reach(static_cast<std::size_t>(mesh.cols), Reach{row, row});
    std::vector<bool> member(static_cast<std::size_t>(mesh.nodes()), false);
    std::int32_t left = col, right = col;
    Tree tree;
    tree.mesh_ = mesh;
    tree.root_ = root;
    for (Node const node : members) {
        std::int32_t const y = mesh.row(node), x = node - y * mesh.cols;
        auto& r = reach[static_cast<std::size_t>(x)];
        r = {std::min(r.top, y), std::max(r.bottom, y)};
        left = std::min(left, x);
        right = std::max(right, x);
        tree.members_ += member[static_cast<std::size_t>(node)] ? 0 : 1;
        member[static_cast<std::size_t>(node)] = true;
        tree.depth_ = std::max(tree.depth_, std::abs(x - col) + std::abs(y - row));
    }
    std::size_t routers = 0;
    for (std::int32_t x = left; x <= right; ++x) {
        auto const [top, bottom] = reach[static_cast<std::size_t>(x)];
        routers += static_cast<std::size_t>(bottom - top + 1);
    }
    tree.branches_.reserve(routers);
    for (std::int32_t y = 0; y < mesh.rows; ++y) {
        for (std::int32_t x = left; x <= right; ++x) {
            auto const [top, bottom] = reach[static_cast<std::size_t>(x)];
            if (y < top || y > bottom) continue;
            Node const node = mesh.at(y, x);
            Branch branch{node, 0, Port::local, member[static_cast<std::size_t>(node)]};
            if (x != col) branch.parent = x < col ? Port::east : Port::west;
            if (y != row) branch.parent = y < row ? Port::south : Port::north;
            if (y <= row && y > top) branch.children |= bit(Port::north);
            if (y >= row && y < bottom) branch.children |= bit(Port::south);
            if (y == row && x >= col && x < right) branch.children |= bit(Port::east);
            if (y == row && x <= col && x > left) branch.children |= bit(Port::west);
            tree.branches_.push_back(branch);
        }
    }
    return tree;
}

Tree Tree::path(Mesh mesh, std::span<Node const> path, std::size_t root_at) {
    expects(root_at < path.size(), "the root is on the path");
    Tree tree;
    tree.mesh_ = mesh;
    tree.root_ = path[root_at];
    tree.depth_ = path_depth(path.size(), root_at);
    tree.members_ = static_cast<int>(path.size());
    tree.branches_.reserve(path.size());
    for (std::size_t i = 0; i < path.size(); ++i) {
        Branch branch{path[i], 0, Port::local, true};
        auto const link = [&](std::size_t other) {
            expects(mesh.distance(path[i], path[other]) == 1, "routers of a path are neighbours");
            return mesh.towards(path[i], path[other]);
        };
        if (i < root_at) branch.parent = link(i + 1);
        if (i > root_at) branch.parent = link(i - 1);
        if (i > 0 && i <= root_at) branch.children |= bit(link(i - 1));
        if (i + 1 < path.size() && i >= root_at) branch.children |= bit(link(i + 1));
        tree.branches_.push_back(branch);
    }
    std::sort(tree.branches_.begin(), tree.branches_.end(),
              [](Branch const& a, Branch const& b) { return a.node < b.node; });
    auto const twice = std::adjacent_find(tree.branches_.begin(), tree.branches_.end(),
                                          [](auto const& a, auto const& b) { return a.node == b.node; });
    expects(twice == tree.branches_.end(), "a path contains a router at most once");
    return tree;
}

Branch const& Tree::at(Node node) const {
    auto const found =
        std::lower_bound(branches_.begin(), branches_.end(), node, [](Branch const& b, Node n) { return b.node < n; });
    expects(found != branches_.end() && found->node == node, "the router is part of the tree");
    return *found;
}

}  // namespace pimdse::sim::noc
