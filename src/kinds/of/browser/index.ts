import type { ScriptMeasurement, ScriptRequest } from "../../../sandbox/script-run.ts";
import { createKind } from "../../kit/create-kind.ts";
import { createScriptParts } from "../../kit/scripts/create-script-kind.ts";
import {
  type BrowserReason,
  type BrowserSettings,
  explainBrowser,
  fields,
  findFaults,
  judgeBrowser,
  mergeSettings,
  toBrowserRequest,
} from "./budgets.ts";
import { buildBrowserDocument, DocumentSchema, findCertificate } from "./document.ts";
import { decode, encode, figureBytes, listFigures, readFigures, vitalParts } from "./vitals.ts";

const shared = createScriptParts("a browser check");

/** Kind of checks that run a script which opens pages in a browser. */
export const browser = createKind<BrowserSettings, ScriptRequest, ScriptMeasurement, BrowserReason>(
  {
    ...shared,
    type: "BROWSER",
    analyticsPath: "browser-checks",
    fields,
    mergeSettings,
    findFaults,
    toRequest: toBrowserRequest,
    findCertificate,
    judge: judgeBrowser,
    explain: explainBrowser,
    parts: vitalParts,
    figures: listFigures,
    encode,
    decode,
    figureBytes,
    readFigures,
    code: {
      field: "snapshots",
      path: "$.snapshots[*].key",
      keys: ({ snapshots = [] }) => snapshots.map(({ key }) => key),
    },
    // Returns a default for checks that an earlier version stored without `snapshots`.
    showSettings: ({ snapshots = [] }) => ({ snapshots }),
    // Existing clients do not support limits for web vitals, so `webVitalBudgets` is left out.
    // These clients read the pictures for comparison from the user's project, so `snapshots` is
    // left out too.
    writeAsCode: ({ webVitalBudgets: _budgets, snapshots: _snapshots, ...known }) => known,
    ownFieldNames: ["webVitalBudgets"],
    DocumentSchema,
    document: buildBrowserDocument,
    operations: {
      example: {
        script:
          "const { test, expect } = require('@playwright/test')\n" +
          "test('home', async ({ page }) => {\n" +
          "  await page.goto('http://127.0.0.1/')\n" +
          "  await expect(page).toHaveTitle(/Example/)\n" +
          "})\n",
      },
    },
    agent: { ...shared.agent, names: ["browser", "playwright"] },
  },
);
