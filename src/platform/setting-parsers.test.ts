import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  addressList,
  ConfigError,
  domainList,
  hostList,
  integerBetween,
  issuerUrl,
  matching,
  oneOf,
  type Parsed,
  pairsWith,
  readSettingText,
  resolverList,
  type Setting,
  urlWith,
} from "./setting-parsers.ts";

const folder = mkdtempSync(join(tmpdir(), "vedette-settings-"));
after(() => rmSync(folder, { recursive: true }));

/** Texts and their values; `null` if the text is rejected. */
type Rows<Value> = readonly (readonly [string, Value | null])[];

function assertRows<Value>(parse: (text: string) => Parsed<Value>, rows: Rows<Value>): void {
  for (const [text, expected] of rows) {
    const parsed = parse(text);
    const value = "value" in parsed ? parsed.value : null;
    assert.deepEqual(value, expected, JSON.stringify(text));
    if ("fault" in parsed) assert.match(parsed.fault, /^must be /);
  }
}

test("whole numbers are digits within the range", () => {
  const rows: Rows<number> = [
    ["1", 1],
    ["0080", 80],
    ["65535", 65_535],
    ["0", null],
    ["65536", null],
    ["", null],
    [" 80", null],
    ["+80", null],
    ["-1", null],
    ["8e1", null],
    ["0x50", null],
    ["80.0", null],
    ["٣", null],
    ["99999999999", null],
  ];
  assertRows(integerBetween(1, 65_535), rows);
  assert.deepEqual(integerBetween(1, 5)("6"), { fault: "must be a whole number from 1 to 5" });
});

test("names are compared exactly", () => {
  assertRows(oneOf(["json", "text"]), [
    ["json", "json"],
    ["JSON", null],
    ["json ", null],
    ["", null],
    ["constructor", null],
  ]);
  assert.deepEqual(oneOf(["json", "text"])("xml"), { fault: "must be one of json, text" });
  assert.deepEqual(matching(/^a+$/, "must be a")("ab"), { fault: "must be a" });
  assert.deepEqual(matching(/^a+$/, "must be a")("aa"), { value: "aa" });
});

test("URLs begin with their protocol and lose trailing slashes", () => {
  assertRows(urlWith(["http:", "https:"]), [
    ["https://example.com", "https://example.com"],
    ["https://example.com/", "https://example.com"],
    ["https://example.com/vedette//", "https://example.com/vedette"],
    ["http://[2001:db8::1]:3000", "http://[2001:db8::1]:3000"],
    ["http:example.com", null],
    [" https://example.com", null],
    ["https://example.com ", null],
    ["https://exa mple.com", null],
    ["https://", null],
    ["https://example.com:99999", null],
    ["ftp://example.com", null],
    ["javascript:alert(1)", null],
    ["", null],
  ]);
  const text = "must be a URL that begins with http:// or https://";
  assert.deepEqual(urlWith(["http:", "https:"])("x"), { fault: text });
});

test("issuers keep a trailing slash", () => {
  assertRows(issuerUrl, [
    ["https://id.example.com/", "https://id.example.com/"],
    ["https://id.example.com", "https://id.example.com"],
    ["id.example.com", null],
  ]);
});

test("address lists have addresses or prefixes of their family", () => {
  assertRows(addressList("any"), [
    ["192.0.2.1", ["192.0.2.1"]],
    ["192.0.2.0/24, 2001:db8::/32", ["192.0.2.0/24", "2001:db8::/32"]],
    ["::1,127.0.0.0/8", ["::1", "127.0.0.0/8"]],
    ["192.0.2.0/33", null],
    ["2001:db8::/129", null],
    ["192.0.2.0/-1", null],
    ["192.0.2.0/", null],
    ["192.0.2.0/24/24", null],
    ["fe80::1%eth0", null],
    ["192.0.2", null],
    ["010.0.0.1", null],
    ["0x7f.0.0.1", null],
    ["example.com", null],
    ["192.0.2.1,", null],
    ["", null],
  ]);
  assertRows(addressList("ipv4"), [
    ["192.0.2.1", ["192.0.2.1"]],
    ["2001:db8::1", null],
  ]);
  assertRows(addressList("ipv6"), [
    ["2001:db8::1", ["2001:db8::1"]],
    ["192.0.2.1", null],
  ]);
});

