import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../test/support/properties.ts";
import { Encryption } from "../../platform/encryption.ts";
import { readToken, sealToken, tokenPurposes } from "./links.ts";
import { readSubscribeForm } from "./page-routes.ts";
import {
  decideBounces,
  maskAddress,
  parseAddress,
  parseImportList,
  subscriberTypes,
} from "./subscriber.ts";

const read = (text: string) => {
  const { parsed, faults } = parseImportList(text);
  return { addresses: parsed.map(({ address }) => address), faults };
};

test("addresses are read one per line, with blank lines, names and a byte order mark", () => {
  const { addresses, faults } = read(
    "\uFEFFa@example.com\r\n\r\nAda Lovelace <ada@example.com>\n  b@example.com  \n",
  );
  assert.deepEqual(addresses, ["a@example.com", "ada@example.com", "b@example.com"]);
  assert.deepEqual(faults, []);
});

test("a table has addresses in the column with that heading, or in the first matching one", () => {
  const table = 'name;E-Mail;since\n"Lovelace, Ada";ada@example.com;2024\n;;\n"x";y;z@example.com';
  assert.deepEqual(read(table), {
    addresses: ["ada@example.com"],
    faults: [
      { line: 3, text: ";;", rule: "must be an email address" },
      { line: 4, text: '"x";y;z@example.com', rule: "must be an email address" },
    ],
  });
  assert.deepEqual(read('1,"a@example.com"\n2\tb@example.com').addresses, [
    "a@example.com",
    "b@example.com",
  ]);
});

test("every invalid line is reported with its number, truncated if long", () => {
  const { addresses, faults } = read(
    `a@example.com\nnobody\n"open@example.com\n${"x".repeat(500)}`,
  );
  assert.deepEqual(addresses, ["a@example.com"]);
  assert.deepEqual(
    faults.map(({ line, text }) => [line, text.length]),
    [
      [2, 6],
      [3, 17],
      [4, 120],
    ],
  );
});

const encryption = new Encryption(randomBytes(32));
const now = new Date("2026-11-15T12:00:00Z");

test("common mailboxes are accepted, in any script", () => {
  const good = [
    "a@example.com",
    "First.Last+tag@sub.example.co.uk",
    "jürgen@bücher.example",
    "o'neil@example.com",
    " a@example.com ",
  ];
  for (const text of good) assert.equal(parseAddress("EMAIL", text).kind, "address", text);
  const [one, other] = [
    parseAddress("EMAIL", "A@Example.com"),
    parseAddress("EMAIL", "a@example.COM"),
  ];
  assert.ok(one.kind === "address" && other.kind === "address");
  assert.deepEqual(one.addressHash, other.addressHash);
  assert.equal(one.address, "A@Example.com", "but kept as it was typed");
});

test("all spellings of one mailbox count as one, and others do not", () => {
  const keyOf = (text: string) => {
    const parsed = parseAddress("EMAIL", text);
    return parsed.kind === "address" ? parsed.mailboxKey : assert.fail(text);
  };
  const same = [
    ["victim@example.com", "Victim+1@EXAMPLE.com", "victim+a+b@example.com"],
    ["first.last@gmail.com", "firstlast+x@googlemail.com", "F.irst.Last@gmail.com"],
    ["reader@bücher.example", "reader+1@xn--bcher-kva.example"],
  ];
  for (const spellings of same) assert.equal(new Set(spellings.map(keyOf)).size, 1);
  assert.notEqual(keyOf("first.last@example.com"), keyOf("firstlast@example.com"));
  assert.notEqual(keyOf("a@example.com"), keyOf("a@example.org"));
});

test("an accepted address is one line without characters that mail could misread", () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: anyCharacter }), fc.emailAddress());
  fc.assert(
    fc.property(fc.constantFrom(...subscriberTypes), text, (type, typed) => {
      const parsed = parseAddress(type, typed);
      if (parsed.kind === "invalid") return;
      assert.doesNotMatch(parsed.address, /[\p{Cc}\s<>"]/u);
      if (type === "EMAIL") assert.match(parsed.address, /^[^@,;:]+@[^@,;:]+$/);
    }),
  );
});

