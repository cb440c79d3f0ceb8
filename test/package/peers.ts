/** The package that has to be installed beside this one before a subpath can be imported. */
export const peerOf: Readonly<Record<string, string>> = {
  "./xml": "saxes",
  "./yaml": "js-yaml",
  "./yang": "saxes",
};
