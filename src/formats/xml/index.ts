/**
 * Reads and writes XML. Needs the package `saxes`, version 6, installed beside this one.
 *
 * @module async-request-reply/xml
 */

export { xmlFormat } from "./xml-format.js";
