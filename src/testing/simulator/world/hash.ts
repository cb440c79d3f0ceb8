const WORDS = 4;

/**
 * Names a text by 128 bits in base64url: not a good hash, but quick, synchronous on every platform, and the same for the same
 * text. Nothing here is chosen by an attacker.
 */
export function hashOf(text: string): string {
  const bytes = Array.from({ length: WORDS }, (_, word) => bytesOf(mix(text, word))).flat();
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** FNV-1a from another start for each word, with the finalizer of MurmurHash 3. */
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
