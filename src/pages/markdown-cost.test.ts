/** What a hostile text may cost, told by the time that an ordinary one of its length takes. */
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
  // A text that differs by a letter is another text, so nothing is remembered.
  const render = (number: number) => void renderMarkdown(`${number}${plain}`);
  measureLeastCpuMs(20, render);
  plainMs = measureLeastCpuMs(20, (number) => render(number + 100));
});

/** A few tries are enough, unless compiling and collecting garbage fell into all of them. */
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

test("no text takes more than fifteen times what an ordinary one of its length takes", () => {
  for (const source of hostile) assertCheap(renderMarkdown, source);
});

test("nor does it as plain text", () => {
  for (const source of hostile) assertCheap(renderMarkdownAsText, source);
});

test("what is rendered once is remembered", () => {
  const source = `once: ${hostile[0]}`;
  const { text } = renderMarkdown(source);
  const again = measureLeastCpuMs(4, () => assert.equal(renderMarkdown(source).text, text));
  assert.ok(again < plainMs, `${again} ms`);
});

test("a text with too many marks is shown as it was typed", () => {
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
