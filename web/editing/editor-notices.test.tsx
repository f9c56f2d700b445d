/** Every editor warns about an object that the code of a project describes. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { renderPart } from "../../test/support/components/part.tsx";
import { openScreen, type ServedApp, shareTestApp } from "../../test/support/components/screen.tsx";
import { loadModule } from "../../test/support/load-module.ts";
import { ConflictPanel } from "./editor-notices.tsx";

interface Projects {
  readonly createResources: (name: string) => readonly object[];
  readonly toBody: (logicalId: string, resources: readonly object[]) => object;
}

const { createResources, toBody } = await loadModule<Projects>("test/support/modules/projects.ts");

let app: ServedApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

interface Entry {
  readonly logicalId: string;
  readonly physicalId: string | number;
}

test("editors of owned objects name the project", async () => {
  const body = toBody("shown", createResources("shown"));
  const started = await app.call("POST", "/v1/projects/deploy", { body });
  const path = `/v1/projects/shown/deployments/${started.body.id}/completion`;
  const { diff } = (await app.call("GET", path)).body.result as { diff: readonly Entry[] };
  const idOf = (logicalId: string) => diff.find((one) => one.logicalId === logicalId)?.physicalId;
  const screens = [
    `/checks/${idOf("ping")}/edit`,
    `/groups/${idOf("group")}`,
    `/alerts/channels/${idOf("mail")}`,
    `/alerts/maintenance/${idOf("window")}`,
    `/status-pages/${idOf("page")}`,
    `/edit-dashboard/${idOf("dash")}`,
    `/on-call/${idOf("rota")}`,
    `/on-call/policies/${idOf("escalation")}`,
  ];
  for (const screen of screens) {
    const opened = await openScreen(app, screen);
    await opened
      .getByText("Owned by project Project shown: your change will show as drift")
      .waitFor();
  }
});

test("an object that no project owns has no warning", async () => {
  const { body } = await app.call("POST", "/v1/check-groups", { body: { name: "Free" } });
  const screen = await openScreen(app, `/groups/${body.id}`);
  await screen.getByLabel("Name").waitFor();
  await screen.getByText("Owned by project").waitFor({ state: "hidden" });
});

/** The panel that shows what another user changed. */
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
