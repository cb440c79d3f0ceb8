/**
 * Reads and writes XML. Requires the package `saxes`, version 6, in your project.
 *
 * @module async-request-reply/xml
 */

export { xmlFormat } from "./xml-format.js";
