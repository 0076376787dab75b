#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "base/file_descriptor.h"

namespace p2mpp {

struct ClientResponse {
  unsigned status = 0;  ///< 0: the connection was closed without a response
  std::string head, body;
};

/// A connection to a server on this machine, as plain as it can be.
class HttpClient {
 public:
  /// `from`: the last byte of the client's own address, 127.0.0.1 or another.
  explicit HttpClient(unsigned short port, unsigned from = 1)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr_in own = address;
    own.sin_port = 0;
    own.sin_addr.s_addr = htonl((INADDR_LOOPBACK & ~0xFFU) | from);
    ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own);
    const timeval patience{60, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) socket_.close();
  }

  /// Whether all of it was taken.
  bool send(const std::string& bytes) {
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t count = not_interrupted(
          [&] { return ::send(socket_.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL); });
      if (count <= 0) return false;
      sent += static_cast<std::size_t>(count);
    }
    return true;
  }

  ClientResponse receive() {
    std::size_t end = std::string::npos;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!fill()) return {};
    }
    ClientResponse response{static_cast<unsigned>(std::atoi(buffer_.c_str() + 9)), buffer_.substr(0, end), {}};
    buffer_.erase(0, end + 4);
    if (response.status == 100) return receive();
    const std::size_t field = response.head.find("Content-Length: ");
    const std::size_t length =
        field == std::string::npos ? 0 : std::strtoul(response.head.c_str() + field + 16, nullptr, 10);
    while (buffer_.size() < length && fill()) {
    }
    response.body = buffer_.substr(0, length);
    buffer_.erase(0, length);
    return response;
  }

  ClientResponse ask(const std::string& request) {
    send(request);
    return receive();
  }

  /// No more is sent; what comes can still be received.
  void end_sending() { ::shutdown(socket_.get(), SHUT_WR); }

  void leave() { socket_.close(); }

 private:
  /// Calls that have a time limit are not restarted after a signal, such as the fuzzer's alarm.
  template <typename Call>
  static ssize_t not_interrupted(const Call& call) {
    ssize_t count = call();
    while (count < 0 && errno == EINTR) count = call();
    return count;
  }

  bool fill() {
    char bytes[4096];
    const ssize_t count = not_interrupted([&] { return ::recv(socket_.get(), bytes, sizeof bytes, 0); });
    if (count > 0) buffer_.append(bytes, static_cast<std::size_t>(count));
    return count > 0;
  }

  FileDescriptor socket_;
  std::string buffer_;
};

inline std::string get_request(const std::string& path, const std::string& fields = {}) {
  return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n";
}

inline std::string post_request(const std::string& path, const std::string& type, const std::string& body,
                                const std::string& fields = {}) {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + fields + "\r\n" + body;
}

}  // namespace p2mpp
