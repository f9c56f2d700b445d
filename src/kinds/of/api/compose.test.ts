import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../../test/support/properties.ts";
import { addParameters, composeRequest } from "./compose.ts";
import { groupDefaults } from "./group-defaults.ts";
import type { ApiRequest, ApiSettings, KeyValue } from "./request.ts";

const pair = (key: string, value: string, locked = false): KeyValue => ({ key, value, locked });

const request: ApiRequest = {
  method: "POST",
  url: "https://example.com/orders",
  followRedirects: true,
  skipSSL: false,
  ipFamily: "IPv4",
  body: "",
  bodyType: "NONE",
  headers: [],
  queryParameters: [],
  assertions: [],
  basicAuth: null,
  timeoutMs: 1_000,
};
const compose = (change: Partial<ApiRequest>) => composeRequest({ ...request, ...change });

test("each type of body has its content type, unless a header names another", () => {
  const types = {
    JSON: "application/json",
    GRAPHQL: "application/json",
    FORM: "application/x-www-form-urlencoded",
    RAW: "text/plain; charset=utf-8",
  } as const;
  for (const [bodyType, contentType] of Object.entries(types)) {
    const { headers } = compose({ bodyType: bodyType as keyof typeof types, body: "{}" });
    assert.deepEqual(headers, [["content-type", contentType]], bodyType);
  }
  const own = [pair("Content-Type", "application/xml")];
  const { headers } = compose({ bodyType: "RAW", body: "<a/>", headers: own });
  assert.deepEqual(headers, [["Content-Type", "application/xml"]]);
});

test("a request without a body sends none, and no content type", () => {
  assert.deepEqual(compose({ body: "left over" }), {
    method: "POST",
    url: "https://example.com/orders",
    headers: [],
    body: null,
  });
});

test("a GraphQL query is sent as JSON, and a whole request as it is", () => {
  const read = (body: string) => compose({ bodyType: "GRAPHQL", body }).body;
  assert.equal(read("{ me { id } }"), '{"query":"{ me { id } }"}');
  const whole = '{"query":"{ me { id } }","variables":{"a":1}}';
  assert.equal(read(whole), whole);
  // JSON without a query is not a request.
  for (const body of ["[1]", "null", "7", '{"a":1}', ""]) {
    assert.equal(read(body), JSON.stringify({ query: body }));
  }
});

test("basic authentication is sent in UTF-8, unless a header has its own", () => {
  const basicAuth = { username: "ada", password: "pä:ss" };
  const [[name, value] = []] = compose({ basicAuth }).headers;
  assert.equal(name, "authorization");
  const [, encoded = ""] = /^Basic (.+)$/.exec(value ?? "") ?? [];
  assert.equal(Buffer.from(encoded, "base64").toString(), "ada:pä:ss");
  const headers = [pair("AUTHORIZATION", "Bearer x", true)];
  assert.deepEqual(compose({ basicAuth, headers }).headers, [["AUTHORIZATION", "Bearer x"]]);
});

test("query parameters are added to what the URL has", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["https://a.example", "https://a.example?k=v"],
    ["https://a.example/x?y=1", "https://a.example/x?y=1&k=v"],
    ["https://a.example/x?", "https://a.example/x?k=v"],
    ["https://a.example/x?y=1&", "https://a.example/x?y=1&k=v"],
    ["https://a.example/x#top", "https://a.example/x?k=v#top"],
    ["https://a.example/x#a?b", "https://a.example/x?k=v#a?b"],
    ["https://a.example/?q=a%20b+c", "https://a.example/?q=a%20b+c&k=v"],
  ];
  for (const [url, expected] of rows) {
    assert.equal(addParameters({ url, queryParameters: [pair("k", "v")] }), expected);
    assert.equal(addParameters({ url, queryParameters: [] }), url);
  }
});

test("any parameter is read back by a server as it was", () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 20 });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { maxLength: 4 }), (entries) => {
      const queryParameters = entries.map(([key, value]) => pair(key, value));
      const url = addParameters({ url: "https://a.example/x?first=1#top", queryParameters });
      const read = [...new URL(url).searchParams];
      assert.deepEqual(read, [["first", "1"], ...entries]);
    }),
  );
});

const settings = {
  ...{ runtimeId: null, shouldFail: false, degradedResponseTime: null, maxResponseTime: null },
  ...{ setupSnippetId: null, tearDownSnippetId: null },
  ...{ localSetupScript: null, localTearDownScript: null },
  request,
} satisfies ApiSettings;
const { merge, findFaults, apply } = groupDefaults;

const assertion = (target: string) => ({
  ...{ source: "STATUS_CODE", property: "", comparison: "EQUALS", target, regex: null },
});

test("defaults of a group are added to its checks, whose own settings take precedence", () => {
  const defaults = merge(null, {
    url: "https://api.example.com",
    headers: [pair("Accept", "*/*"), pair("X-Team", "shop")],
    queryParameters: [pair("a", "1")],
    assertions: [assertion("200")],
    basicAuth: { username: "group", password: "g" },
  });
  const own: ApiSettings = {
    ...settings,
    request: {
      ...request,
      url: "{{GROUP_BASE_URL}}/orders/{{ID}}",
      headers: [pair("ACCEPT", "text/html")],
      queryParameters: [pair("a", "2")],
      assertions: [assertion("201")] as ApiRequest["assertions"],
    },
  };
  const applied = apply(own, defaults).request;
  // Other variables are filled in later, by the probe.
  assert.equal(applied.url, "https://api.example.com/orders/{{ID}}");
  assert.deepEqual(applied.headers, [pair("X-Team", "shop"), pair("ACCEPT", "text/html")]);
  assert.deepEqual(applied.queryParameters, [pair("a", "1"), pair("a", "2")]);
  assert.deepEqual(
    applied.assertions.map(({ target }) => target),
    ["200", "201"],
  );
  assert.deepEqual(applied.basicAuth, { username: "group", password: "g" });
  const basicAuth = { username: "own", password: "o" };
  const withOwn = apply({ ...own, request: { ...own.request, basicAuth } }, defaults);
  assert.deepEqual(withOwn.request.basicAuth, basicAuth);
});

test("scripts of a group know its address, and defaults without any change nothing", () => {
  const defaults = merge(null, { url: "https://api.example.com" });
  assert.equal("groupScripts" in apply(settings, defaults), false);
  assert.deepEqual(apply(settings, defaults, { setupSnippetId: 3 }).groupScripts, {
    ...{ setupSnippetId: 3, baseUrl: "https://api.example.com" },
  });
  assert.deepEqual(apply(settings, merge(null, null)), settings);
});

test("the address of a group has the scheme of HTTP, or none", () => {
  const faultsOf = (url: string) => findFaults(merge(null, { url })).map(({ key }) => key);
  for (const url of ["", "https://a.example", "HTTP://a.example", "a.example/x", "{{HOST}}"]) {
    assert.deepEqual(faultsOf(url), [], url);
  }
  for (const url of ["ftp://a.example", "file:///etc/passwd", "gopher://a"]) {
    assert.deepEqual(faultsOf(url), ["url"], url);
  }
});

test("an update keeps what it omits, and null removes the address", () => {
  const stored = merge(null, { url: "https://a.example", assertions: [assertion("200")] });
  assert.deepEqual(merge(stored, {}), stored);
  assert.deepEqual(merge(stored, { url: null }), { ...stored, url: "" });
  assert.deepEqual(merge(stored, { assertions: [] }), { ...stored, assertions: [] });
});
