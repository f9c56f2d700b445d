import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, createKey } from "../../../test/support/apps/cast.ts";
import { captureLog } from "../../../test/support/apps/log.ts";
import {
  findBundleFacts,
  maxAccountBytes,
  maxBundles,
  saveBundle,
  trimBundles,
} from "../../checks/code-bundles/index.ts";
import { inTransaction } from "../../platform/database.ts";
import { openDatabase } from "../../platform/database-pool.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const storage = "/next/checkly-storage";
type Options = Parameters<TestApp["call"]>[2];

const upload = (content: string, headers = {}, path = "upload-code-bundle") =>
  app.call("POST", `${storage}/${path}`, {
    rawBody: content,
    headers: { "content-type": "application/octet-stream", ...headers },
  });
const peek = (key: string, options: Options = {}) =>
  app.call("POST", `${storage}/peek-code-bundle`, { body: { key }, ...options });
const download = (key: string, options: Options = {}) =>
  app.call("POST", `${storage}/download`, { body: { key }, ...options });
const hashOf = (content: string) => createHash("sha256").update(content).digest("hex");

for (const path of ["upload-code-bundle", "upload"]) {
  test(`a file sent to ${path} is found by its key and downloaded unchanged`, async () => {
    const content = `content of ${path}`;
    const answer = await upload(content, {}, path);
    assert.equal(answer.status, 200, answer.text);
    const { key } = answer.body;
    assert.deepEqual(answer.body, {
      key: `bundle/${hashOf(content)}`,
      contentLength: content.length,
      checksumSha256: hashOf(content),
      lastModified: app.clock.now().toISOString(),
    });
    // The command line does not exit while this connection is open.
    assert.equal(answer.headers.get("connection"), "close");
    assert.deepEqual((await peek(key)).body, answer.body);
    const bytes = await download(key);
    assert.deepEqual([bytes.status, bytes.text], [200, content]);
    assert.equal(bytes.headers.get("content-type"), "application/octet-stream");
    app.clock.advance(1_000);
    const again = await upload(content, {}, path);
    assert.equal(again.body.key, key);
    assert.equal((await peek(key)).body.lastModified, app.clock.now().toISOString());
  });
}

test("a checksum that does not match the file is rejected, and nothing is stored", async () => {
  const header = "x-bundle-checksum-sha256";
  assert.equal((await upload("right", { [header]: hashOf("right") })).status, 200);
  const wrong = await upload("wrong", { [header]: hashOf("right") });
  assert.equal(wrong.status, 400);
  assert.deepEqual(wrong.body.validation, { source: "headers", keys: [header] });
  assert.equal((await peek(`bundle/${hashOf("wrong")}`)).status, 404);
});

test("files of other types and above 10 MiB are rejected", async () => {
  assert.equal((await upload("{}", { "content-type": "application/json" })).status, 415);
  assert.equal((await upload("x".repeat(10 * 1024 * 1024 + 1))).status, 413);
  assert.equal((await peek("x".repeat(129))).status, 400);
});

test("a file belongs to its account, and readers cannot download it", async () => {
  const { key } = (await upload("private")).body;
  const stranger = await addStranger(app);
  assert.equal((await peek(key, { key: stranger.key })).status, 404);
  assert.equal((await download(key, { key: stranger.key })).status, 404);
  const reader = await createKey(app, "READ_ONLY", { type: "SERVICE" });
  assert.equal((await peek(key, { key: reader.key })).status, 200);
  assert.equal((await download(key, { key: reader.key })).status, 403);
  assert.equal((await download(key, { key: "none" })).status, 401);
  assert.equal((await download("bundle/none")).status, 404);
});

test("an account stores a limited number of files and bytes, the newest ones", async () => {
  app.clock.advance(1_000);
  const { key: stays } = (await upload("first")).body;
  const { accountId } = app.owner;
  const { db, close } = openDatabase({ connectionString: app.databaseUrl }, captureLog().log);
  const save = (name: string, bytes: number) =>
    inTransaction(db, async (transaction) => {
      app.clock.advance(1_000);
      const bundle = { content: Buffer.alloc(bytes), uploadedAt: app.clock.now() };
      await saveBundle(transaction, accountId, { key: name, ...bundle });
      await trimBundles(transaction, accountId, [name]);
    });
  const count = async () => {
    const { rows } = await app.query(
      "select count(*)::int as count from code_bundles where account_id = $1",
      [accountId],
    );
    return rows[0].count;
  };
  try {
    for (let number = 0; number < maxBundles - 1; number += 1) await save(`small/${number}`, 1);
    assert.equal(await count(), maxBundles);
    assert.notEqual(await findBundleFacts(db, accountId, stays), null);
    await save("small/last", 1);
    assert.equal(await count(), maxBundles);
    assert.equal(await findBundleFacts(db, accountId, stays), null, "the oldest is deleted");
    await save("large/1", maxAccountBytes / 2);
    await save("large/2", maxAccountBytes / 2);
    assert.equal(await count(), 2, "nothing else fits");
  } finally {
    await close();
  }
});
