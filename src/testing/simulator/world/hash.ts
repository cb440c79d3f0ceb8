const WORDS = 4;

/**
 * Hashes a text to 128 bits in base64url. The hash is fast and synchronous on every platform, but not cryptographic.
 * That is enough, because no attacker chooses these texts.
 */
export function hashOf(text: string): string {
  const bytes = Array.from({ length: WORDS }, (_, word) => bytesOf(mix(text, word))).flat();
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** Computes FNV-1a with a different start value for each word, and the finalizer of MurmurHash3. */
function mix(text: string, word: number): number {
  let hash = Math.imul(word + 1, 0x9e3779b9) ^ 0x811c9dc5;
  for (let place = 0; place < text.length; place += 1)
    hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function bytesOf(word: number): number[] {
  return [24, 16, 8, 0].map((bits) => (word >>> bits) & 0xff);
}
