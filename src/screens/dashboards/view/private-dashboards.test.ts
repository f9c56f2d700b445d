import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger, signIn, signInAs } from "../../../../test/support/apps/cast.ts";
import { addDashboard, addDashboardChecks } from "../../../../test/support/modules/dashboards.ts";
import { openEvents } from "../../../../test/support/servers/event-stream.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  await addDashboardChecks(app, [{ name: "secret router", status: "failing" }]);
});
after(() => app.stop());

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  app.call("GET", path, { key: null, headers });
const privateDashboard = () =>
  addDashboard(app, {
    header: "Secret header",
    isPrivate: true,
    customCSS: ".secret{color:red}",
    logo: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==",
  });

/** `fetch` would follow the redirect. */
async function send(path: string, options: RequestInit = {}) {
  const answer = await fetch(`${app.url}${path}`, { redirect: "manual", ...options });
  const cookie = answer.headers.get("set-cookie");
  return { status: answer.status, headers: answer.headers, cookie, text: await answer.text() };
}

const form = (key: string, headers: Readonly<Record<string, string>> = {}) => ({
  method: "POST",
  body: new URLSearchParams({ key }).toString(),
  headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
});

const parts = ["", "/", "/view", "/events", "/custom.css", "/images/logo"];

test("without a key every part is closed and reveals nothing", async () => {
  const { path } = await privateDashboard();
  for (const part of parts) {
    const { status, text, headers } = await get(`${path}${part}`);
    assert.equal(status, 401, part);
    assert.doesNotMatch(text, /secret router|Secret header|\.secret/, part);
    assert.match(headers.get("cache-control") ?? "", /no-store/, part);
  }
  const { text } = await get(path);
  assert.match(text, /noindex/);
  assert.match(text, /<form method="post" action="\/dashboards\/[a-z0-9]{8}\/unlock">/);
  assert.equal((await get(`${path}/view`)).headers.get("x-dashboard"), "closed");
});

test("a new dashboard is private: members see it, other users and visitors do not", async () => {
  const { body } = await app.call("POST", "/v1/dashboards", { body: { header: "New" } });
  const path = `/dashboards/${body.dashboardId}`;
  assert.equal((await get(path)).status, 401);
  const cookie = await signInAs(app, "READ_ONLY");
  for (const part of ["", "/view"]) {
    const { status, headers } = await get(`${path}${part}`, { cookie });
    assert.deepEqual([status, headers.get("cache-control")?.includes("public")], [200, false]);
  }
  const { email, password } = await addStranger(app);
  const stranger = await signIn(app, email, password);
  assert.equal((await get(path, { cookie: stranger })).status, 401);
});

test("a dashboard stored before the setting existed stays public", async () => {
  const { path, dashboardId } = await privateDashboard();
  const text = "update dashboards set settings = settings - 'isPrivate' where dashboard_id = $1";
  await app.query(text, [dashboardId]);
  await app.call("PUT", `/v1/dashboards/${dashboardId}`, { body: { header: "Old" } });
  assert.equal((await get(path)).status, 200);
});

test("the form sets a cookie for this page, which opens every part", async () => {
  const { path, rawKey } = await privateDashboard();
  const wrong = await send(`${path}/unlock`, form("da_00000000000000000000000000000000"));
  assert.equal(wrong.status, 401);
  assert.equal(wrong.cookie, null);
  assert.match(wrong.text, /is not valid/);
  const right = await send(`${path}/unlock`, form(` ${rawKey} `));
  assert.equal(right.status, 303);
  assert.equal(right.headers.get("location"), `${path}/`);
  assert.match(right.cookie ?? "", new RegExp(`Path=${path}; .*HttpOnly; SameSite=Lax`));
  assert.doesNotMatch(right.cookie ?? "", /da_/);
  const cookie = right.cookie?.split(";")[0] ?? "";
  for (const part of ["", "/", "/view", "/custom.css", "/images/logo"]) {
    const { status, headers } = await get(`${path}${part}`, { cookie });
    assert.equal(status, 200, part);
    assert.doesNotMatch(headers.get("cache-control") ?? "", /public/, part);
  }
  assert.match((await get(path, { cookie })).text, /secret router/);
  const other = await privateDashboard();
  assert.equal((await get(other.path, { cookie })).status, 401);
});

test("?key= becomes a cookie and is removed from the URL; a part accepts it directly", async () => {
  const { path, rawKey } = await privateDashboard();
  const answer = await send(`${path}?key=${rawKey}`);
  assert.equal(answer.status, 303);
  assert.doesNotMatch(answer.headers.get("location") ?? "", /da_/);
  assert.ok(answer.cookie);
  assert.equal((await get(`${path}/view?key=${rawKey}`)).status, 200);
  assert.equal((await get(`${path}/view`, { authorization: `Bearer ${rawKey}` })).status, 200);
  assert.equal((await send(`${path}?key=da_11111111111111111111111111111111`)).status, 401);
});

