/**
 * Reads and writes data modelled with YANG, as JSON and as XML. Needs the package `saxes`, version 6, installed beside
 * this one.
 *
 * @module async-request-reply/yang
 */

export { createYangFormats, orderYangFormats, type YangModule } from "./create-yang-formats.js";
