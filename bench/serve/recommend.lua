-- For wrk: the ten best items, with reasons, for histories of 20 items, each request another one. ITEMS is a file of
-- identifiers, one a line.
local items = {}
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"

function init(args)
  for line in io.lines(os.getenv("ITEMS")) do items[#items + 1] = line end
  math.randomseed(os.time())
end

function request()
  local events = {}
  for i = 1, 20 do
    events[i] = string.format('{"item":"%s","liked":%s}', items[math.random(#items)],
                              math.random() < 0.6 and "true" or "false")
  end
  return wrk.format(nil, nil, nil, '{"n":10,"history":[' .. table.concat(events, ",") .. ']}')
end

function done(summary, latency, requests)
  io.write(string.format("p99 %.1f ms, answers other than 200: %d\n", latency:percentile(99) / 1000, summary.errors.status))
end
