/** The form of a group, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { useState } from "react";
import { renderPart } from "../../test/support/components/part.tsx";
import { snippetsQuery } from "../kinds/scripts/queries.ts";
import { locationsQuery, privateNamesQuery } from "../locations/index.ts";
import { policiesQuery } from "../on-call/queries.ts";
import { GroupForm } from "./group-form.tsx";
import { type GroupValues, newGroup } from "./group-values.ts";
import { channelsQuery } from "./queries.ts";
import { words } from "./words.ts";

const locations = [
  { region: "eu-central-1", name: "Frankfurt", servedBy: "own-probe", probes: [] },
  { region: "us-east-1", name: "N. Virginia", servedBy: "built-in-probe", probes: [] },
  { region: "us-west-1", name: "Oregon", servedBy: "built-in-probe", probes: [] },
];
const privateNames = [
  { slugName: "cellar", name: "Office" },
  { slugName: "attic", name: "Office" },
];
const channels = [
  { id: 7, type: "EMAIL", config: { address: "ops@x.test" } },
  { id: 8, type: "SLACK", config: { url: "", channel: "#ops" } },
];

interface Given {
  readonly values?: Partial<GroupValues>;
  readonly isReadOnly?: boolean;
  readonly faults?: Readonly<Record<string, string>>;
  readonly channels?: readonly object[];
}

function renderForm(given: Given = {}) {
  let current: GroupValues = { ...newGroup, ...given.values };
  function Form() {
    const [values, setValues] = useState(current);
    current = values;
    return (
      <GroupForm
        values={values}
        isReadOnly={given.isReadOnly ?? false}
        faults={given.faults ?? {}}
        onChange={(change) => setValues((before) => ({ ...before, ...change }))}
      />
    );
  }
  const part = renderPart(<Form />, {
    data: [
      [locationsQuery.queryKey, locations],
      [privateNamesQuery.queryKey, privateNames],
      [channelsQuery.queryKey, given.channels ?? channels],
      [policiesQuery.queryKey, [{ id: "p-1", name: "Shop" }]],
      [snippetsQuery.queryKey, [{ id: 4, name: "sign", script: "" }]],
    ],
  });
  return { part, read: () => current };
}

test("name, switches and tags of a group are changed", async () => {
  const { part, read } = renderForm();
  await part.getByLabel(words.name, { exact: true }).fill("Edge");
  await part.getByRole("switch", { name: words.muted }).click();
  await part.getByRole("switch", { name: words.activated }).click();
  await part.getByLabel(words.tags, { exact: true }).fill("a, b");
  const { name, muted, activated, tags } = read();
  assert.deepEqual([name, muted, activated, tags], ["Edge", true, false, "a, b"]);
});

test("scripts of a group are shown if there are some, and changed", async () => {
  const { part, read } = renderForm({ values: { localSetupScript: "one()", setupSnippetId: 9 } });
  await part.getByText(words.goneSnippet(9)).waitFor();
  await part.getByLabel(words.setupSnippet).selectOption("4");
  await part.getByLabel(words.tearDownScript).fill("two()");
  const { localSetupScript, localTearDownScript, setupSnippetId } = read();
  assert.deepEqual([localSetupScript, localTearDownScript, setupSnippetId], ["one()", "two()", 4]);
});

test("locations are chosen by name and removed again", async () => {
  const { part, read } = renderForm({ values: { locations: ["us-east-1"] } });
  await part.getByText(words.otherPlaces(1)).waitFor();
  await part.getByLabel("Frankfurt").click();
  assert.deepEqual(read().locations, ["us-east-1", "eu-central-1"]);
  await part.getByLabel("N. Virginia").click();
  assert.deepEqual(read().locations, ["eu-central-1"]);
});

test("private locations of one name are distinguished, and a missing one can be removed", async () => {
  const { part, read } = renderForm({ values: { privateLocations: ["gone"] } });
  await part.getByLabel("Office (cellar)").click();
  await part.getByLabel(`gone (${words.notThere})`).click();
  assert.deepEqual(read().privateLocations, ["cellar"]);
  await part.getByLabel("Office (attic)").waitFor();
});

test("the group's own escalation is by runs or by time", async () => {
  const { part, read } = renderForm();
  assert.equal(part.getByLabel(words.escalation).count(), 0);
  await part.getByLabel(words.alerting, { exact: true }).selectOption(words.ownSettings);
  await part.getByLabel(words.failedRuns).fill("3");
  assert.equal(read().failedRuns, 3);
  await part.getByLabel(words.escalation).selectOption(words.byTime);
  assert.equal(part.getByLabel(words.failedRuns).count(), 0);
  await part.getByLabel(words.failingMinutes).selectOption(words.minutes(30));
  assert.deepEqual([read().escalation, read().failingMinutes], ["TIME_BASED", 30]);
  await part.getByLabel(words.alerting, { exact: true }).selectOption(words.accountSettings);
  assert.equal(part.getByLabel(words.escalation).count(), 0);
  await part.getByLabel(words.policy).selectOption("Shop");
  await part.getByLabel(words.urgency).selectOption(words.notUrgent);
  assert.deepEqual([read().escalationPolicyId, read().urgency], ["p-1", "LOW"]);
});

test("channels are named as in the list of channels", async () => {
  const { part, read } = renderForm({ values: { channelIds: [7] } });
  assert.equal(await part.getByLabel("Email: ops@x.test").isChecked(), true);
  await part.getByLabel("Slack: #ops").click();
  assert.deepEqual(read().channelIds, [7, 8]);
});

test("an account without channels gets a hint", async () => {
  const { part } = renderForm({ channels: [] });
  await part.getByText(words.noChannels).waitFor();
});

test("each error is at its field", async () => {
  const faults = { name: "Must not be empty", tags: "Too many tags" };
  const { part } = renderForm({ faults });
  await part.getByText("Must not be empty").waitFor();
  const invalid = part.locator("[aria-invalid=true]").elements() as HTMLInputElement[];
  assert.equal(invalid.length, 2);
  assert.equal(
    await part.getByLabel(words.name, { exact: true }).getAttribute("aria-invalid"),
    "true",
  );
});

test("a read-only user can change nothing", async () => {
  const { part, read } = renderForm({ isReadOnly: true, values: { name: "Edge" } });
  const before = read();
  for (const box of part.getByRole("checkbox").elements()) {
    assert.equal((box as HTMLInputElement).disabled, true, box.outerHTML);
  }
  for (const select of part.getByRole("combobox").elements()) {
    assert.equal((select as HTMLSelectElement).disabled, true, select.outerHTML);
  }
  const name = part.getByLabel(words.name, { exact: true });
  assert.equal(((await name.element()) as HTMLInputElement).readOnly, true);
  assert.equal(read(), before);
});
