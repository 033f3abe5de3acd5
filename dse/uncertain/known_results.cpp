#include "dse/uncertain/known_results.hpp"

#include "dse/uncertain/varied_space.hpp"
#include "sim/base/check.hpp"

#include <tbb/parallel_for.h>

namespace pimdse::dse::uncertain {

std::optional<std::vector<MaybeObjectives>> KnownResults::of(std::size_t machine, Settings const& settings,
                                                             std::vector<std::vector<models::Value>> const& designs) {
    auto const& own = space_.machines()[machine];
    Settings read;
    Key key{machine, {}};
    for (auto const& one : settings) {
        if (!reads(constants_[one.constant], machine)) continue;
        read.push_back(one);
        std::get<1>(key).emplace_back(one.constant, one.si);
    }
    std::vector<MaybeObjectives> results(designs.size());
    std::vector<std::uint64_t> numbers;
    for (auto const& design : designs) numbers.push_back(own.encode(design));
    std::vector<std::size_t> missing;
    {
        std::scoped_lock const lock(guard_);
        auto const& known = known_[key];
        if (known.allowed == false) return std::nullopt;
        if (designs.empty() && (read.empty() || known.allowed)) return results;
        for (std::size_t d = 0; d < designs.size(); ++d) {
            auto const found = known.results.find(numbers[d]);
            if (found == known.results.end())
                missing.push_back(d);
            else
                results[d] = found->second;
        }
    }
    if (missing.empty() && !designs.empty()) return results;  // no design: whether rules allow the settings is asked
    std::optional<space::Machine> varied;
    try {
        varied = varied_machine(own, machine, constants_, read);
    } catch (sim::InputError const&) {
        std::scoped_lock const lock(guard_);
        known_[key].allowed = false;
        return std::nullopt;
    }
    tbb::parallel_for(std::size_t{0}, missing.size(), [&](std::size_t i) {
        auto const d = missing[i];
        results[d] = objectives_of(space_, machine, *varied, designs[d], fidelity_);
    });
    std::scoped_lock const lock(guard_);
    auto& known = known_[key];
    known.allowed = true;
    for (auto const d : missing) known.results.emplace(numbers[d], results[d]);
    return results;
}

}  // namespace pimdse::dse::uncertain
