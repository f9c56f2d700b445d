import assert from "node:assert/strict";
import { test } from "node:test";
import fastify from "fastify";
import { addAuthentication } from "./authentication.ts";

test("a route whose access would not be checked cannot be registered", () => {
  const register = (config: object) => {
    const server = fastify();
    addAuthentication(server as never, {} as never);
    server.get("/example", { config }, () => "shown");
  };
  assert.throws(() => register({}), /GET \/example has no config\.access/);
  for (const limit of [{ isUnlimited: true }, { isForReaders: true }]) {
    assert.throws(() => register({ access: "read", ...limit }), /GET \/example must be public/);
    register({ access: "public", isUnlimited: true });
  }
});
