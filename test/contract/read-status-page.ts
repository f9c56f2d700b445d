import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  assertError,
  assertInvalid,
  type Body,
  type ContractSetting,
  date,
  describeRefusals,
  nobody,
  uuid,
} from "./setting.ts";

const colors = `bodyBackgroundColor headerBackgroundColor headerFontColor titleFontColor
  bodyFontColor bodyFontColorMuted navigationFontColor linkFontColor cardBackgroundColor
  borderColor primaryButtonBackgroundColor primaryButtonFontColor`.split(/\s+/);

export function describeReadStatusPage(setting: () => ContractSetting): void {
  let serviceId: string;
  let pageId: string;
  const path = (id = pageId) => `/v1/status-pages/${id}`;
  before(async () => {
    serviceId = (await setting().post("/v1/status-pages/services", { name: "API" })).body.id;
    const cards = [{ name: "Core", services: [{ id: serviceId }] }];
    const page = { name: "Acme", url: "acme", cards };
    pageId = (await setting().post("/v1/status-pages", page)).body.id;
  });

  test("200: every field of the contract, null where nothing is set", async () => {
    const { status, body } = await setting().get(path());
    assert.equal(status, 200);
    const expected = {
      name: "Acme",
      url: "acme",
      id: pageId,
      customDomain: null,
      themeColors: null,
      logo: null,
      redirectTo: null,
      favicon: null,
      defaultTheme: "AUTO",
      whiteLabel: false,
    };
    for (const [field, value] of Object.entries(expected)) assert.deepEqual(body[field], value);
    const [card] = body.cards;
    assert.match(card.id, uuid);
    assert.equal(card.name, "Core");
    assert.match(card.created_at, date);
    assert.ok("updated_at" in card);
    const [service] = card.services;
    const { accountId } = setting().app.owner;
    assert.deepEqual([service.id, service.name, service.accountId], [serviceId, "API", accountId]);
    assert.match(service.created_at, date);
  });
  test("200: cards and services in their order, palettes with all twelve colours", async () => {
    const palette = Object.fromEntries(colors.map((name, index) => [name, `#00000${index % 10}`]));
    const other = (await setting().post("/v1/status-pages/services", { name: "Web" })).body.id;
    const cards = [
      { name: "B", services: [{ id: other }, { id: serviceId }] },
      { name: "A", services: [] },
    ];
    const themeColors = { light: palette, dark: palette };
    const page = { name: "Two", url: "two", cards, themeColors, defaultTheme: "DARK" };
    const made = await setting().post("/v1/status-pages", page);
    assert.equal(made.status, 201, made.text);
    const { body } = await setting().get(path(made.body.id));
    assert.deepEqual(body.themeColors, themeColors);
    assert.equal(body.defaultTheme, "DARK");
    const shown = body.cards.map((card: { name: string; services: Body[] }) => [
      card.name,
      card.services.map((service) => service.id),
    ]);
    assert.deepEqual(shown, [
      ["B", [other, serviceId]],
      ["A", []],
    ]);
  });
  test("404: an unknown id, and one of another account; 400: no id", async () => {
    assertError(await setting().get(path(nobody)), 404, "Not Found");
    assertError(await setting().get(path(), setting().stranger.key), 404, "Not Found");
    assertInvalid(await setting().get(path("no-uuid")), "statusPageId", "params");
  });
  describeRefusals(setting, () => ({ method: "GET", path: path() }), [404]);
}
