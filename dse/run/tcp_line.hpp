#pragma once

#include "dse/run/mpi.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::run {

/// One end of a TCP connection over which tagged messages go either way; nothing here ever waits. A message is its
/// length (u32) and its tag (u8), little-endian, then its bytes.
class TcpLine {
  public:
    /// Takes a connected socket and closes it at the end.
    explicit TcpLine(int socket);
    ~TcpLine();
    TcpLine(TcpLine&& other) noexcept;
    TcpLine& operator=(TcpLine&&) = delete;
    TcpLine(TcpLine const&) = delete;
    TcpLine& operator=(TcpLine const&) = delete;

    /// What cannot leave at once leaves later, from move().
    void send(Tag tag, space::Bytes const& bytes);
    /// Sends what waits and takes in what has come.
    void move();
    /// The next whole message that has come; `source` is 0.
    [[nodiscard]] std::optional<Message> receive();
    /// True when the other end has gone, or has said what is no message of at most `longest_message`.
    [[nodiscard]] bool gone() const { return gone_; }
    [[nodiscard]] bool all_sent() const { return sent_ == waiting_.size(); }
    [[nodiscard]] int socket() const { return socket_; }
    void set_longest_message(std::uint32_t bytes) { longest_message_ = bytes; }

  private:
    int socket_;
    space::Bytes waiting_;  ///< to be sent
    std::size_t sent_ = 0;  ///< of it
    space::Bytes received_;
    std::size_t taken_ = 0;  ///< of it
    std::uint32_t longest_message_ = 1U << 30;
    bool gone_ = false;
};

/// A listening socket on every address of this machine; `port` 0: any free one. Throws StorageError.
struct Listening {
    int socket = -1;
    std::uint16_t port = 0;
};
[[nodiscard]] Listening listen_on(std::uint16_t port);

/// A connected socket, or -1 where nobody answers within `seconds`. `host` is a name or an address.
[[nodiscard]] int connect_to(std::string const& host, std::uint16_t port, double seconds);

/// The name this machine has for itself.
[[nodiscard]] std::string machine_name();

/// Addresses by which other machines may reach this one, this machine's own last.
[[nodiscard]] std::vector<std::string> own_addresses();

}  // namespace pimdse::dse::run
