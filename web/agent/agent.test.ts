import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProposedAction } from "../api/agent-event.ts";
import { parseAnswer, readAddress } from "./answer-text.ts";
import {
  addEvent,
  changeCard,
  readStored,
  startTurn,
  type Turn,
  toMessages,
  writeStored,
} from "./conversation.ts";
import { findTarget, readScreen } from "./screen.ts";
import { listSuggestions, suggestions } from "./words.ts";

const id = "0190f3a2-7b1c-7def-8000-0000000000c1";

test("an answer is parsed into paragraphs, lists, quotes and code, and its source numbers become links", () => {
  const text = [
    "Yes: the service `Shop` is down. [1]",
    "- `shop-web`: **failing** [2]",
    "> We look into it.",
    "```json",
    '{"a": "[1](https://evil.example)"}',
    "```",
    "",
    "Sources: [1](https://v.example/v1/a) [2](https://v.example/v1/b)",
  ].join("\n");
  const [first, list, quote, code, ...rest] = parseAnswer(text);
  assert.deepEqual(first, {
    type: "paragraph",
    parts: [
      { type: "text", text: "Yes: the service " },
      { type: "code", text: "Shop" },
      { type: "text", text: " is down. " },
      { type: "cite", number: "1", url: "https://v.example/v1/a" },
    ],
  });
  assert.equal(list?.type === "list" && list.items[0]?.at(-1)?.type, "cite");
  assert.equal(quote?.type, "quote");
  assert.deepEqual(code, { type: "code", text: '{"a": "[1](https://evil.example)"}' });
  assert.deepEqual(rest, []);
});

test("unsafe addresses do not become links, and names do not become markup", () => {
  const addresses = ["javascript:alert(1)", "data:text/html,x", "//evil.example", "vbscript:x", ""];
  for (const address of addresses) assert.equal(readAddress(address), null, address);
  const wrong = parseAnswer("[click](javascript:alert(1)) <img src=x onerror=alert(1)> [7]");
  const parts = wrong.flatMap((block) => (block.type === "paragraph" ? block.parts : []));
  assert.ok(parts.every(({ type }) => type === "text"));
  const named = parseAnswer("`[a](https://evil.example) **b**`");
  assert.deepEqual(named, [
    { type: "paragraph", parts: [{ type: "code", text: "[a](https://evil.example) **b**" }] },
  ]);
  const forged = parseAnswer("Sources: [1](javascript:alert(1))\n[1]");
  assert.ok(JSON.stringify(forged).includes('"cite"') === false);
});

test("a long answer is truncated", () => {
  assert.ok(parseAnswer("`[**".repeat(200_000)).length <= 600);
  assert.ok(parseAnswer("- a\n".repeat(10_000)).length <= 600);
});

test("a screen names its object, and links to screens stay inside the application", () => {
  assert.deepEqual(readScreen(`/checks/${id}`), { kind: "check", id });
  assert.deepEqual(readScreen(`/checks/${id}/edit`), { kind: "check", id });
  assert.deepEqual(readScreen(`/status-pages/${id}/editor`), { kind: "page", id });
  assert.deepEqual(readScreen("/groups/12"), { kind: "group", id: "12" });
  for (const path of ["/", "/checks", "/checks/new", "/incidents/new", "/alerts/channels/new"]) {
    assert.equal(readScreen(path), null, path);
  }
  const own = ["https://v.example"];
  const at = (path: string) => findTarget(`https://v.example${path}`, own);
  assert.deepEqual(at(`/checks/${id}?run=${id}`), { href: `/checks/${id}?run=${id}`, isOwn: true });
  assert.equal(at("/alerts/channels/7").isOwn, true);
  assert.equal(at(`/v1/checks/${id}`).isOwn, false);
  const foreign = `https://evil.example/checks/${id}`;
  assert.deepEqual(findTarget(foreign, own), { href: foreign, isOwn: false });
});

const action: ProposedAction = {
  id,
  token: "vdc_secret",
  tool: "mute_check",
  title: "Mute a check",
  summary: "Mute it.",
  changes: [{ what: "Its alerts", before: "sent", after: "muted" }],
  expiresAt: "2026-11-16T10:00:00.000Z",
};

function converse(count: number): Turn[] {
  let turns: Turn[] = [];
  for (let at = 0; at < count; at += 1) turns = startTurn(turns, `${at}`, "what is failing?");
  return turns;
}

test("stored conversations contain no token, and pending actions cannot be confirmed after a reload", () => {
  const [turn] = startTurn([], "1", "mute it").map((one) =>
    addEvent(addEvent(one, { type: "action", action }), { type: "text", text: "Not done yet" }),
  );
  assert.ok(turn);
  const stored = writeStored("anna", [turn]);
  assert.equal(stored.includes("vdc_"), false);
  const [again] = readStored(stored, "anna");
  assert.equal(again?.cards[0]?.state.name, "gone");
  assert.equal(again?.state, "stopped");
  assert.deepEqual(readStored(stored, "ben"), []);
  assert.deepEqual(readStored("{", "anna"), []);
  assert.deepEqual(readStored('{"owner":"anna"}', "anna"), []);
  const done = changeCard(turn, id, { name: "done", message: "Done.", href: null });
  assert.equal(readStored(writeStored("anna", [done]), "anna")[0]?.cards[0]?.state.name, "done");
});

test("a conversation is bounded in turns, in stored size and in sent size", () => {
  const turns = converse(100);
  assert.equal(turns.length, 30);
  const long = turns.map((turn) => addEvent(turn, { type: "text", text: "x".repeat(100_000) }));
  assert.equal(long[0]?.text.length, 60_000);
  assert.ok(writeStored("anna", long).length <= 400_000);
  const messages = toMessages(long, "y".repeat(5_000));
  assert.equal(messages.length, 13);
  assert.ok(JSON.stringify(messages).length < 100_000);
});

test("suggestions match the screen, and none of them changes anything", () => {
  assert.ok(listSuggestions("check", `/checks/${id}`).includes("Why is this failing?"));
  assert.deepEqual(listSuggestions(null, "/"), suggestions.now);
  assert.deepEqual(listSuggestions(null, "/alerts/channels"), suggestions.alerts);
  const writes = /\b(?:mute|run|create|post|acknowledge|delete)\b/i;
  const all = Object.values(suggestions).flat();
  for (const question of all) assert.doesNotMatch(question.replace("acknowledged", ""), writes);
});
