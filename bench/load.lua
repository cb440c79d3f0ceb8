-- Arguments: a seed, and the path to read. Without a path, submits orders, each with a new UUID as its Idempotency-Key.
local before, after

local function uuid()
  local random = math.random
  return string.format("%08x-%04x-4%03x-%04x-%012x", random(0, 0xffffffff), random(0, 0xffff), random(0, 0xfff),
    random(0x8000, 0xbfff), random(0, 0xffffffffffff))
end

function init(args)
  math.randomseed(tonumber(args[1]))
  local headers = { ["Authorization"] = "Bearer bench-token", ["Accept"] = "application/json" }
  if args[2] then
    before = wrk.format("GET", args[2], headers)
    return
  end
  headers["Content-Type"] = "application/json"
  headers["Idempotency-Key"] = "@"
  local text = wrk.format("POST", "/orders", headers, '{"itemId":"SKU-0001-BLUE","quantity":2}')
  before, after = text:match("^(.-)@(.*)$")
end

function request()
  if not after then return before end
  return before .. uuid() .. after
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  local figures = '{"requests":%d,"failed":%d,"seconds":%.6f,"p50Ms":%.3f,"p99Ms":%.3f}\n'
  io.write(figures:format(summary.requests, failed, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3))
end
