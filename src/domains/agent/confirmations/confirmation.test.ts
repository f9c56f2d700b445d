import assert from "node:assert/strict";
import { randomBytes, randomUUIDv7 } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { createAgentFixture } from "../../../../test/support/modules/agent.ts";
import { Encryption } from "../../../platform/encryption.ts";
import { deleteConfirmationsBefore } from "../store.ts";
import { requestConfirmation } from "./actions.ts";
import {
  type ConfirmationClaims,
  confirmWithinMs,
  hashInput,
  openConfirmation,
  sealConfirmation,
  tokenPattern,
} from "./confirmation.ts";

const encryption = new Encryption(randomBytes(32));
const claims: ConfirmationClaims = {
  id: randomUUIDv7(),
  accountId: randomUUIDv7(),
  credentialId: randomUUIDv7(),
  tool: "mute_check",
  inputHash: hashInput({ muted: true }),
  expiresAtMs: 1_800_000_000_000,
};

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([key, inner]) => [key, reverseKeys(inner)]));
}

test("the hash of an input does not depend on the order of its fields", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
      assert.equal(hashInput(input), hashInput(reverseKeys(input)));
    }),
  );
  assert.notEqual(hashInput({ muted: true }), hashInput({ muted: false }));
  assert.notEqual(hashInput({ a: 1 }), hashInput({ a: "1" }));
  assert.notEqual(hashInput([1, 2]), hashInput([2, 1]));
});

test("a token can be opened only with the key that encrypted it", () => {
  const token = sealConfirmation(encryption, claims);
  assert.match(token, new RegExp(tokenPattern));
  assert.deepEqual(openConfirmation(encryption, token), claims);
  assert.equal(openConfirmation(new Encryption(randomBytes(32)), token), null);
});

test("a token changed anywhere is rejected", () => {
  const token = sealConfirmation(encryption, claims);
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const place = fc.integer({ min: 0, max: token.length - 1 });
  fc.assert(
    fc.property(place, fc.constantFrom(...letters), (at, letter) => {
      const forged = token.slice(0, at) + letter + token.slice(at + 1);
      const bytesOf = (text: string) => Buffer.from(text.slice(4), "base64url").toString("hex");
      // The last character may have unused bits.
      const isSame = forged.startsWith("vdc_") && bytesOf(forged) === bytesOf(token);
      assert.deepEqual(openConfirmation(encryption, forged), isSame ? claims : null);
    }),
  );
});

test("random text is never a valid token", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      assert.equal(openConfirmation(encryption, text), null);
      assert.equal(openConfirmation(encryption, `vdc_${text}`), null);
    }),
  );
});

test("only proposals that expired long ago are deleted", async (t) => {
  const { context, caller, clock, query } = await createAgentFixture(t);
  const proposed = { tool: "mute_check", input: {}, summary: "Mute.", via: "stream" } as const;
  await requestConfirmation(context, caller, proposed);
  clock.advance(confirmWithinMs);
  await deleteConfirmationsBefore(context.db, clock.now());
  assert.equal((await query("select 1 from agent_confirmations")).length, 1);
  clock.advance(1);
  await deleteConfirmationsBefore(context.db, clock.now());
  assert.equal((await query("select 1 from agent_confirmations")).length, 0);
});
