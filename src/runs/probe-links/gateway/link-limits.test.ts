import assert from "node:assert/strict";
import { test } from "node:test";
import { maxFrameBytes } from "../../../contract/protocol.ts";
import { LinkAccounts, linkLimits } from "./link-limits.ts";

function createAccounts(limits: Partial<typeof linkLimits> = {}) {
  const clock = { nowMs: 1_000_000 };
  return { clock, accounts: new LinkAccounts({ ...linkLimits, ...limits }, () => clock.nowMs) };
}

test("the number of links per key is limited, and other keys are not affected", () => {
  const { accounts } = createAccounts({ maxLinksOfKey: 2 });
  const links = [accounts.open("one"), accounts.open("one")];
  assert.equal(accounts.findRejection("one"), "many-connections");
  assert.equal(accounts.findRejection("other"), null);
  links[0]?.close();
  links[0]?.close();
  assert.equal(accounts.findRejection("one"), null);
  assert.equal(accounts.linkCount, 1, "a link is closed once");
});

test("the number of links per server is limited", () => {
  const { accounts } = createAccounts({ maxLinks: 1 });
  accounts.open("one");
  assert.equal(accounts.findRejection("other"), "many-connections");
});

test("100 links of a key cannot hold 819 MiB of unfinished frames", () => {
  const { accounts } = createAccounts();
  const links = [];
  while (accounts.findRejection("thief") === null) links.push(accounts.open("thief"));
  assert.equal(links.length, linkLimits.maxLinksOfKey);
  const frameBytes = maxFrameBytes - 100_000;
  for (const link of links) {
    let isAllowed = true;
    for (let sent = 0; sent < frameBytes && isAllowed; sent += 65_536) {
      isAllowed = link.addBytes(65_536);
    }
    // The gateway cuts such a link.
    if (!isAllowed) link.close();
    assert.ok(accounts.unfinishedBytes <= linkLimits.maxUnfinishedBytesOfKey);
  }
  assert.ok(links.some((link) => link.addBytes(0)));
});

test("the bytes of all keys are limited, and finished frames release theirs", () => {
  const { accounts } = createAccounts({ maxUnfinishedBytes: 100 });
  const [one, other] = [accounts.open("one"), accounts.open("other")];
  assert.equal(one.addBytes(90), true);
  assert.equal(other.addBytes(20), false);
  one.endFrame();
  assert.equal(other.addBytes(0), true);
});

test("a frame must be finished in time, not counting time in which the server did not read", () => {
  const { accounts, clock } = createAccounts();
  const link = accounts.open("slow");
  link.addBytes(1);
  clock.nowMs += linkLimits.frameMs;
  link.addBytes(1);
  assert.equal(link.isFrameOverdue, false);
  clock.nowMs += 1;
  assert.equal(link.isFrameOverdue, true, "a byte now and then does not help");
  link.restartFrame();
  assert.equal(link.isFrameOverdue, false);
  link.endFrame();
  clock.nowMs += 10 * linkLimits.frameMs;
  assert.equal(link.isFrameOverdue, false, "an idle link has no frame");
});

test("the work rate and the burst of a key are limited over all its links", () => {
  const { accounts, clock } = createAccounts({ unitsPerSecond: 100, maxSavedUnits: 50 });
  const [link, second] = [accounts.open("busy"), accounts.open("busy")];
  clock.nowMs += 3_600_000;
  assert.equal(link.charge({ bytes: 0, results: 50 }), 0);
  assert.equal(second.charge({ bytes: 4_000, results: 0 }), 100, "ten units of bytes");
  clock.nowMs += 100;
  assert.equal(link.charge({ bytes: 0, results: 0 }), 0);
  assert.equal(accounts.open("other").charge({ bytes: 0, results: 50 }), 0);
});

test("repeated forgeries lock a key temporarily, occasional ones do not", () => {
  const { accounts, clock } = createAccounts();
  const link = accounts.open("forger");
  assert.equal(link.noteForgeries(linkLimits.maxForgeries - 1), false);
  clock.nowMs += linkLimits.forgeryWindowMs;
  assert.equal(link.noteForgeries(1), false, "another minute");
  assert.equal(link.noteForgeries(linkLimits.maxForgeries - 1), true);
  assert.equal(accounts.findRejection("forger"), "forged-results");
  assert.equal(accounts.findRejection("other"), null);
  clock.nowMs += linkLimits.lockMs;
  assert.equal(accounts.findRejection("forger"), null);
});

test("reading resumes when the key holds fewer bytes", async () => {
  const { accounts } = createAccounts({ maxHeldBytesOfKey: 10 });
  const [link, second] = [accounts.open("key"), accounts.open("key")];
  link.hold(11);
  assert.equal(second.hasCapacity, false);
  const waited = second.waitForCapacity();
  link.release(11);
  await waited;
  assert.equal(second.hasCapacity, true);
});
