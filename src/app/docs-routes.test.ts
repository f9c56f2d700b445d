import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import type { TestApp } from "../../test/support/apps/app.ts";
import { shareTestApp } from "../../test/support/apps/shared-app.ts";
import { projectFolder } from "../../test/support/project/source-files.ts";
import { findStem, searchSections, slugOf } from "../pages/docs/guide.ts";
import { docsOutline } from "../pages/docs/page.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const read = async (path: string) => {
  const answer = await fetch(`${app.url}${path}`);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};
const listed = docsOutline.flatMap(({ guides }) => guides);
const listFiles = (pattern: string) =>
  globSync(pattern, { cwd: join(projectFolder, "docs") }).map((file) => basename(file, ".md"));
const notes = listFiles("decisions/*.md").map((name) => `/docs/decisions/${name}`);

test("every guide is in the outline, once", () => {
  assert.deepEqual(listed.toSorted(), listFiles("*.md").toSorted());
});

test("the title of every guide and decision note matches its file", async () => {
  for (const path of [...listed.map((name) => `/docs/${name}`), ...notes]) {
    const { status, text } = await read(path);
    assert.equal(status, 200, path);
    const [, title = ""] = /<h1[^>]*>([^<]+)<\/h1>/.exec(text) ?? [];
    assert.equal(slugOf(title), basename(path));
  }
});

test("every guide is a page, and its links and anchors resolve", async () => {
  const pages = new Map<string, string>();
  for (const path of ["/docs", "/docs/api", ...listed.map((name) => `/docs/${name}`), ...notes]) {
    const { status, text, headers } = await read(path);
    assert.equal(status, 200, path);
    assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none';/);
    assert.doesNotMatch(text, /<style|<script>|style="/, path);
    pages.set(path, text);
  }
  for (const [path, text] of pages) {
    for (const [, href = ""] of text.matchAll(/<a [^>]*?href="([^"]*)"/g)) {
      if (/^https?:/.test(href) || href === "/" || href === "/openapi.json") continue;
      if (href.startsWith("/docs/api/")) continue;
      const [to = "", anchor] = href.startsWith("#") ? [path, href.slice(1)] : href.split("#");
      const target = pages.get(to);
      assert.ok(target, `${path} leads to ${href}`);
      if (anchor) assert.ok(target.includes(`id="${anchor}"`), `${path} leads to ${href}`);
    }
  }
});

test("the list of decisions links to every note", async () => {
  const { text } = await read("/docs/decisions");
  const linked = [...text.matchAll(/href="(\/docs\/decisions\/[^"]+)"/g)].map(([, href]) => href);
  assert.deepEqual(linked.toSorted(), notes.toSorted());
});

test("a search finds guides and operations, and escapes the query", async () => {
  const found = await read("/docs?search=WEBHOOK%20signature");
  assert.match(found.text, /<a href="\/docs\/alerts#webhooks">/);
  const operation = await read("/docs?search=createIcmpCheck");
  assert.match(operation.text, /<a href="\/docs\/api\/createIcmpCheck">/);
  const hostile = await read(`/docs?search=${encodeURIComponent('"><script>alert(1)</script>')}`);
  assert.equal(hostile.text.includes("<script>"), false);
  assert.equal((await read(`/docs?search=${"a".repeat(201)}`)).status, 400);
});

test("an unknown guide is not found", async () => {
  for (const path of [
    "/docs/nothing",
    "/docs/..%2fREADME",
    "/docs/decisions/9999-nothing",
    "/docs/decisions/..%2fchecks",
    "/docs/a/b",
  ]) {
    assert.equal((await read(path)).status, 404, path);
  }
});

