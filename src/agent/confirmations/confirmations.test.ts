import assert from "node:assert/strict";
import { randomBytes, randomUUIDv7 } from "node:crypto";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { type AgentApp, findTokens, startAgentApp } from "../../../test/support/apps/agent-app.ts";
import { addStranger, createKey } from "../../../test/support/apps/cast.ts";
import { createAgentFixture } from "../../../test/support/modules/agent.ts";
import type { ToolCallInput } from "../../../test/support/servers/model-server.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { Encryption } from "../../platform/encryption.ts";
import { deleteConfirmationsBefore } from "../store.ts";
import { requestConfirmation } from "./actions.ts";
import {
  type ConfirmationClaims,
  confirmWithinMs,
  hashInput,
  openConfirmation,
  sealConfirmation,
  tokenPattern,
} from "./confirmations.ts";

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

let app: AgentApp;
let path: string;
before(async () => {
  app = await startAgentApp();
  path = `/accounts/${app.owner.accountId}/ai/confirmations`;
});
after(() => app.stop());

/** Makes the model propose an action and returns the token that the user received. */
async function propose(call: ToolCallInput, key?: string): Promise<string> {
  app.model.behave((_request, index) =>
    index === 0 ? { toolCalls: [call] } : { pieces: ["Shall I?"] },
  );
  const text = await app.askText("Do it", {}, key === undefined ? {} : { key });
  const [token] = findTokens(text);
  assert.ok(token, text);
  assert.equal(
    app.model.requests.some((request) => request.text.includes("vdc_")),
    false,
    "the model is never shown a token",
  );
  return token;
}

const mute = (checkId: string, muted = true): ToolCallInput => ({
  name: "mute_check",
  input: { checkId, muted },
});
const confirm = (token: string, key?: string) =>
  app.call("POST", path, { body: { token }, ...(key === undefined ? {} : { key }) });
const isMuted = async (checkId: string) =>
  (await app.call("GET", `/v1/checks/${checkId}`)).body.muted;

test("nothing is executed until the user confirms, and then exactly once", async () => {
  const checkId = await app.newCheck({ name: "Gateway" });
  const token = await propose(mute(checkId));
  assert.equal(await isMuted(checkId), false);
  const requests = app.model.requests.length;
  const text = await app.askText("Yes, do it", { confirmation: token });
  assert.equal(text, 'Done. `The check "Gateway" is muted.`');
  assert.equal(app.model.requests.length, requests, "no model has a part in it");
  assert.equal(await isMuted(checkId), true);
  const again = await app.ask("Yes", { confirmation: token });
  assert.equal(again.status, 400);
  assert.match(again.body.message, /^confirmation is not a valid token/);
});

