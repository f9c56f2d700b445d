/** Colours, links and history of a status page in its editor, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { useState } from "react";
import { renderPart } from "../../../test/support/components/part.tsx";
import { ApiError } from "../../api/api-error.ts";
import { FrameFields } from "./frame-fields.tsx";
import { LookFields } from "./look-fields.tsx";
import type { PreviewState } from "./page-preview.tsx";
import type { PageValues, Palette } from "./page-values.ts";
import type { PageEditor } from "./use-page-editor.ts";
import { words } from "./words.ts";

const names = Object.keys(words.colors) as (keyof Palette)[];
const palette = (color: string) =>
  Object.fromEntries(names.map((name) => [name, color])) as unknown as Palette;

const shown = { light: palette("#111111"), dark: palette("#EEEEEE") };

const initial = {
  defaultTheme: "AUTO",
  themeColors: null,
  brandColor: null,
  headerLinks: [],
  footerLinks: [],
  footerText: "",
  historyDays: 90,
  logo: null,
  logoDark: null,
  favicon: null,
} as unknown as PageValues;

interface Given {
  readonly values?: Partial<PageValues>;
  readonly answer?: object | undefined;
  readonly error?: unknown;
}

function renderFields({ values = {}, answer, error = null }: Given = {}) {
  let current = { ...initial, ...values };
  const preview = {
    answer:
      answer === undefined ? undefined : { contrastWarnings: [], themeColors: shown, ...answer },
  } as unknown as PreviewState;
  function Fields() {
    const [now, setNow] = useState(current);
    current = now;
    const editor = {
      values: now,
      change: (more: Partial<PageValues>) => setNow((before) => ({ ...before, ...more })),
    } as unknown as PageEditor;
    return (
      <>
        <LookFields editor={editor} preview={preview} error={error} />
        <FrameFields editor={editor} error={error} />
      </>
    );
  }
  return { part: renderPart(<Fields />), read: () => current };
}

test("colours are the usual ones until a preview offers others", async () => {
  const { part } = renderFields();
  const choices = part.getByRole("radiogroup", { name: words.colorSources });
  assert.equal(await choices.getByLabel(words.colorSource.usual).isChecked(), true);
  assert.equal(await choices.getByLabel(words.colorSource.own).isDisabled(), true);
  assert.equal(await choices.getByLabel(words.colorSource.brand).isDisabled(), true);
});

test("custom colours start with the shown ones, for light and dark", async () => {
  const { part, read } = renderFields({ answer: {} });
  await part.getByLabel(words.colorSource.own).click();
  assert.deepEqual(read().themeColors, shown);
  const [first] = names;
  assert.ok(first);
  const field = part.getByLabel(words.colors[first], { exact: true });
  await field.fill("#abc");
  assert.equal(read().themeColors?.light[first], "#abc");
  assert.equal(read().themeColors?.dark[first], "#EEEEEE");
  const themes = part.getByRole("radiogroup", { name: words.colorsOn });
  await themes.getByLabel(words.onTheme("dark", 0)).click();
  assert.equal(await field.inputValue(), "#EEEEEE");
  await part.getByLabel(words.colorSource.usual).click();
  assert.equal(read().themeColors, null);
});

test("text that is no colour is rejected at its field, and the last colour stays", async () => {
  const { part, read } = renderFields({ values: { brandColor: "#7B1FA2" }, answer: {} });
  const field = part.getByLabel(words.brandColor, { exact: true });
  await field.fill("purple");
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  await part.getByText(words.noColor).waitFor();
  assert.equal(read().brandColor, "#7B1FA2");
  await field.fill("#fff");
  assert.equal(read().brandColor, "#fff");
  assert.equal(await field.getAttribute("aria-invalid"), "false");
  assert.equal(await part.getByLabel(words.pick(words.brandColor)).inputValue(), "#ffffff");
});

test("a brand colour starts with the colour of links, and replaces custom colours", async () => {
  const { part, read } = renderFields({ values: { themeColors: shown }, answer: {} });
  assert.equal(await part.getByLabel(words.colorSource.own).isChecked(), true);
  await part.getByLabel(words.colorSource.brand).click();
  assert.deepEqual([read().themeColors, read().brandColor], [null, "#111111"]);
});

test("low contrast is a warning at its colour, and counted per theme", async () => {
  const [foreground = "bodyFontColor" as keyof Palette, background] = names;
  const warning = { theme: "light", foreground, background, ratio: 1.14, needed: 4.5 };
  const { part } = renderFields({
    values: { themeColors: shown },
    answer: { contrastWarnings: [warning, { ...warning, theme: "dark" }] },
  });
  const text = words.contrast(words.colors[warning.background as keyof Palette], 1.14, 4.5);
  assert.equal(part.getByText(text).count(), 1, "of the shown theme only");
  await part.getByLabel(words.onTheme("light", 1)).waitFor();
  await part.getByLabel(words.onTheme("dark", 1)).waitFor();
  const field = part.getByLabel(words.colors[foreground], { exact: true });
  const described = await field.getAttribute("aria-describedby");
  assert.equal(document.getElementById(described ?? "")?.textContent, text);
});

test("links are added up to their limit, changed and removed", async () => {
  const { part, read } = renderFields();
  const add = part.getByRole("button", { name: `${words.addLink}: ${words.headerLinks}` });
  for (let count = 0; count < 5; count += 1) await add.click();
  assert.equal(await add.isDisabled(), true);
  await part.getByLabel(words.linkName(words.headerLinks, 5)).fill("Home");
  await part.getByLabel(words.linkUrl(words.headerLinks, 5)).fill("https://acme.example/");
  assert.deepEqual(read().headerLinks[4], { name: "Home", url: "https://acme.example/" });
  await part.getByRole("button", { name: words.removeLink(words.headerLinks, 1) }).click();
  assert.equal(read().headerLinks.length, 4);
  assert.equal(read().headerLinks[3]?.name, "Home");
  assert.deepEqual(read().footerLinks, []);
});

test("a rejected link is shown at its address", async () => {
  const error = new ApiError({
    kind: "rejected",
    message: "",
    status: 400,
    fieldErrors: { "footerLinks.1.url": "must be an http or https URL" },
  });
  const link = { name: "x", url: "javascript:alert(1)" };
  const { part } = renderFields({ values: { footerLinks: [link, link] }, error });
  const invalid = part.locator("[aria-invalid=true]").elements();
  assert.deepEqual(
    invalid.map((one) => one.getAttribute("aria-label")),
    [words.linkUrl(words.footerLinks, 2)],
  );
  await part.getByText("Must be an http or https URL").waitFor();
});

test("the history has one of three lengths, and the theme one of three choices", async () => {
  const { part, read } = renderFields();
  await part.getByLabel(words.historyLengths[30]).click();
  await part.getByRole("radiogroup", { name: words.theme }).getByLabel(words.themes.DARK).click();
  await part.getByLabel(words.footerText).fill("Acme Ltd");
  assert.deepEqual(
    [read().historyDays, read().defaultTheme, read().footerText],
    [30, "DARK", "Acme Ltd"],
  );
});
