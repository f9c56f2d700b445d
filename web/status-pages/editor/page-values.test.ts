import assert from "node:assert/strict";
import { test } from "node:test";
import { toInput, toValues } from "./page-values.ts";

const page = {
  name: "Acme",
  url: "acme",
  description: null,
  redirectTo: null,
  whiteLabel: false,
  defaultTheme: "AUTO",
  themeColors: null,
  brandColor: null,
  customCSS: "",
  headerLinks: [],
  footerText: null,
  footerLinks: [{ name: "Imprint", url: "https://acme.test/imprint" }],
  historyDays: 90,
  logo: "https://acme.test/logo.png",
  logoDark: null,
  favicon: null,
  cards: [{ id: "c-1", name: "Web", services: [{ id: "s-1" }, { id: "s-2" }] }],
} as unknown as Parameters<typeof toValues>[0];

test("opening a page and saving it sends what is stored, without its pictures", () => {
  const values = toValues(page);
  const { logo: _, logoDark: _dark, favicon: _icon, ...rest } = page;
  assert.deepEqual(toInput(values, values), rest);
});

test("only a changed picture is sent, because the server fetches every one", () => {
  const base = toValues(page);
  const changed = toInput(base, { ...base, logo: null, favicon: "data:image/png;base64,AA==" });
  assert.deepEqual([changed.logo, changed.favicon], [null, "data:image/png;base64,AA=="]);
  assert.equal("logoDark" in changed, false);
});

test("texts are trimmed, and empty ones are sent as null", () => {
  const base = toValues(page);
  const input = toInput(base, { ...base, name: " Acme ", description: "  ", footerText: " x " });
  assert.deepEqual([input.name, input.description, input.footerText], ["Acme", null, "x"]);
});

test("a new card has no id, and keeps the order of its services", () => {
  const base = toValues(page);
  const card = { key: "new", id: null, name: " API ", serviceIds: ["s-2", "s-1"] };
  const [first] = toInput(base, { ...base, cards: [card] }).cards ?? [];
  assert.deepEqual(first, { name: "API", services: [{ id: "s-2" }, { id: "s-1" }] });
});
