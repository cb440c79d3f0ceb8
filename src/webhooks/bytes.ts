/** Bytes that WebCrypto takes: `Uint8Array<ArrayBuffer>`. Compilers before TypeScript 5.7 do not know that type. */
export type Bytes = ReturnType<InstanceType<typeof TextEncoder>["encode"]>;
