import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { KnownError } from "../errors.ts";
import { assertMatch, sendTagged, tagVersion } from "./send.ts";

const isRejected = (error: unknown) =>
  error instanceof KnownError && error.errorName === "preconditionFailed";

interface State {
  readonly version: number;
  readonly shown: readonly number[];
}

/** Changes to a resource and to the resources that it includes. */
type Change =
  | { readonly kind: "changed"; readonly shown: readonly number[] }
  | { readonly kind: "shown-changed"; readonly place: number }
  | { readonly kind: "shown-deleted"; readonly place: number };

function apply({ version, shown }: State, change: Change): State {
  if (change.kind === "changed") return { version: version + 1, shown: change.shown };
  const place = shown.length === 0 ? -1 : change.place % shown.length;
  if (change.kind === "shown-deleted") {
    return { version, shown: shown.filter((_, index) => index !== place) };
  }
  return { version, shown: shown.map((one, index) => (index === place ? one + 1 : one)) };
}

test("no two versions of a resource have the same tag, and each is a valid header", () => {
  const versions = fc.array(fc.integer({ min: 1, max: 1_000 }), { maxLength: 5 });
  const changes = fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant("changed" as const), shown: versions }),
      fc.record({ kind: fc.constant("shown-changed" as const), place: fc.nat() }),
      fc.record({ kind: fc.constant("shown-deleted" as const), place: fc.nat() }),
    ),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(versions, changes, (shown, list) => {
      let state: State = { version: 1, shown };
      const seen = new Set<string>();
      for (const change of [null, ...list]) {
        const next = change === null ? state : apply(state, change);
        const isSame = change !== null && JSON.stringify(next) === JSON.stringify(state);
        state = next;
        const tag = tagVersion(state.version, state.shown);
        assert.match(tag, /^"[0-9-]+"$/);
        assert.equal(seen.has(tag), isSame, tag);
        seen.add(tag);
      }
    }),
  );
});

test("a response has its tag", () => {
  const headers: Record<string, string> = {};
  const reply = {
    header: (name: string, value: string) => {
      headers[name] = value;
    },
  };
  const body = { id: 1 };
  assert.equal(sendTagged(reply, tagVersion(7), body), body);
  assert.deepEqual(headers, { etag: '"7"' });
});

test("accepts a change without If-Match, with a star, or with the tag among others", () => {
  const tag = tagVersion(2);
  for (const condition of [undefined, "*", " * ", tag, `"a", ${tag}`, `${tag},"b"`, ` ${tag} `]) {
    assert.doesNotThrow(() => assertMatch(condition, tag), String(condition));
  }
});

test("rejects a change if the resource has changed, or for a weak tag", () => {
  const before = tagVersion(1);
  const now = tagVersion(2);
  for (const condition of [before, `"a", ${before}`, "", '""', "2", `W/${now}`, `*, ${before}`]) {
    assert.throws(() => assertMatch(condition, now), isRejected, condition);
  }
});
