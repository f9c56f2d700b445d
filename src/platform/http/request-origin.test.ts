import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { createUrlRewrite, findClientAddress, isFromOwnPage } from "./request-origin.ts";

const own = { host: "status.example:8443", publicUrl: "https://watch.example" };
const isTaken = (origin?: string, site?: string) => isFromOwnPage({ origin, site }, own);

test("accepts a client without browser headers and a same-origin page", () => {
  assert.ok(isTaken());
  assert.ok(isTaken("https://status.example:8443"));
  assert.ok(isTaken("https://status.example:8443", "same-origin"));
  assert.ok(isTaken("https://watch.example", "none"));
  assert.ok(isTaken("null", "same-origin"));
});

test("rejects a page of another origin", () => {
  assert.ok(!isTaken("https://status.example"));
  assert.ok(!isTaken("https://status.example:8443.evil.example"));
  assert.ok(!isTaken("http://watch.example"), "not by another scheme");
  for (const site of ["cross-site", "same-site"]) {
    assert.ok(!isTaken(undefined, site));
    assert.ok(!isTaken("https://status.example:8443", site));
    assert.ok(!isTaken("null", site));
  }
  for (const origin of ["null", "", "not a url"]) assert.ok(!isTaken(origin), origin);
});

const findPrefix = (host: string) => (host === "page.test" ? "/pages/one" : null);

function asks(
  headers: Readonly<Record<string, string>>,
  remoteAddress: string | undefined = "127.0.0.1",
  url = "/a?b=c",
): IncomingMessage {
  return { url, headers, socket: { remoteAddress } } as unknown as IncomingMessage;
}

test("every path on a page's host gets its prefix", () => {
  const rewrite = createUrlRewrite(findPrefix, []);
  for (const url of ["/", "/a?b=c", "//a", "/../v1", "http://other.test/v1", "*"]) {
    assert.equal(rewrite(asks({ host: "page.test" }, undefined, url)), `/pages/one${url}`);
  }
});

test("the API is served on every host, even if a page claims it", () => {
  const rewrite = createUrlRewrite(findPrefix, []);
  const api = ["/v1", "/v1/checks?limit=1", "/v2/check-sessions/trigger", "/accounts/x/ai", "/mcp"];
  for (const url of [...api, "/ping/x", "/healthz", "/readyz", "/openapi.json", "/v1?a"]) {
    assert.equal(rewrite(asks({ host: "page.test" }, undefined, url)), url);
  }
  for (const url of ["/v1x", "/vanity", "/accountsx", "/metrics", "//v1", "/history/v1", "/"]) {
    assert.equal(rewrite(asks({ host: "page.test" }, undefined, url)), `/pages/one${url}`);
  }
});

test("push addresses of Healthchecks get the prefix of their route on every host", () => {
  const rewrite = createUrlRewrite(findPrefix, []);
  const uuid = "31365bce-8da9-4729-8ff3-aaa71d56b712";
  const slug = "/fqOOd6-F4MMNuCEnzTU01w/nightly";
  for (const host of ["page.test", "other.test"]) {
    for (const url of [`/${uuid}`, `/${uuid}/fail`, `/${uuid}?rid=1`, slug, `${slug}/255`]) {
      assert.equal(rewrite(asks({ host }, undefined, url)), `/healthchecks${url}`);
    }
  }
  const own = [`/checks/${uuid}`, `/${uuid}x`, `/${uuid}/a/b`, "/settings/import", "/short/slug"];
  for (const url of own) assert.equal(rewrite(asks({ host: "other.test" }, undefined, url)), url);
});

test("paths on all other hosts stay unchanged", () => {
  const rewrite = createUrlRewrite(findPrefix, []);
  assert.equal(rewrite(asks({ host: "other.test" })), "/a?b=c");
  assert.equal(rewrite(asks({})), "/a?b=c");
});

test("X-Forwarded-Host is trusted only from trusted proxies, and the nearest proxy decides", () => {
  const forwarded = { host: "other.test", "x-forwarded-host": "evil.test, page.test" };
  const trusted: readonly (readonly [string, string])[] = [
    ["10.0.0.1", "10.0.0.1"],
    ["10.0.0.0/8", "10.9.8.7"],
    ["10.0.0.0/8", "::ffff:10.9.8.7"],
    ["2001:db8::/32", "2001:db8::5"],
  ];
  for (const [range, address] of trusted) {
    const rewrite = createUrlRewrite(findPrefix, ["192.0.2.1", range]);
    assert.equal(rewrite(asks(forwarded, address)), "/pages/one/a?b=c", `${range} ${address}`);
  }
  const others: readonly (readonly [string, string | undefined])[] = [
    ["10.0.0.1", "10.0.0.2"],
    ["10.0.0.0/8", "11.0.0.1"],
    ["10.0.0.0/8", "2001:db8::5"],
    ["2001:db8::/32", "10.0.0.1"],
    ["10.0.0.0/8", ""],
  ];
  for (const [range, address] of others) {
    const rewrite = createUrlRewrite(findPrefix, [range]);
    assert.equal(rewrite(asks(forwarded, address)), "/a?b=c", `${range} ${address}`);
  }
});

const trustedProxies = ["10.0.0.0/8", "::1"];

const cases = [
  {
    title: "without a proxy",
    remoteAddress: "192.0.2.1",
    forwardedFor: undefined,
    is: "192.0.2.1",
  },
  {
    title: "behind a proxy",
    remoteAddress: "10.0.0.1",
    forwardedFor: "192.0.2.1",
    is: "192.0.2.1",
  },
  {
    title: "behind two proxies",
    remoteAddress: "::1",
    forwardedFor: "198.51.100.9, 192.0.2.1, 10.0.0.7",
    is: "192.0.2.1",
  },
  {
    title: "on a dual-stack socket",
    remoteAddress: "::ffff:10.0.0.1",
    forwardedFor: "2001:db8::1",
    is: "2001:db8::1",
  },
  {
    title: "that nobody trusts and that names another",
    remoteAddress: "192.0.2.1",
    forwardedFor: "198.51.100.9",
    is: "192.0.2.1",
  },
  { title: "behind a silent proxy", remoteAddress: "10.0.0.1", forwardedFor: "", is: "10.0.0.1" },
  {
    title: "whose proxy passes nonsense on",
    remoteAddress: "10.0.0.1",
    forwardedFor: "192.0.2.1, unknown",
    is: "10.0.0.1",
  },
  { title: "that is gone", remoteAddress: "", forwardedFor: "192.0.2.1", is: "" },
];

for (const { title, is, ...source } of cases) {
  test(`the address of a client ${title} is ${is === "" ? "empty" : is}`, () => {
    assert.equal(findClientAddress({ ...source, trustedProxies }), is);
  });
}
