#include "app/serve/http_server.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/optional.hpp>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <future>
#include <iterator>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

#include "app/serve/access_log.h"
#include "app/serve/problem.h"
#include "linn/base/error.h"
#include "linn/base/utf8.h"

namespace linn::app {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using Error = boost::system::error_code;

std::string text_of(beast::string_view text) { return {text.data(), text.size()}; }

asio::ip::address parse_host(const std::string& host) {
  if (host == "localhost") return asio::ip::address_v4::loopback();
  Error error;
  const asio::ip::address address = asio::ip::make_address(host, error);
  if (error) throw InputError(fmt::format("--host needs an IP address or localhost, not '{}'", host));
  return address;
}

// As many connections as the system allows, not as many as it usually gives a program.
void raise_file_limit() {
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
}

// A line of the access log has no control characters, whatever the client sent.
std::string log_line(const std::string& client, const std::string& method, const std::string& target, int status,
                     std::size_t bytes, double seconds) {
  constexpr std::size_t kLongest = 500;
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ} {} \"{} {}\" {} {} {:.1f}ms", fmt::gmtime(now), client,
                     printable(method, kLongest), printable(target, kLongest), status, bytes, seconds * 1e3);
}

}  // namespace

bool is_loopback(const std::string& host) { return parse_host(host).is_loopback(); }

// Where answers arrive from other threads. They name a connection by its number, because it may have ended meanwhile,
// and so may the whole server.
class Mailbox {
 public:
  using Take = std::function<void(std::uint64_t connection, std::uint64_t request, HttpResponse)>;

  Mailbox(asio::io_context& io, Take take) : io_(&io), take_(std::move(take)) {}

  void post(std::uint64_t connection, std::uint64_t request, HttpResponse response) {
    const std::lock_guard lock(mutex_);
    if (io_ == nullptr) return;
    asio::post(*io_, [this, connection, request, response = std::move(response)]() mutable {
      take_(connection, request, std::move(response));
    });
  }

  // Answers that come later are dropped.
  void close() {
    const std::lock_guard lock(mutex_);
    io_ = nullptr;
  }

 private:
  std::mutex mutex_;
  asio::io_context* io_;
  Take take_;
};

// Everything but `workers` runs on one thread, so nothing here is locked.
struct HttpServer::Impl {
  class Connection;

  explicit Impl(Service& asked)
      : service(asked),
        options(asked.options()),
        io(1),
        acceptor(io),
        signals(io),
        retry(io),
        last_call(io),
        workers(options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency())) {}

  void open();
  void close();
  void accept();
  void begin_to_end();
  void end_if_idle();
  template <class... Parts>
  void log(const Parts&... parts) {
    if (!options.quiet) access_log.add(log_line(parts...));
  }
  // Headers that depend on who asks.
  void add_headers(const HttpRequest& request, HttpResponse& response) const;

  Service& service;
  const ServeOptions& options;
  asio::io_context io;
  tcp::acceptor acceptor;
  asio::signal_set signals;
  asio::steady_timer retry;                                    // of accepting, when the system has no more descriptors
  asio::steady_timer last_call;                                // when requests that go on are given up
  std::unordered_map<std::uint64_t, Connection*> connections;  // by number
  std::uint64_t accepted = 0;
  bool ending = false;
  bool has_ended = false;
  std::promise<void> ended;
  std::shared_ptr<Mailbox> mailbox;
  AccessLog access_log;
  asio::thread_pool workers;
  std::thread thread;
};

