#pragma once

#include "dse/search/crowding.hpp"
#include "dse/search/genome.hpp"
#include "dse/search/hypervolume.hpp"
#include "sim/base/counting.hpp"

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

/// Problems of the literature whose best hypervolume is known, or small enough to be enumerated.
namespace pimdse::dse::search::testing {

struct Problem {
    std::string name;
    std::size_t objectives = 2;
    Genomes genomes;
    std::function<ObjectiveValues(CodedPoint const&)> merit;
    std::vector<double> reference;
    double best = 0.0;  ///< hypervolume
};

inline ObjectiveValues feasible(std::vector<double> const& values) {
    ObjectiveValues merit{true, {}};
    std::copy(values.begin(), values.end(), merit.values.begin());
    return merit;
}

constexpr std::uint64_t levels = 1025;  ///< one half is among them

/// Variables from 0 to 1, finely divided.
inline Problem smooth(std::string name, std::size_t variables, std::size_t objectives, double best,
                      std::function<std::vector<double>(std::vector<double> const&)> const& objectives_of) {
    Genome const genome(variables, Gene{Gene::Kind::ordinal, levels, 0});
    auto const merit = [objectives_of](CodedPoint const& point) {
        std::vector<double> x;
        for (auto const level : point.values) x.push_back(static_cast<double>(level) / double(levels - 1));
        return feasible(objectives_of(x));
    };
    return {std::move(name), objectives, Genomes({genome}), merit, std::vector<double>(objectives, 1.1), best};
}

/// The mean of all variables but the first, ten for one.
inline double zdt_distance(std::vector<double> const& x) {
    double sum = 0.0;
    for (std::size_t i = 1; i < x.size(); ++i) sum += x[i];
    return 1.0 + 9.0 * sum / static_cast<double>(x.size() - 1);
}

/// Zitzler, Deb and Thiele, 2000.
inline Problem zdt1() {
    return smooth("ZDT1", 30, 2, 0.876667, [](auto const& x) {
        double const g = zdt_distance(x);
        return std::vector{x[0], g * (1.0 - std::sqrt(x[0] / g))};
    });
}
inline Problem zdt2() {
    return smooth("ZDT2", 30, 2, 0.543333, [](auto const& x) {
        double const g = zdt_distance(x);
        return std::vector{x[0], g * (1.0 - x[0] / g * (x[0] / g))};
    });
}
/// Deb, Thiele, Laumanns and Zitzler, 2005; up to 0.55, because its front adds up to a half.
inline Problem dtlz1() {
    auto problem = smooth("DTLZ1", 7, 3, 0.145542, [](auto const& x) {
        double sum = 0.0;
        for (std::size_t i = 2; i < x.size(); ++i) {
            double const away = x[i] - 0.5;
            sum += away * away - std::cos(20.0 * std::numbers::pi * away) + 1.0;
        }
        double const half = 0.5 * (1.0 + 100.0 * sum);
        return std::vector{half * x[0] * x[1], half * x[0] * (1.0 - x[1]), half * (1.0 - x[0])};
    });
    problem.reference.assign(3, 0.55);
    return problem;
}
inline Problem dtlz2() {
    return smooth("DTLZ2", 12, 3, 0.807401, [](auto const& x) {
        constexpr double right_angle = std::numbers::pi / 2.0;
        double g = 1.0;
        for (std::size_t i = 2; i < x.size(); ++i) g += (x[i] - 0.5) * (x[i] - 0.5);
        double const a = right_angle * x[0], b = right_angle * x[1];
        return std::vector{g * std::cos(a) * std::cos(b), g * std::cos(a) * std::sin(b), g * std::sin(a)};
    });
}

/// With the reference and the best hypervolume of all its points.
inline Problem enumerated(Problem problem) {
    std::vector<double> all;
    problem.reference.assign(problem.objectives, -1e300);
    for (std::uint64_t number = 0; number < *problem.genomes.size(); ++number) {
        auto const merit = problem.merit(problem.genomes.at(number));
        for (std::size_t i = 0; i < problem.objectives; ++i) {
            all.push_back(merit.values[i]);
            problem.reference[i] = std::max(problem.reference[i], merit.values[i]);
        }
    }
    problem.best = search::hypervolume(all, problem.reference);
    return problem;
}

}  // namespace pimdse::dse::search::testing
