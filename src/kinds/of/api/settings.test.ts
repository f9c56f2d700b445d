import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { secretMask } from "../../kit/secrets.ts";
import { findFaults, type KeyValue, type OwnSettings } from "./request.ts";
import { mapSecrets, mergeSettings } from "./settings.ts";

const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>;
const keys = fc.constantFrom("a", "b", "X-Key");
const values = fc.constantFrom("one", "two", secretMask, "");
const pairs = fc.array(record<KeyValue>({ key: keys, value: values, locked: fc.boolean() }), {
  maxLength: 4,
});
const auths = fc.option(record({ username: keys, password: values }));
const urls = fc.constantFrom("https://a.example/x", "https://a.example/y", "https://b.example/");
const changes = record({ url: urls, headers: pairs, queryParameters: pairs, basicAuth: auths });

/** Stored secrets that differ from everything a client sends. */
function store(change: OwnSettings["request"]): OwnSettings["request"] {
  let count = 0;
  return mapSecrets(change, () => {
    count += 1;
    return `secret-${count}`;
  });
}

function showAll(request: OwnSettings["request"]): string {
  return JSON.stringify(mapSecrets(request, () => secretMask));
}

test("no input makes a response contain a stored secret or sends one to another host", () => {
  fc.assert(
    fc.property(changes, changes, (first, second) => {
      const before = mergeSettings(null, { request: first });
      const stored = { ...before, request: store(before.request) };
      const after = mergeSettings(stored, { request: second });
      assert.ok(!showAll(after.request).includes("secret-"), "a secret is shown");
      const isElsewhere = originOf(first.url) !== originOf(second.url);
      const held = JSON.stringify(after.request).includes("secret-");
      if (isElsewhere) assert.ok(!held, "a secret goes elsewhere");
    }),
  );
});

test("writing back what was read changes nothing", () => {
  fc.assert(
    fc.property(changes, (first) => {
      const before = mergeSettings(null, { request: first });
      const stored = { ...before, request: store(before.request) };
      const shown = mapSecrets(stored.request, () => secretMask);
      const { headers, queryParameters } = shown;
      const names = [...headers, ...queryParameters].map(({ key }) => key);
      // Two entries of one name, of which one is locked, are ambiguous once they swap places.
      fc.pre(new Set(names).size === names.length);
      const { method, url, basicAuth, body, bodyType } = shown;
      const sent = { method, url, basicAuth, body, bodyType };
      const again = { ...sent, headers: [...headers], queryParameters: [...queryParameters] };
      assert.deepEqual(mergeSettings(stored, { request: again }), stored);
      assert.deepEqual(mergeSettings(stored, {}), stored);
    }),
  );
});

test("an update without a URL keeps the stored values", () => {
  const request = { method: "GET", url: "https://a.example/" } as const;
  const headers = [{ key: "a", value: "secret", locked: true }];
  const before = mergeSettings(null, { request: { ...request, headers } });
  const after = mergeSettings(before, { request: { url: "HTTPS://A.example/other?x#y" } });
  assert.deepEqual(after.request.headers, headers);
  assert.deepEqual(findFaults(after), []);
  const moved = mergeSettings(before, { request: { url: "https://a.example:8443/" } });
  assert.equal(findFaults(moved)[0]?.key, "request.headers.0.value");
});

function originOf(url: string): string {
  return new URL(url).origin;
}