// One connection: requests are read, answered and written one after the other.
class HttpServer::Impl::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Impl& server, tcp::socket socket)
      : server_(server),
        number_(++server.accepted),
        limits_(server.options.limits),
        stream_(std::move(socket)),
        overdue_(server.io),
        buffer_(limits_.header + kReadAhead) {
    Error error;
    const auto remote = stream_.socket().remote_endpoint(error);
    client_ = error ? "-" : remote.address().to_string();
    stream_.socket().set_option(tcp::no_delay(true), error);
    server_.connections.emplace(number_, this);
    ++server_.service.connections().open;
  }
  ~Connection() {
    server_.connections.erase(number_);
    --server_.service.connections().open;
    server_.end_if_idle();
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() { wait_for_request(); }

  // Refuses the connection before anything is read.
  void refuse() {
    started_ = Clock::now();
    closing_ = true;
    send(Problem(503, "too many connections").with_header("Retry-After", "1").response());
  }

  // No further request; the one under way is answered.
  void end() {
    closing_ = true;
    if (is_idle_) close();
  }

  void close() { stream_.close(); }

  // Work on the request under way ends soon.
  void give_up() {
    if (stop_) *stop_ = true;
  }

  // The answer to a request of this number; nothing happens if it has been answered.
  void take_answer(std::uint64_t request, HttpResponse response) {
    if (answered_ == request) return;
    answered_ = request;
    overdue_.cancel();
    --server_.service.connections().in_flight;
    send(std::move(response));
  }

 private:
  static constexpr std::size_t kReadAhead = 65'536;     // of the body, while the header is read
  static constexpr std::size_t kWriteAtOnce = 262'144;  // bytes that the time to write is for

  using Parser = http::request_parser<http::string_body>;

  static std::chrono::seconds seconds(std::size_t count) { return std::chrono::seconds(count); }

  // Waits for the first byte, for which a client may take longer than for the rest of the header.
  void wait_for_request() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(limits_.header));
    parser_->body_limit(limits_.body);
    head_only_ = false;
    if (buffer_.size() > 0) return read_header();  // sent ahead
    if (closing_) return finish();
    is_idle_ = true;
    stream_.expires_after(seconds(limits_.idle_seconds));
    stream_.async_read_some(buffer_.prepare(kFirstRead), [self = shared_from_this()](Error error, std::size_t bytes) {
      self->is_idle_ = false;
      if (error) return self->finish();
      self->buffer_.commit(bytes);
      self->read_header();
    });
  }

  void read_header() {
    started_ = Clock::now();
    stream_.expires_after(seconds(limits_.header_seconds));
    http::async_read_header(stream_, buffer_, *parser_, [self = shared_from_this()](Error error, std::size_t) {
      self->started_ = Clock::now();
      if (error) return self->refuse_message(error, "header");
      self->read_body();
    });
  }

  void read_body() {
    stream_.expires_after(seconds(limits_.body_seconds));
    const auto& header = parser_->get();
    const beast::string_view expect = header[http::field::expect];
    if (!parser_->is_done() && beast::iequals(expect, "100-continue")) {
      static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      asio::async_write(stream_, asio::buffer(kContinue.data(), kContinue.size()),
                        [self = shared_from_this()](Error error, std::size_t) {
                          if (error) return self->finish();
                          self->read_rest();
                        });
      return;
    }
    read_rest();
  }

  void read_rest() {
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](Error error, std::size_t) {
      self->started_ = Clock::now();
      if (error) return self->refuse_message(error, "body");
      self->dispatch();
    });
  }

  // The message cannot be read; after an answer, if the client can still take one, the connection ends.
  void refuse_message(Error error, const char* part) {
    closing_ = true;
    const bool is_truncated = error == http::error::end_of_stream || error == http::error::partial_message;
    if (is_truncated || error == asio::error::connection_reset || error == asio::error::operation_aborted) {
      return finish();
    }
    if (error == beast::error::timeout) {
      // The socket is closed already.
      server_.service.metrics().count("none", 408, 0.0);
      server_.log(client_, "-", "-", 408, 0, elapsed());
      return finish();
    }
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      return send(Problem(431, fmt::format("the header is larger than {} bytes", limits_.header)).response());
    }
    if (error == http::error::body_limit) {
      return send(Problem(413, fmt::format("the body is larger than {} bytes", limits_.body)).response());
    }
    if (error.category() == http::make_error_code(http::error::bad_method).category()) {
      return send(Problem(400, fmt::format("the {} is not HTTP: {}", part, error.message())).response());
    }
    finish();
  }

  // Hands the request to the workers. Whichever comes first is sent: their answer, or that it takes too long.
  void dispatch() {
    stream_.expires_never();
    auto message = parser_->release();
    parser_.reset();
    if (message.version() >= 11 && message.count(http::field::host) != 1) {
      closing_ = true;
      return send(Problem(400, "expected one Host in the header").response());
    }
    auto request = std::make_shared<HttpRequest>();
    request->method = text_of(message.method_string());
    request->target = text_of(message.target());
    request->host = text_of(message[http::field::host]);
    request->authorization = text_of(message[http::field::authorization]);
    request->content_type = text_of(message[http::field::content_type]);
    request->if_none_match = text_of(message[http::field::if_none_match]);
    request->origin = text_of(message[http::field::origin]);
    request->body = std::move(message.body());
    if (!message.keep_alive()) closing_ = true;
    is_old_ = message.version() < 11;
    head_only_ = request->method == "HEAD";
    request_ = request;

    ++server_.service.connections().in_flight;
    const std::uint64_t number = ++asked_;
    const Clock::time_point deadline = started_ + seconds(limits_.request_seconds);
    stop_ = std::make_shared<std::atomic<bool>>(false);
    overdue_.expires_at(deadline);
    overdue_.async_wait([self = shared_from_this(), number, stop = stop_](Error error) {
      *stop = true;
      if (error || self->answered_ == number) return;
      self->closing_ = true;
      self->take_answer(number, Problem(503, "this request takes too long").with_header("Retry-After", "1").response());
    });
    // The timer keeps the connection until then.
    auto answer = [&service = server_.service, mailbox = server_.mailbox, connection = number_, number, deadline,
                   stop = stop_, request = std::move(request)] {
      service.answer(*request, {deadline, stop.get()}, [mailbox, connection, number](HttpResponse response) {
        mailbox->post(connection, number, std::move(response));
      });
    };
    if (Service::is_immediate(*request_)) {
      answer();
    } else {
      asio::post(server_.workers, std::move(answer));
    }
  }

  void send(HttpResponse response) {
    if (!stream_.socket().is_open()) return;
    if (request_) server_.add_headers(*request_, response);
    if (server_.ending) closing_ = true;
    status_ = response.status;
    const bool has_body = response.status != 204 && response.status != 304;
    out_.clear();
    auto out = std::back_inserter(out_);
    fmt::format_to(out, "HTTP/1.1 {} {}\r\n", response.status, status_phrase(response.status));
    if (has_body) {
      fmt::format_to(out, "Content-Type: {}\r\nContent-Length: {}\r\n", response.content_type, response.body.size());
    }
    for (const auto& [name, value] : response.headers) fmt::format_to(out, "{}: {}\r\n", name, value);
    out_ += "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n";
    if (closing_) {
      out_ += "Connection: close\r\n";
    } else if (is_old_) {
      out_ += "Connection: keep-alive\r\n";
    }
    out_ += "\r\n";
    if (has_body && !head_only_) out_ += response.body;
    if (request_) {
      const double time = elapsed();
      server_.service.metrics().count(server_.service.route_id(*request_), status_, time);
      server_.log(client_, request_->method, request_->target, status_, out_.size(), time);
    } else {
      server_.service.metrics().count("none", status_, elapsed());
      server_.log(client_, "-", "-", status_, out_.size(), elapsed());
    }
    request_.reset();
    written_ = 0;
    write();
  }

  void write() {
    if (written_ == out_.size()) {
      // What large answers took is not kept for the next small one.
      if (out_.capacity() > kWriteAtOnce) std::string().swap(out_);
      if (closing_) return linger();
      return wait_for_request();
    }
    stream_.expires_after(seconds(limits_.write_seconds));
    const std::size_t count = std::min(kWriteAtOnce, out_.size() - written_);
    asio::async_write(stream_, asio::buffer(out_.data() + written_, count),
                      [self = shared_from_this()](Error error, std::size_t bytes) {
                        if (error) return self->finish();
                        self->written_ += bytes;
                        self->write();
                      });
  }

  // A client that is still sending would lose the answer if the socket were closed at once.
  void linger() {
    Error error;
    stream_.socket().shutdown(tcp::socket::shutdown_send, error);
    if (error) return finish();
    stream_.expires_after(seconds(kLingerSeconds));
    swallow();
  }

  void swallow() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(kFirstRead), [self = shared_from_this()](Error error, std::size_t bytes) {
      self->swallowed_ += bytes;
      if (error || self->swallowed_ > kMostSwallowed) return self->finish();
      self->swallow();
    });
  }

  void finish() { close(); }

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

  static constexpr std::size_t kFirstRead = 4'096;
  static constexpr std::size_t kLingerSeconds = 2;
  static constexpr std::size_t kMostSwallowed = 16'777'216;

  Impl& server_;
  const std::uint64_t number_;
  const ServeLimits& limits_;
  beast::tcp_stream stream_;
  asio::steady_timer overdue_;
  std::shared_ptr<std::atomic<bool>> stop_;  // of the request under way: whether nobody waits for it any more
  beast::flat_buffer buffer_;
  boost::optional<Parser> parser_;
  std::string client_;
  std::shared_ptr<const HttpRequest> request_;
  std::uint64_t asked_ = 0;     // requests so far
  std::uint64_t answered_ = 0;  // the number of the last one that was answered
  Clock::time_point started_;
  bool is_idle_ = false;
  bool closing_ = false;
  bool head_only_ = false;
  bool is_old_ = false;  // HTTP/1.0
  int status_ = 0;
  std::string out_;
  std::size_t written_ = 0;
  std::size_t swallowed_ = 0;
};

