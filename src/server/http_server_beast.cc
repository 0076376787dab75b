#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/text.h"
#include "p2mpp/error.h"
#include "server/http_connection.h"

namespace p2mpp {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::chrono::milliseconds kAcceptPause{100};  // where the system has no descriptor left
constexpr std::string_view kBusy =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 5\r\nConnection: close\r\n\r\n";

asio::ip::address parse_address(const std::string& host) {
  boost::system::error_code error;
  const asio::ip::address address = asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host, error);
  if (!error) return address;
  throw UsageError(
      fmt::format("--host: '{}' is not an address; expected one of this machine, such as 127.0.0.1 or 0.0.0.0",
                  printable(host, 60)));
}

}  // namespace

bool is_loopback(const std::string& host) { return parse_address(host).is_loopback(); }

void require_http() {}

struct HttpServer::Impl {
  Impl(const HttpOptions& options, HttpHandler handler, HttpStatistics& statistics)
      : shared{options, std::move(handler), statistics}, acceptor(context), pause(context), patience(context) {}

  // Their sockets must go before the context.
  ~Impl() { shared.connections.clear(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void listen() {
    const tcp::endpoint endpoint(parse_address(shared.options.host), shared.options.port);
    try {
      acceptor.open(endpoint.protocol());
      acceptor.set_option(tcp::acceptor::reuse_address(true));
      acceptor.bind(endpoint);
      acceptor.listen();
    } catch (const boost::system::system_error& error) {
      throw Error(
          fmt::format("{}:{}: cannot be served: {}", shared.options.host, shared.options.port, error.code().message()));
    }
  }

  void accept() {
    acceptor.async_accept([this](boost::system::error_code error, tcp::socket socket) {
      if (!acceptor.is_open()) return;
      if (error) {
        pause.expires_after(kAcceptPause);
        pause.async_wait([this](boost::system::error_code) {
          if (acceptor.is_open()) accept();
        });
        return;
      }
      take(std::move(socket));
      accept();
    });
  }

  void take(tcp::socket socket) {
    boost::system::error_code ignored;
    const ConnectionKind kind =
        make_room_for(address_of_peer(socket)) ? ConnectionKind::kUsual : ConnectionKind::kSpare;
    if (kind == ConnectionKind::kSpare && !make_room_for_spare()) {
      ++shared.statistics.connections_refused;
      socket.non_blocking(true, ignored);
      socket.write_some(asio::buffer(kBusy), ignored);
      return;
    }
    socket.set_option(tcp::no_delay(true), ignored);
    std::make_shared<HttpConnection>(std::move(socket), kind, shared)->begin();
  }

  // Whether a usual connection of an address has room; closes another one for it.
  bool make_room_for(const asio::ip::address& address) {
    const auto is_usual = [](const HttpConnection& each) { return each.kind() == ConnectionKind::kUsual; };
    const auto is_own = [&](const HttpConnection& each) { return is_usual(each) && each.address() == address; };
    if (count_if(is_own) >= share_of_address(shared.options.connections)) return close_one(is_own);
    return count_if(is_usual) < shared.options.connections || close_one(is_usual);
  }

  bool make_room_for_spare() {
    const auto is_spare = [](const HttpConnection& each) { return each.kind() == ConnectionKind::kSpare; };
    return count_if(is_spare) < HttpServer::kSpare || close_one(is_spare);
  }

  template <typename Matches>
  [[nodiscard]] std::size_t count_if(const Matches& matches) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(shared.connections, [&](const auto& each) { return matches(*each); }));
  }

  // Closes the one that has read a head for longest. Returns false if none reads one.
  template <typename Matches>
  bool close_one(const Matches& matches) {
    std::shared_ptr<HttpConnection> first;
    for (const auto& each : shared.connections) {
      if (!each->reads_head() || !matches(*each)) continue;
      if (!first || each->precedence() < first->precedence()) first = each;
    }
    if (!first) return false;
    ++shared.statistics.connections_displaced;
    first->close_if_idle();
    return true;
  }

  void stop_accepting() {
    boost::system::error_code ignored;
    acceptor.close(ignored);
    pause.cancel(ignored);
  }

  // The loop ends by itself when nothing is left to do.
  void shut_down(std::chrono::milliseconds time) {
    stop_accepting();
    shared.is_closing = true;
    const auto open = shared.connections;
    for (const auto& connection : open) connection->close_if_idle();
    patience.expires_after(time);
    patience.async_wait([this](boost::system::error_code error) {
      if (!error) context.stop();
    });
    end_when_idle();
  }

  void end_when_idle() {
    if (shared.connections.empty()) return context.stop();
    pause.expires_after(kAcceptPause);
    pause.async_wait([this](boost::system::error_code) { end_when_idle(); });
  }

  HttpShared shared;
  asio::io_context context{1};
  tcp::acceptor acceptor;
  asio::steady_timer pause, patience;
};

HttpServer::HttpServer(const HttpOptions& options, HttpHandler handler, HttpStatistics& statistics)
    : impl_(std::make_shared<Impl>(options, std::move(handler), statistics)) {
  impl_->listen();
}

HttpServer::~HttpServer() = default;

unsigned short HttpServer::port() const { return impl_->acceptor.local_endpoint().port(); }

void HttpServer::run() {
  impl_->accept();
  impl_->context.run();
}

void HttpServer::stop_accepting() {
  asio::post(impl_->context, [impl = impl_.get()] { impl->stop_accepting(); });
}

void HttpServer::shut_down(std::chrono::milliseconds patience) {
  asio::post(impl_->context, [impl = impl_.get(), patience] { impl->shut_down(patience); });
}

}  // namespace p2mpp
