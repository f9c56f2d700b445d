import assert from "node:assert/strict";
import { test } from "node:test";
import { lacksPasswords, withoutPasswords } from "../../parts/secrets.ts";
import { toStoredText } from "./kept-text.ts";
import { parseList } from "./parse-list.ts";

const brief = (text: string) =>
  parseList(text).items.map(({ checkType, name, target }) => [checkType, name, target]);

test("passwords in URLs are removed, and the rest of the text is kept", () => {
  const text = "# ours\nShop, https://anna:hun:t@r2@shop.example.com/a@b\nhttp://h:80/x@y\nrouter";
  const kept = toStoredText(text);
  const expected = "# ours\nShop, https://anna:@shop.example.com/a@b\nhttp://h:80/x@y\nrouter";
  assert.equal(kept, expected);
  assert.equal(lacksPasswords(kept), true);
  assert.equal(lacksPasswords("http://h:80/x@y https://anna@shop.example.com"), false);
  assert.equal(withoutPasswords(kept), kept);
});

test("only the checks of another tool's export are kept, no other column", () => {
  const json = JSON.stringify([
    {
      name: 'The "big";\tshop',
      type: "http",
      url: "https://a.example",
      basic_auth_pass: "hunter2",
    },
    { name: "Gateway", type: "ping", hostname: "192.0.2.1", pushToken: "hunter2" },
  ]);
  const csv = "name,type,hostname,password\nMail,dns,mail.example.com,hunter2";
  for (const text of [json, csv]) {
    const kept = toStoredText(text);
    assert.doesNotMatch(kept, /hunter2/);
    const spaced = brief(text).map((one) => one.map((part) => part.replaceAll(/\s/g, " ")));
    assert.deepEqual(brief(kept), spaced);
  }
  assert.equal(toStoredText(json.slice(0, -3)), "", "half of it");
});
