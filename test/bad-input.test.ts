/** Sends invalid input of all known kinds to every route: always a 4xx, never a 5xx. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { startTestApp, type TestApp } from "./support/apps/app.ts";
import { listRoutes, type Route } from "./support/authorisation/routes.ts";
import { isLongRun } from "./support/long-run.ts";
import { anyCharacter } from "./support/properties.ts";

let app: TestApp;
let routes: Route[];
before(async () => {
  app = await startTestApp();
  routes = listRoutes(app.app).filter(({ url }) => url.startsWith("/v1/"));
});
after(() => app.stop());

const someId = "0199a1f0-0000-7000-8000-000000000000";
/** Without it the event stream would not end. */
const brief = "seconds=0";
const fillPath = (url: string, value = someId) =>
  url.replaceAll(/:\w+/g, encodeURIComponent(value));

/** Sign-in attempts are limited. The clock is advanced only then, because it empties caches. */
async function call(route: Route, options: Parameters<TestApp["call"]>[2], path?: string) {
  const send = () => app.call(route.method, path ?? fillPath(route.url), options);
  const answer = await send();
  if (answer.status !== 429) return answer;
  app.clock.advance(600_000);
  return send();
}

function assertRefused(answer: { status: number; text: string }, what: string): void {
  assert.ok(answer.status < 500, `${what}: ${answer.status} ${answer.text}`);
  assert.equal(/node_modules|\.ts:|at \w+ \(|select |insert |pg_/i.test(answer.text), false, what);
}

const hostileBodies: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>> = {
  "a prototype key": '{"__proto__":{"role":"OWNER"},"name":"x"}',
  "a constructor key": '{"constructor":{"prototype":{"role":"OWNER"}}}',
  "a nested prototype key": '{"name":{"a":[{"__proto__":1}]}}',
  "ten thousand levels": `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`,
  "ten thousand brackets": "[".repeat(10_000),
  "invalid UTF-8": new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  "half a surrogate pair": '{"name":"\\ud800"}',
  "a NUL": '{"name":"a\\u0000b","email":"a\\u0000@b.example"}',
  "a NUL in a key": '{"a\\u0000":1}',
  "ten megabytes": `{"name":"${"x".repeat(10 * 1024 * 1024)}"}`,
};

/** All routes share the parser that rejects these, so a few routes represent the others. */
const hugeBytes = 5_000;
const routesWithHugeBodies = isLongRun ? Number.POSITIVE_INFINITY : 5;

test("every route with a body rejects hostile bodies", async () => {
  const writing = routes.filter(({ method }) => method !== "GET");
  for (const [index, route] of writing.entries()) {
    for (const [name, rawBody] of Object.entries(hostileBodies)) {
      if (rawBody.length > hugeBytes && index >= routesWithHugeBodies) continue;
      const answer = await call(route, { rawBody });
      const what = `${route.method} ${route.url} with ${name}`;
      assertRefused(answer, what);
      assert.ok(answer.status >= 400, what);
    }
  }
});

test("names with unusual characters are stored unchanged", async () => {
  const names = ["‮gnp.exe", "a\u200bb", "👩‍👩‍👧", "Ω≈ç√", "'; drop table accounts; --", "<b>&amp;"];
  for (const name of names) {
    const { status, body } = await app.call("PATCH", "/v1/accounts/me", { body: { name } });
    assert.equal(status, 200);
    assert.equal(body.name, name);
  }
});

test("the last of duplicate keys wins", async () => {
  const rawBody = '{"name":"first","name":"last"}';
  const { body } = await app.call("PATCH", "/v1/accounts/me", { rawBody });
  assert.equal(body.name, "last");
});

test("read-only fields in a body are ignored", async () => {
  const before = await app.call("GET", "/v1/accounts/me");
  const body = { id: someId, created_at: "1970-01-01", plan: "FREE", accountId: someId, role: "X" };
  const { body: changed } = await app.call("PATCH", "/v1/accounts/me", { body });
  assert.deepEqual({ ...changed, updated_at: null }, { ...before.body, updated_at: null });
});

test("random JSON in the body of any route is never a 5xx", async () => {
  const anyRoute = fc.constantFrom(...routes.filter(({ method }) => method !== "GET"));
  const fields = ["name", "email", "password", "role", "type", "token", "expiresAt", "newPassword"];
  const anyBody = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.dictionary(
      fc.constantFrom(...fields),
      fc.oneof(fc.jsonValue(), fc.string({ unit: anyCharacter })),
    ),
  );
  await fc.assert(
    fc.asyncProperty(anyRoute, anyBody, async (route, body) => {
      const rawBody = JSON.stringify(body);
      assertRefused(await call(route, { rawBody }), `${route.method} ${route.url} ${rawBody}`);
    }),
  );
});

test("random text in any path or query is never a 5xx", async () => {
  const anyRoute = fc.constantFrom(...routes);
  const anyText = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 80 }),
    fc.constantFrom(
      "../../etc/passwd",
      "1 or 1=1",
      "$(id)",
      "-1",
      "1e308",
      "NaN",
      "%",
      "\\",
      "null",
    ),
  );
  await fc.assert(
    fc.asyncProperty(anyRoute, anyText, anyText, async (route, part, value) => {
      const encoded = encodeURIComponent(value.toWellFormed());
      const query = `limit=${encoded}&nextId=${encoded}&search=${encoded}&action=${encoded}`;
      const path = `${fillPath(route.url, part.toWellFormed() || "x")}?${query}&${brief}`;
      assertRefused(await call(route, {}, path), `${route.method} ${path}`);
    }),
  );
});

test("an id in any spelling is never a 5xx", async () => {
  for (const spelling of [`urn:uuid:${someId}`, `{${someId}}`, someId.replaceAll("-", "")]) {
    for (const route of routes.filter(({ method }) => method === "GET")) {
      const query = `nextId=${encodeURIComponent(spelling)}&${brief}`;
      const path = `${fillPath(route.url, spelling)}?${query}`;
      assertRefused(await call(route, {}, path), `${route.method} ${path}`);
    }
  }
});

test("filter names are restricted to a list", async () => {
  for (const query of ["role=king", "type=robot", "status=GONE", "limit=-1", "nextId=1"]) {
    const answer = await app.call("GET", `/v1/accounts/me/members?${query}`);
    assert.equal(answer.status, 400, query);
  }
});

test("odd authorization headers are 401", async () => {
  const odd = [
    "Bearer",
    "Bearer ",
    "bearer\tx",
    `Bearer ${"x".repeat(8_000)}`,
    "Token abc",
    "Bearer a b",
  ];
  for (const authorization of odd) {
    const answer = await app.call("GET", "/v1/runtimes", { key: null, headers: { authorization } });
    assert.equal(answer.status, 401, authorization);
  }
});

test("a forged Host does not affect a response", async () => {
  const headers = { host: "evil.example", "x-forwarded-host": "evil.example" };
  for (const path of ["/v1/accounts/me", "/openapi.json", "/docs/api", "/nowhere"]) {
    const answer = await app.call("GET", path, { headers });
    assert.equal(answer.text.includes("evil.example"), false, path);
    assert.equal(JSON.stringify([...answer.headers]).includes("evil.example"), false, path);
  }
});
