import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { guides, listGuides, searchDocs } from "./guides.ts";

const docs = join(import.meta.dirname, "..", "..", "docs");

test("every guide is a page of the docs", () => {
  const missing = Object.keys(guides).filter((name) => !existsSync(join(docs, `${name}.md`)));
  assert.deepEqual(missing, []);
});

test("every guide and the API reference each have an address", () => {
  const pages = listGuides().map(({ page }) => page);
  assert.equal(new Set(pages).size, pages.length);
  assert.ok(pages.includes("/docs/api"));
});

test("the searched text is encoded in the address", () => {
  assert.equal(searchDocs("a & b?").page, "/docs?search=a%20%26%20b%3F");
});
