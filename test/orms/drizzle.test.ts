import { describeKills } from "./kills.js";
import { loadLibrary } from "./libraries.js";
import { describeLibrary } from "./suite.js";

for (const name of ["drizzle", "drizzle-postgres-js"]) {
  const { library, file } = await loadLibrary(name);
  await describeLibrary(library);
  await describeKills(library, file);
}
