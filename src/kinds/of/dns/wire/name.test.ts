import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../../../../test/support/properties.ts";
import { readIpv6, WireFault, WireReader } from "./bytes.ts";
import { maxNameBytes, readName, skipName, writeName } from "./name.ts";

const letters = "abcXYZ019-_".split("");
const label = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 63 });
const names = fc
  .array(label, { maxLength: 8 })
  .filter((labels) => labels.reduce((sum, { length }) => sum + length + 1, 1) <= maxNameBytes);

/** Encodes labels as in RFC 1035, and a pointer in place of the root. */
function encode(labels: readonly (string | Uint8Array)[], pointer?: number): Buffer {
  const parts = labels.map((one) => {
    const bytes = Buffer.from(one as string);
    return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  });
  const end = pointer === undefined ? [0] : [0xc0 | (pointer >> 8), pointer & 0xff];
  return Buffer.concat([...parts, Buffer.from(end)]);
}

const toText = (labels: readonly string[]) => labels.map((one) => `${one}.`).join("") || ".";

test("a name that was written is read again, and ends where the next field begins", () => {
  fc.assert(
    fc.property(names, fc.nat(20), (labels, start) => {
      const message = Buffer.alloc(start + maxNameBytes + 1);
      const end = writeName(message, start, labels.join(".") || ".");
      assert.deepEqual(message.subarray(start, end), encode(labels));
      const reader = new WireReader(message, start);
      assert.equal(readName(reader), toText(labels));
      assert.equal(reader.at, end);
      const skipped = new WireReader(message, start);
      skipName(skipped);
      assert.equal(skipped.at, end);
    }),
    { numRuns: propertyRuns },
  );
});

test("a compressed name is the whole name, and ends after its pointer", () => {
  fc.assert(
    fc.property(names, fc.array(label, { maxLength: 2 }), (suffix, prefix) => {
      const whole = [...prefix, ...suffix];
      if (encode(whole).length > maxNameBytes) return;
      const first = encode(suffix);
      const message = Buffer.concat([Buffer.alloc(12), first, encode(prefix, 12)]);
      const reader = new WireReader(message, 12 + first.length);
      assert.equal(readName(reader), toText(whole));
      assert.equal(reader.at, message.length);
      const skipped = new WireReader(message, 12 + first.length);
      skipName(skipped);
      assert.equal(skipped.at, message.length);
    }),
    { numRuns: propertyRuns },
  );
});

test("pointers that do not point backwards are rejected, so that no name is endless", () => {
  const faults = [
    ["to itself", Buffer.from([0xc0, 0x00]), 0],
    ["forwards", Buffer.from([0xc0, 0x02, 0x00]), 0],
    ["to its own label", encode(["a"], 0), 0],
    ["in a circle", Buffer.concat([encode(["a"], 4), encode(["b"], 0)]), 4],
    ["past the end", Buffer.from([0xff, 0xff]), 0],
  ] as const;
  for (const [what, message, start] of faults) {
    assert.throws(
      () => readName(new WireReader(message, start)),
      { constructor: WireFault, message: "a pointer of a name does not point backwards" },
      what,
    );
  }
});

test("a name is limited to 255 bytes, also if pointers join it", () => {
  const long = Array.from({ length: 4 }, () => "x".repeat(62));
  assert.equal(readName(new WireReader(encode([...long, "y"]))).length, maxNameBytes - 1);
  assert.throws(() => readName(new WireReader(encode([...long, "yyy"]))), /longer than 255/);
  const joined = Buffer.concat([encode(long), encode(["yyy"], 0)]);
  assert.throws(() => readName(new WireReader(joined, encode(long).length)), /longer than 255/);
});

test("labels of an unknown kind and names that are cut are rejected", () => {
  assert.throws(() => readName(new WireReader(Buffer.from([0x40, 0]))), /unknown kind/);
  assert.throws(() => readName(new WireReader(Buffer.from([0x80, 0]))), /unknown kind/);
  fc.assert(
    fc.property(names, fc.nat(300), (labels, length) => {
      const whole = encode(labels);
      if (length >= whole.length) return;
      const cut = whole.subarray(0, length);
      assert.throws(() => readName(new WireReader(cut)), WireFault);
      assert.throws(() => skipName(new WireReader(cut)), WireFault);
    }),
    { numRuns: propertyRuns },
  );
});

test("characters with a meaning in zone files are escaped, so that names cannot be confused", () => {
  const read = (...labels: string[]) => readName(new WireReader(encode(labels)));
  assert.equal(read("a.b", "c"), "a\\.b.c.");
  assert.equal(read("a b"), "a\\ b.");
  assert.equal(read("\\"), "\\\\.");
  assert.equal(read("\n"), "\\010.");
  const bytes = readName(new WireReader(encode([Uint8Array.from([0xff, 0x00])])));
  assert.equal(bytes, "\\255\\000.");
});

test("an IPv6 address has its shortest form", () => {
  const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
      const bytes = Buffer.alloc(16);
      for (const [index, one] of groups.entries()) bytes.writeUInt16BE(one, index * 2);
      const full = groups.map((one) => one.toString(16)).join(":");
      // An address of IPv4 has its own notation in URLs.
      const isMapped = groups.slice(0, 5).every((one) => one === 0);
      if (isMapped) return;
      assert.equal(
        readIpv6(new WireReader(bytes)),
        new URL(`http://[${full}]`).hostname.slice(1, -1),
      );
    }),
    { numRuns: propertyRuns },
  );
});
