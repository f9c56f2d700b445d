import assert from "node:assert/strict";
import { test } from "node:test";
import { listSnippets } from "./snippets.ts";

test("a snippet links to the page and escapes its name", () => {
  const hostile = listSnippets('A]("x"<b>&', "https://status.example.com/");
  assert.equal(
    hostile.badgeMarkdown,
    '[![A\\]("x"<b>&](https://status.example.com/badge.svg)](https://status.example.com/)',
  );
  assert.ok(hostile.badgeHtml.includes('alt="A](&quot;x&quot;&lt;b>&amp;"'));
  assert.match(hostile.bannerHtml, /^<iframe src="https:\/\/status\.example\.com\/banner" /);
});
