import { describe } from "vitest";
import { startServer } from "../support/orders-server-process.js";
import { declareServerLog } from "./server-log.js";

describe("the example server's log", () => declareServerLog(startServer));
