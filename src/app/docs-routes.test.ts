import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { startTestApp, type TestApp } from "../../test/support/apps/app.ts";
import { projectFolder } from "../../test/support/project/source-files.ts";
import { searchSections } from "../pages/docs/search.ts";
import { shelf } from "../pages/docs/shelf.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const read = async (path: string) => {
  const answer = await fetch(`${app.url}${path}`);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};
const listed = shelf.flatMap(({ guides }) => guides);

test("every guide is on the shelf, once", () => {
  const files = globSync("*.md", { cwd: join(projectFolder, "docs") });
  const names = files.map((file) => basename(file, ".md"));
  assert.deepEqual(listed.toSorted(), names.toSorted());
});

test("every guide is a page, and every link and anchor on it leads somewhere", async () => {
  const pages = new Map<string, string>();
  for (const path of ["/docs", "/docs/api", ...listed.map((name) => `/docs/${name}`)]) {
    const { status, text, headers } = await read(path);
    assert.equal(status, 200, path);
    assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none';/);
    assert.doesNotMatch(text, /<style|<script>|style="/, path);
    pages.set(path, text);
  }
  for (const [path, text] of pages) {
    for (const [, href = ""] of text.matchAll(/<a [^>]*?href="([^"]*)"/g)) {
      if (/^https?:/.test(href) || href === "/" || href === "/openapi.json") continue;
      const [to = "", anchor] = href.startsWith("#") ? [path, href.slice(1)] : href.split("#");
      const target = pages.get(to);
      assert.ok(target, `${path} leads to ${href}`);
      if (anchor) assert.ok(target.includes(`id="${anchor}"`), `${path} leads to ${href}`);
    }
  }
});

test("a search finds guides and operations, and shows what was typed as text", async () => {
  const found = await read("/docs?search=WEBHOOK%20signature");
  assert.match(found.text, /<a href="\/docs\/alerts#webhooks">/);
  const operation = await read("/docs?search=createIcmpCheck");
  assert.match(operation.text, /<a href="\/docs\/api#createIcmpCheck">/);
  const hostile = await read(`/docs?search=${encodeURIComponent('"><script>alert(1)</script>')}`);
  assert.equal(hostile.text.includes("<script>"), false);
  assert.equal((await read(`/docs?search=${"a".repeat(201)}`)).status, 400);
});

test("what is no guide is not found", async () => {
  for (const path of ["/docs/nothing", "/docs/..%2fREADME", "/docs/decisions", "/docs/a/b"]) {
    assert.equal((await read(path)).status, 404, path);
  }
});

test("every word of a search is in what it finds, whatever is typed", () => {
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
        const words = query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
        for (const { page, title, text } of searchSections(sections, query)) {
          const whole = `${page} ${title} ${text}`.toLowerCase();
          for (const word of words.slice(0, 8))
            assert.ok(whole.includes(word), `${query}: ${word}`);
        }
      },
    ),
  );
  assert.deepEqual(
    searchSections(sections, "two title").map(({ address }) => address),
    ["/docs/0", "/docs/1"],
  );
});
