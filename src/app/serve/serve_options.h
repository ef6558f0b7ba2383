// What `linn serve` is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace linn::app {

// A run and the name it is served under.
struct NamedRun {
  std::string name;
  std::string run;
};

// Beyond these a request is refused.
struct ServeLimits {
  std::size_t body = 1'048'576;      // bytes
  std::size_t header = 16'384;       // bytes, request line included
  std::size_t list = 1'000;          // entries of a list
  std::size_t expression = 20'000;   // bytes
  std::size_t literals = 20'000;     // of an expression's normal form
  std::size_t reasons = 100'000;     // in an answer: items times the events of their histories
  std::size_t connections = 4'096;   // at a time
  std::size_t request_seconds = 30;  // to answer
  std::size_t header_seconds = 10;   // for a client to send the header
  std::size_t body_seconds = 30;     // to send the body
  std::size_t write_seconds = 30;    // to take each part of an answer
  std::size_t idle_seconds = 60;     // between two requests of a connection
};

struct ServeOptions {
  std::vector<NamedRun> runs;
  std::string host = "127.0.0.1";
  std::uint16_t port = 8080;
  std::size_t threads = 0;  // that answer; 0: one per core
  std::string token;        // empty: none is asked for
  std::string cors;         // the origin whose pages may ask; empty: none
  bool watch = false;
  bool quiet = false;
  ServeLimits limits;
};

}  // namespace linn::app
