import type { KindEditor } from "../kind.ts";
import { describeScript } from "../scripts/describe.ts";
import { ScriptFields, ScriptFileFields } from "../scripts/script-fields.tsx";
import { browserTemplates } from "../scripts/templates.ts";

export const editor: KindEditor<"BROWSER"> = {
  describe: describeScript,
  WhatFields: () => <ScriptFields templates={browserTemplates} />,
  MoreFields: ScriptFileFields,
};
