#pragma once

#include "models/text/text.hpp"

#include <memory>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pimdse::models::text {

/// A machine file of the folder of an architecture in C++, which says how the parameters of the file follow from those
/// of the architecture. Those of equal names and kinds are the same.
struct FileOfArchitecture {
    std::string_view architecture;  ///< sentences about the machine have this name
    std::string_view file;          ///< "npu.toml" of models/ARCHITECTURE
    /// {"output", "generation_length"}: parameter of the file, and its name in the architecture.
    std::vector<std::pair<std::string_view, std::string_view>> renamed{};
    /// {"weights", "int8"}: parameter that only the file has, and its value.
    std::vector<std::pair<std::string_view, std::string_view>> fixed{};
    /// {"memory", "hbm_capacity"}: rule that a point breaks, and its name in the architecture.
    std::vector<std::pair<std::string_view, std::string_view>> rules{};
};

/// The machine of such a file. Throws InputError with its mistakes.
[[nodiscard]] std::shared_ptr<CompiledMachine const> machine_of(FileOfArchitecture const& file);

/// Such a machine in the place of an architecture: with its models, under its options. References to it live
/// shorter.
class AnsweringFile {
  public:
    /// `parameters` and `metrics` of the architecture: each parameter of the file follows from one of them or is fixed,
    /// and each metric that is not common is one of the file. `models`: those of the choices of `llm`, and their parts.
    /// Throws InputError.
    AnsweringFile(FileOfArchitecture const& file, std::shared_ptr<CompiledMachine const> machine,
                  Parameters const& parameters, MetricList const& metrics, ModelOptions const& options,
                  ModelList const& models);

    [[nodiscard]] Prepared const& prepared() const { return prepared_; }
    /// A point of the architecture as one of the file.
    [[nodiscard]] std::vector<Value> point(Point point) const;
    /// Sets a parameter in a point of the file. Precondition: it has one of this name.
    void set(std::vector<Value>& point, std::string_view parameter, Value value) const;
    /// As text::request_at and text::engine_at, with the own metrics in the order of the architecture.
    [[nodiscard]] std::variant<RequestResult, Infeasible> request(Point point, Fidelity fidelity,
                                                                  economy::Economy const& economy,
                                                                  Breakdown* breakdown) const {
        return request_of_file(this->point(point), fidelity, economy, breakdown);
    }
    [[nodiscard]] std::variant<ServiceEngine, Infeasible> engine(Point point, Fidelity fidelity) const {
        return engine_of_file(this->point(point), fidelity);
    }
    /// The same at a point of the file.
    [[nodiscard]] std::variant<RequestResult, Infeasible> request_of_file(Point own_point, Fidelity fidelity,
                                                                          economy::Economy const& economy,
                                                                          Breakdown* breakdown) const;
    [[nodiscard]] std::variant<ServiceEngine, Infeasible> engine_of_file(Point own_point, Fidelity fidelity) const;
    /// Values of own metrics of the file in the order of the architecture.
    [[nodiscard]] Metrics own(Metrics const& of_file) const;

  private:
    struct From {
        int parameter = -1;                  ///< of the architecture; -1: none
        std::vector<std::size_t> choices{};  ///< of the file, by choice of that; none: they are the same
    };
    [[nodiscard]] static Parameters parameters_with(CompiledMachine const& machine, Parameters const& of_architecture);

    FileOfArchitecture file_;
    Parameters parameters_;  ///< of the file, with the models of the architecture
    Prepared prepared_;
    std::vector<Value> point_;      ///< of the file, as far as it is fixed
    std::vector<From> from_;        ///< by parameter of the file
    std::vector<std::size_t> own_;  ///< position among the own metrics of the file, by own metric of the architecture
};

}  // namespace pimdse::models::text