test("at most ten hosts are separated by commas", () => {
  const ten = Array.from({ length: 10 }, (_, index) => `h${index}.example.com`);
  assertRows(hostList, [
    ["db", ["db"]],
    ["db.example.com, 192.0.2.1:5432", ["db.example.com", "192.0.2.1:5432"]],
    [ten.join(","), ten],
    [[...ten, "one-more"].join(","), null],
    ["a b", null],
    ["-a/../b", null],
    ["", null],
    ["x".repeat(254), null],
  ]);
});

test("pairs are split at the last equals sign", () => {
  const parse = pairsWith(["ADMIN", "READ"], "admins=ADMIN");
  assertRows(parse, [
    ["admins=ADMIN", new Map([["admins", "ADMIN"]])],
    [
      " cn=ops,ou=x =READ",
      null, // A comma separates pairs, also within a name.
    ],
    ["cn=ops=READ", new Map([["cn=ops", "READ"]])],
    [
      "a=ADMIN, b = READ",
      new Map([
        ["a", "ADMIN"],
        ["b", "READ"],
      ]),
    ],
    ["a=admin", null],
    ["a", null],
    ["=ADMIN", null],
    [" =ADMIN", null],
    ["a=ADMIN,", null],
    ["", null],
  ]);
});

test("domains have at least two labels, in lower case", () => {
  assertRows(domainList, [
    ["Example.COM", ["example.com"]],
    ["example.com, sub.example.org", ["example.com", "sub.example.org"]],
    ["example", null],
    ["example.com.", null],
    ["@example.com", null],
    ["*.example.com", null],
    ["exa_mple.com", null],
    ["", null],
  ]);
});

test("DNS servers are addresses with an optional port", () => {
  assertRows(resolverList, [
    ["192.0.2.53", ["192.0.2.53"]],
    ["192.0.2.53:5353, [2001:db8::1]:53", ["192.0.2.53:5353", "[2001:db8::1]:53"]],
    ["2001:db8::1", ["2001:db8::1"]],
    ["[2001:db8::1]", null],
    ["[192.0.2.53]:53", null],
    ["192.0.2.53:0", null],
    ["192.0.2.53:65536", null],
    ["192.0.2.53:", null],
    ["fe80::1%eth0", null],
    ["[fe80::1%eth0]:53", null],
    ["dns.example.com", null],
    [Array.from({ length: 6 }, () => "192.0.2.53").join(","), null],
    ["", null],
  ]);
});

const secret: Setting<string> = {
  parse: (text) => ({ value: text }),
  fallback: undefined,
  allowed: "text",
  purpose: "A secret.",
  isSecret: true,
};
const plain: Setting<string> = {
  parse: secret.parse,
  fallback: "usual",
  allowed: "text",
  purpose: "A text.",
};

test("a setting comes from the environment, or is as usual", () => {
  assert.deepEqual(readSettingText("NAME", plain, { NAME: "own" }), { value: "own" });
  assert.deepEqual(readSettingText("NAME", plain, {}), { value: "usual" });
  // Compose files set variables to nothing.
  assert.deepEqual(readSettingText("NAME", plain, { NAME: "" }), { value: "usual" });
  assert.deepEqual(readSettingText("NAME", secret, {}), { value: undefined });
});

test("only a secret is read from the file that the environment names", () => {
  const path = join(folder, "secret");
  writeFileSync(path, "  from the file\n");
  assert.deepEqual(readSettingText("NAME", secret, { NAME_FILE: path }), {
    value: "from the file",
  });
  assert.deepEqual(readSettingText("NAME", plain, { NAME_FILE: path }), { value: "usual" });
  assert.deepEqual(readSettingText("NAME", secret, { NAME: "own", NAME_FILE: path }), {
    fault: "and NAME_FILE are both set; set one of them",
  });
  assert.deepEqual(readSettingText("NAME", secret, { NAME: "own", NAME_FILE: "" }), {
    value: "own",
  });
  const missing = readSettingText("NAME", secret, { NAME_FILE: join(folder, "missing") });
  assert.match("fault" in missing ? missing.fault : "", /^cannot be read from the file .*ENOENT/);
});

test("all faults of a configuration are in one message", () => {
  const { message } = new ConfigError(["PORT must be a port", "DATA_DIR must be a folder"]);
  assert.equal(
    message,
    "The configuration has faults:\n  PORT must be a port\n  DATA_DIR must be a folder",
  );
  assert.match(
    new ConfigError(["PORT must be a port"]).message,
    /^The configuration has a fault:\n/,
  );
});
