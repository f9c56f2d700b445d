import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createHider } from "./hidden-values.ts";

const secret = "p&ss <\"word's/é> 100%+";
const hide = createHider([secret]);

/** Encodings in which a server may return a value that it was sent. */
const writings: Readonly<Record<string, (value: string) => string>> = {
  "as it is": (value) => value,
  "in a URL": (value) => encodeURIComponent(value),
  "in a URL, in lower case": (value) =>
    encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
  "as a form": (value) => new URLSearchParams({ a: value }).toString(),
  "in a path": (value) => new URL(`http://a/${encodeURIComponent(value)}`).href,
  "as JSON": (value) => JSON.stringify({ value }),
  "as JSON in JSON": (value) => JSON.stringify({ inner: JSON.stringify({ value }) }),
  "as JSON in ASCII": (value) =>
    JSON.stringify(value).replace(
      /[^ -~]/g,
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  "as HTML": (value) =>
    value
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;"),
  "in base64": (value) => Buffer.from(value).toString("base64"),
  "as basic authentication": (value) => Buffer.from(`user:${value}`).toString("base64"),
  "as basic authentication of another": (value) => Buffer.from(`me:${value}`).toString("base64"),
  "as basic authentication with more": (value) => Buffer.from(`a:${value}--`).toString("base64"),
  "in base64 for URLs": (value) => Buffer.from(value).toString("base64url"),
  "in hexadecimal": (value) => Buffer.from(value).toString("hex"),
};

/** Decodes every encoding of a value, even if other text was hidden randomly. */
const readings: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => tryTo(() => decodeURIComponent(text.replaceAll("+", " ")), text),
  (text) => Buffer.from(text, "base64").toString(),
  (text) => Buffer.from(text, "hex").toString(),
  (text) => tryTo(() => JSON.stringify(JSON.parse(text)), text),
];

function tryTo(read: () => string, otherwise: string): string {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

for (const [name, write] of Object.entries(writings)) {
  test(`a value that is returned ${name} is hidden`, () => {
    const text = write(secret);
    const hidden = hide(`before ${text} after`);
    assert.doesNotMatch(hidden, /word|d29yZ|776f7264/);
    assert.match(hidden, /^before .*\*.* after$/s);
    assert.ok(hidden.length <= text.length + 13);
  });
}

test("no decoding of a text reveals a hidden value", () => {
  const value = fc.string({ minLength: 6, maxLength: 40, unit: "grapheme" });
  const way = fc.constantFrom(...Object.values(writings));
  fc.assert(
    fc.property(value, way, (one, write) => {
      fc.pre(!/^\*+$/.test(one));
      const hidden = createHider([one])(write(one));
      for (const read of readings) assert.ok(!read(hidden).includes(one), hidden);
    }),
  );
});

test("a value that is a host hides the host in every spelling of a URL", () => {
  const shown: Readonly<Record<string, readonly string[]>> = {
    "API.internal.example": ["api.internal.example", "https://api.internal.example:8443/x"],
    "api.internal.example:8443": ["api.internal.example", "CN=api.internal.example"],
    "https://api.internal.example/base": ["api.internal.example"],
    "[2001:DB8:0::7]:443": ["2001:db8::7"],
    "büro.example": ["xn--bro-hoa.example"],
  };
  for (const [value, texts] of Object.entries(shown)) {
    for (const text of texts) {
      assert.doesNotMatch(createHider([value])(text), /internal|2001|xn--/, `${value} in ${text}`);
    }
  }
  assert.equal(createHider(["a/b?c"])("a"), "a");
});

test("a hidden text is never longer, in characters and in bytes", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.string(), (values, text) => {
      const whole = `${text}${values.join(text)}`;
      const hidden = createHider(values)(whole);
      assert.ok(hidden.length <= whole.length);
      assert.ok(Buffer.byteLength(hidden) <= Buffer.byteLength(whole));
    }),
  );
});

test("a value that is part of another is hidden with it", () => {
  const hideBoth = createHider(["secret", "my secret word"]);
  assert.equal(hideBoth("my secret word, secret"), "********, ******");
});

test("a text that is truncated within a value reveals nothing of it", () => {
  const cut = createHider(["correct horse battery"]);
  assert.equal(cut("you sent correct horse ba"), "you sent ********");
  assert.equal(cut("you sent correc"), "you sent ******");
  assert.equal(cut("a correct answer"), "a correct answer", "it does not end there");
});

test("an empty value hides nothing, and a short one is hidden only literally", () => {
  assert.equal(createHider([""])("abc"), "abc");
  assert.equal(createHider(["b"])("abc Yg=="), "a*c Yg==");
});