test("an active viewer keeps access, and one absent for a month loses it", async () => {
  const { path, rawKey } = await privateDashboard();
  const dayMs = 86_400_000;
  const first = (await send(`${path}/unlock`, form(rawKey))).cookie?.split(";")[0] ?? "";
  assert.equal((await send(`${path}/view`, { headers: { cookie: first } })).cookie, null);
  app.clock.advance(20 * dayMs);
  const look = await send(`${path}/view`, { headers: { cookie: first } });
  assert.equal(look.status, 200);
  assert.match(look.cookie ?? "", new RegExp(`Path=${path}; .*HttpOnly; SameSite=Lax`));
  const renewed = look.cookie?.split(";")[0] ?? "";
  app.clock.advance(20 * dayMs);
  assert.equal((await get(`${path}/view`, { cookie: renewed })).status, 200);
  assert.equal((await get(`${path}/view`, { cookie: first })).status, 401);
  app.clock.advance(-40 * dayMs);
});

test("after rotation or deletion, the old key, its cookies and its streams stop working", async () => {
  for (const end of ["rotate", "delete"]) {
    const { path, dashboardId, rawKey } = await privateDashboard();
    const cookie = (await send(`${path}/unlock`, form(rawKey))).cookie?.split(";")[0] ?? "";
    const byCookie = await openEvents(`${app.url}${path}/events`, { cookie });
    const byKey = await openEvents(`${app.url}${path}/events?key=${rawKey}`);
    assert.deepEqual([byCookie.status, byKey.status], [200, 200]);
    const { body: keys } = await app.call("GET", `/v1/dashboards/${dashboardId}/keys`);
    const keyPath = `/v1/dashboards/${dashboardId}/keys/${keys[0].id}`;
    const done =
      end === "rotate"
        ? await app.call("POST", `${keyPath}/rotate`)
        : await app.call("DELETE", keyPath);
    assert.ok(done.status < 300);
    assert.equal((await get(`${path}/view`, { cookie })).status, 401);
    assert.equal((await get(`${path}/view?key=${rawKey}`)).status, 401);
    await waitUntil("both streams end", () => byCookie.isEnded() && byKey.isEnded());
    if (end !== "rotate") continue;
    assert.equal((await get(`${path}/view?key=${done.body.rawKey}`)).status, 200);
  }
});

test("a dashboard that becomes private closes the streams of viewers without a key", async () => {
  const { path, dashboardId } = await addDashboard(app);
  const events = await openEvents(`${app.url}${path}/events`);
  assert.equal(events.status, 200);
  await app.call("PUT", `/v1/dashboards/${dashboardId}`, { body: { isPrivate: true } });
  await waitUntil("the stream ends", events.isEnded);
  assert.equal((await get(`${path}/view`)).status, 401);
});

test("a deleted dashboard and its streams end immediately", async () => {
  const { path, dashboardId } = await addDashboard(app);
  const events = await openEvents(`${app.url}${path}/events`);
  await app.call("DELETE", `/v1/dashboards/${dashboardId}`);
  await waitUntil("the stream ends", events.isEnded);
  assert.equal((await get(path)).status, 404);
});

test("a form of another site is rejected", async () => {
  const { path, rawKey } = await privateDashboard();
  const foreign = await send(`${path}/unlock`, form(rawKey, { origin: "https://evil.example" }));
  assert.equal(foreign.status, 403);
  const own = await send(`${path}/unlock`, form(rawKey, { origin: app.url }));
  assert.equal(own.status, 303);
});

test("malformed forms are rejected", async () => {
  const { path } = await privateDashboard();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const long = await send(`${path}/unlock`, {
    method: "POST",
    body: `key=${"x".repeat(2_000)}`,
    headers,
  });
  assert.equal(long.status, 413);
  assert.equal((await send(`${path}/unlock`, { method: "POST", body: "", headers })).status, 401);
  const json = await send(`${path}/unlock`, {
    method: "POST",
    body: "{}",
    headers: { "content-type": "text/plain" },
  });
  assert.equal(json.status, 415);
  assert.equal((await send("/dashboards/nothing-here/unlock", form("x"))).status, 404);
});

test("too many wrong keys are rate limited, in the form and in the URL", async () => {
  const { path, rawKey } = await privateDashboard();
  for (let attempt = 0; attempt < 20; attempt += 1) {
    await send(`${path}/unlock`, form(`da_${String(attempt).padStart(32, "0")}`));
  }
  const rejected = await send(`${path}/unlock`, form(rawKey));
  assert.equal(rejected.status, 429);
  assert.match(rejected.text, /Too many attempts/);
  assert.ok(Number(rejected.headers.get("retry-after")) > 0);
  assert.equal((await get(`${path}/view?key=${rawKey}`)).status, 429);
  app.clock.advance(301_000);
  assert.equal((await send(`${path}/unlock`, form(rawKey))).status, 303);
});
