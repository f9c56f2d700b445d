import assert from "node:assert/strict";
import { test } from "node:test";
import { channelKinds } from "../../src/domains/alert-channels/kinds/index.ts";
import { findFieldWords, kindLines } from "./field-words.ts";
import { type JsonSchema, listFields } from "./schema-fields.ts";
import { words } from "./words.ts";

test("every channel type has a name and a description, and every field has a label", () => {
  for (const [type, { ConfigSchema, secretFields }] of Object.entries(channelKinds)) {
    assert.ok(type in words.kinds && (kindLines[type] ?? "").length > 0, type);
    for (const { key, hint } of listFields(ConfigSchema as JsonSchema, secretFields, type)) {
      const own = findFieldWords(type, key);
      assert.ok(own !== null, `${type}.${key}`);
      assert.equal(hint, own.hint ?? "");
      assert.doesNotMatch(`${own.label} ${hint}`, /null|, for people|^The address/);
    }
  }
});
