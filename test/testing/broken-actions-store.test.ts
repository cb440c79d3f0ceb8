import { actionsStoreCases } from "async-request-reply/testing";
import { memoryActions } from "../support/memory-harnesses.js";
import { brokenActions } from "./broken/actions-stores.js";
import { proveSuite } from "./broken/prove.js";

proveSuite("stores of actions", {
  cases: actionsStoreCases,
  harness: memoryActions,
  base: (backend) => backend,
  broken: brokenActions,
});
