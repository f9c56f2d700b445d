import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { createPng, toDataUrl } from "../../../test/support/inputs/pictures.ts";
import { createStatusPage, postStatusPage } from "../../../test/support/modules/status-pages.ts";
import {
  type HttpReceiver,
  startHttpReceiver,
} from "../../../test/support/servers/http-receiver.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({
    OUTBOUND_ALLOW_PRIVATE: "true",
    PUBLIC_URL: "https://vedette.example.org",
  });
});
after(() => app.stop());

const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

async function startPictures(
  t: TestContext,
  pick: (path: string) => { readonly status?: number; readonly body: Buffer },
): Promise<HttpReceiver> {
  return startHttpReceiver(t, ({ path }, response) => {
    const { status = 200, body } = pick(path);
    // The content type is deliberately wrong: the bytes decide.
    response.writeHead(status, { "content-type": "text/html" }).end(body);
    return undefined;
  });
}

function show(url: string, role = "logo", headers: Record<string, string> = {}) {
  return app.call("GET", `/status/${url}/images/${role}`, { key: null, headers });
}

async function readState(id: string, role = "logo") {
  const { body } = await app.call("GET", `/v1/status-pages/${id}/images`);
  return body.find((image: { role: string }) => image.role === role);
}

function put(page: { id: string; name: string; url: string }, more: object) {
  const body = { name: page.name, url: page.url, cards: [], ...more };
  return app.call("PUT", `/v1/status-pages/${page.id}`, { body });
}

