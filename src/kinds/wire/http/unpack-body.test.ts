import assert from "node:assert/strict";
import { test } from "node:test";
import zlib from "node:zlib";
import fc from "fast-check";
import { isLongRun } from "../../../../test/support/long-run.ts";
import { propertyRuns } from "../../../../test/support/properties.ts";
import type { HeaderField } from "./http-measurement.ts";
import { unpackBody } from "./unpack-body.ts";

const maxBytes = 100_000;

function unpack(body: Buffer, headers: readonly HeaderField[], isComplete = true) {
  const bodyEnd = isComplete ? "complete" : "cut";
  return unpackBody(body, { headers, bodyEnd, receivedBytes: body.length }, maxBytes);
}

const packers: Readonly<
  Record<string, (bytes: Buffer<ArrayBufferLike>) => Buffer<ArrayBufferLike>>
> = {
  gzip: zlib.gzipSync,
  "x-gzip": zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: zlib.brotliCompressSync,
  zstd: zlib.zstdCompressSync,
  identity: (bytes) => bytes,
};

function pack(text: string | Buffer, names: readonly string[]): Buffer {
  return names.reduce((bytes: Buffer, name) => packers[name]?.(bytes) ?? bytes, Buffer.from(text));
}

test("a body is decompressed for any order of codings", async () => {
  const codings = fc.array(fc.constantFrom(...Object.keys(packers)), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme" }), codings, async (text, names) => {
      const packed = pack(text, names);
      const unpacked = await unpack(packed, [["content-encoding", names.join(", ")]]);
      assert.equal(unpacked.text, text.replace(/^\ufeff/, ""));
      assert.deepEqual([unpacked.isCut, unpacked.fault], [false, null]);
    }),
    { numRuns: propertyRuns / 2 },
  );
});

test("deflate may lack the zlib header", async () => {
  const unpacked = await unpack(zlib.deflateRawSync("plain"), [["content-encoding", "deflate"]]);
  assert.equal(unpacked.text, "plain");
});

test("a decompression bomb is truncated, even if nested", async () => {
  const zeros = Buffer.alloc(isLongRun ? 50_000_000 : 50 * maxBytes, "a");
  for (const names of [["gzip"], ["br"], ["zstd"], ["deflate"], ["gzip", "gzip"], ["br", "gzip"]]) {
    const bomb = pack(zeros, names);
    const unpacked = await unpack(bomb, [["content-encoding", names.join(",")]]);
    assert.equal(unpacked.bytes, maxBytes, names.join());
    assert.equal(unpacked.isCut, true);
    assert.equal(unpacked.fault, null);
  }
});

test("a decompression error is reported with the reason", async () => {
  const packed = zlib.gzipSync("text");
  const faultOf = async (body: Buffer, coding: string) =>
    (await unpack(body, [["content-encoding", coding]])).fault ?? "";
  assert.match(await faultOf(packed, "gzip,gzip,gzip,gzip"), /more than 3 content codings/);
  assert.match(await faultOf(packed, "compress"), /does not support/);
  assert.match(await faultOf(packed, "constructor"), /does not support/);
  for (const coding of ["gzip", "br", "zstd", "deflate"]) {
    assert.match(await faultOf(Buffer.from("not packed at all"), coding), /does not match/, coding);
  }
});

test("a truncated body is decompressed as far as possible", async () => {
  const text = Array.from({ length: 3_000 }, (_, at) => `line ${at}`).join("\n");
  for (const coding of ["gzip", "deflate", "br", "zstd"]) {
    const packed = packers[coding]?.(Buffer.from(text)) ?? Buffer.alloc(0);
    const half = packed.subarray(0, packed.length / 2);
    const unpacked = await unpack(half, [["content-encoding", coding]], false);
    assert.ok(text.startsWith(unpacked.text), coding);
    assert.deepEqual([unpacked.isCut, unpacked.fault], [true, null], coding);
  }
});

test("a body is decoded with the charset of the response", async () => {
  const typed = (type: string): HeaderField[] => [["content-type", type]];
  const latin = Buffer.from("caf\xe9", "latin1");
  assert.equal((await unpack(latin, typed("text/html; charset=ISO-8859-1"))).text, "café");
  assert.equal((await unpack(latin, typed('text/html; charset="nonsense"'))).text, "caf\ufffd");
  assert.equal((await unpack(latin, [])).text, "caf\ufffd");
  const cut = await unpack(Buffer.from("café").subarray(0, 4), [], false);
  assert.equal(cut.text, "caf", "a character that the cut divides goes");
});
