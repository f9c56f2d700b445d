import type { KindEditor } from "../kind.ts";
import { describeScript } from "../scripts/describe.ts";
import { ScriptFields, ScriptFileFields } from "../scripts/script-fields.tsx";
import { templates } from "../scripts/templates.ts";

export const editor: KindEditor<"MULTI_STEP"> = {
  describe: describeScript,
  WhatFields: () => <ScriptFields templates={templates} />,
  MoreFields: ScriptFileFields,
};
