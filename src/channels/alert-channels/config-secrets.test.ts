import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../test/support/properties.ts";
import { Encryption } from "../../platform/encryption.ts";
import { mask, maskConfig, openConfig, restoreMasked, sealConfig } from "./config-secrets.ts";

const kind = { secretFields: ["url", "token", "headers[].value"] };
const encryption = new Encryption(randomBytes(32));
const config = {
  name: "Mine",
  url: "https://hooks.example/T1/s3cret?k=s3cret",
  token: "s3cret",
  headers: [
    { key: "X-Team", value: "shop", locked: false },
    { key: "X-Team-Id", value: "s3cret", locked: true },
    { key: "Authorization", value: "Bearer s3cret", locked: false },
  ],
};

test("secrets are masked, and other values are visible", () => {
  assert.deepEqual(maskConfig(kind, config), {
    name: "Mine",
    url: `https://hooks.example/${mask}`,
    token: mask,
    headers: [
      { key: "X-Team", value: "shop", locked: false },
      { key: "X-Team-Id", value: mask, locked: true },
      { key: "Authorization", value: mask, locked: false },
    ],
  });
  assert.equal(JSON.stringify(maskConfig(kind, config)).includes("s3cret"), false);
});

test("absent and empty fields and other lists are unchanged", () => {
  assert.deepEqual(maskConfig(kind, { url: null, token: "" }), { url: null, token: "" });
  assert.deepEqual(maskConfig(kind, { headers: ["x", null, 5] }), { headers: ["x", null, 5] });
  assert.deepEqual(maskConfig({ secretFields: ["constructor"] }, {}), {});
});

test("encrypted values reveal nothing and decrypt to the original", () => {
  const sealed = sealConfig(kind, config, encryption);
  const text = JSON.stringify(sealed);
  for (const part of ["s3cret", "hooks.example", "shop"]) assert.equal(text.includes(part), false);
  assert.equal(sealed.name, "Mine");
  assert.deepEqual(openConfig(kind, JSON.parse(text), encryption).config, config);
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.string(), (token, value) => {
      const input = { token, headers: [{ key: "k", value, locked: true }] };
      assert.deepEqual(
        openConfig(kind, sealConfig(kind, input, encryption), encryption).config,
        input,
      );
    }),
  );
});

test("masks sent back are replaced by the stored values", () => {
  const masked = maskConfig(kind, config);
  assert.deepEqual(restoreMasked(kind, masked, config), { kind: "restored", config });
  const renamed = { ...masked, name: "Other", token: "new" };
  assert.deepEqual(restoreMasked(kind, renamed, config), {
    kind: "restored",
    config: { ...config, name: "Other", token: "new" },
  });
});

test("entries of the same name keep their own secrets", () => {
  const entry = (value: string) => ({ key: "X-Key", value, locked: true });
  const stored = { url: config.url, headers: [entry("one"), entry("two")] };
  assert.deepEqual(restoreMasked(kind, maskConfig(kind, stored), stored), {
    kind: "restored",
    config: stored,
  });
});

test("a mask without a stored value is ordinary text", () => {
  const incoming = { url: config.url, token: mask };
  const stored = { url: config.url };
  assert.deepEqual(restoreMasked(kind, incoming, stored), { kind: "restored", config: incoming });
});

test("stored secrets are never sent to a changed destination", () => {
  const masked = maskConfig(kind, config);
  const moved = { ...masked, url: "https://evil.example/" };
  assert.deepEqual(restoreMasked(kind, moved, config), {
    kind: "sent-elsewhere",
    field: "token",
  });
  const rebased = { ...masked, baseUrl: "https://evil.example" };
  assert.equal(restoreMasked(kind, rebased, config).kind, "sent-elsewhere");
  const typed = { url: "https://evil.example/", token: "new", headers: [] };
  assert.deepEqual(restoreMasked(kind, typed, config), { kind: "restored", config: typed });
});

test("a mask unlocks nothing: an unlocked value must be entered again", () => {
  const masked = maskConfig(kind, config) as typeof config;
  const unlock = (value: string) => ({
    ...masked,
    headers: masked.headers.map((entry, index) =>
      index === 1 ? { ...entry, value, locked: false } : entry,
    ),
  });
  assert.deepEqual(restoreMasked(kind, unlock(mask), config), {
    kind: "unlocked",
    field: "headers.1.value",
  });
  const typed = restoreMasked(kind, unlock("new"), config);
  assert.equal(typed.kind, "restored");
});

test("no request makes a response reveal a hidden secret", () => {
  const entries = fc.array(
    fc.record({
      key: fc.constantFrom("X-Team", "X-Team-Id", "Authorization", "X-Other"),
      value: fc.constantFrom(mask, "typed", `https://hooks.example/${mask}`),
      locked: fc.boolean(),
    }),
    { maxLength: 4 },
  );
  const urls = fc.constantFrom(`https://hooks.example/${mask}`, "https://evil.example/");
  fc.assert(
    fc.property(entries, urls, fc.constantFrom(mask, "typed"), (headers, url, token) => {
      const restored = restoreMasked(kind, { url, token, headers }, config);
      if (restored.kind !== "restored") return;
      const shown = JSON.stringify(maskConfig(kind, restored.config));
      assert.equal(shown.includes("s3cret"), false, shown);
      const leadsElsewhere = String(restored.config.url).startsWith("https://evil");
      const sent = JSON.stringify(restored.config);
      assert.equal(leadsElsewhere && sent.includes("s3cret"), false, sent);
    }),
  );
});
