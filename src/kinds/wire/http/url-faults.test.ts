import assert from "node:assert/strict";
import { test } from "node:test";
import { findUrlFaults } from "./url-faults.ts";

const faultsOf = (url: string, ipFamily: "IPv4" | "IPv6" = "IPv4") =>
  findUrlFaults({ url, ipFamily }).map(({ key, rule }) => `${key} ${rule}`);

test("a variable may replace every part of a URL", () => {
  const accepted = [
    "https://{{HOST}}/",
    "https://{{HOST}}",
    "http://{{HOST}}:8443/health?x={{X}}#{{Y}}",
    "http://{{HOST}}:{{PORT}}/",
    "http://example.com:{{PORT}}/",
    "http://example.com:80{{DIGITS}}/",
    "https://{{REGION}}.example.com/{{PATH}}",
    "https://api.{{ DOMAIN }}/",
    "https://api-{{{STAGE}}}.example.com/",
    "https://10.0.0.{{LAST}}/",
    "https://{{FIRST}}.0.0.1/",
    "{{BASE}}/health",
    "{{BASE}}",
    "{{SCHEME}}://example.com/",
    "https://example.com/{{HOST}}",
  ];
  for (const url of accepted) assert.deepEqual(faultsOf(url), [], url);
  assert.deepEqual(faultsOf("https://[{{ADDRESS}}]/", "IPv6"), []);
  assert.deepEqual(faultsOf("https://[{{ADDRESS}}]:{{PORT}}/", "IPv6"), []);
});

test("errors that no variable value can fix are found", () => {
  const begins = "request.url must be a URL that starts with http:// or https://";
  assert.deepEqual(faultsOf("ftp://{{HOST}}/"), [begins]);
  assert.deepEqual(faultsOf("https://{{HOST}} x/"), [begins]);
  assert.deepEqual(faultsOf("https://{{HOST}}:port/"), [begins]);
  assert.match(faultsOf("https://{{HOST}}..com/")[0] ?? "", /^request\.url has an invalid host/);
  assert.match(faultsOf("https://[{{ADDRESS}}]/")[0] ?? "", /^request\.ipFamily must be IPv6/);
});

test("a URL without variables is validated as is", () => {
  assert.deepEqual(faultsOf("https://example.com/"), []);
  assert.match(faultsOf("https://0.0.0.1/")[0] ?? "", /0\.0\.0\.0\/8 do not identify a host/);
  assert.match(faultsOf("https://1/")[0] ?? "", /0\.0\.0\.0\/8 do not identify a host/);
  assert.match(faultsOf("https://[::1]/")[0] ?? "", /^request\.ipFamily must be IPv6/);
});
