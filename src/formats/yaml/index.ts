/**
 * Reads and writes YAML. Needs the package `js-yaml`, version 5, installed beside this one.
 *
 * @module async-request-reply/yaml
 */

export { yamlFormat } from "./yaml-format.js";
