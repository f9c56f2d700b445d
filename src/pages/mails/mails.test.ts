import assert from "node:assert/strict";
import { test } from "node:test";
import { readSourceFiles } from "../../../test/support/project/source-files.ts";
import { listSampleMails } from "../../../test/support/modules/mails.ts";

const samples = await listSampleMails();

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " ",
};

/** What a reader of the HTML learns: the words that are shown, and where the links lead. */
function readMarkup(html: string): string {
  return html
    .slice(html.indexOf("<body"))
    .replaceAll(/<(div|span) aria-hidden="true"[^>]*>[^<]*<\/\1>/g, "")
    .replaceAll(/<a [^>]*?href="([^"]*)"[^>]*>/g, " $1 ")
    .replaceAll(/<\/?(?:b|strong|em|i|code|s|a|span)(?: [^>]*)?>/g, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] ?? "");
}

/** Punctuation differs between the parts: a list has dots here and dashes there. */
function listWords(text: string): readonly string[] {
  const words = text.split(/[\s:·()]+/).map((word) => word.replaceAll(/^[-.]+$|[.,;]+$/g, ""));
  return [...new Set(words.filter((word) => word !== ""))].toSorted();
}

test("no mail has another layout, and none goes past the one mailer", () => {
  const product = readSourceFiles("src/**/*.ts").filter(({ path }) => !path.endsWith(".test.ts"));
  const listThoseWith = (words: string) =>
    product.filter(({ text }) => text.includes(words)).map(({ path }) => path);
  // The mailer takes nothing else, which the compiler checks: the class has a private field.
  assert.deepEqual(listThoseWith("new MailText("), ["src/pages/mails/layout.ts"]);
  assert.deepEqual(listThoseWith('"nodemailer"'), ["src/platform/mail.ts"]);
});

test("text and HTML of every mail tell the same facts and have the same links", () => {
  for (const { name, mail } of samples) {
    assert.deepEqual(listWords(readMarkup(mail.html)), listWords(mail.text), name);
  }
});

test("every mail has a preview, one heading and at most one button, and asks nobody for anything", () => {
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

test("no name opens a tag, turns the direction of reading or begins a line of its own", () => {
  for (const { name, mail } of samples.filter((sample) => sample.name.endsWith("hostile"))) {
    assert.doesNotMatch(mail.html, /<script|<\/td><script|<!channel/, name);
    assert.doesNotMatch(mail.subject, /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u, name);
    if (name !== "incident-hostile") assert.doesNotMatch(mail.text, /^Bcc:|\u202e/m, name);
  }
});

test("no mail is so large that a mail program cuts it off", () => {
  for (const { name, mail } of samples) {
    assert.ok(Buffer.byteLength(mail.html) < 100_000, `${name} ${mail.html.length}`);
    assert.ok(Buffer.byteLength(mail.text) < 50_000, `${name} ${mail.text.length}`);
  }
});
