/** The panel that shows what another user changed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { renderPart } from "../../test/support/components/part.tsx";
import { ConflictPanel } from "./conflict-panel.tsx";

interface Values {
  readonly name: string;
  readonly muted: boolean;
  readonly tags: readonly string[];
  readonly secret: string;
  readonly retry: { readonly type: string; readonly times: number };
  readonly channelId: number | null;
}

const base: Values = {
  name: "Edge",
  muted: false,
  tags: ["a"],
  secret: "********",
  retry: { type: "FIXED", times: 2 },
  channelId: 7,
};
const labels = new Map([
  ["name", "Name"],
  ["muted", "Muted"],
  ["tags", "Tags"],
  ["secret", "Secret"],
  ["retry.times", "Retries"],
  ["channelId", "Channel"],
]);

function show(mine: Partial<Values>, theirs: Partial<Values>) {
  const resolved: Values[] = [];
  const part = renderPart(
    <ConflictPanel
      subject="this group"
      labels={labels}
      format={(path, value) => (path === "channelId" ? `channel ${value}` : undefined)}
      conflict={{ base, mine: { ...base, ...mine }, theirs: { ...base, ...theirs } }}
      onResolve={(values) => resolved.push(values)}
    />,
  );
  return { part, resolved };
}

const press = (part: ReturnType<typeof renderPart>, name: string) =>
  part.getByRole("button", { name, exact: true }).click();

test("fields that only one side changed are merged and listed", async () => {
  const { part, resolved } = show({ name: "Mine" }, { muted: true, tags: ["a", "b"] });
  await part.getByRole("alert", { name: "Another user changed this group" }).waitFor();
  assert.deepEqual(part.getByRole("listitem").allTextContents(), ["Muted: no yes", "Tags: a a, b"]);
  assert.equal(part.getByRole("radio").count(), 0, "there is nothing to choose");
  assert.equal(part.getByRole("button", { name: "Keep all mine" }).count(), 0);
  await press(part, "Use selection");
  assert.deepEqual(resolved, [{ ...base, name: "Mine", muted: true, tags: ["a", "b"] }]);
});

test("a field that both changed is a choice, and mine is chosen at first", async () => {
  const { part, resolved } = show({ name: "Mine" }, { name: "Theirs" });
  const group = part.getByRole("radiogroup", { name: "Name" });
  assert.equal(group.getByText("Mine", { exact: true }).count() > 0, true);
  assert.equal(group.getByText("Theirs", { exact: true }).count() > 0, true);
  await press(part, "Use selection");
  await group.getByRole("radio").nth(1).click();
  await press(part, "Use selection");
  assert.deepEqual(
    resolved.map(({ name }) => name),
    ["Mine", "Theirs"],
  );
});

test("one button keeps all of mine, another takes all of theirs", async () => {
  const retry = { type: "FIXED", times: 9 };
  const { part, resolved } = show(
    { name: "Mine", tags: [] },
    { name: "Theirs", tags: ["z"], retry },
  );
  await press(part, "Keep all mine");
  const theirs = part.getByRole("button", { name: /theirs/i }).last();
  await theirs.click();
  assert.deepEqual(resolved, [
    { ...base, name: "Mine", tags: [], retry },
    { ...base, name: "Theirs", tags: ["z"], retry },
  ]);
});

test("values are written for people: empty, hidden, long, and by name", () => {
  const long = "x".repeat(200);
  const { part } = show(
    { secret: "new", channelId: null, tags: [] },
    { channelId: 8, name: long, tags: ["a", "c"] },
  );
  const text = part.readText();
  assert.match(text, /channel 8/);
  assert.match(text, new RegExp(`${"x".repeat(120)}…`));
  assert.doesNotMatch(text, /\*{8}|x{121}/);
  const tags = part.getByRole("radiogroup", { name: "Tags" });
  assert.match(tags.allTextContents().join(), /–.*a, c/);
});
