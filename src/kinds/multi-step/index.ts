import { createScriptKind } from "../scripts/create-script-kind.ts";

/** Runs a script that sends several requests and checks what comes back. */
export const multiStep = createScriptKind({
  type: "MULTI_STEP",
  path: "multistep",
  analyticsPath: "multistep-checks",
  aCheck: "a multi-step check",
  canRunIn: ({ multiStepSupport }) => multiStepSupport,
  operations: {
    example: {
      script:
        "const { test, expect } = require('@playwright/test')\n" +
        "test('status', async ({ request }) => {\n" +
        "  expect(await request.get('http://127.0.0.1/')).toBeOK()\n" +
        "})\n",
    },
  },
  agent: { names: ["multi-step", "multistep", "multi step"] },
});
