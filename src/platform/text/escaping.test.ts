import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import MarkdownParser from "markdown-it";
import { anyCharacter } from "../../../test/support/properties.ts";
import { escapeHtml } from "../../pages/html.ts";
import { toOneLine } from "./clip.ts";
import { escapeJson, escapeMarkdown, escapeSlack, toMarkdownLine } from "./escaping.ts";

const texts = fc.string({ unit: anyCharacter, maxLength: 200 });

test("escaped text cannot open a tag, an attribute, a mention or a link", () => {
  fc.assert(
    fc.property(texts, (text) => {
      assert.doesNotMatch(escapeHtml(text), /[<>"']/);
      assert.doesNotMatch(escapeSlack(text), /[<>]|&(?!amp;|lt;|gt;)/);
    }),
  );
  assert.equal(
    escapeSlack("<!channel> & <https://x|y>"),
    "&lt;!channel&gt; &amp; &lt;https://x|y&gt;",
  );
  assert.equal(escapeHtml(`<a href='"'>&`), "&lt;a href=&#39;&quot;&#39;&gt;&amp;");
});

test("every Markdown character is escaped with a backslash", () => {
  assert.equal(escapeMarkdown("[a](b) **c** `d` \\"), "\\[a\\]\\(b\\) \\*\\*c\\*\\* \\`d\\` \\\\");
  fc.assert(
    fc.property(texts, (text) => {
      assert.doesNotMatch(escapeMarkdown(text).replaceAll(/\\./gs, ""), /[\\`*_~|>#[\]()<!+-]/);
    }),
  );
});

test("a Markdown line escapes only what Markdown would interpret", () => {
  const unchanged = [
    "edge_router-1 (Berlin)",
    "https://x.example/a_b/c-d?e=f&g=h",
    "80 % lost!",
    "a + b",
    "127.0.0.1:4180/shop",
  ];
  for (const text of unchanged) assert.equal(toMarkdownLine(text), text);
  assert.equal(toMarkdownLine("**a** _b_ [c](d)"), "\\*\\*a\\*\\* \\_b\\_ \\[c\\](d)");
  assert.equal(toMarkdownLine("<b>&lt;"), "\\<b>\\&lt;");
  assert.equal(toMarkdownLine("# one\n- two"), "\\# one - two");
  assert.equal(toMarkdownLine("1. one"), "1\\. one");
  const markdown = new MarkdownParser("default", { html: true });
  const marks = fc.string({ unit: fc.constantFrom(..."\\`*_~|>#[]()<!+-=&;1. ax:/\n\t") });
  fc.assert(
    fc.property(fc.oneof(texts, marks), (text) => {
      const shown = toOneLine(text).replaceAll(/\s+/gu, " ").trim();
      fc.pre(shown !== "");
      const html = markdown.render(toMarkdownLine(text)).replaceAll(/\s+/gu, " ").trim();
      assert.equal(html, `<p>${markdown.utils.escapeHtml(shown)}</p>`);
    }),
  );
});

test("any text survives JSON escaping", () => {
  fc.assert(
    fc.property(texts, (text) => {
      assert.equal(JSON.parse(`"${escapeJson(text)}"`), text.toWellFormed());
    }),
  );
});
