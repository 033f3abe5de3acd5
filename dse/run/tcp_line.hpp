#pragma once

#include "dse/run/mpi.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::run {

/// One end of a TCP connection that carries tagged messages in both directions; no call waits. A message is its length
/// (u32) and its tag (u8), little-endian, followed by its bytes.
class TcpLine {
  public:
    /// Owns a connected socket and closes it on destruction.
    explicit TcpLine(int socket);
    ~TcpLine();
    TcpLine(TcpLine&& other) noexcept;
    TcpLine& operator=(TcpLine&&) = delete;
    TcpLine(TcpLine const&) = delete;
    TcpLine& operator=(TcpLine const&) = delete;

    /// Queues a message and calls move().
    void send(Tag tag, space::Bytes const& bytes);
    /// Sends queued bytes and reads received bytes as far as possible without waiting.
    void move();
    /// The next complete message, if any; its `source` is 0.
    [[nodiscard]] std::optional<Message> receive();
    /// True if the connection is closed, or has sent a message longer than the limit.
    [[nodiscard]] bool gone() const { return gone_; }
    [[nodiscard]] bool all_sent() const { return sent_ == queued_.size(); }
    [[nodiscard]] int socket() const { return socket_; }
    void set_max_message_bytes(std::uint32_t bytes) { max_message_bytes_ = bytes; }

  private:
    int socket_;
    space::Bytes queued_;   ///< to be sent
    std::size_t sent_ = 0;  ///< bytes of `queued_` that are sent
    space::Bytes received_;
    std::size_t taken_ = 0;  ///< bytes of `received_` that receive() has returned
    std::uint32_t max_message_bytes_ = 1U << 30;
    bool gone_ = false;
};

/// A listening socket and its port.
struct ListeningSocket {
    int socket = -1;
    std::uint16_t port = 0;
};
/// Listens on all addresses of this host; `port` 0: any free port. Throws StorageError.
[[nodiscard]] ListeningSocket listen_on(std::uint16_t port);

/// A connected socket, or -1 if no connection is made within `seconds` per address. `host` is a name or an address.
[[nodiscard]] int connect_to(std::string const& host, std::uint16_t port, double seconds);

/// Name of this host.
[[nodiscard]] std::string machine_name();

/// IPv4 addresses by which other hosts may reach this one; the last one is 127.0.0.1.
[[nodiscard]] std::vector<std::string> own_addresses();

}  // namespace pimdse::dse::run
