import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  createChallenge,
  type DomainClaim,
  decideClaims,
  findDomainStatus,
  findOwnHost,
  graceMs,
  type Sighting,
} from "./domain-claim.ts";

const domain = "status.acme.test";
const start = new Date("2026-11-16T00:00:00Z");
const later = (ms: number) => new Date(start.getTime() + ms);
const hourMs = 3_600_000;

function claim(accountId: string, more: Partial<DomainClaim> = {}): DomainClaim {
  return {
    pageKind: "status-page",
    pageId: `page of ${accountId}`,
    accountId,
    domain,
    claimedAt: start,
    proof: null,
    provedAt: null,
    missingSince: null,
    lookedAt: null,
    vainLooks: 0,
    outcome: null,
    isTxtSeen: false,
    isCnameSeen: false,
    found: [],
    nextLookAt: start,
    isServed: false,
    ...more,
  };
}

const nothing: Sighting = { texts: [], targets: [] };
const silence: Sighting = { texts: null, targets: null };
const alias: Sighting = { texts: [], targets: ["edge.acme.test", "watch.example"] };
const textOf = (...accounts: readonly string[]): Sighting => ({
  texts: accounts.map((account) => createChallenge(account, domain)),
  targets: [],
});

function look(
  claims: readonly DomainClaim[],
  sighting: Sighting,
  { now = start, isShared = true } = {},
) {
  return decideClaims(claims, sighting, { now, isShared, ownHost: "watch.example" });
}
const served = (claims: readonly DomainClaim[]) =>
  claims.filter(({ isServed }) => isServed).map(({ accountId }) => accountId);

const proved = { proof: "TXT", provedAt: start, isServed: true } as const;

describe("a claim of a domain", () => {
  test("is served once its own TXT record is found, and not for another record", () => {
    const [mine, theirs] = look([claim("a"), claim("b")], textOf("b"));
    assert.equal(mine?.outcome, "OTHER_VALUE");
    assert.equal(mine?.isServed, false);
    assert.deepEqual(theirs?.proof, "TXT");
    assert.deepEqual(theirs?.provedAt, start);
    assert.equal(theirs?.isServed, true);
  });

  test("is proved by a CNAME, through any chain, if the server has one account", () => {
    assert.equal(look([claim("a")], alias, { isShared: false })[0]?.proof, "CNAME");
    const [shared] = look([claim("a")], alias);
    assert.equal(shared?.isServed, false);
    assert.equal(shared?.isCnameSeen, true);
    const [kept] = look([claim("a", proved)], alias);
    assert.deepEqual([kept?.proof, kept?.missingSince], ["CNAME", null]);
  });

  test("that was served before proof was required stays until another account proves the name", () => {
    const old = claim("a", { isServed: true });
    const [kept] = look([old], nothing);
    assert.deepEqual([kept?.isServed, kept?.missingSince], [true, null]);
    assert.deepEqual(served(look([old, claim("b")], nothing, { now: later(graceMs * 9) })), ["a"]);
    assert.deepEqual(served(look([old, claim("b")], textOf("b"))), ["b"]);
    assert.deepEqual(served(look([old, claim("b")], textOf("a", "b"))), ["a"]);
  });

  test("is served for a week after its record disappears, unless another account proves the name", () => {
    const [missing] = look([claim("a", proved)], nothing, { now: later(hourMs) });
    assert.ok(missing);
    assert.deepEqual([missing.isServed, missing.missingSince], [true, later(hourMs)]);
    assert.equal(findDomainStatus(missing, false), "MISSING");
    const [still] = look([missing], nothing, { now: later(hourMs + graceMs - 1) });
    assert.equal(still?.isServed, true);
    const [back] = look([missing], textOf("a"), { now: later(hourMs + graceMs) });
    assert.deepEqual([back?.isServed, back?.missingSince], [true, null]);
    const [over] = look([missing], nothing, { now: later(hourMs + graceMs) });
    assert.deepEqual([over?.isServed, over?.proof, over?.missingSince], [false, null, null]);
    assert.deepEqual(served(look([missing, claim("b")], textOf("b"))), ["b"]);
  });

  test("is unchanged while the name servers do not answer", () => {
    const [first] = look([claim("a", proved)], silence, { now: later(graceMs * 3) });
    assert.deepEqual([first?.isServed, first?.outcome], [true, "NO_ANSWER"]);
    const missing = claim("a", { ...proved, missingSince: start });
    const [kept] = look([missing], silence, { now: later(graceMs * 3) });
    assert.deepEqual([kept?.isServed, kept?.missingSince], [true, start]);
    const half = { texts: [], targets: null };
    assert.equal(look([claim("a", proved)], half)[0]?.missingSince, null);
  });

  test("with a correct record waits while another with a correct record is served", () => {
    const [late, first] = look([claim("b"), claim("a", proved)], textOf("a", "b"));
    assert.equal(first?.isServed, true);
    assert.deepEqual([late?.isServed, late?.outcome], [false, "TAKEN"]);
    assert.ok(late && findDomainStatus(late, true) === "TAKEN");
  });

  test("is verified again soon, then less and less often", () => {
    let one = claim("a");
    const pauses: number[] = [];
    for (let count = 0; count < 14; count += 1) {
      const [next] = look([one], nothing);
      assert.ok(next);
      pauses.push((next.nextLookAt.getTime() - start.getTime()) / 1_000);
      one = next;
    }
    assert.deepEqual(pauses.slice(0, 4), [60, 120, 240, 480]);
    assert.equal(pauses.at(-1), 6 * 3_600);
    const pauseOf = ([one]: readonly DomainClaim[]) =>
      ((one?.nextLookAt.getTime() ?? 0) - start.getTime()) / hourMs;
    assert.equal(pauseOf(look([claim("a")], textOf("a"))), 24);
    assert.equal(pauseOf(look([claim("a", proved)], nothing)), 1);
    assert.equal(pauseOf(look([claim("a", proved)], silence)), 1);
  });

  test("shows a few of the other record values, truncated", () => {
    const texts = Array.from({ length: 9 }, (_, index) => `${index}${"x".repeat(400)}`);
    const [one] = look([claim("a")], { texts, targets: [] });
    assert.deepEqual(
      one?.found.map(({ length }) => length),
      Array(5).fill(255),
    );
  });
});

test("a challenge is the same for every page of an account and differs per name", () => {
  assert.match(createChallenge("a", domain), /^vedette=[0-9a-f]{32}$/);
  assert.notEqual(createChallenge("a", domain), createChallenge("b", domain));
  assert.notEqual(createChallenge("a", domain), createChallenge("a", `x.${domain}`));
});

test("a CNAME can point only to a host name", () => {
  assert.equal(findOwnHost("https://Watch.Example.:8443/base"), "watch.example");
  for (const url of [
    "http://127.0.0.1:3000",
    "http://[::1]",
    "http://localhost",
    "http://a.localhost",
  ]) {
    assert.equal(findOwnHost(url), null, url);
  }
});
