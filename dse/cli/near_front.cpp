#include "dse/cli/near_front.hpp"

#include "dse/cli/verb.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <ranges>
#include <set>

namespace pimdse::dse::cli {
namespace {

using search::Row;

/// Parameters of their machines in which two designs differ.
std::vector<std::size_t> differing(space::Columns const& columns, search::ResultStore const& store, Row a, Row b) {
    auto const of_a = columns.point(store.task(a).point), of_b = columns.point(store.task(b).point);
    auto const* machine_a = space::machine_of(columns, store.task(a).point);
    auto const* machine_b = space::machine_of(columns, store.task(b).point);
    std::vector<std::size_t> list;
    for (std::size_t p = 0; p < columns.parameters.size(); ++p) {
        auto const& name = columns.parameters[p].name;
        if (space::applies(name, machine_a) && space::applies(name, machine_b) && of_a[p] != of_b[p]) list.push_back(p);
    }
    return list;
}

/// "4, 8": the values that the designs have, each once; of many the first ones.
std::string values_text(space::Columns const& columns, search::ResultStore const& store, NearDesigns const& group,
                        std::size_t parameter) {
    constexpr std::size_t most = 4;
    std::vector<std::string> texts;
    for (auto const row : group.rows) {
        auto text = space::shown_value(columns.parameters[parameter], columns.point(store.task(row).point)[parameter]);
        if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
    }
    auto const count = texts.size();
    if (count > most) texts.resize(most);
    return fmt::format("{} {}{}", columns.parameters[parameter].name, fmt::join(texts, ", "),
                       count > most ? fmt::format(", {} more", count - most) : "");
}

std::string loss_text(NearDesigns const& group) {
    if (group.most == 0.0) return "equal";
    if (group.least == group.most) return percent(group.most);
    return fmt::format("{} to {}", group.least == 0.0 ? "equal" : percent(group.least), percent(group.most));
}

/// The loss where `design` takes the place of `instead_of`.
double loss_of(search::ResultStore const& store, std::span<space::Objective const> objectives, Row design,
               Row instead_of) {
    double worst = 0.0;
    for (auto const& objective : objectives) {
        double const value = store.value(design, objective.metric), other = store.value(instead_of, objective.metric);
        double const more = space::minimised(value - other, objective.better);
        if (more <= 0.0) continue;
        worst = std::max(worst, other == 0.0 ? std::numeric_limits<double>::infinity() : more / std::abs(other));
    }
    return worst;
}

std::uint64_t id_of(search::ResultStore const& store, Row row) { return index_of(store.task(row).point); }

}  // namespace

std::vector<NearDesigns> near_front(space::Columns const& columns, search::ResultStore const& store,
                                    std::span<space::Objective const> objectives, std::span<Row const> front,
                                    std::span<Row const> rows, double share) {
    std::set<Row> const on_front(front.begin(), front.end());
    using Group = std::pair<std::size_t, std::vector<std::size_t>>;  // position on the front, parameters
    std::map<Group, std::vector<std::pair<double, Row>>> groups;
    for (auto const row : rows) {
        if (on_front.contains(row)) continue;
        std::pair<double, std::size_t> nearest{std::numeric_limits<double>::infinity(), 0};
        for (std::size_t i = 0; i < front.size(); ++i)
            nearest = std::min(nearest, {loss_of(store, objectives, row, front[i]), i});
        if (nearest.first > share) continue;
        auto const at = nearest.second;
        groups[{at, differing(columns, store, row, front[at])}].emplace_back(nearest.first, row);
    }
    std::vector<NearDesigns> near;
    for (auto& [key, members] : groups) {
        std::ranges::sort(members, {}, [&](auto const& one) { return std::pair(one.first, id_of(store, one.second)); });
        NearDesigns group{front[key.first], key.second, {}, members.front().first, members.back().first};
        for (auto const& [_, row] : members) group.rows.push_back(row);
        near.push_back(std::move(group));
    }
    auto const place = [&](NearDesigns const& group) {
        return std::ranges::find(front, group.on_front) - front.begin();
    };
    std::ranges::stable_sort(near, [&](NearDesigns const& a, NearDesigns const& b) {
        return place(a) != place(b) ? place(a) < place(b) : a.rows.size() > b.rows.size();
    });
    return near;
}

std::string near_text(space::Columns const& columns, search::ResultStore const& store,
                      std::vector<NearDesigns> const& near, double share, std::string_view of) {
    std::size_t designs = 0, equal = 0;
    TextTable table({"point", "designs", "loss", "what differs"});
    for (auto const& group : near) {
        designs += group.rows.size();
        if (group.most == 0.0) equal += group.rows.size();
        auto const texts =
            group.differ | std::views::transform([&](std::size_t p) { return values_text(columns, store, group, p); });
        table.add({fmt::to_string(id_of(store, group.on_front)), fmt::to_string(group.rows.size()), loss_text(group),
                   fmt::format("{}", fmt::join(texts, "; "))});
    }
    if (near.empty()) return fmt::format("no other design is within {} of {}\n", percent(share), of);
    return fmt::format("within {} of {}: {} more, {} of them equal\n{}", percent(share), of, counted(designs, "design"),
                       equal, table.text(screen_width()));
}

sim::Json near_json(space::Columns const& columns, search::ResultStore const& store,
                    std::vector<NearDesigns> const& near) {
    auto const name = [&](std::size_t p) { return columns.parameters[p].name; };
    auto const id = [&](Row row) { return id_of(store, row); };
    return near | std::views::transform([&](NearDesigns const& group) -> sim::Json {
               return {{"on_front", id(group.on_front)},
                       {"differ", group.differ | std::views::transform(name)},
                       {"points", group.rows | std::views::transform(id)},
                       {"smallest_loss", group.least},
                       {"largest_loss", group.most}};
           });
}

std::vector<std::size_t> thinned(search::ResultStore const& store, std::span<space::Objective const> objectives,
                                 std::span<Row const> front, double share) {
    std::vector<std::size_t> kept;
    auto const differs = [&](Row a, Row b) {
        return loss_of(store, objectives, a, b) > share || loss_of(store, objectives, b, a) > share;
    };
    auto const keep = [&](std::size_t i) {
        if (std::ranges::find(kept, i) == kept.end()) kept.push_back(i);
    };
    for (auto const& objective : objectives) {
        auto const best = std::ranges::min_element(
            front, {}, [&](Row row) { return space::minimised(store.value(row, objective.metric), objective.better); });
        if (best != front.end()) keep(static_cast<std::size_t>(best - front.begin()));
    }
    for (std::size_t i = 0; i < front.size(); ++i)
        if (std::ranges::all_of(kept, [&](std::size_t other) { return differs(front[i], front[other]); })) keep(i);
    std::ranges::sort(kept);
    return kept;
}

}  // namespace pimdse::dse::cli
