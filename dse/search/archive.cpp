#include "dse/search/archive.hpp"

#include "dse/space/columns.hpp"
#include "sim/base/check.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace pimdse::dse::search {

Archive::Archive(std::vector<models::Sense> senses) : senses_(std::move(senses)) {
    if (senses_.empty() || senses_.size() > max_objectives) {
        throw sim::InputError("{} objectives are not supported (a front has 1 to {})", senses_.size(), max_objectives);
    }
    sim::expects(std::find(senses_.begin(), senses_.end(), models::Sense::none) == senses_.end(),
                 "every objective is minimised or maximised");
    tree_ = std::make_unique<ParetoTree>(senses_.size());
}

Archive::~Archive() = default;
Archive::Archive(Archive&&) noexcept = default;
Archive& Archive::operator=(Archive&&) noexcept = default;

std::optional<Archive::Vector> Archive::oriented(std::span<double const> values) const {
    sim::expects(values.size() == senses_.size(), "one value per objective");
    Vector vector{};
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i])) return std::nullopt;
        vector[i] = space::minimised(values[i], senses_[i]);
    }
    return vector;
}

bool Archive::insert(space::PointId point, std::span<double const> values) {
    auto const vector = oriented(values);
    return vector && tree_->insert({*vector, point});
}

bool Archive::dominates(std::span<double const> values) const {
    auto const vector = oriented(values);
    return vector && tree_->dominator(*vector) != nullptr;
}

std::size_t Archive::size() const { return tree_->size(); }

void Archive::clear() { tree_->clear(); }

std::vector<space::PointId> Archive::ids() const {
    std::vector<space::PointId> ids;
    for (auto const& entry : tree_->entries()) ids.push_back(entry.point);
    std::sort(ids.begin(), ids.end());
    return ids;
}

std::vector<Archive::Member> Archive::members() const {
    std::vector<Member> members;
    for (auto const& entry : tree_->entries()) {
        Member member{entry.point,
                      {entry.values.begin(), entry.values.begin() + static_cast<std::ptrdiff_t>(senses_.size())}};
        for (std::size_t i = 0; i < senses_.size(); ++i)
            member.values[i] = space::minimised(member.values[i], senses_[i]);
        members.push_back(std::move(member));
    }
    std::sort(members.begin(), members.end(), [](Member const& a, Member const& b) { return a.point < b.point; });
    return members;
}

bool ParetoTree::dominates(Vector const& a, Vector const& b) const {
    for (std::size_t i = 0; i < dimensions_; ++i) {
        if (a[i] > b[i]) return false;
    }
    return true;
}

bool ParetoTree::insert(Entry const& entry) {
    if (flat()) return plane_.insert(entry);
    if (root_) {
        if (Entry* const member = dominator_below(*root_, entry.values)) {
            // Only a member with an equal vector dominates the entry and is dominated by it; no other member dominates
            // the entry then.
            if (!dominates(entry.values, member->values) || member->point < entry.point) return false;
            *member = entry;
            return true;
        }
        drop_dominated(root_, entry.values);
    }
    if (!root_) {
        root_ = build({entry}, 0);
    } else {
        add(*root_, entry);
    }
    return true;
}

ParetoTree::Entry const* ParetoTree::dominator(Vector const& values) const {
    if (flat()) return plane_.dominator(values);
    return root_ ? dominator_below(*root_, values) : nullptr;
}

std::vector<ParetoTree::Entry> ParetoTree::entries() const {
    if (flat()) return plane_.entries();
    std::vector<Entry> all;
    all.reserve(size());
    if (root_) collect(*root_, all);
    return all;
}

ParetoTree::Entry* ParetoTree::dominator_below(Node& node, Vector const& values) const {
    if (!dominates(node.lower, values)) return nullptr;
    if (node.leaf()) {
        auto const found = std::find_if(node.entries.begin(), node.entries.end(),
                                        [&](Entry const& e) { return dominates(e.values, values); });
        return found == node.entries.end() ? nullptr : &*found;
    }
    if (Entry* const found = dominator_below(*node.less, values)) return found;
    return dominator_below(*node.more, values);
}

void ParetoTree::drop_in_leaf(Node& leaf, Vector const& values) const {
    auto const removed = std::erase_if(leaf.entries, [&](Entry const& e) { return dominates(values, e.values); });
    leaf.count -= removed;
    if (removed != 0 && leaf.count != 0) fit(leaf);
}

void ParetoTree::drop_dominated(Link& link, Vector const& values) {
    Node& node = *link;
    if (!dominates(values, node.upper)) return;
    if (dominates(values, node.lower)) {
        link.reset();
        return;
    }
    if (node.leaf()) {
        drop_in_leaf(node, values);
        if (node.count == 0) link.reset();
        return;
    }
    drop_dominated(node.less, values);
    drop_dominated(node.more, values);
    if (!node.less || !node.more) {
        link = Link(node.less ? node.less.release() : node.more.release());
        return;
    }
    node.count = node.less->count + node.more->count;
    fit(node);
}

