import { Type } from "typebox";
import { getCheck } from "../../checks/checks/index.ts";
import type { Database } from "../../platform/database.ts";
import { KnownError } from "../../platform/errors.ts";
import { answers, Described, Guid } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { addClientAccountRoutes } from "./accounts.ts";
import { addClientAssetRoutes } from "./assets.ts";
import { addBundleRoutes } from "./bundles.ts";
import type { ClientsContext } from "./context.ts";
import { addTestSessionRoutes } from "./test-sessions/routes.ts";
import { addUsageRoutes } from "./usage.ts";

const ErrorGroupParams = Type.Object({ checkId: Described(Guid, "The check's id.") });
const ErrorGroups = Type.Array(Type.Object({}), { description: "Always empty.", examples: [[]] });

const noAnalyses =
  "This server has no error groups and no root cause analyses. Each result has the reasons of its " +
  "verdict: `checks get CHECK_ID --result RESULT_ID`.";

const noExport =
  "This server does not write code for single resources. Use `import` of the command line, or " +
  "`vedette export`.";

const Never = Type.Object({}, { description: "Never returned." });

const absent = [
  {
    ...{ method: "POST", path: "/v1/resources/code-export", why: noExport },
    operationId: "exportResourcesAsCode",
    summary: "Write resources as code",
  },
  {
    ...{ method: "GET", path: "/v1/error-groups/:id", why: noAnalyses },
    operationId: "getErrorGroup",
    summary: "Get an error group",
  },
  {
    ...{ method: "GET", path: "/v1/root-cause-analyses/:id", why: noAnalyses },
    operationId: "getRootCauseAnalysis",
    summary: "Get a root cause analysis",
  },
] as const;

/**
 * Adds routes for features that this server does not have. They respond with 404 and an
 * explanation.
 */
function addAbsentRoutes(server: HttpServer): void {
  for (const { method, path, why, operationId, summary } of absent) {
    server.route({
      method,
      url: path,
      config: { access: "read" },
      schema: {
        tags: ["Existing clients"],
        operationId,
        summary,
        description: `Always 404. ${why}`,
        ...(path.endsWith(":id") && {
          params: Type.Object({ id: Type.String({ description: "Any id.", maxLength: 100 }) }),
        }),
        response: answers({ 200: Never }, "notFound"),
      },
      handler: () => {
        throw new KnownError("notFound", { message: why });
      },
    });
  }
}

const Preflight = Type.Object({
  available: Type.Boolean({ description: "Always false.", examples: [false] }),
  reason: Type.String({ description: "Why not." }),
});

/**
 * Adds the route that a GitHub action calls to check whether test results can be reported on
 * commits.
 */
function addPreflightRoute(server: HttpServer): void {
  server.post(
    "/next/test-sessions/github-checks/preflight",
    {
      config: { access: "read" },
      schema: {
        tags: ["Existing clients"],
        operationId: "checkGitHubReports",
        summary: "Check whether test sessions are reported to GitHub",
        description: "They are not. The GitHub action continues without it.",
        response: answers({ 200: Preflight }),
      },
    },
    () => ({ available: false, reason: "This server does not report test sessions to GitHub." }),
  );
}

/** Adds routes for error groups. The list is always empty: this server does not group errors. */
function addErrorGroupRoutes(server: HttpServer, context: { readonly db: Database }): void {
  addAbsentRoutes(server);
  server.get(
    "/v1/error-groups/checks/:checkId",
    {
      config: { access: "read" },
      schema: {
        tags: ["Existing clients"],
        operationId: "listErrorGroups",
        summary: "List the error groups of a check",
        description:
          "Always empty: this server does not group errors. Each result has the reasons of its verdict.",
        params: ErrorGroupParams,
        response: answers({ 200: ErrorGroups }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      await getCheck(context, caller, params.checkId);
      return [];
    },
  );
}

export function addClientRoutes(
  server: HttpServer,
  { accounts, assets, testSessions }: ClientsContext,
): void {
  addClientAccountRoutes(server, accounts);
  addUsageRoutes(server, accounts);
  addErrorGroupRoutes(server, accounts);
  addPreflightRoute(server);
  addTestSessionRoutes(server, testSessions);
  addClientAssetRoutes(server, { ...testSessions, assets });
  addBundleRoutes(server, testSessions);
}
