#pragma once

#include "dse/cli/point_request.hpp"
#include "sim/serving/traffic_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// A recorded run: requests with the times at which somebody measured their tokens, served again by a machine.
namespace pimdse::dse::cli {

class RecordedRun {
  public:
    /// `requested` has one scenario, whose traffic is the trace of the run at its own times. Throws UsageError and
    /// InputError.
    explicit RecordedRun(PointRequest const& requested);

    [[nodiscard]] std::size_t size() const { return measured_.size(); }
    /// The requests, from 1 on in the order of their arrival, with a token that came sooner than the machine may yield
    /// it alone, by its proved lower bounds.
    [[nodiscard]] std::vector<std::size_t> forbidden(PointRequest const& requested) const;
    /// The times of tokens of all requests. Throws InputError if the machine cannot serve one of them.
    [[nodiscard]] std::vector<sim::serving::TokenTimes> replayed(PointRequest const& requested) const;

    /// Of requests first to last - 1.
    struct Part {
        std::size_t first = 0, last = 0;
    };
    /// Logarithms of replayed over measured times: to the first token, per later token of requests that have one, and
    /// to the last.
    struct Errors {
        std::vector<double> first, later, last;
        [[nodiscard]] std::vector<double> all() const;
    };
    /// `together`: so many requests that arrive one after the other count as one, with the sums of their times. One
    /// request more or less in a step moves single times by a step, but hardly their sum.
    [[nodiscard]] Errors errors(std::span<sim::serving::TokenTimes const> replayed, Part part,
                                std::size_t together = 1) const;
    struct Figure {
        std::string name;
        double value = 0.0;  ///< s
    };
    /// Their makespan, mean time to the first token and mean time per later token; of `times`, or the measured ones.
    [[nodiscard]] std::vector<Figure> figures(std::span<sim::serving::TokenTimes const> times, Part part) const;
    [[nodiscard]] std::vector<sim::serving::TokenTimes> const& measured() const { return measured_; }

  private:
    [[nodiscard]] models::service::Traffic const& traffic() const { return *scenario_.traffic; }

    space::Scenario scenario_;
    std::vector<sim::serving::TokenTimes> measured_;
};

}  // namespace pimdse::dse::cli
