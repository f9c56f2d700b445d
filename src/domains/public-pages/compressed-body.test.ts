import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { chooseBody, compressBody, matchesEntityTag } from "./compressed-body.ts";

const long = "All systems operational. ".repeat(200);

test("every encoding decodes to the same body", async () => {
  const body = await compressBody(long, "text/plain");
  assert.equal(brotliDecompressSync(body.brotli ?? "").toString(), long);
  assert.equal(gunzipSync(body.gzip ?? "").toString(), long);
  assert.ok((body.brotli?.length ?? 0) < long.length / 10);
});

test("small bodies are not compressed", async () => {
  const body = await compressBody("small", "text/plain");
  assert.deepEqual(chooseBody(body, "br, gzip"), { bytes: body.plain, encoding: null });
});

test("the best accepted encoding is chosen", async () => {
  const body = await compressBody(long, "text/plain");
  const codings: readonly (readonly [string | undefined, string | null])[] = [
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, br;q=0", "gzip"],
    ["gzip;q=0.5", "gzip"],
    ["GZIP", "gzip"],
    ["gzip;q=0", null],
    ["identity", null],
    ["brotli", null],
    ["", null],
    [undefined, null],
  ];
  for (const [header, expected] of codings) {
    assert.equal(chooseBody(body, header).encoding, expected, String(header));
  }
});

test("an entity tag identifies the content and matches in a list, weak or strong", async () => {
  const body = await compressBody(long, "text/plain");
  const other = await compressBody(`${long}!`, "text/plain");
  assert.notEqual(body.entityTag, other.entityTag);
  const strong = body.entityTag.slice(2);
  for (const known of [body.entityTag, strong, `"x", ${body.entityTag}`, "*", ` ${strong} `]) {
    assert.equal(matchesEntityTag(body, known), true, known);
  }
  for (const unknown of [undefined, "", '"x"', other.entityTag, body.entityTag.slice(0, -1)]) {
    assert.equal(matchesEntityTag(body, unknown), false, String(unknown));
  }
});
