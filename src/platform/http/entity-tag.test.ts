import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { KnownError } from "../errors.ts";
import { assertMatch, sendTagged, tagEntity } from "./entity-tag.ts";

const isRefused = (error: unknown) =>
  error instanceof KnownError && error.errorName === "preconditionFailed";

test("the same thing has the same tag, another thing another, and each fits into a header", () => {
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const tag = tagEntity(value);
      assert.match(tag, /^"[A-Za-z0-9_-]{22}"$/);
      assert.equal(tagEntity(structuredClone(value)), tag);
      const text = JSON.stringify(value);
      assert.equal(seen.get(tag) ?? text, text);
      seen.set(tag, text);
    }),
  );
});

test("what is sent carries its tag", () => {
  const headers: Record<string, string> = {};
  const reply = {
    header: (name: string, value: string) => {
      headers[name] = value;
    },
  };
  const body = { id: 1 };
  assert.equal(sendTagged(reply, body), body);
  assert.deepEqual(headers, { etag: tagEntity(body) });
});

test("a change is let through without a condition, with a star, or with the tag among others", () => {
  const thing = { name: "now" };
  const tag = tagEntity(thing);
  for (const condition of [undefined, "*", " * ", tag, `"a", ${tag}`, `${tag},"b"`, ` ${tag} `]) {
    assert.doesNotThrow(() => assertMatch(condition, thing), String(condition));
  }
});

test("a change is refused when the thing is another by now", () => {
  const tag = tagEntity({ name: "before" });
  const thing = { name: "now" };
  const bare = tagEntity(thing).slice(1, -1);
  for (const condition of [
    tag,
    `"a", ${tag}`,
    "",
    '""',
    bare,
    `W/${tagEntity(thing)}`,
    `*, ${tag}`,
  ]) {
    assert.throws(() => assertMatch(condition, thing), isRefused, condition);
  }
});

test("only the tag of the thing as it is lets a change through", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (read, stored) => {
      const isSame = JSON.stringify(read) === JSON.stringify(stored);
      const change = () => assertMatch(tagEntity(read), stored);
      if (isSame) assert.doesNotThrow(change);
      else assert.throws(change, isRefused);
    }),
  );
});