void HttpServer::Impl::open() {
  raise_file_limit();
  std::signal(SIGPIPE, SIG_IGN);
  const tcp::endpoint endpoint(parse_host(options.host), options.port);
  const auto check = [&](Error error) {
    if (error) throw Failure(fmt::format("cannot listen on {}:{}: {}", options.host, options.port, error.message()));
  };
  Error error;
  acceptor.open(endpoint.protocol(), error);
  check(error);
  acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  check(error);
  acceptor.bind(endpoint, error);
  check(error);
  acceptor.listen(asio::socket_base::max_listen_connections, error);
  check(error);

  mailbox =
      std::make_shared<Mailbox>(io, [this](std::uint64_t connection, std::uint64_t request, HttpResponse response) {
        const auto found = connections.find(connection);
        if (found != connections.end()) found->second->take_answer(request, std::move(response));
      });
  signals.add(SIGINT);
  signals.add(SIGTERM);
  signals.async_wait([this](Error failed, int) {
    if (!failed) begin_to_end();
  });
  accept();
  thread = std::thread([this] {
    for (;;) {
      try {
        io.run();
        return;
      } catch (const std::exception& unexpected) {  // such as no memory: it costs one connection
        std::fputs(fmt::format("linn: {}\n", unexpected.what()).c_str(), stderr);
      }
    }
  });
}

