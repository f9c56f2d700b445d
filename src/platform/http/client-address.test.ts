import assert from "node:assert/strict";
import { test } from "node:test";
import { findClientAddress } from "./client-address.ts";

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
