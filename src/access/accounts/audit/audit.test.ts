import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ownerPassword, startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger, createKey } from "../../../../test/support/apps/cast.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import { toCsvCell } from "../../../platform/text/escaping.ts";

const path = "/v1/audit-log";

interface Entry {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly actor: { readonly name: string };
  readonly target: { readonly type: string; readonly id: string; readonly name: string | null };
}

let app: TestApp;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

async function list(query = ""): Promise<Entry[]> {
  const answer = await app.call("GET", `${path}?limit=100${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.entries;
}

const rename = (name: string) => app.call("PATCH", "/v1/accounts/me", { body: { name } });
const download = (query = "") => app.call("GET", `${path}/export${query}`);

test("the log can be filtered by action, actor, target, time and text", async () => {
  const { id, key } = await createKey(app, "ADMIN", { name: "the deployer" });
  app.clock.advance(60_000);
  const from = app.clock.now().toISOString();
  await app.call("PATCH", "/v1/accounts/me", { key, body: { name: "100%_sure" } });
  app.clock.advance(60_000);
  const to = app.clock.now().toISOString();
  await rename("Later");

  const actions = (entries: readonly Entry[]) => entries.map(({ action }) => action);
  assert.deepEqual(actions(await list(`&targetId=${id}`)), ["api-key.created"]);
  assert.deepEqual(
    new Set(actions(await list("&targetType=account"))).has("account.updated"),
    true,
  );
  assert.equal((await list("&action=account.updated")).length, 2);
  const window = await list(`&from=${from}&to=${to}`);
  assert.deepEqual(actions(window), ["account.updated"]);
  const [{ actor }] = window as [Entry];
  assert.match(actor.name, /^the deployer …/);
  assert.deepEqual(await list(`&actor=${encodeURIComponent(actor.name)}`), window);
  // Characters with a special meaning in `like`.
  assert.deepEqual(await list(`&to=${to}&search=${encodeURIComponent("100%_s")}`), window);
  assert.deepEqual(await list(`&search=${encodeURIComponent("100_%s")}`), []);
  assert.deepEqual(await list("&action=account.updated&actor=nobody"), []);
  for (const query of ["&from=yesterday", "&search=", `&search=${"x".repeat(201)}`]) {
    assert.equal((await app.call("GET", `${path}?limit=1${query}`)).status, 400, query);
  }
});

test("pages of a filtered list have no gap and no duplicate", async () => {
  for (const name of ["a", "b", "c", "d", "e"]) await rename(name);
  const all = await list("&action=account.updated");
  const found: Entry[] = [];
  let next = "";
  do {
    const answer = await app.call("GET", `${path}?limit=2&action=account.updated${next}`);
    found.push(...answer.body.entries);
    next = answer.body.nextId === null ? "" : `&nextId=${answer.body.nextId}`;
  } while (next !== "");
  assert.deepEqual(found, all);
});

test("the facets list every action and every actor once", async () => {
  const { key } = await createKey(app, "ADMIN", { name: "facet key" });
  await app.call("PATCH", "/v1/accounts/me", { key, body: { name: "By key" } });
  const { status, body } = await app.call("GET", `${path}/facets`);
  assert.equal(status, 200);
  const entries = await list();
  const distinct = (values: readonly string[]) => [...new Set(values)].sort();
  assert.deepEqual([...body.actions].sort(), distinct(entries.map(({ action }) => action)));
  assert.deepEqual([...body.actors].sort(), distinct(entries.map(({ actor }) => actor.name)));
});

test("CSV cells of the downloaded log cannot run as formulas", async () => {
  await rename('=HYPERLINK("https://evil.example","x"),\n"quoted"');
  await createKey(app, "READ_ONLY", { name: "+cmd" });
  const { key } = await createKey(app, "ADMIN", { name: "=1+1" });
  await app.call("PATCH", "/v1/accounts/me", { key, body: { name: "x" } });
  const answer = await download("?format=csv&targetType=account");
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("content-type") ?? "", /^text\/csv/);
  assert.match(answer.headers.get("content-disposition") ?? "", /attachment; .*audit-log\.csv/);
  const [head, first] = answer.text.split("\r\n");
  assert.equal(
    head,
    "at,action,actorType,actorId,actorName,targetType,targetId,targetName,address,requestId,changes,id",
  );
  assert.match(first ?? "", /,account\.updated,API_KEY,[0-9a-f-]{36},'=1\+1 …/);
  assert.ok(answer.text.includes('""to"":""=HYPERLINK('), "quotes are doubled");
  assert.equal(answer.text.endsWith("\r\n"), true);
});

test("a cell is quoted where needed and never starts like a formula", () => {
  const cells = [null, "", "plain", "a,b", 'say "x"', "two\nlines", "=1", "-1", "@x", "\t=1"];
  assert.deepEqual(cells.map(toCsvCell), [
    "",
    "",
    "plain",
    '"a,b"',
    '"say ""x"""',
    '"two\nlines"',
    "'=1",
    "'-1",
    "'@x",
    "'\t=1",
  ]);
});

test("a long log is downloaded completely as NDJSON, newest first", async () => {
  const { accountId } = app.owner;
  await app.query(
    `insert into audit_entries (id, account_id, at, actor_type, actor_name, action, target_type,
       target_id, changes)
     select gen_random_uuid(), $1, now(), 'SYSTEM', 'loader', 'filler.made', 'filler', i::text, '{}'
     from generate_series(1, 1300) i`,
    [accountId],
  );
  const answer = await download("?format=ndjson&targetType=filler");
  assert.match(answer.headers.get("content-type") ?? "", /^application\/x-ndjson/);
  const lines = answer.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Entry);
  assert.equal(new Set(lines.map(({ target }) => target.id)).size, 1_300);
  const ids = lines.map(({ id }) => id);
  assert.deepEqual(ids, [...ids].sort().reverse());
  const [noted] = await list("&action=audit-log.exported");
  assert.equal(noted?.target.id, accountId);
  assert.equal((await download("?format=xlsx")).status, 400);
  assert.equal((await download("?to=2016-12-31T23:59:60Z")).status, 400);
});

test("an abandoned download is cancelled and frees its slot", async () => {
  const ask = async () => {
    const stop = new AbortController();
    const headers = { authorization: "Bearer owner-key-0123456789-0123456789" };
    const answer = await fetch(`${app.url}${path}/export`, { headers, signal: stop.signal });
    return { answer, stop: () => stop.abort() };
  };
  for (let turn = 0; turn < 5; turn += 1) {
    // The server notices the disconnect with a delay.
    await waitUntil("there is room for a download", async () => {
      const { answer, stop } = await ask();
      stop();
      return answer.status === 200;
    });
  }
});

test("the log contains no entries of another account", async () => {
  const stranger = await addStranger(app);
  const answer = await app.call("GET", `${path}/export`, { key: stranger.key });
  assert.equal(answer.status, 200);
  assert.equal(answer.text.includes(app.owner.accountId), false);
});

test("entries name their target, even after it was renamed or deleted", async () => {
  const request = { hostname: "127.0.0.1", port: 1 };
  const body = { name: "First name", activated: false, request };
  const { body: check } = await app.call("POST", "/v1/checks/tcp", { body });
  await app.call("PUT", `/v1/checks/tcp/${check.id}`, { body: { muted: true } });
  const named = async () =>
    (await list(`&targetId=${check.id}`)).map(({ action, target }) => [action, target.name]);
  assert.deepEqual(await named(), [
    ["check.updated", "First name"],
    ["check.created", "First name"],
  ]);
  await app.call("DELETE", `/v1/checks/${check.id}`);
  assert.equal((await named())[1]?.[1], "First name");
  const signedIn = { email: app.owner.email, password: ownerPassword };
  const opened = await app.call("POST", "/v1/sessions", { key: null, body: signedIn });
  const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
  await app.call("PATCH", "/v1/users/me", { cookie, body: { name: null } });
  await app.call("DELETE", "/v1/sessions/current", { cookie });
  for (const action of ["session.ended", "user.updated", "session.created"]) {
    const [entry] = await list(`&action=${action}`);
    assert.equal(entry?.target.name, app.owner.email, action);
  }
});
