#include "dse/cli/run/remedies.hpp"

#include "dse/answers/failure_kinds.hpp"
#include "dse/answers/point_counts.hpp"
#include "dse/cli/counted.hpp"
#include "dse/evaluate/evaluation.hpp"
#include "dse/task/shown_value.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <initializer_list>
#include <utility>
#include <vector>

namespace pimdse::dse::cli::run {
namespace {

using models::Value;

/// Values worth trying instead of one: of a count the powers of two around it, half and twice; the default.
std::vector<Value> other_values(models::Parameter const& parameter, Value const& value) {
    std::vector<Value> others;
    bool const limited = parameter.low != 0.0 || parameter.high != 0.0;
    auto const add = [&](std::uint64_t count) {
        auto const real = static_cast<double>(count);
        auto const other = Value::integer(static_cast<std::int64_t>(count));
        if ((!limited || (real >= parameter.low && real <= parameter.high)) && other != value) others.push_back(other);
    };
    constexpr std::int64_t most = std::int64_t{1} << 60;
    if (value.kind() == models::Kind::integer && value.as_integer() > 1 && value.as_integer() < most) {
        auto const count = static_cast<std::uint64_t>(value.as_integer());
        for (auto const near : {std::bit_floor(count), std::bit_ceil(count), count / 2, count * 2}) add(near);
    }
    if (parameter.fallback != value) others.push_back(parameter.fallback);
    return others;
}

struct Swapped {
    std::size_t parameter = 0;
    Value value;
};

/// The first change of one parameter that makes a design feasible, else the first of two.
class Remedy {
  public:
    /// fidelity: at which the design is infeasible, and a change has to help.
    Remedy(space::Space const& space, std::size_t machine, std::vector<Value> point, models::Fidelity fidelity)
        : space_(space), machine_(machine), point_(std::move(point)), fidelity_(fidelity) {
        for (auto const p : space.machines()[machine].designed()) {
            for (auto const& other : other_values(parameters()[p], point_[p])) changes_.push_back({p, other});
        }
    }

    [[nodiscard]] std::string text() {
        for (auto const& change : changes_) {
            if (helps({&change})) return said(change) + " would do";
        }
        for (auto const& one : changes_) {
            for (auto const& other : changes_) {
                if (tried_ >= most_tried) return "no change of one parameter helps";
                if (one.parameter < other.parameter && helps({&one, &other}))
                    return fmt::format("{} and {} would do", said(one), said(other));
            }
        }
        return "no change of one or two parameters that was tried helps";
    }

  private:
    static constexpr int most_tried = 3000, most_run = 8;  // a second or less; runs at cycle level take that each

    [[nodiscard]] models::Parameters const& parameters() const { return space_.machines()[machine_].parameters(); }
    [[nodiscard]] std::string said(Swapped const& change) const {
        auto const& parameter = parameters()[change.parameter];
        return fmt::format("{} = {}", parameter.name, task::shown_value(parameter, change.value));
    }
    [[nodiscard]] bool helps(std::initializer_list<Swapped const*> changes) {
        auto const fidelity = space_.machines()[machine_].architecture->fidelities.front();
        auto point = point_;
        for (auto const* change : changes) point[change->parameter] = change->value;
        ++tried_;
        if (!is_feasible(point, fidelity)) return false;
        return fidelity == fidelity_ || (run_++ < most_run && is_feasible(point, fidelity_));
    }
    [[nodiscard]] bool is_feasible(std::vector<Value> const& point, models::Fidelity fidelity) const {
        return std::holds_alternative<models::Metrics>(evaluate::outcome_of(space_, machine_, point, fidelity));
    }

    space::Space const& space_;
    std::size_t machine_;
    std::vector<Value> point_;
    std::vector<Swapped> changes_;
    models::Fidelity fidelity_;
    int tried_ = 0, run_ = 0;
};

}  // namespace

std::string commonest_rules(space::Space const& space, answers::ResultStore const& store) {
    constexpr std::size_t most = 3;
    auto const kinds = answers::failure_kinds(store);
    std::string text = "no design is feasible. What most of them break:\n";
    for (std::size_t i = 0; i < std::min(most, kinds.size()); ++i) {
        text += fmt::format("  {}: {} of {}\n", kinds[i].rule, kinds[i].points,
                            counted(answers::count_points(store).points, "point"));
        if (!kinds[i].example || store.status(*kinds[i].example) != answers::Status::infeasible) continue;
        auto const [id, fidelity] = store.task(*kinds[i].example);
        std::vector<Value> point;
        space.decode(id, point);
        text += fmt::format("    point {}: {}. {}\n", index_of(id), store.reason(*kinds[i].example),
                            Remedy(space, space.machine_of(id), point, fidelity).text());
    }
    if (kinds.size() > most) text += fmt::format("  and {} more rules\n", kinds.size() - most);
    return text;
}

}  // namespace pimdse::dse::cli::run
