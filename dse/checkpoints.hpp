#pragma once

#include "dse/result_file.hpp"

#include <filesystem>
#include <functional>
#include <memory>

namespace pimdse::dse {

/// Renews the result file from the journal now and then while a run lives, in a thread of its own, so that a plain reader of
/// HDF5 always finds a whole file that is at most some minutes old. A failure is left to the end of the run, which meets it, too.
class Checkpoints {
  public:
    struct Settings {
        std::filesystem::path result_file;
        double interval_seconds = 60.0;              ///< at least; longer where writing takes more than a twentieth of it. 0: never
        std::function<Provenance()> provenance;      ///< of a file written now
    };
    /// `known` is what was there before this run's journal goes on.
    Checkpoints(Settings settings, Columns columns, ResultStore const& known);
    /// Waits for a file that is being written.
    ~Checkpoints();
    Checkpoints(Checkpoints const&) = delete;
    Checkpoints& operator=(Checkpoints const&) = delete;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace pimdse::dse
