#include "dse/cli/fit.hpp"

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <span>
#include <utility>

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
        double now = minimise({NLOPT_GN_CRS2_LM, coarse, count * draws_of_each}, at);
        double before = std::numeric_limits<double>::infinity();
        for (int round = 0; round < rounds && now < gain * before; ++round) {
            before = now;
            now = minimise({NLOPT_LN_SBPLX, fine, count * steps_of_each}, at);
        }
    }
    struct Settings {
        nlopt_algorithm algorithm;
        double precision = 0.0;  ///< it ends when all logarithms change by less
        int evaluations = 0;
        std::optional<std::size_t> held{};  ///< the constant that does not move
        double enough = 0.0;                ///< a distance at which it ends
    };
    /// Moves `at`. Returns the distance.
    double minimise(Settings const& settings, std::vector<double>& at) {
        constexpr double first_step = 0.1;
        std::vector<double> lower, upper, steps;
        for (auto const* c : searched()) {
            lower.push_back(std::log(c->lower));
            upper.push_back(std::log(c->upper));
            steps.push_back(first_step * (upper.back() - lower.back()));
        }
        if (settings.held) lower[*settings.held] = upper[*settings.held] = at[*settings.held];
        auto const count = static_cast<unsigned>(at.size());
        std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)> const optimizer(nlopt_create(settings.algorithm, count),
                                                                               &nlopt_destroy);
        optimizer_ = optimizer.get();
        nlopt_set_min_objective(optimizer_, &Fit::distance, this);
        nlopt_set_lower_bounds(optimizer_, lower.data());
        nlopt_set_upper_bounds(optimizer_, upper.data());
        nlopt_set_initial_step(optimizer_, steps.data());
        nlopt_set_xtol_abs1(optimizer_, settings.precision);
        nlopt_set_maxeval(optimizer_, settings.evaluations);
        nlopt_set_stopval(optimizer_, settings.enough);
        double least = std::numeric_limits<double>::infinity();
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

    /// The nearest value of a constant towards `end` with which no others are found that fit nearly as well, from a
    /// point that does; `end` if there is none. What is between that value and the last one that fits is not known, and
    /// so inside the range. The others move again for each value: what makes up for it would hide how little is known
    /// of it.
    double farthest(std::size_t held, std::vector<double> good, double end, double enough) {
        constexpr double precision = 1e-3, share = 1.0 / 64;
        constexpr int steps_of_each = 40;
        double const whole = std::abs(end - good[held]);
        auto const fits = [&](double value) {
            auto at = good;
            at[held] = value;
            int const evaluations = std::max(1, static_cast<int>(at.size() - 1) * steps_of_each);
            bool const found = minimise({NLOPT_LN_SBPLX, precision, evaluations, held, enough}, at) <= enough;
            if (found) good = at;
            return found;
        };
        double beyond = end;
        if (whole == 0.0 || fits(end)) return end;
        while (std::abs(beyond - good[held]) > share * whole) {
            double const middle = (good[held] + beyond) / 2.0;
            if (!fits(middle)) beyond = middle;
        }
        return beyond;
    }

    /// Finds which values fit nearly as well, and whether a constant, the least known one, is flat and must go.
    bool leaves_one_out() {
        constexpr double finest = 1e-3, max_share = 0.5, nearly = 0.9;
        auto const best = [&] { return std::ranges::min(tried_, {}, &Tried::distance); };
        double const enough = std::max(best().distance, finest) * (1.0 + 1.0 / std::sqrt(rows_));
        auto const good = [&] {
            std::vector<Tried const*> points;
            for (auto const& point : tried_)
                if (point.distance <= enough) points.push_back(&point);
            return points;
        };
        auto const all = searched();
        std::vector<std::pair<double, double>> ranges;
        for (std::size_t i = 0; i < all.size(); ++i) {
            auto const points = good();
            auto const [from, to] = std::ranges::minmax(points, {}, [i](Tried const* point) { return point->at[i]; });
            auto const lowest = from->at, highest = to->at;  // copies: tried_ grows
            auto& c = *all[i];
            double const first = std::exp(farthest(i, lowest, std::log(c.lower), enough)),
                         last = std::exp(farthest(i, highest, std::log(c.upper), enough));
            ranges.emplace_back(first, last);
            // What one that has gone made up for stays unknown.
            c.nearly_from = c.nearly_to > 0.0 ? std::min(c.nearly_from, first) : first;
            c.nearly_to = std::max(c.nearly_to, last);
        }
        auto const points = good();
        FittedConstant* worst = nullptr;
        double share = max_share;
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i]->alike.reset();
            double closest = nearly;
            for (std::size_t j = 0; j < all.size(); ++j) {
                double const with = j == i ? 0.0 : std::abs(correlation(points, i, j));
                if (with <= closest) continue;
                closest = with;
                all[i]->alike = static_cast<std::size_t>(all[j] - constants_.data());
            }
            double const of_range =
                std::log(ranges[i].second / ranges[i].first) / std::log(all[i]->upper / all[i]->lower);
            if (of_range < share) continue;
            share = of_range;
            worst = all[i];
        }
        place(best().at);
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
