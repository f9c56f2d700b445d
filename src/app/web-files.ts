import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";

/** Output folder of `npm run build`. */
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
  /** Encodings that are smaller than the body itself. */
  readonly encoded: Readonly<Partial<Record<Encoding, Buffer>>>;
}

const endings = { br: ".br", gzip: ".gz" } as const satisfies Record<Encoding, string>;

function loadWebFile(path: string): WebFile {
  const body = readFileSync(path);
  const encoded = encodings
    .filter((encoding) => existsSync(`${path}${endings[encoding]}`))
    .map((encoding) => [encoding, readFileSync(`${path}${endings[encoding]}`)]);
  return {
    mediaType: mediaTypes[extname(path)] ?? "application/octet-stream",
    tag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 16)}"`,
    body,
    encoded: Object.fromEntries(encoded),
  };
}

/** Returns the files by path, such as `/assets/main-Dx1.js`; empty if there is no build. */
export function loadWebFiles(folder: string = webFolder): ReadonlyMap<string, WebFile> {
  const paths = globSync("**/*.*", { cwd: folder }).filter(
    (path) => !path.startsWith(".vite") && extname(path) in mediaTypes,
  );
  return new Map(
    paths.map((path) => [`/${path.replaceAll("\\", "/")}`, loadWebFile(join(folder, path))]),
  );
}

/** Returns the best encoding that the client accepts. */
export function chooseEncoding(accepted: string | undefined): Encoding | null {
  const offers = (accepted ?? "")
    .toLowerCase()
    .split(",")
    .map((part) => part.trim().split(/\s*;\s*q=/))
    .filter(([, weight = "1"]) => Number(weight) > 0)
    .map(([name]) => name);
  return encodings.find((encoding) => offers.includes(encoding)) ?? null;
}
