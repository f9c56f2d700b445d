import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../test/support/properties.ts";
import { measureCpuMs } from "../../test/support/time/cpu-time.ts";
import { renderMarkdown, renderMarkdownAsText } from "./markdown.ts";

const hostile = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg/onload=alert(1)>",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](java\nscript:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](\\x01javascript:alert(1))",
  "[x](vbscript:x)",
  "[x](data:text/html;base64,PHNjcmlwdD4=)",
  "[x](data:image/png;base64,AAAA)",
  "[x](file:///etc/passwd)",
  "[x](//evil.example)",
  "[x](/relative)",
  "<javascript:alert(1)>",
  "<data:text/html,x>",
  "[r]: javascript:alert(1)\n\n[r]",
  "![tracker](https://evil.example/pixel.png)",
  "![a](data:image/svg+xml;base64,AAAA)",
  '[x](https://example.com "onmouseover=alert(1) x=")',
  '[x](https://example.com/"onmouseover="alert(1))',
  "```html\n</code></pre><script>alert(1)</script>\n```",
  '```x" onclick="alert(1)\ncode\n```',
  "<style>*{display:none}</style>",
  "<!-- --><b>bold</b>",
];

/** Every allowed element, with its allowed attributes. */
const allowedTag =
  /^<\/?(?:p|br|h[4-6]|ul|ol|li|blockquote|pre|code|strong|em|s|hr|a)(?: (?:href="(?:https?:\/\/|mailto:)[^"<>]*"|rel="nofollow noopener noreferrer"|title="[^"<>]*"|class="language-[^"<>]*"|start="\d+"))*>$/i;

function assertHarmless(source: string): void {
  const { text } = renderMarkdown(source);
  for (const [tag] of text.matchAll(/<[^>]*>?/g)) assert.match(tag, allowedTag, text);
}

describe("markdown", () => {
  for (const source of hostile) {
    test(`runs no script and loads nothing: ${JSON.stringify(source)}`, () =>
      assertHarmless(source));
  }

  test("no text yields markup that is not allowed", () => {
    const pieces = fc.constantFrom(...hostile, "[", "](", ")", "<", ">", "`", "\n", "*", "&", '"');
    const text = fc.array(fc.oneof(pieces, fc.string({ unit: anyCharacter, maxLength: 5 })));
    fc.assert(fc.property(text, (parts) => assertHarmless(parts.join(""))));
  });

  test("an empty link has no target", () => {
    const nowhere = '<a rel="nofollow noopener noreferrer">';
    assert.equal(renderMarkdown("[](\n) [a]()").text, `<p>${nowhere}</a> ${nowhere}a</a></p>`);
  });

  test("links have rel=nofollow, and only http, https and mailto are links", () => {
    assert.equal(
      renderMarkdown("[a](https://example.com/?a=1&b=2) http://b.example mailto:c@d.example").text,
      '<p><a href="https://example.com/?a=1&amp;b=2" rel="nofollow noopener noreferrer">a</a> ' +
        '<a href="http://b.example" rel="nofollow noopener noreferrer">http://b.example</a> ' +
        '<a href="mailto:c@d.example" rel="nofollow noopener noreferrer">mailto:c@d.example</a></p>',
    );
    assert.equal(
      renderMarkdown("ftp://a.example //b.example c.example").text.includes("<a"),
      false,
    );
  });

  test("headings start below those of the page", () => {
    assert.equal(
      renderMarkdown("# one\n## two\n### three\n#### four").text.replaceAll(/<\/h\d>|\n/g, ""),
      "<h4>one<h5>two<h6>three<h6>four",
    );
  });

  test("long or deeply nested text is truncated at low cost", () => {
    const bombs = ["[", "> ", "- ", "*a_", "`", "[a](", "![", "<", "&#", "[a]: <x\n", "    - x\n"];
    for (const piece of bombs) {
      const source = piece.repeat(50_000);
      assert.ok(measureCpuMs(() => renderMarkdown(source)) < 2_000, piece);
      const { text } = renderMarkdown(source);
      assert.ok(text.length < 400_000, piece);
      assert.ok(renderMarkdownAsText(source).length < 100_000, piece);
    }
    const nested = renderMarkdown("> ".repeat(500)).text;
    assert.ok([...nested.matchAll(/<blockquote>/g)].length < 30);
  });

  test("truncation keeps characters complete", () => {
    const source = "😀".repeat(20_000);
    assert.ok(renderMarkdown(source).text.isWellFormed());
    assert.ok(renderMarkdownAsText(`a${source}`).isWellFormed());
  });

  test("lists and links are readable as plain text", () => {
    const source =
      "# Hello\n\nSee [the page](https://example.com/a).\n\n1. one\n2. two\n\n- three\n\n```\ncode\n```";
    assert.equal(
      renderMarkdownAsText(source),
      "Hello\n\nSee the page (https://example.com/a).\n\n1. one\n2. two\n\n- three\n\ncode",
    );
    assert.equal(renderMarkdownAsText("https://example.com"), "https://example.com");
    assert.equal(renderMarkdownAsText("a  \nb **c** `d`"), "a\nb c d");
  });
});
