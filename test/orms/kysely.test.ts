import { describeKills } from "./kills.js";
import { loadLibrary } from "./libraries.js";
import { describeLibrary } from "./suite.js";

for (const name of ["kysely", "kysely-controlled"]) {
  const { library, file } = await loadLibrary(name);
  await describeLibrary(library);
  await describeKills(library, file);
}
