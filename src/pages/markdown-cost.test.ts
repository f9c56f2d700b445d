/** CPU cost of hostile texts, compared with an ordinary text of the same length. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createPlainText, listHostileTexts } from "../../test/support/inputs/hostile-texts.ts";
import { measureLeastCpuMs } from "../../test/support/time/cpu-time.ts";
import { renderMarkdown, renderMarkdownAsText } from "./markdown.ts";

const longest = 20_000;
const hostile = listHostileTexts(longest);
let plainMs = 0;
before(() => {
  const plain = createPlainText(longest);
  // Each text differs by a number, so that nothing is cached.
  const render = (number: number) => void renderMarkdown(`${number}${plain}`);
  measureLeastCpuMs(20, render);
  plainMs = measureLeastCpuMs(20, (number) => render(number + 100));
});

/** A few attempts are enough, unless compilation or garbage collection affected all of them. */
function assertCheap(render: (text: string) => unknown, source: string): void {
  let ms = Number.POSITIVE_INFINITY;
  for (const tries of [4, 40]) {
    if (ms < 15 * plainMs) break;
    const measured = measureLeastCpuMs(
      tries,
      (number) => void render(`${tries + number}${source}`),
    );
    ms = Math.min(ms, measured);
  }
  const what = JSON.stringify(source.slice(0, 24));
  assert.ok(ms < 15 * plainMs, `${what}: ${ms.toFixed(1)} ms, plain ${plainMs.toFixed(1)} ms`);
}

test("no text takes more than fifteen times as long as an ordinary one of its length", () => {
  for (const source of hostile) assertCheap(renderMarkdown, source);
});

test("the same applies to plain text", () => {
  for (const source of hostile) assertCheap(renderMarkdownAsText, source);
});

test("rendered texts are cached", () => {
  const source = `once: ${hostile[0]}`;
  const { text } = renderMarkdown(source);
  const again = measureLeastCpuMs(4, () => assert.equal(renderMarkdown(source).text, text));
  assert.ok(again < plainMs, `${again} ms`);
});

test("a text with too many marks is shown unrendered", () => {
  const { text } = renderMarkdown(`${"*a* <b> ".repeat(1_400)}\nend`);
  assert.ok(text.startsWith("<p>*a* &lt;b&gt; "), text.slice(0, 40));
  assert.ok(text.endsWith("<br>\nend</p>"), text.slice(-40));
  assert.match(renderMarkdownAsText(`${"*a* <b> ".repeat(1_400)}\nend`), /^\*a\* <b>.*\nend$/s);
});

test("a long and richly formatted text is still Markdown", () => {
  const part = "## Update\n\n- **Checkout** is [slow](https://example.com/a), see `GET /cart`\n\n";
  const source = part.repeat(Math.floor(longest / part.length));
  const count = [...source.matchAll(/Checkout/g)].length;
  assert.equal([...renderMarkdown(source).text.matchAll(/<strong>/g)].length, count);
});
