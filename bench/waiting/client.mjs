// Many clients in one process. It answers messages of its parent: { open }, { ask }, { waitForEnds }, { vanish }.
import { connect } from "node:net";

const BURST = 200;
let clients = [];

/** Connects in bursts, because the queue of the listening socket is short. */
async function open({ port, count }) {
  clients = [];
  for (let opened = 0; opened < count; opened += BURST)
    await Promise.all(Array.from({ length: Math.min(BURST, count - opened) }, () => connected(port)));
  return { opened: clients.length };
}

function connected(port) {
  const client = { socket: connect({ port, host: "127.0.0.1", noDelay: true }), onData: () => {} };
  clients.push(client);
  client.socket.setEncoding("latin1");
  client.socket.on("error", () => {});
  client.socket.on("data", (text) => client.onData(text));
  return new Promise((resolve) => client.socket.once("connect", resolve));
}

/** Each client sends a GET, at most `BURST` at a time. Resolves when each has received `until`, if there is one. */
async function ask({ ids, fields, until }) {
  for (let asked = 0; asked < clients.length; asked += BURST) {
    const burst = clients.slice(asked, asked + BURST);
    await Promise.all(
      burst.map((client, index) => {
        const id = ids[(asked + index) % ids.length];
        const received = until === undefined ? undefined : contains(client, until);
        client.socket.write(`GET /operations/${id} HTTP/1.1\r\nHost: localhost\r\n${fields}\r\n`);
        return received;
      }),
    );
  }
  return {};
}

/** Resolves to the time at which the client has received the text. */
function contains(client, text) {
  let received = "";
  return new Promise((resolve) => {
    client.onData = (more) => {
      received += more;
      if (received.includes(text)) resolve(Date.now());
    };
  });
}

let ends;
const handlers = {
  open,
  ask,
  /** Listens for the end of every operation. The times follow with `ended`. */
  listen: async () => {
    ends = clients.map((client) => contains(client, '"status":"failed"'));
    return {};
  },
  ended: async () => ({ times: await Promise.all(ends) }),
  vanish: async () => {
    for (const { socket } of clients) socket.destroy();
    return {};
  },
};

process.on("message", async (message) => {
  const [[name, value]] = Object.entries(message);
  process.send(await handlers[name](value));
});
process.on("disconnect", () => process.exit());
