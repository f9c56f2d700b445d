import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import fc from "fast-check";
import {
  applySaved,
  beginEditing,
  dropDraft,
  type EditorState,
  follow,
  isDirty,
  isNewer,
  keepDraft,
  keepDraftText,
  parseDraft,
  readDraft,
  readDraftText,
  rebase,
  type Version,
} from "./editor-state.ts";

interface Group {
  readonly id: number;
  readonly name: string;
  readonly tags: readonly string[];
}
interface Values {
  readonly name: string;
  readonly tags: string;
}
const toValues = ({ name, tags }: Group): Values => ({ name, tags: tags.join(", ") });
const version = (etag: string, change: Partial<Group> = {}): Version<Group> => ({
  data: { id: 1, name: "Edge", tags: ["a"], ...change },
  etag,
});
const edit = (state: EditorState<Group, Values>, change: Partial<Values>) => ({
  ...state,
  values: { ...state.values, ...change },
});
const begin = (
  stored: Version<Group> | null,
  draft: Parameters<typeof beginEditing<Group, Values>>[0]["draft"] = null,
) => beginEditing({ stored, initial: { name: "", tags: "" }, draft, toValues });

test("a form starts with what is stored, and is dirty once something else is typed", () => {
  const { state, isRestored } = begin(version("1"));
  assert.deepEqual([state.values, isRestored], [{ name: "Edge", tags: "a" }, false]);
  assert.equal(isDirty(state), false);
  assert.equal(isDirty(edit(state, { name: "Core" })), true);
  assert.equal(isDirty(edit(edit(state, { name: "Core" }), { name: "Edge" })), false);
});

test("a new object starts with its initial values, and fails without any", () => {
  assert.deepEqual(begin(null).state.values, { name: "", tags: "" });
  const nothing = { stored: null, initial: undefined, draft: null, toValues };
  assert.throws(() => beginEditing(nothing), /needs initial values/);
});

test("a draft keeps the version that it changes, so that a newer one is a conflict", () => {
  const values = { name: "Typed", tags: "a" };
  const draft = { values, version: version("1"), lacksSecrets: true };
  const newer = version("2", { name: "Theirs" });
  const { state, isRestored, lacksSecrets } = begin(newer, draft);
  assert.deepEqual([isRestored, lacksSecrets], [true, true]);
  assert.deepEqual([state.values, state.base.name], [values, "Edge"]);
  assert.equal(isNewer(state, newer), true);
});

test("a draft of a new object, or of another shape, does not replace a stored object", () => {
  const values = { name: "Typed", tags: "" };
  const ofNew = { values, version: null, lacksSecrets: false };
  assert.equal(begin(version("1"), ofNew).isRestored, false);
  const old = { data: { name: "Edge" } as Group, etag: "0" };
  assert.equal(begin(version("1"), { ...ofNew, version: old }).isRestored, false);
  assert.equal(begin(null, { ...ofNew, version: version("1") }).isRestored, false);
});

test("an untouched form follows what others store, and unsaved input stays", () => {
  const { state } = begin(version("1"));
  const theirs = version("2", { name: "Theirs" });
  const followed = follow(state, theirs, toValues);
  assert.deepEqual([followed.values.name, followed.version], ["Theirs", theirs]);
  const typed = edit(state, { name: "Typed" });
  assert.equal(follow(typed, theirs, toValues), typed);
  assert.equal(follow(state, version("1"), toValues), state);
});

test("a late answer with the version that was just replaced is ignored", () => {
  const { state } = begin(version("1"));
  const typed = edit(state, { name: "Typed" });
  const saved = version("3", { name: "Typed" });
  const outcome = { saved, sent: typed.values, replacedEtag: "2" };
  const now = applySaved(typed, outcome, toValues);
  assert.equal(isDirty(now), false);
  for (const etag of ["1", "2"]) assert.equal(follow(now, version(etag), toValues), now);
  assert.equal(follow(now, version("4", { name: "Theirs" }), toValues).values.name, "Theirs");
});

test("what is typed while a form is saved is unsaved; the rest is as the server stored it", () => {
  const { state } = begin(version("1"));
  const sent = { name: " Core ", tags: "a" };
  const typed = edit(state, { ...sent, tags: "a, b" });
  const saved = version("2", { name: "Core" });
  const now = applySaved(typed, { saved, sent, replacedEtag: "1" }, toValues);
  assert.deepEqual(now.values, { name: "Core", tags: "a, b" });
  assert.deepEqual(now.base, { name: "Core", tags: "a" });
  assert.equal(isDirty(now), true);
});

test("a resolved conflict continues from their version, and never returns to the edited one", () => {
  const edited = version("1");
  const { state: begun } = begin(edited);
  const theirs = version("2", { name: "Theirs" });
  const state = rebase(begun, theirs, { name: "Mine", tags: "a" }, toValues);
  assert.deepEqual([state.version, state.base.name, state.values.name], [theirs, "Theirs", "Mine"]);
  assert.equal(isNewer(state, theirs), false);
  const taken = rebase(begun, theirs, toValues(theirs.data), toValues);
  assert.equal(follow(taken, edited, toValues), taken, "the cache may still have the edited one");
});

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
