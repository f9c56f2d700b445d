import { createScriptKind } from "../../kit/scripts/create-script-kind.ts";

/** Kind of checks that run a script which sends several requests and checks the responses. */
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
