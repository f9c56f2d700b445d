import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Order } from "../../../contract/order.ts";
import type { Outcome } from "../../../contract/result.ts";
import type { Prober } from "../prober.ts";
import type { KindTexts } from "../secrets.ts";
import {
  createHider,
  fillAlike,
  fillVariables,
  hasVariables,
  maxFilledLength,
  runFilled,
} from "./variables.ts";

interface Spoken {
  readonly kind: "said";
  readonly text: string;
}

const texts: KindTexts<Spoken, Spoken> = {
  mapRequest: (request, change) => ({ ...request, text: change(request.text) }),
  mapMeasurement: (measurement, change) => ({ ...measurement, text: change(measurement.text) }),
};

function makeProber(run: (order: Order) => Promise<Outcome>): Prober {
  return {
    run,
    texts,
    isFlawless: () => true,
    canRun: () => true,
    listLimitations: () => [],
    close: async () => {},
  };
}

function makeOrder(text: string, values: Readonly<Record<string, string>>): Order {
  return {
    runId: "run",
    checkId: "check",
    kind: "ONE",
    location: "home",
    attempt: 1,
    dueAtMs: 0,
    startAtMs: 0,
    deadlineAtMs: 1,
    request: { kind: "said", text },
    variables: Object.entries(values).map(([name, value]) => ({
      name,
      value,
      isHidden: name.startsWith("SECRET"),
    })),
  };
}

const echo = makeProber(async ({ request }) => ({ kind: "measured", measurement: request }));

test("a request is filled in, and only hidden values are masked in the outcome", async () => {
  const order = makeOrder("{{OPEN}} {{SECRET}} {{OTHER}}", { OPEN: "hello", SECRET: "said" });
  const outcome = await runFilled(echo, order);
  const measurement = { kind: "said", text: "hello **** {{OTHER}}" };
  assert.deepEqual(outcome, { kind: "measured", measurement });
  assert.deepEqual(order.request, { kind: "said", text: "{{OPEN}} {{SECRET}} {{OTHER}}" });
});

test("an order without variables is passed on unchanged", async () => {
  const { variables: _none, ...order } = makeOrder("{{A}}", {});
  const seen: Order[] = [];
  const prober = makeProber(async (one) => {
    seen.push(one);
    return { kind: "too-late", message: "late" };
  });
  await runFilled(prober, order);
  assert.equal(seen[0], order);
});

test("failures contain no hidden value in any field", async () => {
  const order = makeOrder("{{SECRET}}", { SECRET: "failed-host" });
  const trouble = {
    kind: "failed",
    code: "ENOTFOUND",
    message: "failed-host is unknown",
    hops: [{ url: "http://failed-host/", status: 301 }],
    dnsMs: 3,
    resolvedIp: null,
  };
  const outcome = await runFilled(
    makeProber(async () => ({ kind: "unreachable", trouble })),
    order,
  );
  assert.deepEqual(outcome, {
    kind: "unreachable",
    trouble: {
      ...trouble,
      message: "******** is unknown",
      hops: [{ url: "http://********/", status: 301 }],
    },
  });
  const message = "no route to failed-host";
  const lost = await runFilled(
    makeProber(async () => ({ kind: "cannot-check", message })),
    order,
  );
  assert.deepEqual(lost, { kind: "cannot-check", message: "no route to ********" });
});

test("an exception of a prober does not log a hidden value", async () => {
  const order = makeOrder("{{SECRET}}", { SECRET: "hush-hush" });
  const prober = makeProber(async ({ request }) => {
    throw Object.assign(new TypeError("hush-hush is no URL"), { request });
  });
  await assert.rejects(runFilled(prober, order), (error: Error) => {
    assert.equal(error.message, "TypeError: ******** is no URL");
    assert.doesNotMatch(JSON.stringify(error) + error.stack, /hush/);
    return true;
  });
});

test("a request that becomes too long is not built and not sent", async () => {
  const value = "v".repeat(10_000);
  const fits = makeOrder("{{V}}".repeat(maxFilledLength / value.length), { V: value });
  const outcome = await runFilled(echo, fits);
  assert.equal(outcome.kind, "measured");
  const tooLong = makeOrder("{{V}}".repeat(maxFilledLength), { V: value });
  assert.deepEqual(await runFilled(echo, tooLong), {
    kind: "cannot-check",
    message: "The request is too long once its variables are filled in.",
  });
});

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

const values = new Map([
  ["HOST", "example.com"],
  ["_x1", "$& $1 {{HOST}}"],
  ["EMPTY", ""],
]);
const fill = (text: string) => fillVariables(text, (name) => values.get(name));

test("names are filled in, with two or three braces, with spaces or without", () => {
  assert.equal(
    fill("https://{{HOST}}/{{ HOST }}/{{{HOST}}}"),
    "https://example.com/example.com/example.com",
  );
  assert.equal(fill("a{{EMPTY}}b"), "ab");
});

test("a value is inserted literally, without further substitution", () => {
  assert.equal(fill("{{_x1}}"), "$& $1 {{HOST}}");
});

test("unknown names stay unchanged", () => {
  for (const text of [
    "{{OTHER}}",
    "{{host}}",
    "{HOST}",
    "{{HO ST}}",
    "{{}}",
    "{{1}}",
    "{{#if x}}",
  ]) {
    assert.equal(fill(text), text);
  }
  assert.equal(fill("{{{{HOST}}}}"), "{example.com}");
  assert.equal(fill('{"a":{"b":"{{HOST}}"}}'), '{"a":{"b":"example.com"}}');
});

test("a text has variables if it contains a name", () => {
  assert.equal(hasVariables("a {{ B }}"), true);
  assert.equal(hasVariables("a {{ }} b {{1}}"), false);
  assert.equal(fillAlike("{{A}}.{{B}}", "x"), "x.x");
});

test("a text without names is unchanged", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("{", "}", " ", "1", "-", "é") }), (text) => {
      assert.equal(fill(text), text);
    }),
  );
});

test("many braces and spaces are cheap to parse", () => {
  const hostile = `${"{{".repeat(50_000)}${" ".repeat(100_000)}${"{{a".repeat(50_000)}`;
  assert.equal(fill(hostile), hostile);
});