test("a failed action is reported and does not prevent the others", async () => {
  const [one, other] = [await app.newCheck({ name: "One" }), await app.newCheck({ name: "Other" })];
  const tokens = [
    await propose({ name: "run_check", input: { checkId: one } }),
    await propose(mute(other)),
  ];
  await app.query("alter table check_sessions rename to check_sessions_away");
  const text = await app.askText("Yes", { confirmation: tokens });
  await app.query("alter table check_sessions_away rename to check_sessions");
  assert.match(text, /^Not done: `Run the check "One" .* now\.` It failed\. See the server's log/);
  assert.match(text, /\n\nDone\. `The check "Other" is muted\.`$/);
  assert.equal(await isMuted(other), true);
});

test("the audit log records the confirmation and the change", async () => {
  const checkId = await app.newCheck({ name: "Gateway" });
  assert.equal((await confirm(await propose(mute(checkId)))).status, 200);
  const { body } = await app.call("GET", "/v1/audit-log?limit=2");
  const actions = body.entries.map(({ action }: { action: string }) => action);
  assert.deepEqual(actions, ["check.updated", "agent-action.confirmed"]);
  assert.match(body.entries[1].changes.summary, /^Mute the check "Gateway"/);
});

test("a token inside a message confirms nothing", async () => {
  const checkId = await app.newCheck();
  const token = await propose(mute(checkId));
  app.model.behave(() => ({ pieces: ["I see."] }));
  await app.ask(`confirmation: ${token}`);
  assert.equal(await isMuted(checkId), false);
  assert.equal(app.model.requests[0]?.text.includes(token), false, "and it does not leave");
});

test("a token is valid unchanged, for its key, for ten minutes", async () => {
  const checkId = await app.newCheck();
  const token = await propose(mute(checkId));
  const { key } = await createKey(app, "ADMIN");
  const { key: strange } = await addStranger(app);
  assert.equal((await confirm(token, key)).status, 400);
  assert.equal((await confirm(token, strange)).status, 403);
  for (const place of [10, 60, token.length - 1]) {
    const letter = token[place] === "A" ? "B" : "A";
    const forged = token.slice(0, place) + letter + token.slice(place + 1);
    assert.equal((await confirm(forged)).status, 400, String(place));
  }
  app.clock.advance(600_000);
  assert.equal((await confirm(token)).status, 400);
  assert.equal(await isMuted(checkId), false);
});

test("other values encrypted by this server confirm nothing", async () => {
  const { encryption } = await import("../../platform/encryption.ts").then(
    async ({ loadEncryption }) => ({ encryption: await loadEncryption(app.dataDir, undefined) }),
  );
  const sealed = encryption.encrypt(JSON.stringify(["0190f3a2-7b1c-7def-8000-0123456789ab", 1]));
  const token = `vdc_${Buffer.from(sealed, "base64").toString("base64url")}`;
  assert.equal((await confirm(token)).status, 400);
});

test("two concurrent confirmations execute the action once", async () => {
  const token = await propose({ name: "run_check", input: { checkId: await app.newCheck() } });
  const answers = await Promise.all([1, 2, 3, 4].map(() => confirm(token)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400]);
});

test("several actions are confirmed together, all or none", async () => {
  const one = await app.newCheck({ name: "One" });
  const two = await app.newCheck({ name: "Two" });
  const tokens = [await propose(mute(one)), await propose(mute(two))];
  const spent = await propose(mute(one, false));
  await confirm(spent);
  const rejected = await app.ask("Yes", { confirmation: [...tokens, spent] });
  assert.equal(rejected.status, 400);
  assert.deepEqual([await isMuted(one), await isMuted(two)], [false, false]);
  const text = await app.askText("Yes", { confirmation: tokens });
  assert.equal(text, 'Done. `The check "One" is muted.`\n\nDone. `The check "Two" is muted.`');
});

test("the caller's rights at confirmation apply", async () => {
  const { id, key } = await createKey(app, "READ_RUN");
  const checkId = await app.newCheck();
  const token = await propose({ name: "run_check", input: { checkId } }, key);
  await app.query("update api_keys set role = 'READ_ONLY' where id = $1", [id]);
  await app.query("notify caller_changed");
  await waitUntil("the server knows", async () => {
    return (await app.call("GET", path, { key })).status === 403;
  });
  const answer = await app.ask("Yes", { confirmation: token }, { key });
  assert.equal(answer.status, 403, answer.text);
});

test("an action that is no longer possible is reported, and the token is consumed", async () => {
  const checkId = await app.newCheck({ name: "Gone" });
  const token = await propose(mute(checkId));
  await app.call("DELETE", `/v1/checks/${checkId}`);
  const { status, body } = await confirm(token);
  assert.equal(status, 200);
  assert.equal(body.isDone, false);
  assert.match(body.message, /^Not done: Mute the check "Gone".*does not exist in this account\.$/);
  assert.equal((await confirm(token)).status, 400);
});

test("pending actions are listed for the user who asked, with a separate token", async () => {
  const checkId = await app.newCheck({ name: "Listed" });
  await propose(mute(checkId));
  const { body } = await app.call("GET", path);
  const [first] = body;
  assert.match(first.summary, /^Mute the check "Listed"/);
  assert.deepEqual(first.input, { checkId, muted: true });
  assert.equal(first.via, "stream");
  const { key } = await createKey(app, "ADMIN");
  const others = await app.call("GET", path, { key });
  assert.equal(JSON.stringify(others.body).includes("Listed"), false);
  assert.equal((await confirm(first.token)).body.message, 'Done. The check "Listed" is muted.');
  const { body: rest } = await app.call("GET", path);
  assert.equal(JSON.stringify(rest).includes("Listed"), false);
});

test("an invalid check is not proposed", async () => {
  const bodies = [
    { checkType: "ICMP", name: "x", request: { hostname: "; id" } },
    { checkType: "ICMP", name: "x", request: { hostname: "h.example" }, groupId: 7 },
    { checkType: "ICMP", name: "x", request: { hostname: "h.example" }, frequency: 7 },
    { checkType: "ICMP", name: "", request: { hostname: "h.example" } },
  ];
  for (const body of bodies) {
    app.model.behave((_request, index) =>
      index === 0
        ? { toolCalls: [{ name: "create_check", input: { body } }] }
        : { pieces: ["No."] },
    );
    assert.deepEqual(findTokens(await app.askText("Create it")), []);
    assert.match(app.model.requests[1]?.text ?? "", /\\"error\\":\\"invalid\\"/);
  }
});

test("a check is created as it was shown", async () => {
  const body = {
    checkType: "ICMP",
    name: "New",
    request: { hostname: "192.0.2.9" },
    maxPacketLossThreshold: 35,
  };
  const token = await propose({ name: "create_check", input: { body } });
  const { body: done } = await confirm(token);
  assert.equal(done.isDone, true, done.message);
  const made = await app.call("GET", `/v1/checks/${done.data.targetId}`);
  assert.equal(made.body.maxPacketLossThreshold, 35);
  assert.equal(made.body.request.hostname, "192.0.2.9");
});

test("the same proposal twice in one answer is one proposal", async () => {
  const checkId = await app.newCheck();
  const toolCalls = [mute(checkId), { name: "mute_check", input: { muted: true, checkId } }];
  app.model.behave((_request, index) => (index < 3 ? { toolCalls } : { pieces: ["Well?"] }));
  assert.equal(findTokens(await app.askText("Mute it")).length, 1);
});

test("the number of pending proposals is limited", async () => {
  app.clock.advance(600_000);
  let total = 0;
  for (let round = 0; round < 4; round += 1) {
    const toolCalls = Array.from({ length: 20 }, (_, index): ToolCallInput => {
      const body = {
        checkType: "ICMP",
        name: `Host ${round} ${index}`,
        request: { hostname: "192.0.2.1" },
      };
      return { name: "create_check", input: { body } };
    });
    app.model.behave((_request, index) => (index === 0 ? { toolCalls } : { pieces: ["Well?"] }));
    total += findTokens(await app.askText("Go on")).length;
  }
  assert.equal(total, 50);
  assert.match(app.model.requests[1]?.text ?? "", /actions waiting for confirmation/);
  app.clock.advance(600_000);
  const checkId = await app.newCheck();
  assert.ok(await propose(mute(checkId)), "and is accepted again once those have expired");
});

test("a declined action cannot be confirmed, and declining is audited", async () => {
  const checkId = await app.newCheck({ name: "Declined" });
  const token = await propose(mute(checkId));
  const [waiting] = (await app.call("GET", path)).body;
  assert.equal((await app.call("DELETE", `${path}/${waiting.id}`)).status, 204);
  assert.equal((await app.call("DELETE", `${path}/${waiting.id}`)).status, 404);
  assert.equal((await confirm(token)).status, 400);
  assert.equal(await isMuted(checkId), false);
  const { rows } = await app.query("select target_id from audit_entries where action = $1", [
    "agent-action.declined",
  ]);
  assert.deepEqual(
    rows.map((row) => row.target_id),
    [waiting.id],
  );
});

test("an action shown to another key cannot be declined", async () => {
  const checkId = await app.newCheck({ name: "Kept" });
  const token = await propose(mute(checkId));
  const [waiting] = (await app.call("GET", path)).body;
  const { key } = await createKey(app, "READ_WRITE");
  const other = await app.call("DELETE", `${path}/${waiting.id}`, { key });
  assert.equal(other.status, 404);
  assert.equal((await confirm(token)).body.isDone, true);
});
