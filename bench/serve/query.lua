-- For wrk: expressions of 20 literals over the variables 1 to 1000, each request another one.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"

function init(args)
  math.randomseed(os.time())
end

function request()
  local clauses = {}
  for c = 1, 5 do
    local literals = {}
    for i = 1, 4 do literals[i] = (math.random() < 0.5 and "!" or "") .. math.random(1000) end
    clauses[c] = "(" .. table.concat(literals, " & ") .. ")"
  end
  return wrk.format(nil, nil, nil, '{"expressions":["' .. table.concat(clauses, " | ") .. '"]}')
end

function done(summary, latency, requests)
  io.write(string.format("p99 %.1f ms, answers other than 200: %d\n", latency:percentile(99) / 1000, summary.errors.status))
end
