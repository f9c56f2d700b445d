import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { createIncident, createPage } from "../../../test/support/modules/public-page.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp();
});
after(() => app.stop());

const unknownId = "00000000-0000-7000-8000-000000000000";

async function createScene(url: string) {
  const { serviceIds } = await createPage(app, { url });
  const id = await createIncident(app, { serviceIds });
  const path = `/v1/status-pages/incidents/${id}`;
  return { id, path, publicPath: `/status/${url}/incidents/${id}` };
}

test("notes are listed newest first, can be deleted, and are never public", async () => {
  const { path, publicPath } = await createScene("noted");
  const first = await app.call("POST", `${path}/notes`, { body: { body: "Ticket **4711**" } });
  assert.equal(first.status, 201);
  assert.ok(first.body.author);
  await app.call("POST", `${path}/notes`, { body: { body: "Called the vendor" } });
  const list = await app.call("GET", `${path}/notes`);
  assert.deepEqual(
    list.body.map(({ body }: { body: string }) => body),
    ["Called the vendor", "Ticket **4711**"],
  );
  const page = await app.call("GET", publicPath);
  assert.equal(page.status, 200);
  assert.equal(page.text.includes("4711"), false);
  assert.equal((await app.call("DELETE", `${path}/notes/${first.body.id}`)).status, 204);
  assert.equal((await app.call("DELETE", `${path}/notes/${first.body.id}`)).status, 404);
  assert.equal((await app.call("GET", `${path}/notes`)).body.length, 1);
});

test("an empty note and a note on a missing incident are rejected", async () => {
  const { path } = await createScene("rejected-notes");
  for (const body of [{}, { body: " " }, { body: "x".repeat(20_001) }, { body: 5 }]) {
    const answer = await app.call("POST", `${path}/notes`, { body });
    assert.equal(answer.status, 400);
    assert.deepEqual(answer.body.validation, { source: "body", keys: ["body"] });
  }
  const nowhere = `/v1/status-pages/incidents/${unknownId}/notes`;
  assert.equal((await app.call("GET", nowhere)).status, 404);
  assert.equal((await app.call("POST", nowhere, { body: { body: "x" } })).status, 404);
});

test("an incident has at most 200 notes", async () => {
  const { id, path } = await createScene("full");
  await app.query(
    `insert into incident_notes (id, account_id, incident_id, body, author, created_at)
      select gen_random_uuid(), $1, $2, 'x', 'me', now() from generate_series(1, 200)`,
    [app.owner.accountId, id],
  );
  const answer = await app.call("POST", `${path}/notes`, { body: { body: "one more" } });
  assert.equal(answer.status, 409);
  assert.match(answer.body.message, /at most 200 notes/);
});

test("a post-mortem is a draft until it is published, and can be withdrawn and deleted", async () => {
  const { path, publicPath } = await createScene("reviewed");
  const target = `${path}/post-mortem`;
  assert.deepEqual((await app.call("GET", target)).body, { postMortem: null });
  assert.equal((await app.call("DELETE", target)).status, 404);
  const draft = await app.call("PUT", target, { body: { body: "We **forgot** a certificate." } });
  assert.equal(draft.status, 200);
  assert.equal(draft.body.publishedAt, null);
  const fetchPage = async () => (await app.call("GET", publicPath)).text;
  const isShown = async (words: string) => (await fetchPage()).includes(words);
  assert.equal((await fetchPage()).includes("Post-mortem"), false);
  const published = await app.call("PUT", target, {
    body: { body: "We **forgot** a certificate.", isPublished: true },
  });
  assert.ok(published.body.publishedAt);
  await waitUntil("the post-mortem is public", () => isShown("Post-mortem"));
  assert.match(await fetchPage(), /<h2>Post-mortem<\/h2>.*<strong>forgot<\/strong> a certificate/s);
  app.clock.advance(60_000);
  const edited = await app.call("PUT", target, { body: { body: "Edited." } });
  assert.equal(edited.body.publishedAt, published.body.publishedAt, "an edit stays published");
  await app.call("PUT", target, { body: { body: "Edited.", isPublished: false } });
  await waitUntil("the post-mortem is withdrawn", async () => !(await isShown("Post-mortem")));
  assert.equal(await isShown("Edited."), false);
  assert.equal((await app.call("GET", target)).body.postMortem.body, "Edited.");
  assert.equal((await app.call("DELETE", target)).status, 204);
  assert.deepEqual((await app.call("GET", target)).body, { postMortem: null });
});

test("an empty post-mortem and one of a missing incident are rejected", async () => {
  const { path } = await createScene("rejected-review");
  const answer = await app.call("PUT", `${path}/post-mortem`, { body: { body: "" } });
  assert.equal(answer.status, 400);
  assert.deepEqual(answer.body.validation, { source: "body", keys: ["body"] });
  const nowhere = `/v1/status-pages/incidents/${unknownId}/post-mortem`;
  assert.equal((await app.call("PUT", nowhere, { body: { body: "x" } })).status, 404);
  assert.equal((await app.call("GET", nowhere)).status, 404);
});