void ParetoTree::add(Node& node, Entry const& entry) {
    grow(node, entry.values);
    ++node.count;
    if (!node.leaf() && !lopsided(node)) {
        add(entry.values[node.axis] < node.at ? *node.less : *node.more, entry);
        return;
    }
    std::vector<Entry> all;
    collect(node, all);
    all.push_back(entry);
    if (node.leaf() && all.size() <= leaf_capacity) {
        node.entries = std::move(all);
        return;
    }
    node = std::move(*build(std::move(all), node.axis));
}

void ParetoTree::grow(Node& node, Vector const& values) const {
    for (std::size_t i = 0; i < dimensions_; ++i) {
        node.lower[i] = std::min(node.lower[i], values[i]);
        node.upper[i] = std::max(node.upper[i], values[i]);
    }
}

void ParetoTree::fit(Node& node) const {
    if (node.leaf()) {
        node.lower = node.upper = node.entries.front().values;
        for (auto const& entry : node.entries) grow(node, entry.values);
        return;
    }
    node.lower = node.less->lower;
    node.upper = node.less->upper;
    grow(node, node.more->lower);
    grow(node, node.more->upper);
}

bool ParetoTree::lopsided(Node const& node) {
    // The first condition amortises the rebuilding: since the last one, as many insertions as entries have happened.
    return node.count > 2 * node.built + leaf_capacity &&
           4 * std::max(node.less->count, node.more->count) > 3 * node.count;
}

void ParetoTree::collect(Node const& node, std::vector<Entry>& into) {
    if (node.leaf()) {
        into.insert(into.end(), node.entries.begin(), node.entries.end());
        return;
    }
    collect(*node.less, into);
    collect(*node.more, into);
}

/// Splits the entries at a median: on the axis after the parent's, so that boxes stay compact whatever the units are,
/// unless equal values make that split lopsided; then on the axis with the most even split. False if all vectors are
/// equal.
bool ParetoTree::choose_split(Node& node, std::size_t first_axis) const {
    std::size_t best = 0;
    std::vector<double> column(node.entries.size());
    for (std::size_t turn = 0; turn < dimensions_ && best < column.size() / 4; ++turn) {
        std::size_t const axis = (first_axis + turn) % dimensions_;
        std::transform(node.entries.begin(), node.entries.end(), column.begin(),
                       [&](Entry const& e) { return e.values[axis]; });
        std::sort(column.begin(), column.end());
        auto const [first, last] = std::equal_range(column.begin(), column.end(), column[column.size() / 2]);
        for (auto const border : {first, last}) {
            auto const less = static_cast<std::size_t>(border - column.begin());
            if (std::size_t const evenness = std::min(less, column.size() - less); evenness > best) {
                best = evenness;
                node.axis = axis;
                node.at = *border;
            }
        }
    }
    return best != 0;
}

ParetoTree::Link ParetoTree::build(std::vector<Entry> entries, std::size_t first_axis) const {
    auto node = std::make_unique<Node>();
    node->count = node->built = entries.size();
    node->entries = std::move(entries);
    node->axis = first_axis;
    fit(*node);
    if (node->count <= leaf_capacity || !choose_split(*node, first_axis)) return node;
    auto const first_more = std::partition(node->entries.begin(), node->entries.end(),
                                           [&](Entry const& e) { return e.values[node->axis] < node->at; });
    std::vector<Entry> more(first_more, node->entries.end());
    node->entries.erase(first_more, node->entries.end());
    std::size_t const next_axis = (node->axis + 1) % dimensions_;
    node->less = build(std::move(node->entries), next_axis);
    node->more = build(std::move(more), next_axis);
    node->entries = {};
    return node;
}

Entry const* PlaneFront::dominator(Vector const& values) const {
    auto const beyond = members_.upper_bound(values[0]);
    if (beyond == members_.begin()) return nullptr;
    auto const& best = std::prev(beyond)->second;
    return best.values[second_] <= values[second_] ? &best : nullptr;
}

bool PlaneFront::insert(Entry const& entry) {
    auto const beyond = members_.upper_bound(entry.values[0]);
    if (beyond != members_.begin()) {
        auto& best = std::prev(beyond)->second;
        if (best.values[second_] <= entry.values[second_]) {
            bool const equal = best.values[0] == entry.values[0] && best.values[second_] == entry.values[second_];
            if (!equal || best.point < entry.point) return false;
            best = entry;
            return true;
        }
    }
    auto const first = members_.lower_bound(entry.values[0]);
    auto last = first;
    while (last != members_.end() && last->second.values[second_] >= entry.values[second_]) ++last;
    members_.emplace_hint(members_.erase(first, last), entry.values[0], entry);
    return true;
}

std::vector<Entry> PlaneFront::entries() const {
    std::vector<Entry> all;
    all.reserve(members_.size());
    for (auto const& [first, entry] : members_) all.push_back(entry);
    return all;
}

}  // namespace pimdse::dse::search
