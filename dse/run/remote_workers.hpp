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

/// File NAME.h5.join by which other processes find and join a running exploration; readable by its owner only.
struct Invitation {
    std::vector<std::string> addresses;  ///< addresses to try, in this order
    std::string machine;                 ///< name of the coordinator's host
    std::uint16_t port = 0;
    std::string token;  ///< secret that admits a worker to the run

    [[nodiscard]] static std::filesystem::path path_of(std::filesystem::path const& result_file);
    /// Replaces the file as a whole. Throws StorageError.
    void write(std::filesystem::path const& path) const;
    /// Throws InputError if the file is missing or is not an invitation.
    [[nodiscard]] static Invitation read(std::filesystem::path const& path);
};

/// Workers that connect by TCP and may leave at any time. Not thread-safe except for hosts(); no call but dismiss()
/// waits.
class RemoteWorkers {
  public:
    /// Starts to listen and writes the invitation next to the result file, where it stays until dismiss() or the
    /// destructor. Every worker that sends the token gets the `welcome` message.
    RemoteWorkers(std::filesystem::path const& result_file, std::uint16_t port, space::Bytes welcome);
    ~RemoteWorkers();
    RemoteWorkers(RemoteWorkers const&) = delete;
    RemoteWorkers& operator=(RemoteWorkers const&) = delete;

    enum class Kind : std::uint8_t { joined, left, message };
    struct Event {
        Kind kind = Kind::joined;
        std::uint64_t worker = 0;
        Message message;  ///< if kind is `message`
    };
    /// The next event, if any.
    [[nodiscard]] std::optional<Event> next();
    /// Has no effect if the worker has left.
    void send(std::uint64_t worker, Tag tag, space::Bytes const& bytes);
    /// Closes the connection of a worker, without an event `left` for it.
    void forget(std::uint64_t worker) { connections_.erase(worker); }
    /// Names of the hosts that have joined the run, each once, in the order in which they joined. Thread-safe.
    [[nodiscard]] std::vector<std::string> hosts() const;
    /// Tells all workers that the run is over and removes the invitation. Waits at most 2 s for messages to be sent.
    void dismiss();

  private:
    using Clock = std::chrono::steady_clock;
    struct Connection {
        explicit Connection(int socket) : line(socket) {}
        TcpLine line;
        bool known = false;  ///< has sent the token
        Clock::time_point since = Clock::now();
    };
    void accept_connections();
    void remove_invitation();
    [[nodiscard]] std::optional<Event> event_of(std::uint64_t worker, Connection& connection);
    [[nodiscard]] bool greet(Connection& connection, Message const& message);
    void add_host(std::string host);

    Invitation invitation_;
    std::filesystem::path path_;
    bool inviting_ = true;
    ListeningSocket listening_;
    space::Bytes welcome_;
    std::map<std::uint64_t, Connection> connections_;
    std::uint64_t next_key_ = 0;
    std::uint64_t last_polled_ = 0;  ///< worker that was polled last, so that all are polled in turn
    mutable std::mutex mutex_;       ///< protects hosts_
    std::vector<std::string> hosts_;
};

}  // namespace pimdse::dse::run
