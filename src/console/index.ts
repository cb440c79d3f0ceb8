/**
 * A page for operators: shows what runs, what failed and why, and runs it again. Runs on every platform.
 *
 * @module async-request-reply/console
 */

export type { ConsoleAccess, ConsoleAnswer, ConsoleAuthorize, ConsoleCaller } from "./access/authorize.js";
export { type BasicCredentials, basic, type VerifyBasic } from "./access/basic.js";
export { type Console, type ConsoleOptions, createConsole } from "./console.js";
