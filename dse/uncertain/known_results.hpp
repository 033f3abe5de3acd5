#pragma once

#include "dse/space/space.hpp"
#include "dse/uncertain/pass.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace pimdse::dse::uncertain {

/// The objectives of designs under settings of the uncertain constants, each computed once: pilots, draws and flips ask
/// for the same ends of ranges. Thread-safe; the space and the constants must outlive it.
class KnownResults {
  public:
    KnownResults(space::Space const& space, std::span<UncertainConstant const> constants, models::Fidelity fidelity)
        : space_(space), constants_(constants), fidelity_(fidelity) {}

    /// By design, given as points of the machine at this position; nullopt if a rule of the machine refuses the
    /// settings. Settings that the machine does not read are left out.
    [[nodiscard]] std::optional<std::vector<MaybeObjectives>> of(
        std::size_t machine, Settings const& settings, std::vector<std::vector<models::Value>> const& designs);

  private:
    using Key = std::tuple<std::size_t, std::vector<std::pair<std::size_t, double>>>;
    struct Known {
        std::optional<bool> allowed{};                     ///< by the rules of the machine
        std::map<std::uint64_t, MaybeObjectives> results;  ///< by number of the point
    };

    space::Space const& space_;
    std::span<UncertainConstant const> constants_;
    models::Fidelity fidelity_;
    std::mutex guard_;
    std::map<Key, Known> known_;
};

}  // namespace pimdse::dse::uncertain
