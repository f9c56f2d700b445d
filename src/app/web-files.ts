import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** Where `npm run build` puts the application. */
export const webFolder = join(import.meta.dirname, "../../web/dist");

const mediaTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
};

const encodings = ["br", "gzip"] as const;
type Encoding = (typeof encodings)[number];

export interface WebFile {
  readonly mediaType: string;
  readonly tag: string;
  readonly body: Buffer;
  /** Those that are smaller than the body itself. Made when they are first asked for. */
  readonly encode: (encoding: Encoding) => Buffer | null;
}

function hash(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("base64url").slice(0, 16);
}

function compress(body: Buffer, encoding: Encoding): Buffer {
  if (encoding === "gzip") return gzipSync(body, { level: 9 });
  return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
}

function createWebFile(path: string, body: Buffer): WebFile {
  const encoded = new Map<Encoding, Buffer | null>();
  const encode = (encoding: Encoding) => {
    const known = encoded.get(encoding);
    if (known !== undefined) return known;
    const smaller = compress(body, encoding);
    const kept = smaller.length < body.length ? smaller : null;
    encoded.set(encoding, kept);
    return kept;
  };
  const mediaType = mediaTypes[extname(path)] ?? "application/octet-stream";
  return { mediaType, tag: `"${hash(body)}"`, body, encode };
}

/** By path, as `/assets/main-Dx1.js`; empty while there is no build. */
export function loadWebFiles(folder: string = webFolder): ReadonlyMap<string, WebFile> {
  const paths = globSync("**/*.*", { cwd: folder }).filter(
    (path) => !path.startsWith(".vite") && extname(path) in mediaTypes,
  );
  return new Map(
    paths.map((path) => {
      const address = `/${path.replaceAll("\\", "/")}`;
      return [address, createWebFile(path, readFileSync(join(folder, path)))];
    }),
  );
}

/** The best encoding that the client takes. */
export function chooseEncoding(accepted: string | undefined): Encoding | null {
  const offers = (accepted ?? "")
    .toLowerCase()
    .split(",")
    .map((part) => part.trim().split(/\s*;\s*q=/))
    .filter(([, weight = "1"]) => Number(weight) > 0)
    .map(([name]) => name);
  return encodings.find((encoding) => offers.includes(encoding)) ?? null;
}
