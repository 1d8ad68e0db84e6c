// A move, and an analysis that reports its progress. Usage: node move.mjs [ADDRESS]
const address = process.argv[2] ?? "http://127.0.0.1:8080";

const state = {
  player_hand: ["2C", "5C", "9C", "8D", "JH", "4S", "AS"],
  current_trick: { cards: [{ card: "QS", player: 3 }], lead_player: 3 },
  rules: 2465,
};

async function post(path, body) {
  return fetch(address + path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

const move = await (await post("/api/move", { game_state: state, ai_config: { seed: 1 } })).json();
if (move.status !== "success") throw new Error(`${move.error_code}: ${move.message}`);
console.log(`play ${move.move.card}: ${move.explanation}`);

// Server-sent events: blocks of "event: …" and "data: …" lines, each followed by a blank line. Other lines are comments.
const answer = await post("/api/analysis?stream=1", {
  states: [{ ...state, current_trick: null }],
  ai_config: { time_ms: 700, explain: false },
});
let text = "";
for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
  text += chunk;
  const blocks = text.split("\n\n");
  text = blocks.pop();
  for (const block of blocks.filter((one) => one.startsWith("event: "))) {
    const [event, data] = block.split("\n").map((line) => line.slice(line.indexOf(": ") + 2));
    const { best, simulations } = JSON.parse(data);
    console.log(event, best ?? "", simulations);
  }
}
