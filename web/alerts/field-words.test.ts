import assert from "node:assert/strict";
import { test } from "node:test";
import { loadModule } from "../../test/support/load-module.ts";
import { findFieldWords, kindLines } from "./field-words.ts";
import { type JsonSchema, listFields } from "./schema-fields.ts";
import { words } from "./words.ts";

interface Kinds {
  readonly channelKinds: Readonly<
    Record<string, { readonly ConfigSchema: JsonSchema; readonly secretFields: readonly string[] }>
  >;
}

const { channelKinds } = await loadModule<Kinds>("src/channels/alert-channels/kinds/index.ts");

test("every channel type has a name and a description, and every field has a label", () => {
  for (const [type, { ConfigSchema, secretFields }] of Object.entries(channelKinds)) {
    assert.ok(type in words.kinds && (kindLines[type] ?? "").length > 0, type);
    for (const { key, hint } of listFields(ConfigSchema, secretFields, type)) {
      const own = findFieldWords(type, key);
      assert.ok(own !== null, `${type}.${key}`);
      assert.equal(hint, own.hint ?? "");
      assert.doesNotMatch(`${own.label} ${hint}`, /null|, for people|^The address/);
    }
  }
});
