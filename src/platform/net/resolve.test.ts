import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../test/support/properties.ts";
import {
  type AddressRecord,
  createNameResolver,
  type DnsQueries,
  parseHostsFile,
} from "./resolve.ts";

const HOSTS =
  "# local\n127.0.0.1 localhost\n::1 localhost ip6-localhost\n192.0.2.9 Printer. p # x\n";

function setUp(answer: (name: string) => Promise<readonly AddressRecord[]>) {
  const asked: string[] = [];
  const clock = { nowMs: 0 };
  const ask = (name: string) => {
    asked.push(name);
    return answer(name);
  };
  const dns: DnsQueries = { resolve4: ask, resolve6: ask };
  const readHosts = async () => HOSTS;
  const options = { dns, readHosts, nowMs: () => clock.nowMs, maxQueries: 2, maxWaiting: 3 };
  return { asked, clock, resolver: createNameResolver(options) };
}

const one = async () => [{ address: "192.0.2.1", ttl: 30 }];
const failing = (code: string) => async () => {
  throw Object.assign(new Error(code), { code });
};

test("numeric addresses are resolved without a query", async () => {
  const { resolver, asked } = setUp(one);
  assert.equal((await resolver.resolve("198.51.100.7", "IPv4")).address, "198.51.100.7");
  assert.equal((await resolver.resolve("2001:db8::1", "IPv6")).address, "2001:db8::1");
  assert.deepEqual(asked, []);
});

test("a numeric address of the other family has a separate error", async () => {
  const { resolver } = setUp(one);
  assert.equal((await resolver.resolve("::1", "IPv4")).error?.code, "EADDRFAMILY");
  assert.equal((await resolver.resolve("127.0.0.1", "IPv6")).error?.code, "EADDRFAMILY");
});

test("the hosts file and localhost come before DNS", async () => {
  const { resolver, asked } = setUp(one);
  assert.equal((await resolver.resolve("printer", "IPv4")).address, "192.0.2.9");
  assert.equal((await resolver.resolve("localhost", "IPv6")).address, "::1");
  assert.equal((await resolver.resolve("db.localhost", "IPv4")).address, "127.0.0.1");
  assert.deepEqual(asked, []);
});

test("an answer is cached for its time to live", async () => {
  const { resolver, asked, clock } = setUp(one);
  await resolver.resolve("a.example", "IPv4");
  clock.nowMs = 29_000;
  await resolver.resolve("A.example.", "IPv4");
  assert.deepEqual(asked, ["a.example"]);
  clock.nowMs = 31_000;
  await resolver.resolve("a.example", "IPv4");
  assert.equal(asked.length, 2);
});

test("concurrent requests for a name share one query", async () => {
  const { resolver, asked } = setUp(one);
  const all = await Promise.all([1, 2, 3, 4].map(() => resolver.resolve("a.example", "IPv4")));
  assert.ok(all.every(({ address }) => address === "192.0.2.1"));
  assert.deepEqual(asked, ["a.example"]);
});

test("queries are limited, and requests beyond the queue fail as busy", async () => {
  let running = 0;
  let peak = 0;
  const { resolver } = setUp(async () => {
    running += 1;
    peak = Math.max(peak, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return [{ address: "192.0.2.1", ttl: 30 }];
  });
  const names = Array.from({ length: 7 }, (_, index) => `n${index}.example`);
  const answers = await Promise.all(names.map((name) => resolver.resolve(name, "IPv4")));
  assert.equal(peak, 2);
  assert.equal(answers.filter(({ error }) => error?.code === "EBUSY").length, 2);
  assert.equal(answers.filter(({ address }) => address === "192.0.2.1").length, 5);
});

test("failures are results with a sentence, and are not cached", async () => {
  for (const code of ["ENOTFOUND", "ENODATA", "ETIMEOUT", "ESERVFAIL", "ECONNREFUSED", "EODD"]) {
    const { resolver, asked } = setUp(failing(code));
    const { error } = await resolver.resolve("a.example", "IPv6");
    assert.equal(error?.code, code);
    assert.match(error?.message ?? "", /^[A-Z].*\.$/);
    await resolver.resolve("a.example", "IPv6");
    assert.equal(asked.length, 2);
  }
});

test("a name that resolves to an unusable address is rejected", async () => {
  const { resolver } = setUp(async () => [{ address: "0.0.0.0", ttl: 1 }]);
  assert.equal((await resolver.resolve("a.example", "IPv4")).error?.code, "EBADADDRESS");
});

test("hostile host names never reach DNS and never throw", async () => {
  const { resolver, asked } = setUp(one);
  const hostile = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom("", "-c", "$(id)", "a b", "http://x/", "2130706433", "[::1]", "a\0b"),
  );
  await fc.assert(
    fc.asyncProperty(hostile, async (name) => {
      await resolver.resolve(name, "IPv4");
      assert.ok(asked.every((question) => /^[a-z0-9_][a-z0-9._-]*$/.test(question)));
    }),
  );
});

test("the first address of each family in a hosts file is used, and invalid lines are skipped", () => {
  const table = parseHostsFile("1.2.3.4 a\n5.6.7.8 a b\nnonsense a\n0.0.0.0 blocked\n::1 A\n");
  assert.deepEqual(table.get("a"), { IPv4: "1.2.3.4", IPv6: "::1" });
  assert.deepEqual(table.get("b"), { IPv4: "5.6.7.8" });
  assert.equal(table.get("blocked"), undefined);
});
