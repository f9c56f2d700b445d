/** Answers and cards of the agent, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { renderPart } from "../../test/support/components/part.tsx";
import { ActionCard } from "./agent-panel.tsx";
import { parseAnswer, readAddress } from "./answer-text.ts";

type CardProps = Parameters<typeof ActionCard>[0];
type State = CardProps["card"]["state"];

const action = {
  id: "x",
  title: "Mute a check",
  changes: [{ what: "Muted", before: "no", after: "yes" }],
};

function Card(
  props: { readonly state: State; readonly changes?: readonly object[] } & Partial<CardProps>,
) {
  const { state, changes = action.changes, ...rest } = props;
  const card = { action: { ...action, changes }, state } as unknown as CardProps["card"];
  const ignore = () => {};
  return (
    <ActionCard card={card} onConfirm={ignore} onDecline={ignore} onLeave={ignore} {...rest} />
  );
}

test("a proposed change shows what it changes, and waits for a decision", async () => {
  const decided: string[] = [];
  const part = renderPart(
    <Card
      state={{ name: "waiting" }}
      onConfirm={() => decided.push("confirmed")}
      onDecline={() => decided.push("declined")}
    />,
  );
  const card = part.getByRole("region", { name: "Confirm: Mute a check" });
  assert.deepEqual(part.readRows(), [["Muted", "no", "yes"]]);
  await card.getByText("Nothing has been changed yet.").waitFor();
  await card.getByRole("button", { name: "Confirm" }).click();
  await card.getByRole("button", { name: "Decline" }).click();
  assert.deepEqual(decided, ["confirmed", "declined"]);
});

test("a new object has values instead of a change", () => {
  const changes = [
    { what: "Name", before: null, after: "db-1" },
    { what: "Group", before: null, after: null },
  ];
  const part = renderPart(<Card state={{ name: "waiting" }} changes={changes} />);
  assert.equal(part.getByRole("columnheader").count(), 2);
  const [first, second] = part.readRows();
  assert.deepEqual(first, ["Name", "db-1"]);
  assert.equal(second?.[0], "Group");
});

test("a decided card has no buttons, and shows its outcome", () => {
  const states: readonly (readonly [State, RegExp, "status" | "alert"])[] = [
    [{ name: "sending" }, /./, "status"],
    [{ name: "declined" }, /Declined\. Nothing was changed\./, "status"],
    [{ name: "gone" }, /./, "status"],
    [{ name: "done", message: "Done. db-1 is muted.", href: null }, /db-1 is muted/, "status"],
    [{ name: "failed", message: "Not allowed.", requestId: "r-7" }, /Not allowed\..*r-7/, "alert"],
  ];
  const part = renderPart(<Card state={{ name: "waiting" }} />);
  for (const [state, words, role] of states) {
    part.rerender(<Card state={state} />);
    assert.equal(part.getByRole("button").count(), 0, state.name);
    assert.match(part.getByRole(role).allTextContents().join(), words, state.name);
  }
});

test("a done card links to what it changed", async () => {
  const part = renderPart(<Card state={{ name: "done", message: "Done.", href: "/checks/c-1" }} />);
  assert.equal(await part.getByRole("link").getAttribute("href"), "/checks/c-1");
});

test("only addresses of this server and of the web become links", () => {
  assert.equal(readAddress("/checks/1"), "/checks/1");
  assert.equal(readAddress("https://example.com"), "https://example.com/");
  for (const bad of ["//evil.test", "javascript:alert(1)", "data:text/html,x", "checks/1", ""]) {
    assert.equal(readAddress(bad), null, bad);
  }
});

test("an answer is split into paragraphs, lists, quotes and code", () => {
  const text = [
    "## Result",
    "- one **bold**",
    "* two `code`",
    "",
    "> quoted",
    "```",
    "- not a list",
    "```",
    "after [1] and [2]",
    "Sources: [1](/checks/1)",
  ].join("\n");
  const blocks = parseAnswer(text);
  assert.deepEqual(
    blocks.map(({ type }) => type),
    ["paragraph", "list", "quote", "code", "paragraph"],
  );
  assert.deepEqual(blocks[3], { type: "code", text: "- not a list" });
  const last = blocks[4];
  assert.ok(last?.type === "paragraph");
  assert.deepEqual(last.parts, [
    { type: "text", text: "after " },
    { type: "cite", number: "1", url: "/checks/1" },
    { type: "text", text: " and " },
    { type: "text", text: "[2]" },
  ]);
});

test("code that is not closed extends to the end, and an endless answer is cut", () => {
  assert.deepEqual(parseAnswer("```\na\nb"), [{ type: "code", text: "a\nb" }]);
  assert.equal(parseAnswer("x\n".repeat(10_000)).length <= 600, true);
});
