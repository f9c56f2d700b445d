/** The dialogs that change many checks, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ComponentType } from "react";
import { renderPart } from "../../../test/support/components/part.tsx";
import { readCheckKinds } from "../../../test/support/modules/check-kinds.ts";
import { channelsQuery } from "../../alerts/index.ts";
import { groupsQuery } from "../../groups/index.ts";
import { checkKindsQuery } from "../../kinds/queries.ts";
import { locationsQuery, privateNamesQuery } from "../../locations/index.ts";
import {
  type Change,
  ChannelsDialog,
  FrequencyDialog,
  LocationsDialog,
  MoveDialog,
  TagDialog,
} from "./bulk-dialogs.tsx";
import { words } from "./words.ts";

interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onChange: (change: Change) => void;
}

const channels = [
  { id: 7, type: "EMAIL", config: { address: "ops@x.test" } },
  { id: 8, type: "MSTEAMS", config: { url: "" } },
];
const locations = [
  { region: "eu-central-1", name: "Frankfurt", servedBy: "own-probe", probes: [] },
  { region: "us-east-1", name: "N. Virginia", servedBy: "nobody", probes: [] },
];

function open(Dialog: ComponentType<DialogProps>, known: readonly object[] = channels) {
  const changes: Change[] = [];
  let closed = 0;
  const part = renderPart(
    <Dialog
      isOpen
      onClose={() => {
        closed += 1;
      }}
      onChange={(change) => changes.push(change)}
    />,
    {
      data: [
        [groupsQuery.queryKey, [{ id: 3, name: "Core <b>" }]],
        [channelsQuery.queryKey, known],
        [checkKindsQuery.queryKey, readCheckKinds()],
        [locationsQuery.queryKey, locations],
        [privateNamesQuery.queryKey, [{ slugName: "cellar", name: "Office" }]],
      ],
    },
  );
  const press = (name: string) => part.getByRole("button", { name, exact: true }).click();
  return { part, changes, press, countClosed: () => closed };
}

test("tags are added or removed, each once, and only if there are any", async () => {
  const { part, changes, press, countClosed } = open(TagDialog);
  const add = part.getByRole("button", { name: words.addTags, exact: true });
  assert.equal(await add.isDisabled(), true);
  await part.getByLabel(words.tagsField).fill(" a, b,, a ");
  await press(words.removeTags);
  await part.getByLabel(words.tagsField).fill("c");
  await part.getByLabel(words.tagsField).press("{Enter}");
  assert.deepEqual(changes, [
    { action: "removeTags", tags: ["a", "b"] },
    { action: "addTags", tags: ["c"] },
  ]);
  assert.equal(countClosed(), 2);
});

test("checks are moved to a group or out of all groups", async () => {
  const { changes, press } = open(MoveDialog);
  await press("Core <b>");
  await press(words.noGroup);
  assert.deepEqual(changes, [
    { action: "move", groupId: 3 },
    { action: "move", groupId: null },
  ]);
});

test("channels are added or removed, and one without a name has its type", async () => {
  const { part, changes, press } = open(ChannelsDialog);
  const add = part.getByRole("button", { name: words.addChannels, exact: true });
  assert.equal(await add.isDisabled(), true);
  await part.getByRole("checkbox", { name: /^Microsoft Teams/ }).click();
  await part.getByRole("checkbox", { name: /^ops@x\.test/ }).click();
  await press(words.addChannels);
  assert.deepEqual(changes, [{ action: "addChannels", alertChannelIds: [8, 7] }]);
  assert.equal(await add.isDisabled(), true, "the next change starts without a selection");
});

test("an account without channels gets a hint", async () => {
  const { part } = open(ChannelsDialog, []);
  await part.getByText(words.noChannels).waitFor();
});

test("a frequency below a minute is sent in seconds, a longer one in minutes", async () => {
  const { part, changes, press } = open(FrequencyDialog);
  await part.locator("select").selectOption("300");
  await press(words.setFrequency);
  await part.locator("select").selectOption("10");
  await press(words.setFrequency);
  assert.deepEqual(changes, [
    { action: "setFrequency", frequency: 5 },
    { action: "setFrequency", frequency: 0, frequencyOffset: 10 },
  ]);
});

test("locations are replaced by those with a probe and by private ones", async () => {
  const { part, changes, press } = open(LocationsDialog);
  assert.equal(part.getByLabel("N. Virginia").count(), 0, "nobody serves it");
  await part.getByLabel("Frankfurt").click();
  await part.getByLabel("Office").click();
  await press(words.setLocations);
  assert.deepEqual(changes, [
    { action: "setLocations", locations: ["eu-central-1"], privateLocations: ["cellar"] },
  ]);
});
