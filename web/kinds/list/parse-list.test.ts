import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../../test/support/properties.ts";
import { lacksPasswords, withoutPasswords } from "../../parts/secrets.ts";
import { icmpTarget, urlTarget } from "../targets.ts";
import {
  changeItemKind,
  maxItems,
  parseList,
  readJsonRows,
  readRows,
  splitFields,
  toStoredText,
} from "./parse-list.ts";

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

test("comments, bullets, numbers and empty lines are removed, and lines keep their numbers", () => {
  const text = "\ufeff# hosts\n\n- one.test\r\n2) two.test # main\n// no\nthree.test/#top\n;\n";
  const rows = readRows(text).map(({ line, text: shown }) => [line, shown]);
  assert.deepEqual(rows, [
    [3, "one.test"],
    [4, "two.test"],
    [6, "three.test/#top"],
  ]);
});

test("a tab separates before a semicolon, and a semicolon before a comma", () => {
  assert.deepEqual(readRows("a;b,c\td")[0]?.fields, ["a;b,c", "d"]);
  assert.deepEqual(readRows("a;b,c")[0]?.fields, ["a", "b,c"]);
  assert.deepEqual(readRows("a,b")[0]?.fields, ["a", "b"]);
});

test("a header names the fields of the rows below it", () => {
  const [row, ...others] = readRows("Name,URL,Other\nShop,https://shop.test/,x");
  assert.deepEqual(others, []);
  assert.equal(row?.line, 2);
  assert.deepEqual(Object.fromEntries(row?.named ?? []), {
    name: "Shop",
    url: "https://shop.test/",
    other: "x",
  });
  assert.equal(readRows("shop,search")[0]?.named, null, "no known column");
  assert.equal(readRows("host.test,name")[0]?.named, null, "a target");
});

test("quoted fields contain separators and doubled quotation marks", () => {
  assert.deepEqual(splitFields('"a, ""b""",c, d ', ","), ['a, "b"', "c", "d"]);
  assert.deepEqual(splitFields('5" pipe,x', ","), ['5" pipe', "x"]);
});

test("a quoted line is split into the fields that it was built from", () => {
  const field = fc
    .string({ unit: "grapheme" })
    .map((text) => text.replaceAll(/[\r\n]/g, "").trim());
  fc.assert(
    fc.property(fc.array(field, { minLength: 1, maxLength: 6 }), (fields) => {
      const line = fields.map((one) => `"${one.replaceAll('"', '""')}"`).join(",");
      assert.deepEqual(splitFields(line, ","), fields);
    }),
    { numRuns: propertyRuns },
  );
});

test("JSON exports are lists of objects or strings, on the top or one level below", () => {
  const list = readJsonRows('{"version": 1, "monitors": [{"Name": "A", "port": 5, "x": {}}, "b"]}');
  assert.deepEqual(
    list?.map(({ named }) => named && Object.fromEntries(named)),
    [{ name: "A", port: "5" }, null],
  );
  assert.deepEqual(
    list?.map(({ fields }) => fields),
    [[], ["b"]],
  );
  for (const text of ["host.test", "{broken", '{"a": 1}', "null"]) {
    assert.equal(readJsonRows(text), null, text);
  }
});

const brief = (text: string) =>
  parseList(text).items.map(({ checkType, name, target }) => [checkType, name, target]);

test("hosts, addresses, URLs and ports are distinguished", () => {
  const text = `
# our machines
router.example.com
192.0.2.1
2001:db8::1
https://shop.example.com/health?x=1#top
shop.example.com/status
db.example.com:5432
[2001:db8::2]:443
http://[2001:db8::3]:8080/
  - bullet.example.com
2) numbered.example.com   # with a remark
tcp://cache.example.com:6379
`;
  assert.deepEqual(brief(text), [
    ["URL", "router.example.com", "https://router.example.com"],
    ["ICMP", "192.0.2.1", "192.0.2.1"],
    ["ICMP", "2001:db8::1", "2001:db8::1"],
    ["URL", "shop.example.com/health", "https://shop.example.com/health?x=1#top"],
    ["URL", "shop.example.com/status", "https://shop.example.com/status"],
    ["TCP", "db.example.com:5432", "db.example.com:5432"],
    ["TCP", "[2001:db8::2]:443", "[2001:db8::2]:443"],
    ["URL", "[2001:db8::3]:8080", "http://[2001:db8::3]:8080/"],
    ["URL", "bullet.example.com", "https://bullet.example.com"],
    ["URL", "numbered.example.com", "https://numbered.example.com"],
    ["TCP", "cache.example.com:6379", "cache.example.com:6379"],
  ]);
});

test("bare host names are marked and can be switched between ping and website checks", () => {
  const { items } = parseList("shop.example.com\nhttps://a.example\n192.0.2.1\nnas\nb.example:80");
  assert.deepEqual(
    items.map(({ isBareName }) => isBareName),
    [true, false, false, false, false],
  );
  const [shop] = items;
  assert.ok(shop);
  const ping = changeItemKind(shop, icmpTarget);
  assert.deepEqual([ping.checkType, ping.target], ["ICMP", "shop.example.com"]);
  assert.deepEqual(changeItemKind(ping, urlTarget), shop);
});

