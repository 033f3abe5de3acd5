#pragma once

#include "dse/run/tcp_line.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::run {

/// How a run that lives is found by those who want to work on it: NAME.h5.join, readable by its owner alone.
struct Invitation {
    std::vector<std::string> addresses;  ///< to be tried in this order
    std::string machine;                 ///< name of the coordinator's machine
    std::uint16_t port = 0;
    std::string token;  ///< who knows it may work on the run

    [[nodiscard]] static std::filesystem::path path_of(std::filesystem::path const& result_file);
    /// Replaces the file as a whole. Throws StorageError.
    void write(std::filesystem::path const& path) const;
    /// Throws InputError for a file that is no invitation.
    [[nodiscard]] static Invitation read(std::filesystem::path const& path);
};

/// Workers that come by TCP and go when they like. One thread at a time; nothing here waits.
class RemoteWorkers {
  public:
    /// `welcome` is what everybody is sent who knows the token. Listens from now on; the invitation lies beside the
    /// result file until this goes.
    RemoteWorkers(std::filesystem::path const& result_file, std::uint16_t port, space::Bytes welcome);
    ~RemoteWorkers();
    RemoteWorkers(RemoteWorkers const&) = delete;
    RemoteWorkers& operator=(RemoteWorkers const&) = delete;

    enum class Kind : std::uint8_t { joined, left, said };
    struct Event {
        Kind kind = Kind::joined;
        std::uint64_t worker = 0;
        Message message;  ///< of `said`
    };
    /// The next thing that happened, if any.
    [[nodiscard]] std::optional<Event> next();
    /// To a worker that has gone: nothing happens.
    void send(std::uint64_t worker, Tag tag, space::Bytes const& bytes);
    /// Takes it for gone from now on; there is no `went` for it.
    void forget(std::uint64_t worker) { connections_.erase(worker); }
    /// The machines that have worked on the run, each once, in the order in which they came; any thread may ask.
    [[nodiscard]] std::vector<std::string> machines() const;
    /// Says to everybody that the work is over; nobody is invited any more.
    void dismiss();

  private:
    using Clock = std::chrono::steady_clock;
    struct Connection {
        explicit Connection(int socket) : line(socket) {}
        TcpLine line;
        bool known = false;  ///< has said the token
        Clock::time_point since = Clock::now();
    };
    void accept_connections();
    void stop_inviting();
    [[nodiscard]] std::optional<Event> event_of(std::uint64_t worker, Connection& connection);
    [[nodiscard]] bool greet(Connection& connection, Message const& message);
    void restore(std::string machine);

    Invitation invitation_;
    std::filesystem::path path_;
    bool inviting_ = true;
    Listening listening_;
    space::Bytes welcome_;
    std::map<std::uint64_t, Connection> connections_;
    std::uint64_t next_key_ = 0;
    std::uint64_t looked_at_ = 0;  ///< so that everybody has a turn
    mutable std::mutex mutex_;     ///< of machines_
    std::vector<std::string> machines_;
};

}  // namespace pimdse::dse::run
