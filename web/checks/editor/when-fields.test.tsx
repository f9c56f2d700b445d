/** Frequency and locations of a check in its editor, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { useState } from "react";
import { renderPart } from "../../../test/support/components/part.tsx";
import { readCheckKinds } from "../../../test/support/modules/check-kinds.ts";
import { EditorContext, type FieldEditor } from "../../kinds/editor/editor-context.ts";
import type { AnyValues, CheckKind } from "../../kinds/form-values.ts";
import { locationsQuery, privateNamesQuery } from "../../locations/index.ts";
import { mergeFields, setAt } from "../../parts/fields.ts";
import { WhenFields } from "./when-fields.tsx";
import { words } from "./words.ts";

const kind: CheckKind = readCheckKinds().find(({ type }: CheckKind) => type === "URL");
const builtIn = [{ status: "alive", isBuiltIn: true }];
const own = [{ status: "alive", isBuiltIn: false }];
const places = [
  { region: "us-east-1", name: "N. Virginia", servedBy: "own-probe", probes: own },
  { region: "eu-central-1", name: "Frankfurt", servedBy: "own-probe", probes: builtIn },
  { region: "ap-northeast-1", name: "Tokyo", servedBy: "built-in", probes: [] },
  { region: "sa-east-1", name: "São Paulo", servedBy: "nobody", probes: [] },
];
const privateNames = [
  { slugName: "cellar", name: "Office", status: "served" },
  { slugName: "attic", name: "Attic", status: "unserved" },
];

interface Given {
  readonly values?: object;
  readonly errors?: Readonly<Record<string, string>>;
  readonly locations?: readonly object[];
  readonly privates?: readonly object[];
}

function renderFields(given: Given = {}) {
  let current = mergeFields(kind.defaults, given.values ?? {}) as AnyValues;
  function Fields() {
    const [values, setValues] = useState(current);
    current = values;
    const editor: FieldEditor = {
      values,
      kind,
      isNew: true,
      set: (path, value) => setValues((before) => setAt(before, path, value) as AnyValues),
      merge: (fields) => setValues((before) => mergeFields(before, fields) as AnyValues),
      findFieldError: (path) => given.errors?.[path] ?? null,
      noteLabel: () => {},
    };
    return (
      <EditorContext.Provider value={editor}>
        <WhenFields />
      </EditorContext.Provider>
    );
  }
  const part = renderPart(<Fields />, {
    data: [
      [locationsQuery.queryKey, given.locations ?? places],
      [privateNamesQuery.queryKey, given.privates ?? privateNames],
    ],
  });
  const box = (name: string | RegExp) => part.getByRole("checkbox", { name });
  return { part, box, read: () => current };
}

test("without a choice, the check runs on this server, which comes first", async () => {
  const { part, box } = renderFields();
  const [first] = part.getByRole("checkbox").elements() as HTMLInputElement[];
  assert.equal(first?.title || first?.closest("[title]")?.getAttribute("title"), "eu-central-1");
  assert.equal(await box(/^Frankfurt/).isChecked(), true);
  await part.getByText(words.onThisServer, { exact: true }).waitFor();
  assert.equal(part.getByText("São Paulo").count(), 0, "nobody serves it");
});

test("a second location is added to this server, and the default is stored as null", async () => {
  const { part, box, read } = renderFields();
  assert.equal(part.getByLabel(words.parallel).count(), 0);
  await box("N. Virginia").click();
  assert.deepEqual(read().locations, ["eu-central-1", "us-east-1"]);
  await part.getByLabel(words.parallel).waitFor();
  await box("N. Virginia").click();
  assert.equal(read().locations, null);
});

test("locations without a probe are collapsed, and say who runs them", async () => {
  const { part, box, read } = renderFields();
  await part.getByText(words.otherPlaces(1)).click();
  await box(/^Tokyo/).click();
  assert.deepEqual(read().locations, ["eu-central-1", "ap-northeast-1"]);
  await part.getByText(words.servedHere).waitFor();
});

test("with only private locations, the check runs only there", async () => {
  const { box, read } = renderFields();
  await box("Office").click();
  assert.deepEqual([read().privateLocations, read().locations], [["cellar"], []]);
  assert.equal(await box(/^Frankfurt/).isChecked(), false);
  await box("Office").click();
  assert.deepEqual([read().privateLocations, read().locations], [[], null]);
});

test("a private location without a probe is marked, and a missing one can be removed", async () => {
  const { box, read } = renderFields({ values: { privateLocations: ["gone", "cellar"] } });
  await box(`Attic (${words.unserved})`).waitFor();
  await box(`gone (${words.notThere})`).click();
  assert.deepEqual(read().privateLocations, ["cellar"]);
});

test("without private locations there is no such field, and without a probe a hint", async () => {
  const { part } = renderFields({ privates: [], locations: [places[0] ?? {}] });
  assert.equal(part.getByText(words.privateLocations, { exact: true }).count(), 0);
  await part.getByText(words.locationsHint).waitFor();
});

test("the frequency below a minute uses its own field", async () => {
  const { part, read } = renderFields();
  const select = part.getByLabel(words.frequency);
  await select.selectOption("10");
  assert.deepEqual([read().frequency, read().frequencyOffset], [0, 10]);
  await select.selectOption("300");
  assert.equal(read().frequency, 5);
});

test("errors are shown at the frequency and at the locations", async () => {
  const errors = { frequencyOffset: "is too short", locations: "has too many entries" };
  const { part } = renderFields({ errors });
  await part.getByText("is too short").waitFor();
  assert.equal(await part.getByLabel(words.frequency).getAttribute("aria-invalid"), "true");
  assert.match(part.getByRole("alert").allTextContents().join(), /has too many entries/);
});
