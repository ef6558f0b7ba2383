// The sockets of the service, over Boost.Beast: one thread reads and writes all connections and never waits for a
// single one; other threads answer.
//
// A client that is slow to send or to read is cut off, one that sends too much is refused, and what a connection holds
// meanwhile is bounded.
#pragma once

#include <memory>
#include <string>

#include "app/serve/service.h"

namespace linn::app {

class HttpServer {
 public:
  // Binds the address and begins to answer. Throws InputError if the host is no address of this machine, and Failure if
  // the port is taken.
  explicit HttpServer(Service& service);
  // Cuts off what is left.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // http://HOST:PORT
  std::string url() const;

  // Returns after SIGINT or SIGTERM, once all requests that had begun are answered.
  void wait();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Whether only programs on this machine can reach the address. Throws InputError for what is no address.
bool is_loopback(const std::string& host);

}  // namespace linn::app
