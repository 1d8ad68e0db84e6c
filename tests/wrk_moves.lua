-- Requests for wrk: the lines of the file that is named after `--`, one JSON body each, in turns.
local bodies, number = {}, 0

function init(args)
  for line in io.lines(args[1]) do
    bodies[#bodies + 1] = line
  end
end

function request()
  number = number % #bodies + 1
  return wrk.format("POST", "/api/move", {["Content-Type"] = "application/json"}, bodies[number])
end
