import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type AgentApp, startAgentApp } from "../../test/support/apps/agent-app.ts";
import { startTestApp } from "../../test/support/apps/app.ts";
import { addStranger, createKey } from "../../test/support/apps/cast.ts";
import { createAgentFixture } from "../../test/support/modules/agent.ts";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import { deleteExchangesBefore, insertExchange, maxExchanges } from "./store.ts";

let app: AgentApp;
let path: string;
before(async () => {
  app = await startAgentApp();
  path = `/accounts/${app.owner.accountId}/ai/agents/exchanges`;
});
after(() => app.stop());

test("requests can be read verbatim, with their outcome", async () => {
  app.model.behave((_request, index) =>
    index === 0 ? { toolCalls: [{ name: "list_checks", input: {} }] } : { pieces: ["None."] },
  );
  await app.ask("My mail is jane@corp.example. What checks are there?");
  const sent = app.model.requests.map(({ text }) => text);
  await waitUntil("both are kept", async () => {
    const { body } = await app.call("GET", path);
    return body.length === 2 && body.entries[0].status === 200;
  });
  const { body } = await app.call("GET", path);
  assert.deepEqual(
    body.entries.map(({ request }: { request: string }) => request),
    sent.toReversed(),
  );
  const [newest] = body.entries;
  assert.equal(newest.model, "test-model");
  assert.equal(newest.host, new URL(app.model.url).host);
  assert.equal(newest.requestBytes, Buffer.byteLength(sent[1] ?? ""));
  assert.equal(newest.failure, null);
  assert.match(newest.request, /My mail is \[email\]/);
});

test("exchanges are paginated, and an invalid page is rejected", async () => {
  app.model.behave(() => ({ pieces: ["Yes."] }));
  for (const question of ["One", "Two", "Three"]) await app.ask(question);
  const first = await app.call("GET", `${path}?limit=2`);
  assert.equal(first.body.length, 2);
  const next = await app.call("GET", `${path}?limit=2&nextId=${first.body.nextId}`);
  assert.equal(next.body.entries[0].id, first.body.nextId);
  assert.equal((await app.call("GET", `${path}?limit=0`)).status, 400);
  assert.equal((await app.call("GET", `${path}?nextId=x`)).status, 400);
});

test("only owners and administrators of the account can read exchanges", async () => {
  const { key } = await createKey(app, "READ_WRITE");
  assert.equal((await app.call("GET", path, { key })).status, 403);
  const stranger = await addStranger(app);
  assert.equal((await app.call("GET", path, { key: stranger.key })).status, 403);
  const theirs = `/accounts/${stranger.accountId}/ai/agents/exchanges`;
  assert.deepEqual((await app.call("GET", theirs, { key: stranger.key })).body.entries, []);
});

test("the number of exchanges per account is limited, and old ones are deleted", async (t) => {
  const { context, accountId, query, clock } = await createAgentFixture(t);
  const at = (index: number) => `0190f3a2-7b1c-7def-8000-${String(index).padStart(12, "0")}`;
  for (let index = 0; index < maxExchanges + 5; index += 1) {
    await insertExchange(context.db, accountId, {
      id: at(index),
      host: "h",
      model: "m",
      request: "{}",
      requestBytes: 2,
      status: null,
      failure: null,
      sentAt: clock.now(),
    });
  }
  const kept = await query("select id from agent_exchanges order by id");
  assert.equal(kept.length, maxExchanges);
  assert.equal(kept[0]?.id, at(5), "the oldest made room");
  await deleteExchangesBefore(context.db, clock.now());
  assert.equal((await query("select 1 from agent_exchanges")).length, maxExchanges);
  clock.advance(1);
  await deleteExchangesBefore(context.db, clock.now());
  assert.equal((await query("select 1 from agent_exchanges")).length, 0);
});

test("without an external model nothing is sent, and the list is empty", async () => {
  const own = await startTestApp();
  try {
    const base = `/accounts/${own.owner.accountId}/ai/agents`;
    const body = { messages: [{ role: "user", content: "What is failing?" }] };
    const answer = await own.call("POST", `${base}/stream`, { body });
    assert.equal(answer.status, 200);
    assert.equal(typeof answer.body, "string");
    assert.deepEqual((await own.call("GET", `${base}/exchanges`)).body.entries, []);
  } finally {
    await own.stop();
  }
});
