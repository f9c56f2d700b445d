/** A text field that completes names of variables. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { useState } from "react";
import { type Part, renderPart } from "../../../test/support/components/part.tsx";
import { Completed, VariableNames } from "./variable-completion.tsx";
import { words } from "./words.ts";

const names = ["API_TOKEN", "API_URL", "REGION"];

function renderField(known: readonly string[] | null = names) {
  let current = "";
  function Field() {
    const [text, setText] = useState("");
    current = text;
    return (
      <VariableNames.Provider value={known}>
        <Completed value={text} onText={setText}>
          {(input) => <input aria-label="URL" {...input} />}
        </Completed>
      </VariableNames.Provider>
    );
  }
  return { part: renderPart(<Field />), read: () => current };
}

const list = (part: Part) => part.getByRole("listbox", { name: words.variableNames });
const options = (part: Part) => list(part).getByRole("option").allTextContents();

async function type(part: Part, text: string): Promise<void> {
  await part.getByLabel("URL").focus();
  // A brace starts the name of a key, so it is doubled.
  await part.keyboard(text.replaceAll("{", "{{"));
}

test("two braces offer all variables, and typing narrows them", async () => {
  const { part } = renderField();
  await type(part, "https://{");
  assert.equal(list(part).count(), 0, "one brace is text");
  await type(part, "{");
  assert.deepEqual(options(part), names);
  await type(part, "api");
  assert.deepEqual(options(part), ["API_TOKEN", "API_URL"]);
  await type(part, "zzz");
  assert.equal(list(part).count(), 0);
});

test("a variable is taken with the keyboard, and the text continues after it", async () => {
  const { part, read } = renderField();
  await type(part, "https://{{");
  await part.keyboard("{ArrowDown}{ArrowDown}");
  const field = part.getByLabel("URL");
  const active = await field.getAttribute("aria-activedescendant");
  assert.equal(document.getElementById(active ?? "")?.textContent, "REGION");
  await part.keyboard("{Enter}");
  assert.equal(read(), "https://{{REGION}}");
  assert.equal(list(part).count(), 0);
  await part.keyboard("/x");
  assert.equal(read(), "https://{{REGION}}/x");
});

test("the selection wraps around, and Escape closes the list", async () => {
  const { part, read } = renderField();
  await type(part, "{{");
  await part.keyboard("{ArrowUp}{Tab}");
  assert.equal(read(), "{{REGION}}");
  await type(part, " {{");
  await part.keyboard("{Escape}");
  assert.equal(list(part).count(), 0);
  await part.keyboard("{Enter}");
  assert.equal(read(), "{{REGION}} {{", "Enter no longer takes a name");
});

test("a variable is taken with the mouse", async () => {
  const { part, read } = renderField();
  await type(part, "{{");
  await part.getByRole("option", { name: "API_URL" }).click();
  assert.equal(read(), "{{API_URL}}");
});

test("a field without variables offers none", async () => {
  const { part, read } = renderField(null);
  await type(part, "{{A");
  assert.equal(list(part).count(), 0);
  assert.equal(read(), "{{A");
});
