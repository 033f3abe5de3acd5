#pragma once

#include "dse/store/result_writer.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <thread>

namespace pimdse::dse::store {

/// Rewrites the result file at intervals during a run, in a separate thread, so that any HDF5 reader finds a complete
/// file that is at most a few minutes old. A failure ends the rewriting and is not reported here: the end of the run
/// writes the file, too, and reports its own failure.
class Checkpoints {
  public:
    struct Settings {
        std::filesystem::path result_file;
        /// The shortest interval; longer if writing takes more than a twentieth of it. 0: no checkpoints.
        double interval_seconds = 60.0;
        std::function<Provenance()> provenance;  ///< returns the provenance of a file that is written now
        std::uint64_t rows_per_part = usual_rows_per_part;
    };
    /// `store` may grow in the caller's thread meanwhile and must outlive this object. A checkpoint is written from a
    /// snapshot, which shares the memory of the store.
    Checkpoints(Settings settings, space::Columns columns, search::ResultStore const& store);
    Checkpoints(Checkpoints const&) = delete;
    Checkpoints& operator=(Checkpoints const&) = delete;

  private:
    void run(std::stop_token const& stop);
    /// Writes the result file if there are new results. False if that fails; the journal still has every result.
    bool renew();
    Settings settings_;
    space::Columns columns_;
    search::ResultStore const& store_;
    std::uint64_t sealed_;  ///< results in the file
    std::jthread thread_;   ///< the last member: it waits for a file that is being written, which uses the others
};

}  // namespace pimdse::dse::store