void HttpServer::Impl::accept() {
  acceptor.async_accept([this](Error error, tcp::socket socket) {
    if (ending || error == asio::error::operation_aborted) return;
    if (error) {  // such as no more descriptors
      constexpr std::chrono::milliseconds kPause(100);
      retry.expires_after(kPause);
      retry.async_wait([this](Error failed) {
        if (!failed) accept();
      });
      return;
    }
    constexpr std::size_t kRefusedAtOnce = 64;
    const std::size_t open = connections.size();
    if (open >= options.limits.connections) ++service.connections().refused;
    if (open < options.limits.connections) {
      std::make_shared<Connection>(*this, std::move(socket))->start();
    } else if (open < options.limits.connections + kRefusedAtOnce) {
      std::make_shared<Connection>(*this, std::move(socket))->refuse();
    }
    accept();
  });
}

void HttpServer::Impl::add_headers(const HttpRequest& request, HttpResponse& response) const {
  if (options.cors.empty() || request.origin.empty()) return;
  if (options.cors != "*" && options.cors != request.origin) return;
  response.headers.emplace_back("Access-Control-Allow-Origin", options.cors);
  if (options.cors != "*") response.headers.emplace_back("Vary", "Origin");
}

void HttpServer::Impl::begin_to_end() {
  ending = true;
  signals.clear();  // the next one ends the program at once
  Error error;
  acceptor.close(error);
  retry.cancel();
  for (const auto& [number, connection] : connections) connection->end();
  // Requests that take too long are answered by then, and slow readers cut off.
  last_call.expires_after(std::chrono::seconds(options.limits.request_seconds + options.limits.write_seconds));
  last_call.async_wait([this](Error failed) {
    if (failed) return;
    for (const auto& [number, connection] : connections) {
      connection->give_up();
      connection->close();
    }
  });
  end_if_idle();
}

void HttpServer::Impl::end_if_idle() {
  if (!ending || has_ended || !connections.empty()) return;
  has_ended = true;
  last_call.cancel();
  ended.set_value();
}

void HttpServer::Impl::close() {
  io.stop();
  if (thread.joinable()) thread.join();
  for (const auto& [number, connection] : connections) connection->give_up();
  mailbox->close();
  workers.stop();
  workers.join();
  has_ended = true;  // connections that go with the handlers of `io` report to nobody
}

HttpServer::HttpServer(Service& service) : impl_(std::make_unique<Impl>(service)) { impl_->open(); }

HttpServer::~HttpServer() { impl_->close(); }

std::string HttpServer::url() const {
  const auto endpoint = impl_->acceptor.local_endpoint();
  const std::string host = endpoint.address().to_string();
  return fmt::format("http://{}:{}", endpoint.address().is_v6() ? "[" + host + "]" : host, endpoint.port());
}

void HttpServer::wait() { impl_->ended.get_future().wait(); }

}  // namespace linn::app
