#pragma once

#include "dse/store/result_writer.hpp"

#include <filesystem>
#include <functional>
#include <memory>

namespace pimdse::dse::store {

/// Renews the result file now and then while a run lives, in a thread of its own, so that a plain reader of
/// HDF5 always finds a whole file that is at most some minutes old. A failure is left to the end of the run, which
/// meets it, too.
class Checkpoints {
  public:
    struct Settings {
        std::filesystem::path result_file;
        double interval_seconds = 60.0;  ///< at least; longer where writing takes more than a twentieth of it. 0: never
        std::function<Provenance()> provenance;  ///< of a file written now
        std::uint64_t rows_per_part = usual_rows_per_part;
    };
    /// `store` grows in the caller's thread meanwhile and must live as long. What is written is a snapshot, which
    /// shares its memory.
    Checkpoints(Settings settings, space::Columns columns, search::ResultStore const& store);
    /// Waits for a file that is being written.
    ~Checkpoints();
    Checkpoints(Checkpoints const&) = delete;
    Checkpoints& operator=(Checkpoints const&) = delete;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace pimdse::dse::store
