import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { manifest, root, run } from "../../support/built.js";

/** A registry that serves this package, packed, and redirects requests for all other packages to the real one. */
export interface Registry {
  readonly url: string;
  close(): void;
}

/** Packs the package and serves it, so that the commands of a page can install it by name. */
export async function openRegistry(): Promise<Registry> {
  const upstream = run("npm", ["config", "get", "registry"], root).trim().replace(/\/$/, "");
  const { name } = manifest;
  const archive = packed();
  const server = createServer(({ url = "" }, res) => {
    if (url === `/${name}`) res.end(JSON.stringify(describePackage(archive, registryUrl())));
    else if (url === `/${name}.tgz`) res.end(archive);
    else res.writeHead(302, { location: upstream + url }).end();
  });
  const registryUrl = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: registryUrl(),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function packed(): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "packed-"));
  try {
    run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], root);
    return readFileSync(join(folder, `${manifest.name}-${manifest.version}.tgz`));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns a registry's metadata for a package with one version. */
function describePackage(archive: Uint8Array, url: string): object {
  const { name, version } = manifest;
  const integrity = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
  const dist = { tarball: `${url}${name}.tgz`, integrity };
  return { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
}
