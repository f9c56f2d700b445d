import type { TestContext } from "node:test";
import { Registry } from "prom-client";
import type { Caller, Role } from "../../../src/access/accounts/index.ts";
import {
  type AgentContext,
  type AgentSettings,
  createAgentMetrics,
} from "../../../src/agent/index.ts";
import { runTool } from "../../../src/agent/run-tool.ts";
import type { ToolResult } from "../../../src/agent/tool.ts";
import { findTool } from "../../../src/agent/tools/all-tools.ts";
import { readLibrary } from "../../../src/app/docs-routes.ts";
import type { Outcome } from "../../../src/contract/result.ts";
import { recordResults } from "../../../src/runs/recording/recorder.ts";
import type { Watched } from "../../../src/runs/scheduling/watch-list.ts";
import { type AlertingFixture, createAlertingFixture } from "./alerting.ts";
import { makeResult } from "./runs.ts";

export interface AgentFixture extends Omit<AlertingFixture, "context"> {
  readonly context: AgentContext;
  readonly caller: Caller;
  /** Calls a tool and returns its result for the caller. Throws on an internal error. */
  readonly use: (tool: string, input?: unknown, caller?: Caller) => Promise<ToolResult>;
  /** Records runs one minute apart. The last run is recorded at the current time. */
  readonly recordRuns: (watched: Watched, ...outcomes: readonly Outcome[]) => Promise<void>;
}

const byDefault: AgentSettings = { endpoint: null, maxTokens: 2_000, streamsPerAccount: 8 };

export function createCaller(accountId: string, role: Role = "OWNER"): Caller {
  return {
    type: "API_KEY",
    credentialId: "0190f3a2-7b1c-7def-8000-0000000000c1",
    userId: null,
    label: "a key",
    accountId,
    role,
    address: "127.0.0.1",
    requestId: "request",
    accountIds: [accountId],
    roleIn: () => null,
  };
}

/**
 * Creates the modules for runs, alerting and agent tools with a real database. No background loop
 * runs.
 */
export async function createAgentFixture(
  t: TestContext,
  settings: Partial<AgentSettings> = {},
): Promise<AgentFixture> {
  const fixture = await createAlertingFixture(t);
  const context: AgentContext = {
    ...fixture.context,
    listDocSections: () => [...readLibrary().values()].flatMap(({ sections }) => sections),
    agentSettings: { ...byDefault, ...settings },
    agentMetrics: createAgentMetrics(new Registry()),
  };
  const caller = createCaller(fixture.accountId);
  return {
    ...fixture,
    context,
    caller,
    use: async (name, input = {}, who = caller) => {
      const tool = findTool(name);
      if (tool === null) throw new Error(`there is no tool ${name}`);
      return (await runTool(context, who, { tool, input, via: "stream" })).result;
    },
    recordRuns: async (watched, ...outcomes) => {
      for (const outcome of outcomes) {
        fixture.clock.advance(60_000);
        const dueAtMs = fixture.clock.now().getTime();
        for (const location of watched.settings.runParallel ? watched.places : [undefined]) {
          const place = location === undefined ? {} : { location };
          await recordResults(fixture.context, [
            makeResult(watched, { dueAtMs, outcome, ...place }),
          ]);
        }
      }
    },
  };
}
