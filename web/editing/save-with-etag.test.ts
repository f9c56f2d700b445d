import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../api/api-error.ts";
import { ifMatch, saveWithEtag } from "./editor-state.ts";
import { combine } from "./merge.ts";

interface Item {
  readonly name: string;
  readonly muted: boolean;
  /** Not shown in the form. */
  readonly order: number;
}
type Values = Pick<Item, "name" | "muted">;

const failWith = (status: number) =>
  new ApiError({ kind: "rejected", message: `status ${status}`, status });

/** A server that rejects what names another version than the current one. */
class Store {
  version = 1;
  item: Item = { name: "Edge", muted: false, order: 0 };
  readonly received: (string | null)[] = [];

  readonly read = () => ({ data: this.item, etag: `"${this.version}"` });
  readonly write = (change: Partial<Item>) => {
    this.item = { ...this.item, ...change };
    this.version += 1;
    return this.read();
  };
  readonly options = {
    toValues: ({ name, muted }: Item): Values => ({ name, muted }),
    send: async (values: Values, version: { readonly etag: string | null } | null) => {
      this.received.push(version?.etag ?? null);
      if (version?.etag !== this.read().etag) throw failWith(412);
      return this.write(values);
    },
    refetch: async () => this.read(),
  };
  readonly edit = (change: Partial<Values>) => {
    const version = this.read();
    const base = this.options.toValues(version.data);
    return { version, base, values: { ...base, ...change }, replaced: [] };
  };
}

test("a change of the current version is saved", async () => {
  const store = new Store();
  const outcome = await saveWithEtag(store.edit({ name: "Core" }), store.options);
  assert.equal(outcome.kind, "saved");
  assert.equal(store.item.name, "Core");
});

test("a change of an older version saves nothing and returns theirs", async () => {
  const store = new Store();
  const state = store.edit({ name: "Mine" });
  const theirs = store.write({ muted: true });
  const outcome = await saveWithEtag(state, store.options);
  assert.deepEqual(outcome, { kind: "conflict", theirs });
  assert.equal(store.item.name, "Edge");
  const { base, values: mine } = state;
  const values = combine({ base, mine, theirs: store.options.toValues(theirs.data) });
  const resolved = { ...state, version: theirs, base: theirs.data, values };
  assert.equal((await saveWithEtag(resolved, store.options)).kind, "saved");
  assert.deepEqual([store.item.name, store.item.muted], ["Mine", true]);
});

test("a version that differs only in what the form does not show is no conflict", async () => {
  const store = new Store();
  const state = store.edit({ name: "Mine" });
  store.write({ order: 7 });
  const outcome = await saveWithEtag(state, store.options);
  assert.deepEqual([outcome.kind, store.item.name, store.item.order], ["saved", "Mine", 7]);
  assert.deepEqual(store.received, ['"1"', '"2"']);
});

test("an own save whose answer was lost is no conflict", async () => {
  const store = new Store();
  const state = store.edit({ name: "Mine" });
  store.write({ name: "Mine" });
  assert.equal((await saveWithEtag(state, store.options)).kind, "saved");
});

test("a save is abandoned after three attempts, and other errors are not retried", async () => {
  const store = new Store();
  const state = store.edit({ name: "Mine" });
  const refetch = async () => {
    const read = store.read();
    store.write({ order: store.version });
    return read;
  };
  store.write({ order: 1 });
  await assert.rejects(saveWithEtag(state, { ...store.options, refetch }), { status: 412 });
  assert.equal(store.received.length, 3);
  const send = async () => {
    throw failWith(400);
  };
  await assert.rejects(saveWithEtag(state, { ...store.options, send }), { status: 400 });
});

test("an object without an ETag is changed without If-Match", () => {
  assert.deepEqual(ifMatch(null), {});
  assert.deepEqual(ifMatch('"1"'), { "if-match": '"1"' });
});
