#pragma once

#include "models/text/text.hpp"

#include <memory>
#include <variant>
#include <vector>

namespace pimdse::models::upmem {

/// upmem.toml at the points of the architecture, which serves requests of models (scope = end_to_end): its parameters
/// are those of equal names, the others have the values of the file. References to it live shorter.
class ServedMachine {
  public:
    /// `parameters` and `metrics` of the architecture; `models`: those of the choices of `llm`, and their parts. Throws
    /// InputError.
    ServedMachine(Parameters const& parameters, MetricList const& metrics, ModelOptions const& options,
                  ModelList const& models);

    /// As text::request_at and text::engine_at, with the own metrics of the architecture.
    [[nodiscard]] std::variant<RequestResult, Infeasible> request(Point point, Fidelity fidelity,
                                                                  economy::Economy const& economy,
                                                                  Breakdown* breakdown) const;
    [[nodiscard]] std::variant<ServiceEngine, Infeasible> engine(Point point, Fidelity fidelity) const;

  private:
    [[nodiscard]] std::vector<Value> in_file(Point point) const;

    std::shared_ptr<text::CompiledMachine const> machine_;
    Parameters parameters_;  ///< of the file, with the models of the architecture
    text::Prepared prepared_;
    std::vector<int> from_;         ///< parameter of the architecture, by parameter of the file; -1: none
    std::vector<std::size_t> own_;  ///< position among the own metrics of the file, by own metric of the architecture
};

}  // namespace pimdse::models::upmem
