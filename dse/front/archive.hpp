#pragma once

#include "dse/task/answer.hpp"
#include "models/contract/architecture.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::dse::front {

/// The answers nobody dominates, for 1 to 6 objectives. A set: the order of insertion does not matter. Of several
/// points with equal objective vectors the one with the smallest id is kept.
class Archive {
  public:
    static constexpr std::size_t most_objectives = 6;

    /// One sense per objective, minimize or maximize. Throws InputError when there are none or more than six.
    explicit Archive(std::vector<models::Sense> senses);
    ~Archive();
    Archive(Archive&&) noexcept;
    Archive& operator=(Archive&&) noexcept;

    struct Member {
        task::PointId point{};
        std::vector<double> values;  ///< in the order and orientation of the objectives
        bool operator==(Member const&) const = default;
    };

    /// Offers a point with one value per objective. True if it is a member now; members it dominates leave.
    /// A vector with a NaN is never kept. Offering a member again changes nothing and returns true.
    bool insert(task::PointId point, std::span<double const> values);

    /// True if some member is at least as good in every objective; such a vector could at most tie.
    [[nodiscard]] bool covers(std::span<double const> values) const;

    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] std::vector<models::Sense> const& senses() const { return senses_; }
    /// Sorted by id.
    [[nodiscard]] std::vector<task::PointId> ids() const;
    /// Sorted by id.
    [[nodiscard]] std::vector<Member> members() const;
    void clear();

  private:
    using Vector = std::array<double, most_objectives>;
    [[nodiscard]] std::optional<Vector> oriented(std::span<double const> values) const;
    std::vector<models::Sense> senses_;
    std::unique_ptr<class ParetoTree> tree_;
};

}  // namespace pimdse::dse::front
