import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "../../queues/inside/clock.mjs";

const BURST = 200;
const LIMIT_MS = 20_000;
/** A chunk of the worker. */
const CHUNK = /(\d+\.\d\d) and the quick/g;
/** Longest part of a chunk that can be at the end of a packet. */
const MOST_LEFT = 64;

/** The methods of the process with the readers, which are plain sockets: a client would take more time than the server. */
export function createReaders() {
  let sockets = [];
  let latenciesMs = [];

  function open(port, path) {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let rest = "";
    socket.setEncoding("latin1");
    return new Promise((resolve, reject) => {
      socket.on("error", reject);
      socket.on("data", (text) => {
        resolve(socket);
        const now = nowMs();
        const all = rest + text;
        let end = 0;
        for (const match of all.matchAll(CHUNK)) {
          latenciesMs.push(now - Number(match[1]));
          end = match.index + match[0].length;
        }
        rest = all.slice(Math.max(end, all.length - MOST_LEFT));
      });
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n`);
    });
  }

  return {
    open: async () => {},
    connect: async ({ port, paths }) => {
      sockets = [];
      for (let opened = 0; opened < paths.length; opened += BURST)
        sockets.push(
          ...(await Promise.all(paths.slice(opened, opened + BURST).map((path) => open(port, path)))),
        );
    },
    /** Waits for the chunks of the warm-up, and forgets them. */
    forget: async () => {
      for (let before = -1; before !== latenciesMs.length; ) {
        before = latenciesMs.length;
        await sleep(300);
      }
      latenciesMs = [];
    },
    received: async ({ count }) => {
      for (let waited = 0; latenciesMs.length < count && waited < LIMIT_MS; waited += 10) await sleep(10);
      const missing = count - latenciesMs.length;
      // A message with millions of numbers would take long.
      const step = Math.ceil(latenciesMs.length / 50_000);
      return { latenciesMs: latenciesMs.filter((_, index) => index % step === 0), missing };
    },
    closed: async () => {
      for (const socket of sockets) socket.destroy();
      latenciesMs = [];
    },
    close: async () => {},
  };
}
