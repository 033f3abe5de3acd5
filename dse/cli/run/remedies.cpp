#include "dse/cli/run/remedies.hpp"

#include "dse/answers/failure_kinds.hpp"
#include "dse/evaluate/evaluation.hpp"
#include "dse/task/shown_value.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <optional>
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

/// The first change that makes a design feasible; else the first after which it breaks another rule.
class Remedy {
  public:
    Remedy(space::Space const& space, std::size_t machine, std::string_view rule)
        : space_(space), machine_(machine), rule_(rule) {}

    std::string of(std::vector<Value> const& point) {
        auto const& parameters = space_.machines()[machine_].parameters();
        for (auto const p : space_.machines()[machine_].designed()) {
            for (auto const& other : other_values(parameters[p], point[p])) {
                if (helps(point, p, other)) return said(p, other) + " would do";
            }
        }
        return second_.empty() ? "no change of one parameter that was tried helps" : second_;
    }

  private:
    [[nodiscard]] std::string said(std::size_t p, Value const& value) const {
        auto const& parameter = space_.machines()[machine_].parameters()[p];
        return fmt::format("{} = {}", parameter.name, task::shown_value(parameter, value));
    }

    bool helps(std::vector<Value> point, std::size_t p, Value const& other) {
        auto const fidelity = space_.machines()[machine_].architecture->fidelities.front();
        point[p] = other;
        auto const outcome = evaluate::outcome_of(space_, machine_, point, fidelity);
        auto const* infeasible = std::get_if<models::Infeasible>(&outcome);
        if (infeasible != nullptr && infeasible->rule != rule_ && second_.empty())
            second_ = fmt::format("{} would meet it, and break {}", said(p, other), infeasible->rule);
        return std::holds_alternative<models::Metrics>(outcome);
    }

    space::Space const& space_;
    std::size_t machine_;
    std::string_view rule_;
    std::string second_;
};

}  // namespace

std::string commonest_rules(space::Space const& space, answers::ResultStore const& store) {
    constexpr std::size_t most = 3;
    auto const kinds = answers::failure_kinds(store);
    std::string text = "no design is feasible. What most of them break:\n";
    for (std::size_t i = 0; i < std::min(most, kinds.size()); ++i) {
        text += fmt::format("  {}: {} of {} points\n", kinds[i].rule, kinds[i].points, store.evaluated());
        if (!kinds[i].example || store.status(*kinds[i].example) != answers::Status::infeasible) continue;
        auto const id = store.task(*kinds[i].example).point;
        std::vector<Value> point;
        space.decode(id, point);
        text += fmt::format("    point {}: {}. {}\n", index_of(id), store.reason(*kinds[i].example),
                            Remedy(space, space.machine_of(id), kinds[i].rule).of(point));
    }
    if (kinds.size() > most) text += fmt::format("  and {} more rules\n", kinds.size() - most);
    return text;
}

}  // namespace pimdse::dse::cli::run
