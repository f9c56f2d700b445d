/** docs/agent.md lists the first phrase of each intent. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { projectFolder } from "../../../test/support/project/source-files.ts";
import { loadLanguage } from "./understand.ts";

const page = readFileSync(join(projectFolder, "docs/agent.md"), "utf8");
const talk = new Set(["other", "greeting", "thanks", "confirm"]);

test("docs/agent.md lists the first phrase of each intent", () => {
  const [, section = ""] = page.split("## What it understands without a model\n");
  const [own = ""] = section.split("\n## ");
  const listed = [...own.matchAll(/^- (.+)$/gm)].map(([, phrase]) => phrase);
  const firsts = new Map<string, string>();
  for (const { intent, text } of loadLanguage().phrases) {
    if (!firsts.has(intent)) firsts.set(intent, text);
  }
  const wanted = [...firsts].filter(([intent]) => !talk.has(intent) && !intent.startsWith("do."));
  assert.deepEqual(
    listed,
    wanted.map(([, text]) => text),
  );
});
