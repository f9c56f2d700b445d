import assert from "node:assert/strict";
import { test } from "node:test";
import { dns } from "./index.ts";
import { parseQueryName } from "./request.ts";

const asciiOf = (text: string, type: "A" | "PTR" = "A") => {
  const name = parseQueryName(text, type);
  return name.kind === "name" ? name.ascii : null;
};

test("names are queried in lower-case ASCII without the trailing dot", () => {
  assert.equal(asciiOf("WWW.Example.COM."), "www.example.com");
  assert.equal(asciiOf("bücher.example"), "xn--bcher-kva.example");
  assert.equal(asciiOf("."), ".");
  assert.equal(asciiOf("_443._tcp.example.com"), "_443._tcp.example.com");
});

test("an address is queried by the name of its PTR record", () => {
  assert.equal(asciiOf("192.0.2.1", "PTR"), "1.2.0.192.in-addr.arpa");
  const zeros = "0.".repeat(23);
  assert.equal(asciiOf("2001:db8::1", "PTR"), `1.${zeros}8.b.d.0.1.0.0.2.ip6.arpa`);
  assert.equal(asciiOf("host.example", "PTR"), "host.example");
  assert.equal(asciiOf("192.0.2.1"), "192.0.2.1", "elsewhere it is a name like any other");
});

test("a name that no query can contain is rejected", () => {
  const label = "x".repeat(63);
  assert.notEqual(asciiOf(`${label}.${label}.${label}.${"x".repeat(61)}`), null);
  for (const text of ["", "..", ".a", "a..b", `${label}x`, `${label}.${label}.${label}.${label}`]) {
    assert.equal(asciiOf(text), null, text);
  }
  for (const text of ["a b", "a\0b", 'a"b', "a\\b", "a;b", "a@b", "http://a.example"]) {
    assert.equal(asciiOf(text), null, text);
  }
});

test("code for existing clients has the port, unless it is the default of the system's server", () => {
  const write = (own: object) => {
    const request = { query: "a.test", ...own };
    const written = dns.writeAsCode?.(dns.mergeSettings(null, { request }) as never);
    return (written as { readonly request: { readonly port?: number } }).request.port;
  };
  assert.deepEqual(
    [write({}), write({ port: 5_353 }), write({ nameServer: "192.0.2.53" })],
    [undefined, 5_353, 53],
  );
});
