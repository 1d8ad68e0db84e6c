// Stored in this browser: preferences, and the table that the player sits at.

const SETTINGS = "hearts.settings";
const TABLE = "hearts.table";
const TOKENS = "hearts.tokens"; // of earlier tables
const INVITED = "hearts.invited"; // the last invitation, and the token for its seat
const COMMITMENTS = "hearts.commitments";
const TOKENS_KEPT = 50;
const TABLES_KEPT = 4; // whose commitments are remembered
const DEFAULTS = {
  theme: "auto", // auto, light, dark
  deck: "two", // two or four colours
  speed: "normal", // a key of SPEEDS
  coach: false, // speak up after a costly card
  level: "hard",
  target: 100,
  rules: { do_pass_cards: true, queen_breaks_hearts: true, jack_bonus: false, no_shooting: false },
  key: "", // for services that ask for one
};

// Milliseconds between two cards, and how long a finished trick stays.
export const SPEEDS = {
  slow: { card: 600, trick: 2000 },
  normal: { card: 170, trick: 1100 },
  fast: { card: 90, trick: 450 },
  instant: { card: 0, trick: 0 },
};

// A random token for the seat of an invitation: the same one when the player asks again.
export function tokenFrom(invitation) {
  const known = read(INVITED);
  if (known?.invitation === invitation) return known.token;
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  const token = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  write(INVITED, { invitation, token });
  return token;
}

const memory = new Map(); // where storage is closed to us, this page alone remembers

function read(name) {
  try {
    return JSON.parse(localStorage.getItem(name) ?? memory.get(name) ?? "null");
  } catch {
    return JSON.parse(memory.get(name) ?? "null");
  }
}

function write(name, value) {
  const text = JSON.stringify(value);
  memory.set(name, text);
  try {
    localStorage.setItem(name, text);
  } catch {
    // Private windows and full disks: the page works, but forgets on closing.
  }
}

export const settings = () => {
  const stored = read(SETTINGS) ?? {};
  return { ...DEFAULTS, ...stored, rules: { ...DEFAULTS.rules, ...stored.rules } };
};

export function change(changes) {
  write(SETTINGS, { ...settings(), ...changes });
  document.documentElement.dataset.deck = settings().deck;
  dispatchEvent(new Event("hearts:settings"));
}

export const speed = () => SPEEDS[settings().speed] ?? SPEEDS.normal;
export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// The table that this browser plays at: {id, seat, token}. The token proves the seat.
export const myTable = () => read(TABLE);

export function sitAt(table) {
  if (table) write(TOKENS, newest({ ...read(TOKENS), [table.id]: table.token }, TOKENS_KEPT));
  write(TABLE, table);
}

const newest = (object, n) => Object.fromEntries(Object.entries(object).slice(-n));

// The token of the player's seat at the table that a request is about, so that private tables can be reviewed.
export function tokenFor(path) {
  const [, id] = /^\/api\/(?:games|tables)\/(\w+)/.exec(path) ?? [];
  return myTable()?.id === id ? myTable()?.token : read(TOKENS)?.[id];
}

// The first commitment that this browser saw for each hand of a table.
export const commitmentsOf = (id) => read(COMMITMENTS)?.[id] ?? {};

export function keepCommitment(id, { number, commitment }) {
  if (number in commitmentsOf(id)) return;
  const { [id]: known, ...others } = read(COMMITMENTS) ?? {};
  const kept = Object.entries(others).slice(1 - TABLES_KEPT);
  write(COMMITMENTS, { ...Object.fromEntries(kept), [id]: { ...known, [number]: commitment } });
}

document.documentElement.dataset.deck = settings().deck;
