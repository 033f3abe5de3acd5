#include "dse/cli/fit.hpp"

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <span>

namespace pimdse::dse::cli {
namespace {

/// Logarithms of the values of constants, and how far from the rows they are.
struct Tried {
    std::vector<double> at;
    double distance = 0.0;
};

double mean_size(std::vector<double> const& logarithms) {
    double sum = 0.0;
    for (double const one : logarithms) sum += std::abs(one);
    return sum / static_cast<double>(logarithms.size());
}

/// Pearson's, of two of the logarithms.
double correlation(std::vector<Tried const*> const& points, std::size_t i, std::size_t j) {
    auto const count = static_cast<double>(points.size());
    double a = 0.0, b = 0.0, aa = 0.0, bb = 0.0, ab = 0.0;
    for (auto const* point : points) {
        a += point->at[i] / count;
        b += point->at[j] / count;
    }
    for (auto const* point : points) {
        double const x = point->at[i] - a, y = point->at[j] - b;
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    return aa > 0.0 && bb > 0.0 ? ab / std::sqrt(aa * bb) : 0.0;
}

class Fit {
  public:
    Fit(std::vector<FittedConstant>& constants, LogErrors const& errors) : constants_(constants), errors_(errors) {}

    void run() {
        auto const start = errors_(constants_);
        rows_ = static_cast<double>(start.size());
        for (auto& c : constants_) c.flat = !moves(c, start);
        while (!searched().empty()) {
            search();
            if (!leaves_one_out()) break;
        }
    }

  private:
    /// Whether the constant at the ends of its range changes anything.
    bool moves(FittedConstant& c, std::vector<double> const& start) {
        constexpr double rounding = 1e-9;
        for (double const end : {c.lower, c.upper}) {
            c.value = end;
            auto const there = errors_(constants_);
            c.value = c.before;
            for (std::size_t row = 0; row < start.size(); ++row)
                if (std::abs(there[row] - start[row]) > rounding) return true;
        }
        return false;
    }

    [[nodiscard]] std::vector<FittedConstant*> searched() const {
        std::vector<FittedConstant*> all;
        for (auto& c : constants_)
            if (!c.flat) all.push_back(&c);
        return all;
    }

    /// Everywhere by controlled random search (Kaelo and Ali 2006, always the same draws), because queues make the
    /// distance rough; then nearby by simplexes in subspaces (Rowan 1990), again from where they end while that gains.
    void search() {
        constexpr int rounds = 4, draws_of_each = 400, steps_of_each = 100;
        constexpr double coarse = 1e-4, fine = 1e-5, gain = 0.99;
        tried_.clear();
        nlopt_srand(1);
        std::vector<double> at;
        for (auto const* c : searched()) at.push_back(std::log(c->before));
        auto const count = static_cast<int>(at.size());
        double now = minimise(NLOPT_GN_CRS2_LM, at, coarse, count * draws_of_each);
        double before = std::numeric_limits<double>::infinity();
        for (int round = 0; round < rounds && now < gain * before; ++round) {
            before = now;
            now = minimise(NLOPT_LN_SBPLX, at, fine, count * steps_of_each);
        }
        place(at);
    }
    /// Moves `at` until all change by less than `precision`. Returns the distance.
    double minimise(nlopt_algorithm algorithm, std::vector<double>& at, double precision, int evaluations) {
        constexpr double first_step = 0.1;
        std::vector<double> lower, upper, steps;
        for (auto const* c : searched()) {
            lower.push_back(std::log(c->lower));
            upper.push_back(std::log(c->upper));
            steps.push_back(first_step * (upper.back() - lower.back()));
        }
        auto const count = static_cast<unsigned>(at.size());
        std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)> const optimizer(nlopt_create(algorithm, count),
                                                                               &nlopt_destroy);
        optimizer_ = optimizer.get();
        nlopt_set_min_objective(optimizer_, &Fit::distance, this);
        nlopt_set_lower_bounds(optimizer_, lower.data());
        nlopt_set_upper_bounds(optimizer_, upper.data());
        nlopt_set_initial_step(optimizer_, steps.data());
        nlopt_set_xtol_abs1(optimizer_, precision);
        nlopt_set_maxeval(optimizer_, evaluations);
        double least = 0.0;
        nlopt_optimize(optimizer_, at.data(), &least);
        if (failure_) std::rethrow_exception(failure_);
        return least;
    }
    void place(std::span<double const> at) {
        auto const all = searched();
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i]->value = std::clamp(std::exp(at[i]), all[i]->lower, all[i]->upper);
    }
    /// What the library calls; an exception waits until it has returned.
    static double distance(unsigned count, double const* at, double* /*gradient*/, void* self) {
        auto& fit = *static_cast<Fit*>(self);
        try {
            fit.place({at, count});
            double const found = mean_size(fit.errors_(fit.constants_));
            fit.tried_.push_back({{at, at + count}, found});
            return found;
        } catch (...) {
            fit.failure_ = std::current_exception();
            nlopt_force_stop(fit.optimizer_);
            return std::numeric_limits<double>::infinity();
        }
    }

    /// Finds which values fit nearly as well, and whether a constant, the least known one, is flat and must go.
    bool leaves_one_out() {
        constexpr double finest = 1e-3, max_share = 0.5, nearly = 0.9;
        double best = std::numeric_limits<double>::infinity();
        for (auto const& point : tried_) best = std::min(best, point.distance);
        std::vector<Tried const*> good;
        for (auto const& point : tried_)
            if (point.distance <= std::max(best, finest) * (1.0 + 1.0 / std::sqrt(rows_))) good.push_back(&point);
        auto const all = searched();
        FittedConstant* worst = nullptr;
        double share = max_share;
        for (std::size_t i = 0; i < all.size(); ++i) {
            auto const [from, to] = std::ranges::minmax(good, {}, [i](Tried const* point) { return point->at[i]; });
            all[i]->nearly_from = std::exp(from->at[i]);
            all[i]->nearly_to = std::exp(to->at[i]);
            all[i]->alike.reset();
            double closest = nearly;
            for (std::size_t j = 0; j < all.size(); ++j) {
                double const with = j == i ? 0.0 : std::abs(correlation(good, i, j));
                if (with <= closest) continue;
                closest = with;
                all[i]->alike = static_cast<std::size_t>(all[j] - constants_.data());
            }
            double const of_range =
                std::log(all[i]->nearly_to / all[i]->nearly_from) / std::log(all[i]->upper / all[i]->lower);
            if (of_range < share) continue;
            share = of_range;
            worst = all[i];
        }
        if (worst == nullptr) return false;
        worst->flat = true;
        worst->value = worst->before;
        return true;
    }

    std::vector<FittedConstant>& constants_;
    LogErrors const& errors_;
    double rows_ = 1.0;
    std::vector<Tried> tried_;
    nlopt_opt optimizer_ = nullptr;
    std::exception_ptr failure_;
};

}  // namespace

void fit(std::vector<FittedConstant>& constants, LogErrors const& errors) { Fit(constants, errors).run(); }

}  // namespace pimdse::dse::cli
