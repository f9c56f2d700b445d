import { type Static, Type } from "typebox";
import type { Caller } from "../../access/accounts/index.ts";
import { formatTestSessionUrl } from "../../pages/screens.ts";
import { answers, Described, Guid } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  AssetManifest,
  type AssetsContext,
  AssetsQuery,
  loadManifest,
} from "../../runs/assets/index.ts";
import type { TestSessionsContext } from "./context.ts";
import { getTestResult, readTestSession } from "./test-sessions/actions.ts";
import type { TestResult } from "./test-sessions/test-session.ts";

const tags = ["Existing clients"];

type ClientAssetsContext = TestSessionsContext & { readonly assets: AssetsContext };

const TestResultParams = Type.Object({
  testSessionId: Described(Guid, "The session's id."),
  testResultId: Described(Guid, "The result's id."),
});

/** Lists the files of a test result. The list is empty until a probe has reported the result. */
async function loadTestManifest(
  context: ClientAssetsContext,
  caller: Caller,
  { id, query = {} }: { readonly id: string; readonly query?: Static<typeof AssetsQuery> },
) {
  const { sessionId, runId, name, checkType } = await getTestResult(context, caller, id);
  const check = { checkName: name, checkType };
  const session = { resultId: id, testSessionId: sessionId };
  const source = { type: "test-session-result" as const, ...check, ...session };
  const request = { runId: runId ?? id, checkId: null, query, source };
  return loadManifest(context.assets, caller, request);
}

function addManifestRoutes(server: HttpServer, context: ClientAssetsContext): void {
  server.get(
    "/v1/test-sessions/:testSessionId/results/:testResultId/assets",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listTestResultAssets",
        summary: "List the files of a test result",
        description: "Screenshots, traces, videos and other files that its script made.",
        params: TestResultParams,
        querystring: AssetsQuery,
        response: answers({ 200: AssetManifest }, "notFound"),
      },
    },
    ({ caller, params, query }) =>
      loadTestManifest(context, caller, { id: params.testResultId, query }),
  );
}

interface PhaseLog {
  readonly setup: readonly object[];
  readonly request: readonly object[];
  readonly teardown: readonly object[];
}

interface Logged {
  /** Log of the run: a list, or one list per phase if scripts run before and after a request. */
  readonly jobLog?: readonly object[] | PhaseLog | null;
  readonly endTime?: number;
  readonly errors?: readonly { readonly message: string; readonly stack: string | null }[];
}

/**
 * Returns the log of a result. For a failed script, the command line prints nothing but this log,
 * so the errors of the script are appended to the log. A log that is divided into phases is
 * returned unchanged.
 */
function listLogLines({ document }: Pick<TestResult, "document">): object {
  const { jobLog, errors = [], endTime = 0 } = (document ?? {}) as Logged;
  if (jobLog && "setup" in jobLog) return jobLog;
  return [
    ...(jobLog ?? []),
    ...errors.map(({ message, stack }) => {
      const msg = stack?.includes(message) ? stack : [message, stack].filter(Boolean).join("\n");
      return { time: endTime, level: "ERROR", msg };
    }),
  ];
}

const AssetParams = Type.Object({
  region: Type.String({ description: "Where the run took place.", maxLength: 64 }),
  key: Described(Guid, "The result's id."),
});
const AnyJson = Type.Unsafe<unknown>({ description: "Depends on the kind of check." });

/**
 * Adds the routes that return the log and the measurement of a test. The command line prints them
 * if the test fails.
 */
function addDetailRoutes(server: HttpServer, context: TestSessionsContext): void {
  server.get(
    "/next/assets/log/:region/:key",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getTestLog",
        summary: "Get the log of a test run",
        description:
          "What a script logged, then its errors; by phase for scripts around a request. Empty for " +
          "checks without a script.",
        params: AssetParams,
        response: answers({ 200: AnyJson }, "notFound"),
      },
    },
    async ({ caller, params }) => listLogLines(await getTestResult(context, caller, params.key)),
  );
  server.get(
    "/next/assets/check-run-data/:region/:key",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getTestRunData",
        summary: "Get the measurement of a test run",
        description: "The document of its kind, as in a result.",
        params: AssetParams,
        response: answers({ 200: AnyJson }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const { document, error } = await getTestResult(context, caller, params.key);
      return { ...(document as object | null), requestError: error };
    },
  );
}

const Link = Type.String({
  description: "Address of a screen of the web application.",
  examples: ["https://vedette.example.com/test-sessions/…"],
});
const FileLinks = (description: string) =>
  Type.Array(Type.String(), { description, examples: [["https://…/v1/assets/…"]] });
const ResultLinks = Type.Object({
  testResultLink: Link,
  testTraceLinks: FileLinks("Opens each trace, or downloads it if there is no viewer."),
  videoLinks: FileLinks("Downloads each video, for about an hour."),
  screenshotLinks: FileLinks("Downloads each screenshot, for about an hour."),
});

function addLinkRoutes(server: HttpServer, context: ClientAssetsContext): void {
  server.get(
    "/next/test-sessions/:testSessionId/link",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getTestSessionLink",
        summary: "Get the URL of a test session",
        description: "A screen of the web application.",
        params: Type.Object({ testSessionId: Described(Guid, "The session's id.") }),
        response: answers({ 200: Type.Object({ link: Link }) }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const { session } = await readTestSession(context, caller, params.testSessionId);
      return { link: formatTestSessionUrl(context.publicUrl(), session.id) };
    },
  );
  server.get(
    "/next/test-sessions/:testSessionId/results/:testResultId/links",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listTestResultLinks",
        summary: "Get the URLs of a test result",
        description: "The URL of the result, and of the files that its script made.",
        params: TestResultParams,
        response: answers({ 200: ResultLinks }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const { id, sessionId } = await getTestResult(context, caller, params.testResultId);
      const testResultLink = formatTestSessionUrl(context.publicUrl(), sessionId, id);
      const { assets } = await loadTestManifest(context, caller, { id });
      const listOf = (wanted: string) => assets.filter(({ type }) => type === wanted);
      return {
        testResultLink,
        testTraceLinks: listOf("trace").map(({ url, viewerUrl }) => viewerUrl ?? url),
        videoLinks: listOf("video").map(({ url }) => url),
        screenshotLinks: listOf("screenshot").map(({ url }) => url),
      };
    },
  );
}

export function addClientAssetRoutes(server: HttpServer, context: ClientAssetsContext): void {
  addManifestRoutes(server, context);
  addDetailRoutes(server, context);
  addLinkRoutes(server, context);
}
