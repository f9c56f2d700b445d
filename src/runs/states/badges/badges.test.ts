import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../../test/support/apps/app.ts";
import { needsPings } from "../../../../test/support/programs/pings.ts";
import { badgeStyles, badgeThemes } from "../../../pages/badge.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp();
});
after(() => app.stop());

async function newCheck(name: string, input: Readonly<Record<string, unknown>> = {}) {
  const request = { hostname: "127.0.0.1", pingCount: 1 };
  const body = { name, activated: false, request, ...input };
  return (await app.call("POST", "/v1/checks/icmp", { body })).body.id as string;
}

async function run(checkId: string): Promise<void> {
  app.clock.advance(1_000);
  const body = { target: { checkId: [checkId] } };
  const { body: answer } = await app.call("POST", "/v2/check-sessions/trigger", { body });
  await app.call("GET", `/v2/check-sessions/${answer.sessions[0].checkSessionId}/completion`);
}

const readBadge = (checkId: string, query = "") =>
  app.call("GET", `/v1/badges/checks/${checkId}?${query}`, { key: null });

const entity = "&(?:amp|lt|gt|quot|#39);";
const attribute = ` [a-zA-Z:-]+="(?:[^<&"]|${entity})*"`;
const token = new RegExp(
  `<([a-zA-Z]+)((?:${attribute})*)(/?)>|</([a-zA-Z]+)>|((?:[^<&]|${entity})+)`,
  "y",
);
/** Characters that XML 1.0 forbids, even escaped. */
const forbidden = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/** Parses the markup of a badge strictly and returns its text. */
function readSvg(svg: string): string[] {
  assert.doesNotMatch(svg, forbidden);
  const open: string[] = [];
  const texts: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < svg.length) {
    const from = token.lastIndex;
    const match = token.exec(svg);
    assert.ok(match !== null, `not well-formed from here: ${svg.slice(from)}`);
    const [, tag, attributes = "", isEmpty, end, text] = match;
    const names = [...attributes.matchAll(/ ([a-zA-Z:-]+)=/g)].map(([, name]) => name);
    assert.equal(new Set(names).size, names.length, "no attribute twice");
    if (tag !== undefined && isEmpty === "") open.push(tag);
    if (end !== undefined) assert.equal(open.pop(), end);
    if (text !== undefined) texts.push(text);
    assert.ok(open.length > 0 || token.lastIndex === svg.length, "one root");
  }
  assert.deepEqual(open, []);
  assert.ok(svg.startsWith("<svg "));
  return texts;
}

test("a badge of every style and theme is a well-formed image of the status", {
  skip: needsPings,
}, async () => {
  const checkId = await newCheck("Loopback");
  await run(checkId);
  const pictures = new Set<string>();
  for (const style of badgeStyles) {
    for (const theme of badgeThemes) {
      const { status, headers, text } = await readBadge(checkId, `style=${style}&theme=${theme}`);
      assert.equal(status, 200);
      assert.equal(headers.get("content-type"), "image/svg+xml; charset=utf-8");
      assert.equal(headers.get("content-security-policy"), "default-src 'none'");
      const words = style === "for-the-badge" ? ["LOOPBACK", "PASSING"] : ["Loopback", "passing"];
      assert.deepEqual(readSvg(text).slice(-2), words);
      pictures.add(text);
    }
  }
  assert.equal(pictures.size, badgeStyles.length * badgeThemes.length);
});

test("a check that never ran has a badge without data", async () => {
  const { text } = await readBadge(await newCheck("Fresh"), "responseTime=true");
  assert.deepEqual(readSvg(text), ["Fresh: no data", "Fresh", "no data"]);
});

test("the response time is shown if requested and available", {
  skip: needsPings,
}, async () => {
  const checkId = await newCheck("Timed", { maxPacketLossThreshold: 0 });
  await run(checkId);
  assert.equal(readSvg((await readBadge(checkId)).text).at(-1), "failing");
  const [value = ""] = readSvg((await readBadge(checkId, "responseTime=true")).text).slice(-1);
  assert.match(value, /^failing [\d.]+ (?:ms|µs)$/);
});

test("a hostile name stays text", async () => {
  for (const [name, shown] of [
    ["<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"],
    [`"><a xlink:href='x'>`, "&quot;&gt;&lt;a xlink:href=&#39;x&#39;&gt;"],
    ["]]>&amp;&#0;", "]]&gt;&amp;amp;&amp;#0;"],
    ["\u202eevil\u200b ☃ \u{1f600}", "\u202eevil\u200b ☃ \u{1f600}"],
    ["tab\tand\u0001control\u001b\ufffe", "tab\tand\ufffdcontrol\ufffd\ufffd"],
  ] as const) {
    for (const style of badgeStyles) {
      const { status, text } = await readBadge(await newCheck(name), `style=${style}`);
      assert.equal(status, 200);
      const texts = readSvg(text);
      assert.equal(texts.length, 3, text);
      if (style === "flat") assert.equal(texts[1], shown);
    }
  }
});

test("a long name is truncated", async () => {
  const { text } = await readBadge(await newCheck("\u{1f600}".repeat(120)));
  assert.equal(readSvg(text)[1], `${"\u{1f600}".repeat(29)}…`);
});

test("an unknown check is not found, and an unknown style is rejected", async () => {
  const checkId = await newCheck("Asked");
  assert.equal((await readBadge(randomUUID())).status, 404);
  for (const query of ["style=round", "theme=blue", "responseTime=perhaps"]) {
    assert.equal((await readBadge(checkId, query)).status, 400, query);
  }
  assert.equal((await readBadge("x")).status, 400);
});
