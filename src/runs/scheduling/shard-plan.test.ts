import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { shardCount } from "./schedule-store.ts";
import { planShards, type Shard, shardOf } from "./shards.ts";

/** A lease lasts this many rounds; a server that is silent for as long counts as dead. */
const leaseLooks = 4;

interface Lease {
  holder: string | null;
  /** When it expired or expires, or when it was released. */
  endsAt: number;
}

/** Simulates servers that evaluate the leases in turn, and dead servers. */
class Installation {
  readonly leases: Lease[] = Array.from({ length: shardCount }, () => ({
    holder: null,
    endsAt: Number.NEGATIVE_INFINITY,
  }));
  readonly running = new Set<string>();
  readonly seenAt = new Map<string, number>();
  now = 0;

  join(id: string): void {
    this.running.add(id);
    this.seenAt.set(id, this.now);
  }

  /** The leases and the row of a dead server remain until they expire. */
  die(id: string): void {
    this.running.delete(id);
  }

  leave(id: string): void {
    this.die(id);
    this.seenAt.delete(id);
    for (const lease of this.leases) {
      if (lease.holder === id) Object.assign(lease, { holder: null, endsAt: this.now });
    }
  }

  look(me: string): void {
    this.seenAt.set(me, this.now);
    for (const lease of this.leases) {
      if (lease.holder === me) lease.endsAt = this.now + leaseLooks;
    }
    const others = [...this.seenAt]
      .filter(([id, at]) => id !== me && at > this.now - leaseLooks)
      .map(([id]) => id);
    const { acquire, release } = planShards(me, others, this.#describe());
    for (const shard of release) {
      assert.equal(this.leases[shard]?.holder, me, "it releases only its own leases");
      this.leases[shard] = { holder: null, endsAt: this.now };
    }
    for (const shard of acquire) {
      assert.notEqual(this.#describe()[shard]?.holder, undefined);
      assert.equal(this.#describe()[shard]?.holder, null, "it acquires only free leases");
      this.leases[shard] = { holder: me, endsAt: this.now + leaseLooks };
    }
  }

  #describe(): Shard[] {
    return this.leases.map(({ holder, endsAt }) => ({
      holder: holder !== null && endsAt >= this.now ? holder : null,
      isOverdue: this.now - endsAt > leaseLooks,
    }));
  }

  /** Every server evaluates once, in random order. */
  pass(order: (ids: string[]) => string[]): void {
    this.now += 1;
    for (const id of order([...this.running])) this.look(id);
  }

  counts(): number[] {
    return [...this.running].map(
      (id) => this.leases.filter((lease) => lease.holder === id && lease.endsAt >= this.now).length,
    );
  }

  assertEven(): void {
    const counts = this.counts();
    const most = Math.ceil(shardCount / counts.length);
    const least = Math.floor(shardCount / counts.length);
    const sum = counts.reduce((one, other) => one + other, 0);
    assert.equal(sum, shardCount, "every shard has one holder that runs");
    assert.ok(
      counts.every((count) => count <= most && count >= least),
      `${counts} is not even`,
    );
  }
}

const action = fc.record({
  what: fc.constantFrom("join", "join", "die", "leave", "look", "pass"),
  which: fc.nat(200),
});

function apply(installation: Installation, { what, which }: { what: string; which: number }) {
  const running = [...installation.running];
  const one = running[which % Math.max(1, running.length)];
  if (what === "join") installation.join(`server-${which}`);
  else if (what === "pass") installation.pass((ids) => ids);
  else if (one === undefined || (what !== "look" && running.length === 1)) return;
  else if (what === "look") installation.look(one);
  else if (what === "die") installation.die(one);
  else installation.leave(one);
}

test("after servers join, leave or die, shards become even and all have a holder", () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), fc.integer(), (actions, seed) => {
      const installation = new Installation();
      installation.join("first");
      for (const one of actions) apply(installation, one);
      let turn = seed;
      const shuffle = (ids: string[]) => {
        turn = (Math.imul(turn, 1_103_515_245) + 12_345) | 0;
        const from = Math.abs(turn) % ids.length;
        const rotated = [...ids.slice(from), ...ids.slice(0, from)];
        return turn % 2 === 0 ? rotated : rotated.reverse();
      };
      // First the leases of dead servers must expire and be acquired.
      for (let pass = 0; pass <= leaseLooks + 3; pass += 1) installation.pass(shuffle);
      installation.assertEven();
      const before = installation.leases.map(({ holder }) => holder);
      for (let pass = 0; pass < 3; pass += 1) installation.pass(shuffle);
      assert.deepEqual(
        installation.leases.map(({ holder }) => holder),
        before,
        "the distribution is stable",
      );
    }),
  );
});

const held = (holder: string | null, isOverdue = false): Shard => ({ holder, isOverdue });

test("a server that acquires nothing does not keep shards free", () => {
  const shards = [held("a"), held(null), held(null, true), held(null)];
  const { acquire } = planShards("a", ["idle"], shards);
  assert.deepEqual(acquire, [2], "an overdue shard is acquired in any case");
  assert.deepEqual(planShards("a", ["idle"], shards.fill(held(null, true), 1)).acquire, [1, 2, 3]);
});

test("a version that does not announce itself counts by its leases", () => {
  const shards = [held("old"), held("old"), held(null), held(null)];
  assert.deepEqual(planShards("new", [], shards).acquire.length, 2);
  assert.deepEqual(planShards("new", [], shards.fill(held("old"))), { acquire: [], release: [] });
});

test("three servers share sixty-four shards as 22, 21 and 21", () => {
  const installation = new Installation();
  for (const id of ["a", "b", "c"]) installation.join(id);
  for (let pass = 0; pass < 4; pass += 1) installation.pass((ids) => ids);
  assert.deepEqual(installation.counts().toSorted(), [21, 21, 22]);
});

test("a shard is the low six bits of the last byte of the check's id", () => {
  assert.equal(shardOf("00000000-0000-7000-8000-0000000000ff"), 63);
  assert.equal(shardOf("00000000-0000-7000-8000-000000000040"), 0);
  fc.assert(
    fc.property(fc.uuid(), (id) => {
      const bytes = Buffer.from(id.replaceAll("-", ""), "hex");
      assert.equal(shardOf(id), (bytes[15] ?? 0) & 63);
      assert.equal(shardOf(id.toUpperCase()), shardOf(id));
    }),
  );
  assert.throws(() => shardOf("nothing"), RangeError);
});
