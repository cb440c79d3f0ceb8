import { checkVariant } from "../check.mjs";
import { sampleChild } from "../child.mjs";
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
      "plain handler": sampleOf("plain"),
      "Fetch handler": sampleOf("fetch"),
      "attempt, from POST to end": sampleOf("attempt"),
    },
  });
}

function sampleOf(what) {
  return ({ build }) => sampleChild(new URL("sample.mjs", import.meta.url), [what], build);
}
