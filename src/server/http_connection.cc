#include "server/http_connection.h"

#include <poll.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <limits>

#include "server/http.h"

namespace p2mpp {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::asio::ip::tcp;

constexpr std::chrono::seconds kDrainTime{2};
constexpr std::chrono::milliseconds kWatchInterval{200};  // where the buffer is full
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

std::string copy_text(beast::string_view text) { return {text.data(), text.size()}; }

template <typename Fields>
std::string field_of(const Fields& fields, http::field name) {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string() : copy_text(found->value());
}

std::string joined_values(const http::fields& fields, http::field name) {
  std::string values;
  const auto [begin, end] = fields.equal_range(name);
  for (auto field = begin; field != end; ++field) values += (values.empty() ? "" : ",") + copy_text(field->value());
  return values;
}

// Not for a client that has left or was too slow.
bool is_malformed(const beast::error_code& error) {
  return error && error.category() == http::make_error_code(http::error::bad_method).category() &&
         error != http::error::end_of_stream && error != http::error::partial_message &&
         error != http::error::need_buffer;
}

}  // namespace

asio::ip::address address_of_peer(const tcp::socket& socket) {
  beast::error_code ignored;
  return socket.remote_endpoint(ignored).address();
}

HttpConnection::HttpConnection(tcp::socket socket, ConnectionKind kind, HttpShared& shared)
    : shared_(shared),
      stream_(std::move(socket)),
      buffer_(HttpServer::kMaxHead + std::tuple_size_v<decltype(chunk_)>),
      deadline_(stream_.get_executor()),
      watch_(stream_.get_executor()),
      address_(address_of_peer(stream_.socket())),
      kind_(kind) {
  ++shared_.statistics.connections;
  ++shared_.statistics.connections_total;
}

void HttpConnection::begin() {
  shared_.connections.insert(shared_from_this());
  read_head();
}

void HttpConnection::close_if_idle() {
  if (state_ != State::kWaiting && state_ != State::kWriting) close();
}

bool HttpConnection::is_idle() const { return has_answered_ && buffer_.size() == 0; }

void HttpConnection::read_head() {
  if (shared_.is_closing) return close();
  state_ = State::kHead;
  is_head_request_ = false;  // also if the next head cannot be parsed
  since_ = Clock::now();
  exchange_.reset();
  parser_.emplace();
  parser_->header_limit(HttpServer::kMaxHead);
  parser_->body_limit(std::numeric_limits<std::uint64_t>::max());  // on_body() counts
  stream_.expires_after(shared_.options.head_time);
  http::async_read_header(stream_, buffer_, *parser_,
                          [self = shared_from_this()](Error error, std::size_t) { self->on_head(error); });
}

void HttpConnection::on_head(Error error) {
  if (error == http::error::header_limit) {
    return refuse({http_status::kHeadTooLarge, "the request's head is too large; expected at most 16384 bytes"});
  }
  if (is_malformed(error)) return refuse({http_status::kBadRequest, "is not an HTTP request: " + error.message()});
  if (error) return close(error);
  state_ = State::kBody;
  is_head_request_ = parser_->get().method() == http::verb::head;
  try {
    check_framing();
    const RequestHead asked = head();
    if (kind_ == ConnectionKind::kSpare && asked.path != HttpServer::kAlwaysAnswered) {
      ++shared_.statistics.connections_refused;
      throw Refusal(http_status::kUnavailable, "the server has too many connections; try again later");
    }
    exchange_ = shared_.handler(asked);
    if (asked.content_length.value_or(0) > exchange_->max_body()) {
      throw Refusal(http_status::kTooLarge, "the body has " + std::to_string(*asked.content_length) +
                                                " bytes; expected at most " + std::to_string(exchange_->max_body()));
    }
    begin_body();
  } catch (const Refusal& refusal) {
    refuse(refusal);
  } catch (const std::exception& failure) {
    fail(failure);
  }
}

