-- Asks a service the bodies of a file, line by line, and prints what became of them as one line of JSON.
-- wrk -s service.lua URL -- FILE

local bodies, at = {}, 0

function init(arguments)
  for line in io.lines(arguments[1]) do bodies[#bodies + 1] = line end
  at = math.random(#bodies)
end

function request()
  at = at % #bodies + 1
  return wrk.format("POST", nil, { ["Content-Type"] = "application/json" }, bodies[at])
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests": %d, "seconds": %.3f, "errors": %d, "p50_ms": %.1f, "p95_ms": %.1f, "p99_ms": %.1f}\n',
    summary.requests, summary.duration / 1e6,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(95) / 1000, latency:percentile(99) / 1000))
end
