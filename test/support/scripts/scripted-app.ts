import type { ProberTools } from "../../../src/kinds/kit/prober.ts";
import { startScriptProber } from "../../../src/kinds/kit/scripts/script-prober.ts";
import { startBrowserProber } from "../../../src/kinds/of/browser/prober.ts";
import { startSuiteProber } from "../../../src/kinds/of/playwright/prober.ts";
import { probers } from "../../../src/kinds/probers.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import type {
  ScriptMeasurement,
  ScriptOrder,
  ScriptRunner,
} from "../../../src/sandbox/script-run.ts";
import { startTestApp, type TestApp } from "../apps/app.ts";

const longTitle = `Read the profile ${"of a user with a long name ".repeat(6)}`.trim();

/**
 * Returns a run that fails if the script contains "throw". The log of the run lists the variables.
 */
export function measureScript({ request, variables }: ScriptOrder): ScriptMeasurement {
  const isFailed = request.script.includes("throw");
  const error = isFailed ? "boom" : null;
  const step = { startMs: 0, durationMs: 800, error: null };
  return {
    end: isFailed ? "failed" : "passed",
    durationMs: 815,
    cpuMs: 640,
    memoryBytes: 132_000_000,
    runtime: request.runtime ?? "2025.04",
    isolation: "A2",
    steps: [
      { ...step, title: "shop", category: "test", depth: 0, error },
      { ...step, title: "Before Hooks", category: "hook", depth: 1, durationMs: 2 },
      { ...step, title: "fixture: request", category: "fixture", depth: 2, durationMs: 1 },
      { ...step, title: "Log in", category: "step", depth: 1, startMs: 3, durationMs: 20, error },
      { ...step, title: longTitle, category: "step", depth: 1, startMs: 23, durationMs: 40 },
    ],
    errors: isFailed
      ? [
          {
            message: "boom",
            stack: "at run (shop.spec.ts:3:1)",
            file: "shop.spec.ts",
            line: 3,
            column: 1,
          },
        ]
      : [],
    logs: [
      { atMs: 5, level: "info", text: JSON.stringify(variables) },
      { atMs: 9, level: "warn", text: "slow" },
    ],
    connections: [
      { host: "api.example.com", port: 443, count: 2, denial: null },
      { host: "10.0.0.1", port: 80, count: 1, denial: "It is in PROBE_DENY." },
    ],
    pages: [
      {
        ...{ url: "https://shop.example.com/", startMs: 10, status: 200 },
        vitals: { ttfbMs: 84, fcpMs: 310, lcpMs: 2_600, cls: 0.02 },
        consoleErrors: ["The cart is empty."],
        pageErrors: [],
        requestErrors: [
          { method: "GET", url: "https://shop.example.com/a.js", status: 404, error: null },
          {
            method: "GET",
            url: "https://ads.example.com/",
            status: null,
            error: "net::ERR_FAILED",
          },
        ],
      },
    ],
    isCut: false,
  };
}

/**
 * Starts the product with a runner that executes nothing and returns a fixed result for each order.
 * Tests use it for everything around a run, because the tests of the runner execute scripts.
 */
export async function startScriptedApp(
  environment: Readonly<Record<string, string>> = {},
  options: { readonly clock?: Clock } = {},
): Promise<{ readonly app: TestApp; readonly orders: ScriptOrder[] }> {
  const orders: ScriptOrder[] = [];
  const scripts: ScriptRunner = {
    run: async (order, onStep) => {
      orders.push(order);
      const measurement = measureScript(order);
      for (const { title, category, depth, durationMs, error } of measurement.steps) {
        onStep?.({ step: "step", title, category, depth, durationMs, error });
      }
      for (const { level, text } of measurement.logs) onStep?.({ step: "log", level, text });
      return { kind: "measured", measurement };
    },
    listLimitations: () => [],
    close: async () => {},
  };
  const start = (tools: ProberTools) => startScriptProber({ ...tools, scripts });
  const PLAYWRIGHT = (tools: ProberTools) => startSuiteProber({ ...tools, scripts });
  const BROWSER = (tools: ProberTools) => startBrowserProber({ ...tools, scripts });
  const all = {
    ...options,
    probers: { ...probers, MULTI_STEP: start, BROWSER, PLAYWRIGHT },
  };
  return { app: await startTestApp(environment, all), orders };
}