test("an unknown path is a page for a browser and JSON for a program", async () => {
  const accept = "text/html,application/xhtml+xml,*/*;q=0.8";
  for (const path of ["/nowhere", "/docs/nope", "/docs/api/nope", "/docs/pictures/nope.png"]) {
    const page = await fetch(`${app.url}${path}`, { headers: { accept } });
    assert.equal(page.status, 404, path);
    assert.match(await page.text(), /<h1>Page not found<\/h1>/, path);
    const answer = await fetch(`${app.url}${path}`);
    assert.equal(answer.status, 404, path);
    assert.deepEqual(await answer.json(), {
      statusCode: 404,
      error: "Not Found",
      message: "Not Found",
    });
  }
  const api = await fetch(`${app.url}/v1/nowhere`, { headers: { accept } });
  assert.match(api.headers.get("content-type") ?? "", /^application\/json/);
});

test("each page of the reference is compressed and has one operation", async () => {
  for (const encoding of ["br", "gzip"]) {
    const answer = await fetch(`${app.url}/docs/api/createVariable`, {
      headers: { "accept-encoding": encoding },
    });
    assert.equal(answer.headers.get("content-encoding"), encoding);
    const text = await answer.text();
    assert.match(text, /id="createVariable"/);
    assert.equal(text.match(/class="operation"/g)?.length, 1);
  }
  const plain = await fetch(`${app.url}/docs/api`, { headers: { "accept-encoding": "identity" } });
  assert.equal(plain.headers.get("content-encoding"), null);
});

test("the contents describe each guide in a sentence without code", async () => {
  const { text } = await read("/docs");
  const blurbs = [...text.matchAll(/<li><a href="\/docs\/[\w-]+">[^<]+<\/a> <span>([^<]*)</g)];
  assert.equal(blurbs.length, listed.length);
  for (const [, blurb = ""] of blurbs) {
    assert.match(blurb, /^[A-Z].{10,}/, blurb);
    assert.doesNotMatch(blurb, /curl|Authorization|\$VEDETTE/);
  }
});

test("an image of a guide is served", async () => {
  const { text } = await read("/docs/getting-started");
  const [, source = ""] = /<img src="([^"]+)"/.exec(text) ?? [];
  const picture = await fetch(`${app.url}${source}`);
  assert.equal(picture.headers.get("content-type"), "image/png");
});

test("a question in plain English finds its section", async () => {
  const find = async (search: string) => {
    const { text } = await read(`/docs?search=${encodeURIComponent(search)}`);
    assert.match(text, /<h1>\d+ results? for/);
    return [...text.matchAll(/<li><a href="([^"]+)">[^<]*<\/a>(?: <span class="of">|<p>)/g)]
      .slice(0, 8)
      .map(([, href]) => href);
  };
  const escalation = await find("how do I escalate an alert?");
  assert.equal(escalation[0], "/docs/alerts#escalate-an-alert");
  const reset = await find("reset my password");
  assert.ok(reset.includes("/docs/sign-in#reset-a-forgotten-password"));
});

test("a search finds sections with any of its words, best matches first", () => {
  const sections = ["one two", "two Three (four)", "", "fünf 6"].map((text, place) => ({
    address: `/docs/${place}`,
    page: "Page",
    title: `Title ${place}`,
    text,
  }));
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.constantFrom("two", "thr fo", "TWO title", "(", "\\p", "6 fünf")),
      (query) => {
        const words = (query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).map(findStem);
        for (const { page, title, text } of searchSections(sections, query)) {
          const whole = `${page} ${title} ${text}`.toLowerCase();
          assert.ok(
            words.some((word) => whole.includes(word)),
            query,
          );
        }
      },
    ),
  );
  const find = (query: string) => searchSections(sections, query).map(({ address }) => address);
  assert.deepEqual(find("two three"), ["/docs/1", "/docs/0"]);
  assert.deepEqual(find("absent"), []);
});

test("words with the same stem match", () => {
  for (const [one, other] of [
    ["escalate", "escalation"],
    ["alerts", "alerting"],
    ["notify", "notifies"],
    ["reset", "resets"],
  ] as const) {
    assert.equal(findStem(one), findStem(other));
  }
});
