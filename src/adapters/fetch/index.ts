export { type FetchHandler, toFetchHandler } from "./to-fetch-handler.js";
