import { describe } from "vitest";
import { declareServerLog } from "./server-log.js";
import { startServer } from "./server-process.js";

describe("the example server's log", { timeout: 30_000 }, () => declareServerLog(startServer));
