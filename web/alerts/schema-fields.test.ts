import assert from "node:assert/strict";
import { test } from "node:test";
import { labelOf, listFields, withoutSecrets, writeConfig } from "./schema-fields.ts";

const schema = {
  type: "object",
  required: ["name", "url"],
  properties: {
    name: { type: "string", description: "Its name.", examples: ["Pager"] },
    url: { type: "string" },
    method: { type: "string", enum: ["GET", "POST"], default: "POST" },
    template: { anyOf: [{ type: "string", maxLength: 9_000 }, { type: "null" }] },
    headers: { type: "array", items: { type: "object" } },
    priority: { anyOf: [{ type: "integer" }, { type: "null" }], description: "How urgent." },
    webhookSecret: { anyOf: [{ type: "string" }, { type: "null" }] },
    webhookType: { type: "string" },
  },
};
const fields = listFields(schema, ["webhookSecret", "headers[].value"]);

test("each property of the schema becomes a field of the right type, in order", () => {
  assert.deepEqual(
    fields.map(({ key, shape, isRequired, isNullable }) => [key, shape, isRequired, isNullable]),
    [
      ["name", "text", true, false],
      ["url", "text", true, false],
      ["method", "choice", false, false],
      ["template", "long-text", false, true],
      ["headers", "entries", false, false],
      ["priority", "number", false, true],
      ["webhookSecret", "secret", false, true],
    ],
  );
  assert.deepEqual([fields[0]?.hint, fields[0]?.placeholder], ["", "Pager"]);
  assert.equal(fields[2]?.byDefault, "POST");
});

test("field names are formatted as labels", () => {
  const words = ["webhookSecret", "url", "baseUrl", "chatId", "apiKey"].map(labelOf);
  assert.deepEqual(words, ["Webhook secret", "URL", "Base URL", "Chat ID", "API key"]);
});

test("an empty optional field is omitted or null; an empty required field is sent", () => {
  const config = { name: "x", url: "", method: "", template: "", priority: 3 };
  assert.deepEqual(writeConfig(fields, config), {
    name: "x",
    url: "",
    template: null,
    priority: 3,
    webhookSecret: null,
  });
});

test("a draft contains no secret except masks of stored ones", () => {
  const headers = [
    { key: "authorization", value: "Bearer x", locked: true },
    { key: "x-team", value: "ops", locked: false },
    { key: "x-key", value: "********", locked: true },
  ];
  const draft = withoutSecrets(fields, { name: "x", webhookSecret: "s3cret", headers });
  assert.deepEqual(draft, {
    name: "x",
    webhookSecret: "",
    headers: [{ key: "authorization", value: "", locked: true }, headers[1], headers[2]],
  });
  assert.equal(withoutSecrets(fields, { webhookSecret: "********" }).webhookSecret, "********");
});
