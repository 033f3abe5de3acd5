#pragma once

#include "dse/search/genome.hpp"
#include "tests/unit/dse/search/problems.hpp"

#include <array>
#include <memory>

namespace pimdse::dse::search::testing {

/// Two flows between eight facilities, one distance between places (Knowles and Corne, 2003), like those of practice:
/// places in a plane, and few flows that matter.
inline Problem assignment(std::uint64_t seed) {
    constexpr std::size_t n = 8;
    using Matrix = std::array<std::array<double, n>, n>;
    Rng rng(seed);
    auto const numbers = std::make_shared<std::array<Matrix, 3>>();
    std::array<std::pair<double, double>, n> places;
    for (auto& place : places) place = {100.0 * rng.fraction(), 100.0 * rng.fraction()};
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            auto const flow = [&] { return std::floor(std::pow(10.0, 15.0 * rng.fraction() - 10.0)); };
            (*numbers)[0][i][j] = (*numbers)[0][j][i] = flow();
            (*numbers)[1][i][j] = (*numbers)[1][j][i] = flow();
            (*numbers)[2][i][j] = (*numbers)[2][j][i] =
                std::floor(std::hypot(places[i].first - places[j].first, places[i].second - places[j].second));
        }
    }
    auto const merit = [numbers](CodedPoint const& point) {
        auto const place = ordering_of(point.values[0], n);
        std::vector<double> costs(2, 0.0);
        for (std::size_t k = 0; k < 2; ++k) {
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t j = 0; j < n; ++j) costs[k] += (*numbers)[k][i][j] * (*numbers)[2][place[i]][place[j]];
            }
        }
        return feasible(costs);
    };
    return enumerated({"QAP", 2, Genomes({{{Gene::Kind::ordering, sim::factorial(n), n}}}), merit, {}, 0.0});
}

/// rho-MNK landscapes (Verel, Liefooghe, Jourdan and Dhaenens, 2013) of 18 bits: each bit's share of an objective
/// depends on itself and `k` others; the shares of the objectives correlate by about `rho`.
inline Problem landscape(std::uint64_t seed, std::size_t k, double rho) {
    constexpr std::size_t n = 18;
    struct Tables {
        std::vector<std::array<std::size_t, n>> links = {};  ///< of each bit, itself first
        std::vector<std::array<double, 2>> shares = {};      ///< of each bit and pattern
    };
    Rng rng(seed);
    auto const tables = std::make_shared<Tables>();
    for (std::size_t bit = 0; bit < n; ++bit) {
        std::array<std::size_t, n> others{};
        for (std::size_t i = 0; i < n; ++i) others[i] = i;
        std::swap(others[0], others[bit]);
        for (std::size_t i = 1; i <= k; ++i) std::swap(others[i], others[i + rng.below(n - i)]);
        tables->links.push_back(others);
    }
    double const common = std::sqrt(std::abs(rho));
    for (std::size_t i = 0; i < n << (k + 1); ++i) {
        double const shared = rng.fraction(), a = rng.fraction(), b = rng.fraction();
        tables->shares.push_back(
            {common * shared + (1.0 - common) * a, common * (rho < 0.0 ? 1.0 - shared : shared) + (1.0 - common) * b});
    }
    auto const merit = [tables, k](CodedPoint const& point) {
        std::vector<double> sums(2, 0.0);
        for (std::size_t bit = 0; bit < n; ++bit) {
            std::size_t pattern = bit;
            for (std::size_t i = 0; i <= k; ++i) pattern = pattern << 1 | point.values[tables->links[bit][i]];
            for (std::size_t m = 0; m < 2; ++m) sums[m] -= tables->shares[pattern][m];
        }
        return feasible(sums);
    };
    Genome const genome(n, Gene{Gene::Kind::choice, 2, 0});
    return enumerated({"rho-MNK", 2, Genomes({genome}), merit, {}, 0.0});
}

}  // namespace pimdse::dse::search::testing
