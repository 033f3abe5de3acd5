#pragma once

#include "models/text/prepared.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace pimdse::models::dplena {

/// The machine file npu.toml, which has the parts of dplena, at points of dplena in scope end_to_end. It is prepared
/// when it is asked for the first time.
class NpuFile {
  public:
    /// `parameters` and `models`: those of dplena, of which the constants with these options are correct.
    NpuFile(Parameters const& parameters, ModelOptions options, ModelList models);
    /// The design of the file, which refers to this. Precondition: the point is in scope end_to_end.
    [[nodiscard]] text::Design at(Point point, Fidelity fidelity) const;

  private:
    ModelOptions options_;
    ModelList models_;
    Parameters parameters_;     ///< of the file, with the models of dplena
    std::vector<Value> point_;  ///< of the file, where no parameter of dplena says otherwise
    struct From {
        int parameter = -1;                  ///< of dplena; -1: none
        std::vector<std::size_t> choices{};  ///< of the file, by choice of that
    };
    std::vector<From> from_;  ///< by parameter of the file
    mutable std::once_flag asked_;
    mutable std::unique_ptr<text::Prepared const> prepared_;
};

}  // namespace pimdse::models::dplena
