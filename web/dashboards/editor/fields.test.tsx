/** The fields of a dashboard, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { useState } from "react";
import { renderPart } from "../../../test/support/components/part.tsx";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { ApiError } from "../../api/api-error.ts";
import { tagsQuery } from "../../parts/queries.ts";
import { words } from "../words.ts";
import { ChoiceFields, HeadFields, RowFields, ScreenFields } from "./fields.tsx";
import type { DashboardEditor, DashboardValues } from "./use-dashboard-editor.ts";

const initial = {
  header: "Harbour",
  description: "",
  showHeader: true,
  logo: null,
  favicon: null,
  link: "",
  tags: "",
  useTagsAndOperator: false,
  sortByStatus: false,
  enableIncidents: false,
  showGroupNames: true,
  showTags: true,
  expandChecks: false,
  showCheckRunLinks: false,
  showP95: true,
  showP99: true,
  width: "FULL",
  layout: "TABLE",
  paginate: true,
  checksPerPage: 15,
  paginationRate: 30,
  refreshRate: 60,
} as unknown as DashboardValues;

const { labels } = words;

function renderFields(more: Partial<DashboardValues> = {}, error: unknown = null) {
  let current = { ...initial, ...more };
  function Fields() {
    const [values, setValues] = useState(current);
    current = values;
    const editor = {
      values,
      change: (change: Partial<DashboardValues>) =>
        setValues((before) => ({ ...before, ...change })),
    } as unknown as DashboardEditor;
    return (
      <>
        <ChoiceFields editor={editor} error={error} />
        <HeadFields editor={editor} error={error} />
        <RowFields editor={editor} />
        <ScreenFields editor={editor} error={error} />
      </>
    );
  }
  const known = Array.from({ length: 20 }, (_, n) => ({ value: `tag-${n}`, count: 1 }));
  const part = renderPart(<Fields />, { data: [[tagsQuery.queryKey, known]] });
  return { part, read: () => current };
}

test("known tags are toggled, and two tags can be combined", async () => {
  const { part, read } = renderFields();
  assert.equal(part.getByRole("button", { name: /^tag-/ }).count(), 12, "only the first ones");
  assert.equal(part.getByLabel(labels.useTagsAndOperator).count(), 0);
  await part.getByRole("button", { name: "tag-1", exact: true }).click();
  await part.getByRole("button", { name: "tag-2", exact: true }).click();
  assert.equal(read().tags, "tag-1, tag-2");
  await part.getByLabel(labels.useTagsAndOperator).click();
  assert.equal(read().useTagsAndOperator, true);
  const first = part.getByRole("button", { name: "tag-1", exact: true });
  assert.equal(await first.getAttribute("aria-pressed"), "true");
  await first.click();
  assert.equal(read().tags, "tag-2");
});

test("every flag of a row is changed on its own", async () => {
  const { part, read } = renderFields();
  for (const name of [
    "showGroupNames",
    "showTags",
    "expandChecks",
    "showP95",
    "showP99",
  ] as const) {
    const before = read();
    await part.getByLabel(labels[name], { exact: true }).click();
    assert.deepEqual(read(), { ...before, [name]: !before[name] });
  }
});

test("the number of checks per page needs pages", async () => {
  const { part, read } = renderFields();
  const count = part.getByLabel(labels.checksPerPage);
  await count.fill("7");
  assert.equal(read().checksPerPage, 7);
  await part.getByRole("switch", { name: labels.paginate }).click();
  assert.equal(await count.isDisabled(), true);
});

test("intervals are stored as numbers, and offered as the API allows", async () => {
  const { part, read } = renderFields();
  await part.getByLabel(labels.paginationRate).selectOption("300");
  await part.getByLabel(labels.refreshRate).selectOption("600");
  await part.getByLabel(labels.width, { exact: true }).selectOption("960PX");
  await part.getByLabel(labels.layout, { exact: true }).selectOption("TILES");
  const { paginationRate, refreshRate, width, layout } = read();
  assert.deepEqual([paginationRate, refreshRate, width, layout], [300, 600, "960PX", "TILES"]);
});

test("an image is read as a data URL, and one that is too large is rejected", async () => {
  const { part, read } = renderFields();
  const [logo] = [part.locator("input[type=file]").first()];
  await logo.upload(new window.File([new Uint8Array(200_001)], "a.png", { type: "image/png" }));
  await part.getByText(words.picture.tooLarge).waitFor();
  assert.equal(read().logo, null);
  await logo.upload(new window.File(["x"], "a.png", { type: "image/png" }));
  await waitUntil("it is read", () => read().logo !== null);
  assert.equal(read().logo, "data:image/png;base64,eA==");
  await part.getByText(words.picture.chosen).waitFor();
  assert.equal(part.getByText(words.picture.tooLarge).count(), 0);
  await part.getByRole("button", { name: words.picture.remove(labels.logo) }).click();
  assert.equal(read().logo, null);
});

test("each error is at its field", async () => {
  const error = new ApiError({
    kind: "rejected",
    message: "",
    status: 400,
    fieldErrors: { header: "must not be empty", link: "must be a URL", logo: "is no image" },
  });
  const { part } = renderFields({}, error);
  assert.equal(
    await part.getByLabel(labels.header, { exact: true }).getAttribute("aria-invalid"),
    "true",
  );
  assert.equal(
    await part.getByLabel(labels.link, { exact: true }).getAttribute("aria-invalid"),
    "true",
  );
  assert.equal(part.locator("[aria-invalid=true]").count(), 2);
  assert.match(part.getByRole("alert").allTextContents().join(), /is no image/i);
});