test("an image is fetched by the server, identified by its bytes and served with its real type", async (t) => {
  const png = createPng(3, 5);
  const receiver = await startPictures(t, () => ({ body: png }));
  const page = await createStatusPage(app, {
    logo: `${receiver.url}/logo.png`,
    logoDark: `${receiver.url}/dark.png`,
    favicon: `${receiver.url}/icon.png`,
  });
  assert.equal(page.logo, `${receiver.url}/logo.png`);
  assert.equal(page.logoDark, `${receiver.url}/dark.png`);
  for (const role of ["logo", "logo-dark", "favicon"]) {
    await waitUntil(
      "the picture is there",
      async () => (await show(page.url, role)).status === 200,
    );
  }
  const shown = await show(page.url);
  assert.equal(shown.headers.get("content-type"), "image/png");
  assert.equal(shown.headers.get("x-content-type-options"), "nosniff");
  assert.equal(
    shown.headers.get("content-security-policy"),
    "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  );
  assert.equal(receiver.requests.length, 3);
  assert.equal(receiver.requests[0]?.headers.accept, "image/*");
  assert.equal(receiver.requests[0]?.headers.cookie, undefined);
  const bytes = await fetch(`${app.url}/status/${page.url}/images/logo`);
  assert.deepEqual(Buffer.from(await bytes.arrayBuffer()), png);
  const state = await readState(page.id);
  assert.equal(state.fault, null);
  assert.equal(state.nextAttemptAt, null);
  assert.equal(shown.headers.get("etag"), `"${state.hash}"`);
});

test("a URL with a content hash is cached for a year, any other is revalidated", async () => {
  const page = await createStatusPage(app, { logo: toDataUrl(createPng()) });
  const { hash } = await readState(page.id);
  const named = await app.call("GET", `/status/${page.url}/images/logo?v=${hash}`, { key: null });
  assert.equal(named.headers.get("cache-control"), "public, max-age=31536000, immutable");
  for (const query of ["", "?v=0", `?v=${hash.slice(1)}`]) {
    const other = await app.call("GET", `/status/${page.url}/images/logo${query}`, { key: null });
    assert.equal(other.headers.get("cache-control"), "public, no-cache");
  }
  const { text } = await app.call("GET", `/status/${page.url}`, { key: null });
  const [onPage = ""] = /\/status\/[^"]+\/images\/logo[^"]*/.exec(text) ?? [];
  const shown = await app.call("GET", onPage, { key: null });
  assert.equal(shown.headers.get("cache-control"), "public, max-age=31536000, immutable");
  const tag = named.headers.get("etag") ?? "";
  const unchanged = await show(page.url, "logo", { "if-none-match": `"other", W/${tag}` });
  assert.equal(unchanged.status, 304);
  assert.equal(unchanged.text, "");
  assert.equal((await show(page.url, "logo", { "if-none-match": '"other"' })).status, 200);
});

test("an uploaded image is served immediately from this server", async () => {
  const page = await createStatusPage(app, { logo: toDataUrl(Buffer.from(svg), "image/svg+xml") });
  const { hash } = await readState(page.id);
  const address = `https://vedette.example.org/status/${page.url}/images/logo?v=${hash}`;
  assert.equal(page.logo, address);
  const shown = await show(page.url);
  assert.equal(shown.headers.get("content-type"), "image/svg+xml");
  assert.match(shown.headers.get("content-security-policy") ?? "", /sandbox$/);
  // A client sends back the URL it read; it still means the same image.
  const again = await put(page, { logo: address });
  assert.equal(again.status, 200);
  assert.equal(again.body.logo, address);
  assert.equal((await show(page.url)).text, svg);
  const moved = await put(page, { url: `${page.url}-moved` });
  assert.equal(moved.body.logo, address.replace(page.url, `${page.url}-moved`));
  assert.equal((await show(`${page.url}-moved`)).status, 200);
  assert.equal((await show(page.url)).status, 404);
  const removed = await put({ ...page, url: `${page.url}-moved` }, { logo: null });
  assert.equal(removed.body.logo, null);
  assert.equal((await show(`${page.url}-moved`)).status, 404);
});

test("an invalid image, or one that is unsafe to decode, is rejected by field", async () => {
  const faults: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
    [{ logo: toDataUrl(Buffer.from("<html></html>")) }, "logo"],
    [{ logo: toDataUrl(Buffer.from("<svg>"), "image/svg+xml") }, "logo"],
    [{ favicon: toDataUrl(createPng(5_000, 5_000)) }, "favicon"],
    [{ logoDark: toDataUrl(Buffer.alloc(200_001)) }, "logoDark"],
    [{ logo: `data:text/html;base64,${createPng().toString("base64")}` }, "logo"],
    [{ logo: "data:image/png,raw" }, "logo"],
    [{ logo: "data:image/png;base64,***" }, "logo"],
    [{ logo: "javascript:alert(1)" }, "logo"],
    [{ logo: "file:///etc/passwd" }, "logo"],
    [{ logo: "gopher://example.com/" }, "logo"],
    [{ favicon: "ftp://example.com/x.ico" }, "favicon"],
    [{ logo: "https://user:password@example.com/x.png" }, "logo"],
    [{ logo: "https://example.com:25/x.png" }, "logo"],
    [{ logo: "//example.com/x.png" }, "logo"],
    [{ logo: "/x.png" }, "logo"],
    [{ logo: "uploaded:00" }, "logo"],
    [{ logo: `https://example.com/${"x".repeat(2_048)}` }, "logo"],
    [{ logo: "https://example.com/a b" }, "logo"],
    [{ logo: "" }, "logo"],
    [{ logo: 5 }, "logo"],
  ];
  for (const [more, key] of faults) {
    const answer = await postStatusPage(app, more);
    assert.equal(answer.status, 400, JSON.stringify(more).slice(0, 100));
    assert.deepEqual(answer.body.validation.keys, [key], answer.body.message);
  }
});

test("a failed fetch is retried with increasing delays, at most five times", async (t) => {
  const receiver = await startPictures(t, () => ({ status: 503, body: Buffer.from("later") }));
  const page = await createStatusPage(app, { logo: `${receiver.url}/logo.png` });
  for (const [index, pauseMinutes] of [1, 5, 30, 120, null].entries()) {
    const next =
      pauseMinutes === null
        ? null
        : new Date(app.clock.now().getTime() + pauseMinutes * 60_000).toISOString();
    await waitUntil(`attempt ${index + 1} is recorded`, async () => {
      const { fault, nextAttemptAt } = await readState(page.id);
      return fault !== null && nextAttemptAt === next;
    });
    assert.equal(receiver.requests.length, index + 1);
    app.clock.advance((pauseMinutes ?? 0) * 60_000);
  }
  const state = await readState(page.id);
  assert.deepEqual(state, {
    role: "logo",
    hash: null,
    fault: "The server responded with status 503.",
    fetchedAt: null,
    nextAttemptAt: null,
  });
  assert.equal((await show(page.url)).status, 404);
});

