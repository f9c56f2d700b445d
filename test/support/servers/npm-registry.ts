import { createHash } from "node:crypto";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

export interface TinyPackage {
  readonly name: string;
  /** Contents of the files, by path within the package. */
  readonly files: Readonly<Record<string, string | Buffer>>;
  /** Manifest that replaces the generated `package.json`. */
  readonly manifest?: { readonly name: string; readonly version: string };
  /**
   * Whether the package is restricted to the operating system and CPU of this machine, like a
   * package with a Node.js binary.
   */
  readonly isForMachine?: boolean;
}

const version = "1.2.3";

/** Formats a file as an entry of a tar archive. `type` is 0 for a file, and 2 for a link. */
export function formatEntry(
  path: string,
  content: string | Buffer,
  { type = "0", target = "" } = {},
): Buffer {
  const body = Buffer.from(content);
  const header = Buffer.alloc(512);
  header.write(path);
  header.write("0000755\0", 100);
  header.write(`${body.length.toString(8).padStart(11, "0")}\0`, 124);
  header.write(`00000000000\0        ${type}${target}`, 136);
  header.write("ustar\u000000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

/** Packs a package like npm. */
function pack({ name, files, isForMachine = false, manifest: own }: TinyPackage) {
  const machine = isForMachine ? { os: ["linux"], cpu: [process.arch] } : {};
  const manifest = own ?? { name, version, ...machine };
  const all = { "package.json": JSON.stringify(manifest), ...files };
  const entries = Object.entries(all).map(([path, content]) =>
    formatEntry(`package/${path}`, content),
  );
  // Compression is off, because it would cost more than it saves.
  const bytes = gzipSync(Buffer.concat([...entries, Buffer.alloc(1_024)]), { level: 0 });
  const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  return { manifest, machine, bytes, integrity, isForMachine };
}

/** Packs packages, and creates their package list in the format of `runtimes/<name>`. */
export function packRuntime(packages: readonly TinyPackage[]) {
  const packed = packages.map(pack);
  const versionsOf = (isForMachine: boolean) =>
    Object.fromEntries(
      packed
        .filter((one) => one.isForMachine === isForMachine)
        .map(({ manifest }) => [manifest.name, manifest.version]),
    );
  const root = {
    name: "tiny-runtime",
    dependencies: versionsOf(false),
    optionalDependencies: versionsOf(true),
  };
  const locked = packed.map(({ manifest, machine, integrity, isForMachine }) => [
    `node_modules/${manifest.name}`,
    { version: manifest.version, integrity, ...machine, ...(isForMachine && { optional: true }) },
  ]);
  const lock = {
    ...{ name: root.name, lockfileVersion: 3, requires: true },
    packages: { "": root, ...Object.fromEntries(locked) },
  };
  return { packed, manifest: { ...root, private: true }, lock };
}

export interface NpmRegistry {
  readonly url: string;
  /** Paths of the requested tarballs. */
  readonly downloads: string[];
  /** Tarball requests that are waiting because `isHolding` is true. */
  readonly held: Set<ServerResponse>;
  isHolding: boolean;
  /** Whether the registry serves contents that differ from the package list. */
  isCorrupt: boolean;
  /** Whether the registry rejects every request. */
  isClosed: boolean;
  release(): void;
  stop(): Promise<void>;
}

/** Starts an npm registry on this machine that serves the given packages. */
export async function startNpmRegistry(
  { packed }: ReturnType<typeof packRuntime>,
  certificate?: { readonly cert: string; readonly key: string },
): Promise<NpmRegistry> {
  const answer: RequestListener = (request, response) => {
    if (registry.isClosed) return void response.writeHead(403).end("{}");
    const [name = "", tarball] = decodeURIComponent(request.url ?? "")
      .slice(1)
      .split("/-/");
    const found = packed.find(({ manifest }) => manifest.name === name);
    if (found === undefined) return void response.writeHead(404).end("{}");
    if (tarball === undefined) {
      const dist = { tarball: `${registry.url}${name}/-/${name}.tgz`, integrity: found.integrity };
      const latest = found.manifest.version;
      const versions = { [latest]: { ...found.manifest, dist } };
      return void response.end(JSON.stringify({ name, "dist-tags": { latest }, versions }));
    }
    registry.downloads.push(tarball);
    if (registry.isHolding) {
      registry.held.add(response);
      response.on("close", () => registry.held.delete(response));
      return;
    }
    response.end(registry.isCorrupt ? Buffer.from("other bytes") : found.bytes);
  };
  const server =
    certificate === undefined ? createServer(answer) : createSecureServer(certificate, answer);
  const scheme = certificate === undefined ? "http" : "https";
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const registry: NpmRegistry = {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    downloads: [],
    held: new Set(),
    isHolding: false,
    isCorrupt: false,
    isClosed: false,
    release: () => {
      registry.isHolding = false;
      for (const response of registry.held) response.destroy();
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return registry;
}
