#pragma once

#include <array>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/clock.h"
#include "server/http_server.h"

namespace p2mpp {

class HttpConnection;

/// The address of a socket's client.
[[nodiscard]] boost::asio::ip::address address_of_peer(const boost::asio::ip::tcp::socket& socket);

/// Data that all connections of a server share. Used by the network's thread only.
struct HttpShared {
  const HttpOptions options;
  const HttpHandler handler;
  HttpStatistics& statistics;
  std::set<std::shared_ptr<HttpConnection>> connections = {};  ///< all that are open
  bool is_closing = false;                                     ///< no further request is read
};

/// How much a connection may do: see HttpServer.
enum class ConnectionKind { kUsual, kSpare };

/// A client's connection. Requests are handled one after the other: read, passed on and answered.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(boost::asio::ip::tcp::socket socket, ConnectionKind kind, HttpShared& shared);
  ~HttpConnection() { --shared_.statistics.connections; }
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void begin();
  /// Closes it, unless a response is due or being written.
  void close_if_idle();

  [[nodiscard]] const boost::asio::ip::address& address() const { return address_; }
  [[nodiscard]] ConnectionKind kind() const { return kind_; }
  [[nodiscard]] bool reads_head() const { return state_ == State::kHead; }
  /// Which one is closed first for others, of those that read a head: the smallest.
  [[nodiscard]] std::pair<bool, Clock::time_point> precedence() const { return {!is_idle(), since_}; }

 private:
  using Error = boost::beast::error_code;
  using Body = boost::beast::http::buffer_body;
  enum class State { kHead, kBody, kWaiting, kWriting, kClosing };

  void read_head();
  void on_head(Error error);
  [[nodiscard]] bool is_idle() const;
  void check_framing();
  [[nodiscard]] RequestHead head() const;
  void begin_body();
  void read_body();
  void on_body(Error error);
  void complete();
  void watch_client();
  void on_watched(Error error);
  void watch_full_buffer();
  void give_up();
  void respond(Response response);
  void fail(const std::exception& failure);
  void refuse(const Refusal& refusal);
  template <typename Message>
  void write(Message& message, const Response& response);
  void on_written(Error error, bool keep_alive);
  void drain();
  void close(Error error = {});

  HttpShared& shared_;
  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  boost::asio::steady_timer deadline_, watch_;
  const boost::asio::ip::address address_;  ///< the client's
  const ConnectionKind kind_;
  State state_ = State::kHead;
  Clock::time_point since_ = Clock::now();  ///< when it began to read this head
  bool has_answered_ = false;
  bool is_misframed_ = false;  ///< where the request ends is in doubt
  std::optional<boost::beast::http::request_parser<Body>> parser_;
  std::array<char, std::size_t{16} << 10> chunk_{};
  std::uint64_t body_bytes_ = 0;
  Clock::time_point body_end_ = {};
  std::unique_ptr<Exchange> exchange_;
  bool is_head_request_ = false;
  boost::beast::http::response<boost::beast::http::string_body> text_;
  boost::beast::http::response<boost::beast::http::file_body> file_;
  boost::beast::http::response<boost::beast::http::empty_body> head_only_;
};

}  // namespace p2mpp