// A proxy in front of the server may see the end of an ambiguous request elsewhere (RFC 9112, 6.3 and 11.2).
void HttpConnection::check_framing() {
  const auto& request = parser_->get();
  const auto refuse_if = [this](bool is_wrong, const char* reason) {
    if (!is_wrong) return;
    is_misframed_ = true;
    throw Refusal(http_status::kBadRequest, reason);
  };
  const auto count = [&request](http::field name) { return request.count(name); };
  refuse_if(count(http::field::host) > 1, "Host: appears twice; expected one");
  if (count(http::field::transfer_encoding) == 0) return;
  refuse_if(!beast::iequals(joined_values(request, http::field::transfer_encoding), "chunked"),
            "Transfer-Encoding: expected chunked alone");
  refuse_if(count(http::field::content_length) > 0, "Transfer-Encoding: expected no Content-Length beside it");
  refuse_if(request.version() < 11, "Transfer-Encoding: expected HTTP/1.1");
}

RequestHead HttpConnection::head() const {
  const auto& request = parser_->get();
  RequestHead head{.method = copy_text(request.method_string()),
                   .path = copy_text(request.target()),
                   .query = {},
                   .host = field_of(request, http::field::host),
                   .origin = field_of(request, http::field::origin),
                   .authorization = field_of(request, http::field::authorization),
                   .content_type = field_of(request, http::field::content_type),
                   .client = address_.to_string(),
                   .content_length = std::nullopt};
  if (const std::size_t mark = head.path.find('?'); mark != std::string::npos) {
    head.query = head.path.substr(mark + 1);
    head.path.resize(mark);
  }
  if (const auto length = parser_->content_length()) head.content_length = *length;
  return head;
}

void HttpConnection::begin_body() {
  body_bytes_ = 0;
  body_end_ = Clock::now() + shared_.options.body_time;
  const bool is_awaited = beast::iequals(field_of(parser_->get(), http::field::expect), "100-continue");
  if (!is_awaited || parser_->is_done()) return read_body();
  stream_.expires_after(shared_.options.stall_time);
  asio::async_write(stream_, asio::buffer(kContinue), [self = shared_from_this()](Error error, std::size_t) {
    if (error) return self->close(error);
    self->read_body();
  });
}

void HttpConnection::read_body() {
  if (parser_->is_done()) return complete();
  parser_->get().body().data = chunk_.data();
  parser_->get().body().size = chunk_.size();
  stream_.expires_at(std::min(body_end_, Clock::now() + shared_.options.stall_time));
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](Error error, std::size_t) { self->on_body(error); });
}

void HttpConnection::on_body(Error error) {
  if (is_malformed(error)) return refuse({http_status::kBadRequest, "the body is malformed: " + error.message()});
  if (error && error != http::error::need_buffer) return close(error);
  const std::size_t count = chunk_.size() - parser_->get().body().size;
  body_bytes_ += count;
  shared_.statistics.bytes_received += count;
  try {
    if (body_bytes_ > exchange_->max_body()) {
      throw Refusal(http_status::kTooLarge,
                    "the body is too large; expected at most " + std::to_string(exchange_->max_body()) + " bytes");
    }
    exchange_->receive({chunk_.data(), count});
  } catch (const Refusal& refusal) {
    return refuse(refusal);
  } catch (const std::exception& failure) {
    return fail(failure);
  }
  read_body();
}

void HttpConnection::complete() {
  state_ = State::kWaiting;
  stream_.expires_never();
  watch_client();
  std::optional<std::chrono::milliseconds> deadline;
  try {
    // Called by other threads, which must not be the last to hold the connection.
    deadline = exchange_->complete([weak = weak_from_this(), executor = stream_.get_executor()](Response response) {
      asio::post(executor, [weak, response = std::move(response)]() mutable {
        if (const auto self = weak.lock()) self->respond(std::move(response));
      });
    });
  } catch (const Refusal& refusal) {
    return refuse(refusal);
  } catch (const std::exception& failure) {
    return fail(failure);
  }
  if (!deadline) return;
  deadline_.expires_after(*deadline);
  deadline_.async_wait([self = shared_from_this()](Error error) {
    if (!error && self->state_ == State::kWaiting) self->exchange_->late();
  });
}

// The socket becomes readable when the client leaves, and where it sends its next request.
void HttpConnection::watch_client() {
  stream_.socket().async_wait(tcp::socket::wait_read,
                              [self = shared_from_this()](Error error) { self->on_watched(error); });
}

