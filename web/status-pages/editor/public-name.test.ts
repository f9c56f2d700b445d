import assert from "node:assert/strict";
import { test } from "node:test";
import { isAddress } from "./public-name.ts";

test("an internal address is no public name", () => {
  const addresses = [
    ...["127.0.0.1:4180/shop", "10.0.0.7", "192.168.1.5/status", "http://172.16.0.1", "db:5432"],
    ...["localhost", "localhost/shop", "nas.local", "api.internal:8080", "[::1]:80", "fd00::1"],
    "shop.example.com:8443/health",
  ];
  assert.deepEqual(
    addresses.filter((name) => !isAddress(name)),
    [],
  );
});

test("a name and a public host are public names", () => {
  const names = ["Shop", "shop.example.com", "https://shop.example.com/cart", "Orders: API", "DNS"];
  assert.deepEqual(names.filter(isAddress), []);
});
