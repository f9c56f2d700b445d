import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { measureLeastCpuMs } from "../../../test/support/time/cpu-time.ts";
import { createRawKey } from "../../access/accounts/api-keys/api-key-store.ts";
import { completeEvents, scrubDocument, scrubText } from "./model.ts";

const own = "https://vedette.example";
const scrub = (text: string) => scrubText(text, own);

const secrets: Readonly<Record<string, string>> = {
  "an API key of ours": createRawKey(),
  "a confirmation token": `vdc_${"aB3-".repeat(30)}`,
  "a key of OpenAI": "sk-proj-abcdefghijklmnopqrstuvwx",
  "a key of GitHub": "ghp_abcdefghijklmnopqrstuvwxyz0123",
  "a key of GitLab": "glpat-abcdefghijklmnopqrst",
  "a token of Slack": "xoxb-123456789012-abcdefghijkl",
  "a key of AWS": "AKIAIOSFODNN7EXAMPLE",
  "a key of Google": "AIzaSyA-abcdefghijklmnopqrstuvwxyz",
  "a JSON web token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
  "a key of Stripe": "sk_live_abcdefghijklmnopqrst",
  "a token of npm": "npm_abcdefghijklmnopqrstuvwxyz0123456789",
  "a key of SendGrid": "SG.abcdefghijklmnop.qrstuvwxyz012345",
  "a session key of AWS": "ASIAIOSFODNN7EXAMPLE",
  "an email address": "jane.doe+oncall@mail.example.com",
};

for (const [what, secret] of Object.entries(secrets)) {
  test(`${what} is removed, whatever surrounds it`, () => {
    for (const text of [
      secret,
      `see ${secret}.`,
      `"${secret}"`,
      `(${secret})`,
      `a\n${secret}\nb`,
    ]) {
      assert.equal(scrub(text).includes(secret), false, scrub(text));
    }
  });
}

const named: Readonly<Record<string, string>> = {
  "Authorization: Bearer abcdef123456": "abcdef123456",
  "authorization: Basic dXNlcjpwYXNz": "dXNlcjpwYXNz",
  "curl -H 'X-API-Key: hunter2hunter2'": "hunter2hunter2",
  "password=correct-horse": "correct-horse",
  'the "client_secret": "s3cr3t-value" of it': "s3cr3t-value",
  '{\\"token\\":\\"abcd1234efgh\\"}': "abcd1234efgh",
  'password="correct horse battery"': "battery",
  'password="correct \\"horse\\" battery"': "battery",
  '{\\"password\\":\\"correct horse battery\\"}': "battery",
  "Authorization: Token abcdef123456": "abcdef123456",
  "Cookie: sid=abcdef123456; theme=dark": "abcdef123456",
  "DB_PASSWORD=hunter2": "hunter2",
  "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG": "wJalrXUtnFEMI",
  "refresh_token=abcdefgh": "abcdefgh",
  "x-auth-token: abcdef": "abcdef",
  "passphrase: hunter22": "hunter22",
  "key=abc": "abc",
  "api key: abcdefgh": "abcdefgh",
  "postgres://bob:hunter2@db.example.com/orders": "hunter2",
  "redis://:hunter2@cache:6379": "hunter2",
  "hooks.slack.com/services/T000/B000/XXXXXXXX": "XXXXXXXX",
  "https://user:pa55word@host.example/": "pa55word",
  "https://hooks.slack.com/services/T000/B000/XXXXXXXX": "XXXXXXXX",
  "https://discord.com/api/webhooks/1234/abcd-efgh": "abcd-efgh",
  "https://gateway.example/send?key=abc123": "abc123",
  "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----": "MIIEow",
};

test("values named as secrets and paths of foreign URLs are removed", () => {
  for (const [text, secret] of Object.entries(named)) {
    assert.equal(scrub(text).includes(secret), false, scrub(text));
  }
});

test("the subject of the question stays unchanged", () => {
  const texts = [
    "Why is db-1.example.com (192.0.2.7, 2001:db8::1) failing since 2026-11-15T08:00:00.000Z?",
    "0190f3a2-7b1c-7def-8000-0123456789ab lost 20 % of its packets, P95 is 12.5 ms",
    `${own}/checks/0190f3a2-7b1c-7def-8000-0123456789ab?run=0190f3a2`,
    "https://status.example.org",
    "the token ring is down; the password page too",
    '{"key":null,"token":12,"monkey":"George"}',
    "monkey: George, turkey=1000",
  ];
  for (const text of texts) assert.equal(scrub(text), text);
});

test("the host of a foreign URL stays", () => {
  assert.equal(
    scrub("posted to https://hooks.slack.com/services/T0/B0/x."),
    "posted to https://hooks.slack.com/[path]",
  );
});

test("this product's keys are found in any document, and nested documents stay valid", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, around) => {
      const key = createRawKey();
      const inner = JSON.stringify({ value, secret: key, text: `${around}${key}` });
      const scrubbed = scrubDocument({ list: [{ content: inner }], key }, own);
      const text = JSON.stringify(scrubbed);
      assert.equal(text.includes(key), false);
      const [first] = (scrubbed as { list: { content: string }[] }).list;
      assert.doesNotThrow(() => JSON.parse(first?.content ?? ""));
    }),
  );
});

test("scrubbing a hostile text costs about as much as any text of its length", () => {
  const cost = (text: string) => measureLeastCpuMs(3, () => scrub(text));
  const length = 100_000;
  const ordinaryMs = cost("The check failed. ".repeat(length / 18));
  for (const unit of [
    "a@",
    "password:",
    "-----BEGIN PRIVATE KEY-----",
    "https://",
    "eyJ",
    "vd_",
    "a_",
    "key=",
    "a://",
    'key="\\',
  ]) {
    for (const text of [unit.repeat(length / unit.length), `${unit}${"x".repeat(length)}`]) {
      const ratio = cost(text) / ordinaryMs;
      assert.ok(ratio < 10, `${unit} cost ${ratio} times as much`);
    }
  }
});

async function pass(chunks: readonly Uint8Array[]): Promise<string> {
  const source = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  return new Response(source.pipeThrough(completeEvents())).text();
}

function cut(text: string, size: number): Uint8Array[] {
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

const line = (content: string, reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: reason }] })}\n\n`;

test("a stream with a finish reason passes unchanged, however it is split", async () => {
  const words = fc.array(fc.string({ unit: "grapheme" }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(words, fc.integer({ min: 1, max: 40 }), async (contents, size) => {
      const text = contents.map((content) => line(content)).join("") + line("", "stop");
      assert.equal(await pass(cut(text, size)), text);
    }),
  );
});

test("a stream that is cut off keeps its whole lines and gets a finish reason", async () => {
  const whole = line("Half of");
  const text = await pass(cut(`${whole}data: {"choices":[{"delta":{"unf`, 7));
  assert.ok(text.startsWith(whole));
  assert.equal(text.includes('"unf'), false, "half a line is nothing");
  const events = text.split("\n\n").filter((event) => event.trim() !== "");
  assert.match(events.at(-2) ?? "", /"finish_reason":"broken_off"/);
  assert.equal(events.at(-1), "data: [DONE]");
});

test("a finish reason in the model's text does not end the stream", async () => {
  const text = await pass(cut(line('it said {"finish_reason":"stop"}'), 11));
  assert.match(text, /broken_off/);
});
