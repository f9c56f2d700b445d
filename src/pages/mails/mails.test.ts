import assert from "node:assert/strict";
import { test } from "node:test";
import { listSampleMails } from "../../../test/support/modules/mails.ts";
import { readSourceFiles } from "../../../test/support/project/source-files.ts";

const samples = await listSampleMails();

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " ",
};

/** Returns the visible words and the link targets of the HTML. */
function readMarkup(html: string): string {
  return html
    .slice(html.indexOf("<body"))
    .replaceAll(/<(div|span) aria-hidden="true"[^>]*>[^<]*<\/\1>/g, "")
    .replaceAll(/<a [^>]*?href="([^"]*)"[^>]*>/g, " $1 ")
    .replaceAll(/<\/?(?:b|strong|em|i|code|s|a|span)(?: [^>]*)?>/g, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] ?? "");
}

/** Punctuation differs between the parts: lists have dots in HTML and dashes in text. */
function listWords(text: string): readonly string[] {
  const words = text.split(/[\s:·()]+/).map((word) => word.replaceAll(/^[-.]+$|[.,;]+$/g, ""));
  return [...new Set(words.filter((word) => word !== ""))].toSorted();
}

test("every mail uses the common layout and the common mailer", () => {
  const product = readSourceFiles("src/**/*.ts").filter(({ path }) => !path.endsWith(".test.ts"));
  const listThoseWith = (words: string) =>
    product.filter(({ text }) => text.includes(words)).map(({ path }) => path);
  // The mailer accepts nothing else, which the compiler enforces: the class has a private field.
  assert.deepEqual(listThoseWith("new MailText("), ["src/pages/mails/layout.ts"]);
  assert.deepEqual(listThoseWith('"nodemailer"'), ["src/platform/mail.ts"]);
});

test("text and HTML of every mail contain the same facts and links", () => {
  for (const { name, mail } of samples) {
    assert.deepEqual(listWords(readMarkup(mail.html)), listWords(mail.text), name);
  }
});

test("every mail has a preview, one heading, at most one button, and no remote content", () => {
  for (const { name, mail } of samples) {
    assert.match(
      mail.html,
      /<body[^>]*>\s*<div aria-hidden="true" style="display:none[^>]*>[^<]/,
      name,
    );
    assert.equal(mail.html.match(/<h1/g)?.length, 1, name);
    assert.ok((mail.html.match(/class="button"/g)?.length ?? 0) <= 1, name);
    assert.doesNotMatch(mail.html, /<img|<link|<script|url\(|@import|src=/, name);
    assert.match(mail.html, /prefers-color-scheme:dark/, name);
  }
});

test("no name can inject a tag, a bidi mark or a line break", () => {
  for (const { name, mail } of samples.filter((sample) => sample.name.endsWith("hostile"))) {
    assert.doesNotMatch(mail.html, /<script|<\/td><script|<!channel/, name);
    assert.doesNotMatch(mail.subject, /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u, name);
    if (name !== "incident-hostile") assert.doesNotMatch(mail.text, /^Bcc:|\u202e/m, name);
  }
});

test("no mail is large enough to be truncated", () => {
  for (const { name, mail } of samples) {
    assert.ok(Buffer.byteLength(mail.html) < 100_000, `${name} ${mail.html.length}`);
    assert.ok(Buffer.byteLength(mail.text) < 50_000, `${name} ${mail.text.length}`);
  }
});
