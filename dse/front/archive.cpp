#include "dse/front/archive.hpp"

#include "dse/front/pareto_tree.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace pimdse::dse::front {

Archive::Archive(std::vector<models::Sense> senses) : senses_(std::move(senses)) {
    if (senses_.empty() || senses_.size() > most_objectives) {
        throw sim::InputError(
            fmt::format("{} objectives cannot be compared (a front has 1 to {})", senses_.size(), most_objectives));
    }
    sim::expects(std::find(senses_.begin(), senses_.end(), models::Sense::none) == senses_.end(),
                 "every objective has a better way");
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
        vector[i] = senses_[i] == models::Sense::maximize ? -values[i] : values[i];
    }
    return vector;
}

bool Archive::insert(task::PointId point, std::span<double const> values) {
    auto const vector = oriented(values);
    return vector && tree_->insert({*vector, point});
}

bool Archive::covers(std::span<double const> values) const {
    auto const vector = oriented(values);
    return vector && tree_->cover(*vector) != nullptr;
}

std::size_t Archive::size() const { return tree_->size(); }

void Archive::clear() { tree_->clear(); }

std::vector<task::PointId> Archive::ids() const {
    std::vector<task::PointId> ids;
    for (auto const& entry : tree_->entries()) ids.push_back(entry.point);
    std::sort(ids.begin(), ids.end());
    return ids;
}

std::vector<Archive::Member> Archive::members() const {
    std::vector<Member> members;
    for (auto const& entry : tree_->entries()) {
        Member member{entry.point,
                      {entry.values.begin(), entry.values.begin() + static_cast<std::ptrdiff_t>(senses_.size())}};
        for (std::size_t i = 0; i < senses_.size(); ++i) {
            if (senses_[i] == models::Sense::maximize) member.values[i] = -member.values[i];
        }
        members.push_back(std::move(member));
    }
    std::sort(members.begin(), members.end(), [](Member const& a, Member const& b) { return a.point < b.point; });
    return members;
}

}  // namespace pimdse::dse::front
