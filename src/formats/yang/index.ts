/**
 * Reads and writes data modeled with YANG, as JSON and as XML. Requires the package `saxes`, version 6, in your
 * project.
 *
 * @module async-request-reply/yang
 */

export { createYangFormats, orderYangFormats, type YangModule } from "./create-yang-formats.js";