test("messages to one host share a lane, and so do all mail and all of Slack", () => {
  const lane = (type: "EMAIL" | "WEBHOOK" | "SLACK", text: string) => {
    const parsed = parseAddress(type, text);
    return parsed.kind === "address" ? parsed.lane : null;
  };
  assert.equal(lane("EMAIL", "a@example.com"), "mail");
  assert.equal(lane("SLACK", "https://hooks.slack.com/services/T0/B0/x1"), "slack");
  assert.equal(
    lane("WEBHOOK", "https://A.example/one"),
    lane("WEBHOOK", "https://a.example/two#x"),
  );
  assert.notEqual(
    lane("WEBHOOK", "https://a.example/"),
    lane("WEBHOOK", "https://a.example:8443/"),
  );
});

test("a mask shows only the host", () => {
  assert.equal(maskAddress("EMAIL", "a@example.com"), "a@example.com");
  assert.equal(
    maskAddress("WEBHOOK", "https://hooks.example/secret?key=1"),
    "https://hooks.example/…",
  );
  assert.equal(
    maskAddress("SLACK", "https://hooks.slack.com/services/T/B/s"),
    "https://hooks.slack.com/services/…",
  );
});

test("three rejections in a row, or one for an unknown mailbox, quarantine the address", () => {
  const news = fc.array(fc.constantFrom("reached", "refused", "unknown"), { maxLength: 12 });
  fc.assert(
    fc.property(news, (list) => {
      let bounces = 0;
      const end = list.findIndex((one) => {
        const verdict = decideBounces(bounces, one);
        bounces = verdict.bounces;
        return verdict.isQuarantined;
      });
      const text = list.map((one) => one.charAt(2)).join("");
      const expected = /k|fff/.exec(text);
      const last = expected === null ? -1 : expected.index + expected[0].length - 1;
      assert.equal(end, last);
    }),
  );
});

test("a token is valid only for its purpose, page and time", () => {
  const purpose = fc.constantFrom(...tokenPurposes);
  const page = fc.constantFrom(...[0, 1].map(() => randomUUID()));
  const wait = fc.integer({ min: -10, max: 10 });
  fc.assert(
    fc.property(purpose, purpose, page, page, wait, (meant, used, own, other, waitMs) => {
      const subscriberId = randomUUID();
      const expiresAt = new Date(now.getTime() + waitMs);
      const token = sealToken(encryption, {
        purpose: meant,
        statusPageId: own,
        subscriberId,
        expiresAt,
      });
      const read = readToken(encryption, token, { purpose: used, statusPageId: other, now });
      const isGood = meant === used && own === other && waitMs > 0;
      assert.equal(read, isGood ? subscriberId : null);
    }),
  );
});

test("forged and modified tokens are rejected", () => {
  const expected = { purpose: "manage", statusPageId: randomUUID(), now } as const;
  const subscriberId = randomUUID();
  const token = sealToken(encryption, { ...expected, subscriberId, expiresAt: null });
  assert.equal(readToken(encryption, token, expected), subscriberId);
  fc.assert(
    fc.property(fc.string(), (text) => assert.equal(readToken(encryption, text, expected), null)),
  );
  const bytes = Buffer.from(token, "base64url");
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (index, flip) => {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ flip;
      assert.equal(readToken(encryption, changed.toString("base64url"), expected), null);
    }),
  );
  const foreign = encryption.encrypt(JSON.stringify(["manage", expected.statusPageId, "x", null]));
  const unmarked = Buffer.from(foreign, "base64").toString("base64url");
  assert.equal(readToken(encryption, unmarked, expected), null);
});

test("any form is parsed, without missing and unknown fields", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom("type", "address", "service", "x"), fc.string())),
      (fields) => {
        const form = readSubscribeForm(new URLSearchParams(fields));
        assert.ok(subscriberTypes.includes(form.type));
        assert.ok(form.serviceIds.length <= 200);
        assert.ok(form.address.isWellFormed());
      },
    ),
  );
  assert.throws(() => readSubscribeForm({ address: "a@example.com" }));
});