test("names may come before or after the target, quoted, and in hosts file format", () => {
  assert.deepEqual(brief('Router,192.0.2.1\n"Shop, the big one",https://shop.example.com'), [
    ["ICMP", "Router", "192.0.2.1"],
    ["URL", "Shop, the big one", "https://shop.example.com"],
  ]);
  assert.deepEqual(brief("db.example.com:5432;Database"), [
    ["TCP", "Database", "db.example.com:5432"],
  ]);
  assert.deepEqual(brief("192.0.2.7   nas nas.local\nOffice router 192.0.2.8"), [
    ["ICMP", "nas nas.local", "192.0.2.7"],
    ["ICMP", "Office router", "192.0.2.8"],
  ]);
});

test("exports of other tools are read by their columns or fields", () => {
  const csv = `name,type,url,hostname,port
Shop,http,https://shop.example.com,,
Gateway,ping,https://,192.0.2.1,
Mail,port,https://,mail.example.com,25
Name,dns,https://,www.example.com,53
Nothing,push,https://,,`;
  const expected = [
    ["URL", "Shop", "https://shop.example.com"],
    ["ICMP", "Gateway", "192.0.2.1"],
    ["TCP", "Mail", "mail.example.com:25"],
    ["DNS", "Name", "www.example.com"],
  ];
  assert.deepEqual(brief(csv), expected);
  const monitorList = [
    { id: 1, name: "Shop", type: "http", url: "https://shop.example.com", hostname: null },
    { id: 2, name: "Gateway", type: "ping", url: "https://", hostname: "192.0.2.1", port: null },
    { id: 3, name: "Mail", type: "port", hostname: "mail.example.com", port: 25 },
    { id: 4, name: "Name", type: "dns", hostname: "www.example.com", port: 53 },
  ];
  assert.deepEqual(brief(JSON.stringify({ version: "1", monitorList })), expected);
  assert.deepEqual(parseList(csv).leftOut, [
    { line: 6, text: "Nothing,push,https://,,", reason: "no-target" },
  ]);
});

test("a duplicate, an invalid target and a line over the limit are left out with a reason", () => {
  const { items, leftOut } = parseList(
    "a.example\nA.EXAMPLE\nnot a target at all\nftp://x.example",
  );
  assert.equal(items.length, 1);
  assert.deepEqual(
    leftOut.map(({ line, reason, of }) => [line, reason, of]),
    [
      [2, "duplicate", 1],
      [3, "not-understood", undefined],
      [4, "not-understood", undefined],
    ],
  );
  const many = Array.from({ length: maxItems + 3 }, (_, index) => `host-${index}.example`);
  const parsed = parseList(many.join("\n"));
  assert.equal(parsed.items.length, maxItems);
  assert.deepEqual(
    parsed.leftOut.map(({ reason }) => reason),
    ["too-many", "too-many", "too-many"],
  );
});

test("for any input, no line is lost, and every check has a type, a name and a target", () => {
  const piece = fc.oneof(
    fc.string(),
    fc.domain(),
    fc.webUrl(),
    fc.ipV4(),
    fc.ipV6(),
    fc.constantFrom(",", ";", "\t", "\n", "#", '"', "[", "]", ":", "name,url", "{", " "),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 40 }),
      fc.constantFrom("\n", "", ","),
      (parts, glue) => {
        const text = parts.join(glue);
        const { items, leftOut } = parseList(text);
        const lines = [...items, ...leftOut].map(({ line }) => line);
        assert.equal(new Set(lines).size, lines.length, "one outcome for each line");
        for (const { checkType, name, target } of items) {
          assert.ok(checkType !== "" && name !== "" && target !== "");
          assert.doesNotMatch(target, /\s/);
        }
        const targets = items.map(
          ({ checkType, target }) => `${checkType} ${target.toLowerCase()}`,
        );
        assert.equal(new Set(targets).size, targets.length, "none twice");
      },
    ),
  );
});

test("a list of bare targets is preserved, with host names as HTTPS URLs", () => {
  const host = fc.domain().map((name) => name.toLowerCase());
  const port = fc.integer({ min: 1, max: 65_535 });
  const stripScheme = (text: string) => text.replace(/^https:\/\/([^/]*)$/, "$1");
  const target = fc.oneof(
    host.map((name) => `https://${name}`),
    fc.ipV4(),
    fc.tuple(host, port).map(([name, number]) => `${name}:${number}`),
    fc.tuple(fc.ipV6(), port).map(([address, number]) => `[${address}]:${number}`),
    host.map((name) => `https://${name}/a/b?c=d`),
  );
  fc.assert(
    fc.property(fc.uniqueArray(target, { minLength: 1, maxLength: 30 }), (targets) => {
      assert.deepEqual(
        parseList(targets.map(stripScheme).join("\n")).items.map((item) => item.target),
        targets,
      );
    }),
  );
});
