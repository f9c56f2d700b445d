import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, test } from "node:test";
import { captureLog } from "../../../test/support/apps/log.ts";
import { createTestDatabase } from "../../../test/support/database/database.ts";
import { TestClock } from "../../../test/support/time/clock.ts";
import { type DatabasePool, openDatabase } from "../../platform/database-pool.ts";
import { KnownError } from "../../platform/errors.ts";
import { addressKey } from "../../platform/ip-address.ts";
import { isFamiliarNetwork, saveNetwork } from "./credential-store.ts";
import { PasswordGuard } from "./password-guard.ts";
import { insertUser } from "./users/store.ts";

const clock = new TestClock();
let open: DatabasePool;
let close: () => Promise<void>;
let guard: PasswordGuard;
before(async () => {
  const database = await createTestDatabase();
  open = openDatabase({ connectionString: database.url }, captureLog().log);
  close = async () => {
    await open.close();
    await database.drop();
  };
});
beforeEach(() => {
  guard = new PasswordGuard({ clock });
});
after(() => close());

let count = 0;
async function addUser(): Promise<{ readonly id: string; readonly email: string }> {
  count += 1;
  const user = { id: randomUUID(), email: `person-${count}@example.com`, name: null };
  const stored = { ...user, passwordHash: "none", isEmailProven: false };
  await insertUser(open.db, { ...stored, at: clock.now() });
  return user;
}

async function tryPassword(
  email: string,
  address: string,
  isRight = false,
): Promise<"right" | "wrong" | "rejected"> {
  try {
    const verdict = await guard.check(open.db, { email, address }, async () => isRight);
    return verdict ? "right" : "wrong";
  } catch (error) {
    assert.ok(error instanceof KnownError && error.errorName === "tooManyRequests", String(error));
    assert.ok(Number(error.retryAfterSeconds) > 0);
    return "rejected";
  }
}

async function countAccepted(attempts: Iterable<Promise<string>>): Promise<number> {
  let accepted = 0;
  for (const attempt of attempts) if ((await attempt) !== "rejected") accepted += 1;
  return accepted;
}

test("addresses of one /64 share the limit of ten guesses", async () => {
  const { email } = await addUser();
  const attempts = Array.from({ length: 60 }, (_, number) =>
    tryPassword(email, `2001:db8:1:2::${number.toString(16)}`),
  );
  assert.equal(await countAccepted(attempts), 10);
  assert.equal(
    await tryPassword(email, "2001:db8:1:3::1"),
    "wrong",
    "another network is not limited",
  );
});

test("an IPv4 client counts once, over IPv4 and IPv6 sockets", async () => {
  const { email } = await addUser();
  const attempts = Array.from({ length: 20 }, (_, number) =>
    tryPassword(email, number % 2 === 0 ? "192.0.2.1" : "::ffff:192.0.2.1"),
  );
  assert.equal(await countAccepted(attempts), 10);
});

test("one network has thirty guesses in five minutes over all users", async () => {
  const attempts = Array.from({ length: 60 }, (_, number) =>
    tryPassword(`nobody-${number}@example.com`, "192.0.2.2"),
  );
  assert.equal(await countAccepted(attempts), 30);
});

test("guesses from many networks do not lock a user out of a known network", async () => {
  const { id, email } = await addUser();
  await saveNetwork(open.db, id, { network: addressKey("2001:db8:aa::1"), at: clock.now() });
  const attempts = Array.from({ length: 300 }, (_, number) =>
    tryPassword(email, `198.51.100.${number % 250}`),
  );
  assert.equal(await countAccepted(attempts), 100, "a hundred guesses an hour from all networks");
  assert.equal(
    await tryPassword(email, "203.0.113.9", true),
    "rejected",
    "an unknown network is limited",
  );
  assert.equal(await tryPassword(email, "2001:db8:aa::2", true), "right");
  clock.advance(3_600_000);
  assert.equal(await tryPassword(email, "203.0.113.9", true), "right");
});

test("an unknown email is rejected like a known one", async () => {
  const { email } = await addUser();
  const heardOf = (name: string) =>
    countAccepted(Array.from({ length: 150 }, (_, at) => tryPassword(name, `198.51.100.${at}`)));
  assert.equal(await heardOf(email), 100);
  guard = new PasswordGuard({ clock });
  assert.equal(await heardOf("nobody@example.com"), 100);
});

test("correct passwords do not count, and concurrent guesses all count", async () => {
  const { email } = await addUser();
  for (let number = 0; number < 40; number += 1) {
    assert.equal(await tryPassword(email, "192.0.2.3", true), "right");
  }
  const verdicts = await Promise.all(
    Array.from({ length: 40 }, () => tryPassword(email, "192.0.2.3")),
  );
  assert.equal(verdicts.filter((verdict) => verdict === "wrong").length, 10);
});

test("a signed-in user has ten separate attempts to confirm the password", async () => {
  const verify = async () => false;
  for (let number = 0; number < 10; number += 1) {
    assert.equal(await guard.checkOwn("user", verify), false);
  }
  await assert.rejects(guard.checkOwn("user", verify), { errorName: "tooManyRequests" });
  assert.equal(await guard.checkOwn("other", async () => true), true);
});

test("the twenty most recent networks are stored; a mapped address is stored as IPv4", async () => {
  const { id, email } = await addUser();
  for (let number = 1; number <= 25; number += 1) {
    clock.advance(1_000);
    const network = addressKey(`::ffff:192.0.2.${number}`);
    await saveNetwork(open.db, id, { network, at: clock.now() });
  }
  const isKnown = (address: string) => isFamiliarNetwork(open.db, email, addressKey(address));
  assert.equal(await isKnown("192.0.2.5"), false);
  assert.equal(await isKnown("192.0.2.6"), true);
  assert.equal(await isKnown("::ffff:192.0.2.25"), true);
});
