import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import fc from "fast-check";
import {
  dropDraft,
  keepDraft,
  keepDraftText,
  parseDraft,
  readDraft,
  readDraftText,
} from "./draft.ts";

beforeEach(() => sessionStorage.clear());

const draft = {
  values: { name: "Typed", token: "hunter2" },
  version: { data: { name: "Edge" }, etag: '"1"' },
  lacksSecrets: false,
};

test("a draft is read as it was kept until it is dropped", () => {
  keepDraft("group.1", draft);
  assert.deepEqual(readDraft("group.1"), draft);
  assert.equal(readDraft("group.2"), null);
  dropDraft("group.1");
  assert.equal(readDraft("group.1"), null);
  assert.equal(sessionStorage.length, 0);
});

test("a secret is not stored, and the draft says that it is missing", () => {
  const clean = (values: typeof draft.values) => ({ ...values, token: "" });
  keepDraft("channel.1", draft, clean);
  assert.doesNotMatch(readDraftText("channel.1"), /hunter2/);
  const kept = readDraft<object, typeof draft.values>("channel.1");
  assert.deepEqual([kept?.values.token, kept?.lacksSecrets], ["", true]);
  // Kept again without the secret, it is still missing.
  if (kept) keepDraft("channel.1", kept, clean);
  assert.equal(readDraft("channel.1")?.lacksSecrets, true);
});

test("a locked value of the edited version is not stored either", () => {
  const variables = [{ key: "TOKEN", value: "hunter2", locked: true }];
  keepDraft("check.1", {
    values: { variables },
    version: { data: { variables }, etag: null },
    lacksSecrets: false,
  });
  const kept = readDraft<{ variables: unknown }, { variables: unknown }>("check.1");
  assert.doesNotMatch(readDraftText("check.1"), /hunter2/);
  assert.deepEqual(kept?.values.variables, kept?.version?.data.variables);
});

test("text that is no draft is ignored", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const parsed = parseDraft(text);
      assert.ok(parsed === null || typeof parsed.values === "object");
    }),
  );
  for (const text of ["", "null", "[]", '{"values":[]}', '{"values":{},"version":5}']) {
    assert.equal(parseDraft(text), null, text);
  }
});

test("a text that is too long for the storage is not kept, and an empty one deletes it", () => {
  keepDraftText("list", "a host");
  keepDraftText("list", "x".repeat(1_000_001));
  assert.equal(readDraftText("list"), "a host");
  keepDraftText("list", "");
  assert.equal(readDraftText("list"), "");
});