void HttpConnection::on_watched(Error error) {
  if (error || state_ != State::kWaiting) return;
  const std::size_t room = std::min(buffer_.max_size() - buffer_.size(), chunk_.size());
  if (room == 0) return watch_full_buffer();
  stream_.socket().non_blocking(true, error);
  const std::size_t count = stream_.socket().receive(buffer_.prepare(room), 0, error);
  buffer_.commit(count);  // the next request waits there
  if (!error || error == asio::error::would_block) return watch_client();
  give_up();
}

// The client has sent much more than it may ask at a time. Only its leaving counts.
void HttpConnection::watch_full_buffer() {
  watch_.expires_after(kWatchInterval);
  watch_.async_wait([self = shared_from_this()](Error error) {
    if (error || self->state_ != State::kWaiting) return;
    pollfd socket{self->stream_.socket().native_handle(), POLLRDHUP, 0};
    if (::poll(&socket, 1, 0) > 0) return self->give_up();
    self->watch_full_buffer();
  });
}

void HttpConnection::give_up() {
  ++shared_.statistics.clients_gone;
  exchange_->abandon();
  close();
}

// What went wrong is for this machine's log: it may name files.
void HttpConnection::fail(const std::exception& failure) {
  shared_.options.on_failure(failure.what());
  refuse({http_status::kFailed, "the server failed"});
}

void HttpConnection::refuse(const Refusal& refusal) { respond(response_to(refusal)); }

void HttpConnection::respond(Response response) {
  if (state_ == State::kClosing || state_ == State::kWriting) return;
  // The unread rest of a request would be taken for the next one.
  const bool was_read = parser_->is_done() && !is_misframed_;
  state_ = State::kWriting;
  Error ignored;
  deadline_.cancel(ignored);
  watch_.cancel(ignored);
  stream_.socket().cancel(ignored);
  shared_.statistics.count_response(response.status);
  const bool keep_alive = was_read && parser_->keep_alive() && !shared_.is_closing && kind_ == ConnectionKind::kUsual;
  const unsigned version = was_read ? parser_->get().version() : 11;
  if (!response.file.empty()) {
    file_ = {http::status(response.status), version};
    file_.body().open(response.file.c_str(), beast::file_mode::scan, ignored);
    if (!ignored) {
      file_.keep_alive(keep_alive);
      return write(file_, response);
    }
    response.body.clear();
    response.status = http_status::kFailed;
  }
  text_ = {http::status(response.status), version};
  text_.keep_alive(keep_alive);
  text_.body() = std::move(response.body);
  write(text_, response);
}

template <typename Message>
void HttpConnection::write(Message& message, const Response& response) {
  message.set(http::field::content_type, response.type);
  message.set("X-Content-Type-Options", "nosniff");
  message.set("Referrer-Policy", "no-referrer");
  message.set(http::field::cache_control, "no-store");
  for (const auto& [name, value] : response.headers) message.set(name, value);
  message.prepare_payload();
  const bool keep_alive = message.keep_alive();
  has_answered_ = true;
  stream_.expires_after(shared_.options.write_time);
  const auto written = [self = shared_from_this(), keep_alive](Error error, std::size_t) {
    self->on_written(error, keep_alive);
  };
  if (!is_head_request_) {
    http::async_write(stream_, message, written);
    return;
  }
  head_only_ = http::response<http::empty_body>(http::response_header<>(message.base()));
  http::async_write(stream_, head_only_, written);
}

void HttpConnection::on_written(Error error, bool keep_alive) {
  if (error) return close(error);
  file_ = {};
  text_ = {};
  if (keep_alive) return read_head();
  state_ = State::kClosing;
  exchange_.reset();
  stream_.socket().shutdown(tcp::socket::shutdown_send, error);
  if (error) return close();
  stream_.expires_after(kDrainTime);
  drain();
}

// A client that still sends would lose the response if the connection were closed at once.
void HttpConnection::drain() {
  stream_.async_read_some(asio::buffer(chunk_), [self = shared_from_this()](Error error, std::size_t) {
    if (error) return self->close();
    self->drain();
  });
}

void HttpConnection::close(Error error) {
  const auto self = shared_from_this();
  shared_.connections.erase(self);
  if (error == beast::error::timeout) ++shared_.statistics.connections_timed_out;
  state_ = State::kClosing;
  exchange_.reset();
  Error ignored;
  deadline_.cancel(ignored);
  watch_.cancel(ignored);
  stream_.socket().close(ignored);
}

}  // namespace p2mpp
