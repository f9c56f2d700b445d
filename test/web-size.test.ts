/** Limits the size of the first load of the web application, for slow connections. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { webFolder } from "../src/app/web-routes.ts";
import { prepareWeb } from "../web/build.ts";

const maxBytes = 250_000;
const screens = ["now/now-screen.tsx", "checks/list/list-screen.tsx"];

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
}

/** A chunk and its static imports. */
function gather(manifest: Readonly<Record<string, Chunk>>, name: string, found: Set<string>) {
  const chunk = manifest[name];
  assert.ok(chunk, `${name} is built`);
  if (found.has(chunk.file)) return;
  found.add(chunk.file);
  for (const next of chunk.imports ?? []) gather(manifest, next, found);
}

test("the JavaScript of Now and Checks is at most 250 kB, gzipped", async () => {
  await prepareWeb(() => {});
  const manifest = JSON.parse(readFileSync(join(webFolder, ".vite", "manifest.json"), "utf8"));
  const files = new Set<string>();
  for (const name of ["index.html", ...screens]) gather(manifest, name, files);
  const sizes = [...files].map((file) => {
    return [file, gzipSync(readFileSync(join(webFolder, file)), { level: 9 }).length] as const;
  });
  const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
  const largest = sizes.toSorted(([, one], [, other]) => other - one).slice(0, 8);
  assert.ok(total > 50_000 && total <= maxBytes, `${total} bytes: ${largest.join("; ")}`);
});