test("saving the same URL fetches it again, and the old image is shown until then", async (t) => {
  const second = createPng(7, 7);
  let answer: { status?: number; body: Buffer } = { body: createPng() };
  const receiver = await startPictures(t, () => answer);
  const logo = `${receiver.url}/logo.png`;
  const page = await createStatusPage(app, { logo });
  await waitUntil("the image is fetched", async () => (await readState(page.id)).hash !== null);
  const { hash } = await readState(page.id);
  answer = { status: 500, body: Buffer.from("broken") };
  await put(page, { logo });
  await waitUntil("it failed", async () => (await readState(page.id)).fault !== null);
  assert.equal((await readState(page.id)).hash, hash);
  assert.equal((await show(page.url)).status, 200);
  answer = { body: second };
  await put(page, { logo });
  await waitUntil("the new image is fetched", async () => (await readState(page.id)).hash !== hash);
  assert.equal((await readState(page.id)).fault, null);
  await put(page, { logo: `${receiver.url}/elsewhere.png` });
  await waitUntil("another", async () => (await readState(page.id))?.fetchedAt !== null);
});

test("images that are too large, have too many pixels or are invalid record their fault", async (t) => {
  const bodies: Readonly<Record<string, Buffer>> = {
    "/large": Buffer.concat([createPng(), Buffer.alloc(512 * 1024)]),
    "/bomb": createPng(4_097, 4_097),
    "/page": Buffer.from("<html><body>Not here</body></html>"),
  };
  const receiver = await startPictures(t, (path) => ({ body: bodies[path] ?? Buffer.alloc(0) }));
  for (const [path, fault] of [
    ["/large", /exceeds the size limit/],
    ["/bomb", /larger than 4096/],
    ["/page", /not a PNG/],
  ] as const) {
    const page = await createStatusPage(app, { logo: `${receiver.url}${path}` });
    await waitUntil("the fault is recorded", async () => (await readState(page.id)).fault !== null);
    assert.match((await readState(page.id)).fault, fault);
    assert.equal((await show(page.url)).status, 404);
  }
});

test("a response that arrives after the URL changed is ignored", async (t) => {
  let release = () => {};
  const held = new Promise<void>((resume) => {
    release = resume;
  });
  const late = createPng(9, 9);
  const expected = createPng(2, 2);
  const receiver = await startHttpReceiver(t, async ({ path }, response) => {
    if (path === "/late") await held;
    response.end(path === "/late" ? late : expected);
    return undefined;
  });
  const page = await createStatusPage(app, { logo: `${receiver.url}/late` });
  await waitUntil("the first fetch has started", () => receiver.requests.length === 1);
  await put(page, { logo: `${receiver.url}/expected` });
  release();
  await waitUntil("the second image is served", async () => (await show(page.url)).status === 200);
  const shown = await fetch(`${app.url}/status/${page.url}/images/logo`);
  assert.deepEqual(Buffer.from(await shown.arrayBuffer()), expected);
});

test("images are never fetched from a private network", async (t) => {
  const careful = await startTestApp();
  t.after(() => careful.stop());
  const receiver = await startPictures(t, () => ({ body: createPng() }));
  for (const logo of [
    receiver.url,
    "http://169.254.169.254/latest/meta-data",
    "http://[fd00:ec2::254]/",
    "http://10.0.0.1/logo.png",
    "http://[::1]/logo.png",
    "http://[::ffff:127.0.0.1]/logo.png",
    "http://2130706433/logo.png",
  ]) {
    const answer = await postStatusPage(careful, { logo });
    assert.equal(answer.status, 400, logo);
    assert.match(answer.body.message, /^logo is refused: .*private/);
  }
  // A host name is rejected only after it is resolved, and then permanently.
  const page = await createStatusPage(careful, { logo: `http://localhost:${receiver.port}/logo` });
  const find = async () =>
    (await careful.call("GET", `/v1/status-pages/${page.id}/images`)).body[0];
  await waitUntil("it is rejected", async () => (await find()).fault !== null);
  assert.match((await find()).fault, /private, local or reserved/);
  assert.equal((await find()).nextAttemptAt, null);
  assert.equal(receiver.requests.length, 0);
});

test("a missing role or page has no image", async () => {
  assert.equal((await show("no-such-page")).status, 404);
  const page = await createStatusPage(app);
  assert.equal((await show(page.url)).status, 404);
  assert.equal((await show(page.url, "banner")).status, 400);
  assert.equal((await show(page.url, "..%2f..%2fetc%2fpasswd")).status, 400);
});
