#pragma once

#include "dse/space/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::run {

/// Whether this program has MPI: mpi.cpp, or no_mpi.cpp in a build with -DPIMDSE_MPI=OFF.
[[nodiscard]] bool has_mpi();

/// Name and version of the MPI library; says so if there is none.
[[nodiscard]] std::string mpi_library();

enum class Tag : int { task = 1, result = 2, stop = 3, alive = 4, starving = 5, recall = 6 };

struct Message {
    int source = 0;
    Tag tag = Tag::task;
    space::Bytes bytes;
};

/// The ranks of this job. The constructor starts MPI and the destructor ends it. Only the constructing thread may use
/// the object (MPI_THREAD_FUNNELED). An MPI error ends the job, which is the default of MPI.
class Communicator {
  public:
    Communicator(int& argc, char**& argv);
    ~Communicator();
    Communicator(Communicator const&) = delete;
    Communicator& operator=(Communicator const&) = delete;

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] std::string host() const;

    /// Returns the text of rank 0 on every rank.
    [[nodiscard]] std::string broadcast(std::string text) const;
    /// Returns the texts of all ranks on rank 0; empty on other ranks.
    [[nodiscard]] std::vector<std::string> gather(std::string const& text) const;

    /// Sends without waiting; the bytes are kept until MPI has sent them.
    void send(int to, Tag tag, space::Bytes bytes);
    /// A message that has arrived, if any; never waits.
    [[nodiscard]] std::optional<Message> receive();
    /// Waits until all messages are sent.
    void flush();
    /// Ends the whole job at once with this exit code.
    [[noreturn]] void end_job(int exit_code) const;

  private:
    struct Sending;
    void release_sent();
    int rank_ = 0;
    int size_ = 1;
    std::vector<Sending> sending_;
};

}  // namespace pimdse::dse::run
