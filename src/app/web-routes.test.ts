import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../test/support/apps/app.ts";
import { shareTestApp } from "../../test/support/apps/shared-app.ts";
import { prepareWeb } from "../../web/build.ts";
import { chooseEncoding, loadWebFiles } from "./web-routes.ts";

let app: TestApp;
before(async () => {
  await prepareWeb(() => {});
  app = await shareTestApp();
});
after(() => app.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${app.url}${path}`, { headers });

test("every screen is the same document, uncached and with a strict content security policy", async () => {
  for (const path of ["/", "/checks", "/checks/1/edit", "/settings/api-keys", "/sign-in"]) {
    const answer = await get(path);
    assert.equal(answer.status, 200, path);
    assert.match(await answer.text(), /<div id="app">/);
    assert.equal(answer.headers.get("cache-control"), "no-cache");
    const policy = answer.headers.get("content-security-policy") ?? "";
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(policy, /unsafe|https?:/);
  }
});

test("on HTTPS, browsers stay on it and isolate the application from other windows", async () => {
  const names = ["strict-transport-security", "cross-origin-opener-policy"];
  const plain = await get("/");
  assert.deepEqual(
    names.map((name) => plain.headers.get(name)),
    [null, null],
  );
  const secure = await startTestApp({ PUBLIC_URL: "https://status.example.com" });
  try {
    const { headers } = await fetch(`${secure.url}/`);
    assert.deepEqual(
      names.map((name) => headers.get(name)),
      ["max-age=31536000", "same-origin"],
    );
  } finally {
    await secure.stop();
  }
});

test("the document loads no inline script or style, and nothing from another host", async () => {
  const text = await (await get("/")).text();
  assert.doesNotMatch(text, /<style|<script>|<script type="module">|style="|https?:/);
});

test("files with a hash in their name are immutable and compressed", async () => {
  const [script = ""] = /\/assets\/[\w.-]+\.js/.exec(await (await get("/")).text()) ?? [];
  const plain = await get(script, { "accept-encoding": "identity" });
  assert.equal(plain.headers.get("cache-control"), "public, max-age=31536000, immutable");
  assert.equal(plain.headers.get("content-type"), "text/javascript; charset=utf-8");
  assert.equal(plain.headers.get("content-encoding"), null);
  const body = await plain.text();
  for (const [accepted, encoding] of [
    ["gzip, br", "br"],
    ["gzip", "gzip"],
  ] as const) {
    const smaller = await get(script, { "accept-encoding": accepted });
    assert.equal(smaller.headers.get("content-encoding"), encoding);
    assert.ok(Number(smaller.headers.get("content-length")) < body.length / 2);
    assert.equal(await smaller.text(), body);
  }
});

test("a cached file is not sent again", async () => {
  const first = await get("/");
  const tag = first.headers.get("etag") ?? "";
  assert.equal((await get("/", { "if-none-match": tag })).status, 304);
});

test("an unknown file is 404, whatever its path", async () => {
  for (const path of ["/assets/none.js", "/assets/..%2f..%2fpackage.json", "/nowhere"]) {
    assert.equal((await get(path)).status, 404, path);
  }
});

test("the encoding is chosen by the client's weights", () => {
  assert.equal(chooseEncoding(undefined), null);
  assert.equal(chooseEncoding("identity"), null);
  assert.equal(chooseEncoding("br;q=0, gzip;q=0.5"), "gzip");
  assert.equal(chooseEncoding("GZIP, BR"), "br");
});

test("only files meant for browsers are served", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vedette-web-"));
  try {
    await mkdir(join(folder, "assets"));
    for (const name of ["index.html", "assets/a.js", "built-from.txt", "assets/a.js.map"]) {
      await writeFile(join(folder, name), name);
    }
    assert.deepEqual([...loadWebFiles(folder).keys()].sort(), ["/assets/a.js", "/index.html"]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
