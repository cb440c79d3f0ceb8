import { describeKills } from "./kills.js";
import { loadLibrary } from "./libraries.js";
import { describeLibrary } from "./suite.js";

const { library, file } = await loadLibrary("prisma");
await describeLibrary(library);
await describeKills(library, file);
