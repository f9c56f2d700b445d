import { Type } from "typebox";
import { answers, Described, Guid } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { getCheck } from "../checks/index.ts";
import { getTestResult, readTestSession } from "./test-sessions/actions.ts";
import type { TestSessionsContext } from "./test-sessions/context.ts";

const tags = ["Existing clients"];

const AssetManifest = Type.Object(
  {
    assets: Type.Array(Type.Object({}), {
      description: "Always empty: this server makes no videos, traces or screenshots.",
      examples: [[]],
    }),
  },
  { title: "AssetManifest" },
);

/** Lists of files of a result, which are empty: results are data, not files. */
function addManifestRoutes(server: HttpServer, context: TestSessionsContext): void {
  server.get(
    "/v1/check-results/:checkId/:resultId/assets",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listResultAssets",
        summary: "List the files of a result",
        description: "Always empty. The result itself has all measurements.",
        params: Type.Object({
          checkId: Described(Guid, "The check's id."),
          resultId: Described(Guid, "The result's id."),
        }),
        response: answers({ 200: AssetManifest }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      await getCheck(context, caller, params.checkId);
      return { assets: [] };
    },
  );
  server.get(
    "/v1/test-sessions/:testSessionId/results/:testResultId/assets",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listTestResultAssets",
        summary: "List the files of a test result",
        description: "Always empty. The result itself has all measurements.",
        params: Type.Object({
          testSessionId: Described(Guid, "The session's id."),
          testResultId: Described(Guid, "The result's id."),
        }),
        response: answers({ 200: AssetManifest }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      await getTestResult(context, caller, params.testResultId);
      return { assets: [] };
    },
  );
}

const AssetParams = Type.Object({
  region: Type.String({ description: "Where the run took place.", maxLength: 64 }),
  key: Described(Guid, "The result's id."),
});
const AnyJson = Type.Unsafe<unknown>({ description: "Depends on the kind of check." });

/** Details that the command line prints for a failing test. */
function addDetailRoutes(server: HttpServer, context: TestSessionsContext): void {
  server.get(
    "/next/assets/log/:region/:key",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getTestLog",
        summary: "Get the log of a test run",
        description: "Always empty: no scripts run that could write one.",
        params: AssetParams,
        response: answers({ 200: AnyJson }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      await getTestResult(context, caller, params.key);
      return [];
    },
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

const Link = Type.String({ description: "URL of the API.", examples: ["https://…/v1/…"] });
const NoLinks = Type.Array(Type.String(), { description: "Always empty.", examples: [[]] });
const ResultLinks = Type.Object({
  testResultLink: Link,
  testTraceLinks: NoLinks,
  videoLinks: NoLinks,
  screenshotLinks: NoLinks,
});

function addLinkRoutes(server: HttpServer, context: TestSessionsContext): void {
  const urlOf = (sessionId: string) => `${context.publicUrl()}/v1/test-sessions/${sessionId}`;
  server.get(
    "/next/test-sessions/:testSessionId/link",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getTestSessionLink",
        summary: "Get the URL of a test session",
        description: "An operation of the API, which needs a key.",
        params: Type.Object({ testSessionId: Described(Guid, "The session's id.") }),
        response: answers({ 200: Type.Object({ link: Link }) }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const { session } = await readTestSession(context, caller, params.testSessionId);
      return { link: urlOf(session.id) };
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
        description: "This server makes no videos, traces or screenshots.",
        params: Type.Object({
          testSessionId: Described(Guid, "The session's id."),
          testResultId: Described(Guid, "The result's id."),
        }),
        response: answers({ 200: ResultLinks }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const { id, sessionId } = await getTestResult(context, caller, params.testResultId);
      const testResultLink = `${urlOf(sessionId)}/results/${id}`;
      return { testResultLink, testTraceLinks: [], videoLinks: [], screenshotLinks: [] };
    },
  );
}

export function addAssetRoutes(server: HttpServer, context: TestSessionsContext): void {
  addManifestRoutes(server, context);
  addDetailRoutes(server, context);
  addLinkRoutes(server, context);
}
