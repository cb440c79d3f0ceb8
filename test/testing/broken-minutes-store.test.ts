import { minutesStoreCases } from "async-request-reply/testing";
import { memoryMinutes } from "../support/memory-harnesses.js";
import { brokenMinutes } from "./broken/minutes-stores.js";
import { proveSuite } from "./broken/prove.js";

proveSuite("stores of minutes", {
  cases: minutesStoreCases,
  harness: memoryMinutes,
  base: (backend) => backend,
  broken: brokenMinutes,
});
