/**
 * Reads and writes YAML. Requires the package `js-yaml`, version 5, in your project.
 *
 * @module async-request-reply/yaml
 */

export { yamlFormat } from "./yaml-format.js";
