import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { quoteForShell, toCreation, writeBadge, writeCurl } from "./as-code.ts";

test("a name with quotes reaches the API unchanged", () => {
  const name = `it's "$HOME" \`id\` \\ \n ok`;
  const printed = execFileSync("sh", ["-c", `printf %s ${quoteForShell(name)}`]).toString();
  assert.equal(printed, name);
});

test("read-only fields are not in the body of a new check", () => {
  const check = { id: "1", name: "Router", muted: false, groupId: null, created_at: "2026-11-16" };
  assert.deepEqual(toCreation(check), { name: "Router", muted: false });
});

test("the group and the alert channels of a check are in the body of a new check", () => {
  const alertChannelSubscriptions = [{ alertChannelId: 3, activated: true }];
  const used = { groupId: 7, alertChannelSubscriptions };
  assert.deepEqual(toCreation({ id: "1", groupOrder: 2, ...used }), used);
});

test("curl reads the key from the environment", () => {
  const text = writeCurl({ method: "POST", url: "http://127.0.0.1/v1/checks", body: { a: 1 } });
  assert.match(text, /^curl -X POST -H "Authorization: Bearer \$VEDETTE_KEY" \\\n/);
  assert.match(text, /'http:\/\/127\.0\.0\.1\/v1\/checks'$/);
});

test("a Markdown badge is one image, whatever the name contains", () => {
  const url = "https://example.com/badge";
  assert.equal(writeBadge("a](javascript:x) [b\\", url), `![a\\](javascript:x) \\[b\\\\](${url})`);
  assert.equal(writeBadge("two\nlines", url), `![two lines](${url})`);
});
