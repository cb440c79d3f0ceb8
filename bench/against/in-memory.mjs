import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { checkVariant } from "../check.mjs";
import { sampleServer } from "../measure.mjs";
import { productRetaining } from "../variants.mjs";
import { own } from "./build.mjs";
import { compare } from "./compare.mjs";

/** Compares this build with the one in the folder `before`: over sockets through the Node adapter, in process, and attempts. */
export async function compareInMemory(before, { rounds, seconds }) {
  const subjects = [
    { name: "before", build: before },
    { name: "now", build: own },
  ];
  const server = (build, retain) => ({ server: "product", retain, build });
  for (const { build } of subjects) await checkVariant({ ...productRetaining, build });
  await compare("In memory", {
    subjects,
    rounds,
    measures: {
      "POST over sockets, nothing retained": ({ build }) => sampleServer(server(build, false), { seconds }),
      "POST over sockets": ({ build }) => sampleServer(server(build, true), { seconds }),
      "GET over sockets": ({ build }) => sampleServer(server(build, true), { seconds, reads: true }),
      "plain handler": sampleChild("plain"),
      "Fetch handler": sampleChild("fetch"),
      "attempt, from POST to end": sampleChild("attempt"),
    },
  });
}

/** Takes each sample in a fresh process. */
function sampleChild(what) {
  return async ({ build }) => {
    const child = fork(fileURLToPath(new URL("sample.mjs", import.meta.url)), [what], {
      env: { ...process.env, BENCH_BUILD: build, NODE_ENV: "production" },
    });
    const [sample] = await Promise.race([once(child, "message"), once(child, "exit").then(failed)]);
    return sample;
  };
}

function failed() {
  throw new Error("The process of a sample ended without a result.");
}
