#pragma once

#include "dse/space/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::run {

/// True if a launcher (mpirun, srun) started this process as one of several ranks.
[[nodiscard]] bool launched_by_mpi();

/// This process's rank as its launcher tells it, before MPI is started; 0 without a launcher.
[[nodiscard]] int rank_from_launcher();

/// How many ranks the launcher says it started; 0 without a launcher, or where it does not say.
[[nodiscard]] int ranks_from_launcher();

/// Name and version of the MPI library.
[[nodiscard]] std::string mpi_library();

enum class Tag : int { task = 1, result = 2, stop = 3, alive = 4, starving = 5, recall = 6, hello = 7 };

struct Message {
    int source = 0;
    Tag tag = Tag::task;
    space::Bytes bytes;
};

/// The ranks of this job. MPI is started when the object is made and ended when it goes; only the thread that made it
/// may use it (MPI_THREAD_FUNNELED). Failures of MPI end the job, as MPI does by default.
class Communicator {
  public:
    Communicator(int& argc, char**& argv);
    ~Communicator();
    Communicator(Communicator const&) = delete;
    Communicator& operator=(Communicator const&) = delete;

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] std::string host() const;

    /// Rank 0's text, on every rank.
    [[nodiscard]] std::string broadcast(std::string text) const;
    /// Every rank's text, on rank 0; empty elsewhere.
    [[nodiscard]] std::vector<std::string> gather(std::string const& text) const;

    /// Sends without waiting; the bytes are kept until MPI has taken them.
    void send(int to, Tag tag, space::Bytes bytes);
    /// A message that has come, if any; never waits.
    [[nodiscard]] std::optional<Message> receive();
    /// Waits until everything sent has left.
    void flush();
    /// Ends the whole job at once with this exit code.
    [[noreturn]] void end_job(int exit_code) const;

  private:
    struct Sending;
    void forget_sent();
    int rank_ = 0;
    int size_ = 1;
    std::vector<Sending> sending_;
};

}  // namespace pimdse::dse::run
