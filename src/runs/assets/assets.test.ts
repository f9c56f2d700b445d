import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addStranger } from "../../../test/support/apps/cast.ts";
import { saveFiles, screenshot, trace } from "../../../test/support/modules/run-files.ts";
import { boundAssets, decideContentType, toSafeName } from "../../contract/run-asset.ts";
import { parseRange } from "./file-answer.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

async function addCheck(name = "Shop"): Promise<string> {
  const body = { name, request: { hostname: "192.0.2.1" } };
  return (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
}
const listOf = (checkId: string, runId: string, more = "", options = {}) =>
  app.call("GET", `/v1/check-results/${checkId}/${runId}/assets${more}`, options);

/** Fetches a link as a client without a key does. */
function open(url: string, headers: Record<string, string> = {}): Promise<Response> {
  const { pathname, search } = new URL(url);
  return fetch(app.url + pathname + search, { headers });
}

test("the files of a result are listed with links that need no key", async () => {
  const checkId = await addCheck();
  const runId = await saveFiles(app, checkId, [screenshot("a b.png"), trace()]);
  const { status, body, text } = await listOf(checkId, runId);
  assert.equal(status, 200, text);
  assert.deepEqual([body.entriesTotal, body.entriesReturned, body.truncated], [2, 2, false]);
  const [first, second] = body.assets;
  const source = { type: "check-result", checkId, checkName: "Shop", checkType: "ICMP" };
  assert.deepEqual(first.source, { ...source, resultId: runId });
  assert.deepEqual(
    [first.type, first.name, first.contentType],
    ["screenshot", "a-b.png", "image/png"],
  );
  const shown = await open(first.url);
  assert.equal(shown.status, 200);
  assert.equal(shown.headers.get("content-type"), "image/png");
  assert.equal(shown.headers.get("content-disposition"), 'inline; filename="a-b.png"');
  assert.equal(shown.headers.get("x-content-type-options"), "nosniff");
  assert.equal(shown.headers.get("content-security-policy"), "default-src 'none'; sandbox");
  assert.equal(shown.headers.get("set-cookie"), null);
  assert.equal((await shown.arrayBuffer()).byteLength, first.size);
  const zip = await open(second.url);
  assert.match(zip.headers.get("content-disposition") ?? "", /^attachment; /);
  await zip.arrayBuffer();
  const traces = await listOf(checkId, runId, "?type=trace&type=video");
  assert.deepEqual(
    traces.body.assets.map(({ name }: { name: string }) => name),
    ["trace.zip"],
  );
  assert.equal(traces.body.entriesTotal, 2);
  assert.equal((await listOf(checkId, runId, "?name=none.png")).body.assets.length, 0);
  assert.equal((await listOf(checkId, runId, "?type=secrets")).status, 400);
});

test("a part of a file is served by its range", async () => {
  const checkId = await addCheck();
  const content = Buffer.from("PK\u0003\u0004 0123456789");
  const { body } = await listOf(checkId, await saveFiles(app, checkId, [trace(content)]));
  const { url } = body.assets[0];
  const part = await open(url, { range: "bytes=5-7" });
  assert.deepEqual([part.status, await part.text()], [206, "012"]);
  assert.equal(part.headers.get("content-range"), "bytes 5-7/15");
  const end = await open(url, { range: "bytes=-2" });
  assert.deepEqual([end.status, await end.text()], [206, "89"]);
  const beyond = await open(url, { range: "bytes=15-" });
  assert.deepEqual([beyond.status, beyond.headers.get("content-range")], [416, "bytes */15"]);
  assert.equal(parseRange("bytes=2-1", 10), null);
  assert.equal(parseRange("bytes=0-1,4-5", 10), null);
  assert.deepEqual(parseRange("bytes=-100", 10), { start: 0, end: 9 });
});

test("a link is valid for one file and about an hour, and cannot be forged", async () => {
  const checkId = await addCheck();
  const runId = await saveFiles(app, checkId, [screenshot(), screenshot("other.png")]);
  const [one, other] = (await listOf(checkId, runId)).body.assets;
  const url = new URL(one.url);
  const expectStatus = async (change: (link: URL) => void, status: number) => {
    const link = new URL(url);
    change(link);
    const answer = await open(link.href);
    assert.equal(answer.status, status, link.href);
    await answer.arrayBuffer();
  };
  await expectStatus(() => {}, 200);
  await expectStatus((link) => link.searchParams.set("expires", "32503680000"), 403);
  await expectStatus((link) => link.searchParams.set("signature", "AAAA"), 403);
  await expectStatus((link) => link.searchParams.set("signature", ""), 403);
  await expectStatus((link) => link.searchParams.delete("signature"), 400);
  await expectStatus((link) => {
    link.pathname = link.pathname.replace(one.id, other.id);
  }, 403);
  await expectStatus((link) => {
    link.pathname = link.pathname.replace(one.id, randomUUID());
  }, 403);
  // The name is not part of the path on the disk.
  await expectStatus((link) => {
    link.pathname = `/v1/assets/${one.id}/..%2f..%2fencryption.key`;
  }, 200);
  const withKey = await app.call("GET", `/v1/assets/${one.id}/shot.png`);
  assert.equal(withKey.status, 400, "a key does not replace the signature");
  app.clock.advance(3_600_000 - 1_000);
  await expectStatus(() => {}, 200);
  app.clock.advance(700_000);
  await expectStatus(() => {}, 403);
});

test("files are found only under their own check and account", async () => {
  const [checkId, otherId] = [await addCheck(), await addCheck("Other")];
  const runId = await saveFiles(app, checkId, [screenshot()]);
  assert.equal((await listOf(otherId, runId)).body.assets.length, 0);
  const stranger = await addStranger(app);
  assert.equal((await listOf(checkId, runId, "", { key: stranger.key })).status, 404);
  const body = { name: "Theirs", request: { hostname: "192.0.2.1" } };
  const theirs = await app.call("POST", "/v1/checks/icmp", { body, key: stranger.key });
  const seen = await listOf(theirs.body.id, runId, "", { key: stranger.key });
  assert.deepEqual([seen.status, seen.body.assets.length], [200, 0]);
  assert.equal((await listOf(checkId, runId, "", { key: null })).status, 401);
});

test("a file of a deleted check and a file on the disk of another server are not found", async () => {
  const checkId = await addCheck();
  const runId = await saveFiles(app, checkId, [screenshot(), screenshot("b.png")]);
  const [one, two] = (await listOf(checkId, runId)).body.assets;
  await app.query("update run_assets set server_id = $2 where id = $1", [one.id, randomUUID()]);
  const elsewhere = await open(one.url);
  assert.equal(elsewhere.status, 404);
  assert.match(await elsewhere.text(), /on the disk of another server/);
  await app.call("DELETE", `/v1/checks/${checkId}`);
  assert.equal((await open(two.url)).status, 404);
});

test("files that were deleted before their result are reported", async () => {
  const checkId = await addCheck();
  const runId = randomUUID();
  await app.query(
    `insert into lost_assets (account_id, run_id, reason, file_count, created_at)
      values ($1, $2, 'quota', 3, now())`,
    [app.owner.accountId, runId],
  );
  const { body } = await listOf(checkId, runId);
  assert.deepEqual([body.assets, body.lost], [[], [{ reason: "quota", count: 3 }]]);
});

test("names and types of files come from this server, not from the script", () => {
  const names = {
    "shot.png": "shot.png",
    "../../etc/passwd": "passwd",
    "..": "file",
    "": "file",
    ".htaccess": "htaccess",
    "a\r\nb: c\u202e.png": "a-b-c-.png",
    "C:\\x\\y.png": "y.png",
    [`${"x".repeat(300)}.webm`]: `${"x".repeat(95)}.webm`,
  };
  for (const [given, safe] of Object.entries(names)) assert.equal(toSafeName(given), safe);
  const page = Buffer.from("<script>alert(1)</script>");
  assert.equal(decideContentType("screenshot", page), "application/octet-stream");
  assert.equal(decideContentType("trace", screenshot().content), "application/octet-stream");
  assert.equal(decideContentType("file", screenshot().content), "image/png");
  assert.deepEqual(boundAssets([screenshot("empty.png", new Uint8Array())]), []);
});
