import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../test/support/properties.ts";
import { completeUrl, findFamily, readHost, writeEndpoint } from "./host-text.ts";

const read = (text: string) => {
  const { host, port, ipFamily } = readHost(text);
  return [host, port, ipFamily];
};

test("a target is a host, a host with a port, an address or a URL", () => {
  const rows: readonly (readonly [string, readonly unknown[]])[] = [
    [" db.test ", ["db.test", null, null]],
    ["db.test:5432", ["db.test", 5432, null]],
    ["db.test:", ["db.test", null, null]],
    ["192.0.2.1:80", ["192.0.2.1", 80, "IPv4"]],
    ["2001:db8::1", ["2001:db8::1", null, "IPv6"]],
    ["fe80::1%eth0", ["fe80::1%eth0", null, "IPv6"]],
    ["[2001:db8::1]:443", ["2001:db8::1", 443, "IPv6"]],
    ["[::1]", ["::1", null, "IPv6"]],
    ["https://anna:pw@shop.test:8443/a?b#c", ["shop.test", 8443, null]],
    ["tcp://[::1]:25", ["::1", 25, "IPv6"]],
  ];
  for (const [text, expected] of rows) assert.deepEqual(read(text), expected, text);
});

test("an endpoint that was written is read as the same host and port", () => {
  const host = fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6());
  const port = fc.option(fc.integer({ min: 1, max: 65_535 }));
  fc.assert(
    fc.property(host, port, (name, number) => {
      const { host: found, port: foundPort } = readHost(writeEndpoint(name, number));
      assert.deepEqual([found, foundPort], [name, number]);
    }),
    { numRuns: propertyRuns },
  );
});

test("a text with one colon is no IPv6 address", () => {
  assert.deepEqual(["a:1", "::", "1.2.3.4", "1.2.3", "db"].map(findFamily), [
    null,
    "IPv6",
    "IPv4",
    null,
    null,
  ]);
});

test("a URL gets a scheme, unless a variable may contain it", () => {
  const texts = [" shop.test/a ", "http://shop.test", "{{HOST}}/a", ""];
  const expected = ["https://shop.test/a", "http://shop.test", "{{HOST}}/a", ""];
  assert.deepEqual(texts.map(completeUrl), expected);
});
