/** The peer that must be installed before a subpath can be imported. */
export const peerOf: Readonly<Record<string, string>> = {
  "./xml": "saxes",
  "./yaml": "js-yaml",
  "./yang": "saxes",
};
