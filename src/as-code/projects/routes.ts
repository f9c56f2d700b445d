import type { FastifyReply } from "fastify";
import type { Caller } from "../../access/accounts/index.ts";
import { KnownError } from "../../platform/errors.ts";
import { answers } from "../../platform/http/schema.ts";
import { sendEvents } from "../../platform/http/send.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { StreamSlots } from "../../platform/http/stream-slots.ts";
import { RateLimit } from "../../platform/rate-limit.ts";
import {
  cancelDeployment,
  getProject,
  listOwnProjects,
  listProjectDeployments,
  listResourceOwners,
  planProject,
  requestDeletion,
  toOldPlan,
} from "./actions.ts";
import type { ProjectsContext } from "./context.ts";
import {
  awaitDeployment,
  type DeploymentOptions,
  DeploymentRunner,
  type Started,
  watchDeployment,
} from "./deployments.ts";
import type { ProjectRequest } from "./desired-state.ts";
import { exportResources } from "./export.ts";
import { addImportRoutes } from "./imports/routes.ts";
import { maxResources } from "./resource.ts";
import {
  BusySchema,
  CompletionQuery,
  DeleteQuery,
  DeploymentEvents,
  DeploymentList,
  DeploymentParams,
  DeploymentSchema,
  DeployQuery,
  DryRunSchema,
  ExportQuery,
  ExportSchema,
  fromWireRequest,
  maxProjectBytes,
  OwnerList,
  OwnersQuery,
  PlanSchema,
  PreviewQuery,
  ProjectBody,
  ProjectList,
  ProjectParams,
  ProjectSchema,
  toWireDeployment,
  toWireExport,
  toWireOwner,
  toWirePlan,
  toWireProject,
} from "./schema.ts";

const tags = ["Projects"];

/** Maximum number of plans and deployments per minute and account. */
const perMinute = 60;
/** Maximum number of exports per minute and account. Each may read the whole account. */
const exportsPerMinute = 20;
const streams = { perAccount: 20, total: 200 };
const retrySeconds = 2;
const maxDeployments = 50;

function sendStarted(reply: FastifyReply, { isBusy, deployment }: Started) {
  if (!isBusy) return reply.code(202).send(toWireDeployment(deployment));
  return reply.code(409).send({
    statusCode: 409,
    error: "Conflict",
    message: "A deployment of this project is in progress",
    deploymentId: deployment.id,
    retryAfter: retrySeconds,
  });
}

interface Serving {
  readonly server: HttpServer;
  readonly context: ProjectsContext;
  readonly runner: DeploymentRunner;
  readonly assertRate: (caller: Caller) => void;
  readonly assertExportRate: (caller: Caller) => void;
}

function addPlanRoutes({ server, context, runner, assertRate }: Serving): void {
  server.post(
    "/v1/projects/preview",
    {
      config: { access: "write" },
      bodyLimit: maxProjectBytes,
      schema: {
        tags,
        operationId: "previewProject",
        summary: "Plan the changes of a project",
        description:
          "Compares the resources of the body with those that the project owns, property by " +
          `property. Stores nothing. At most ${maxResources} resources and 16 MiB.`,
        querystring: PreviewQuery,
        body: ProjectBody,
        response: answers({ 200: PlanSchema }, "bodyTooLarge"),
      },
    },
    async ({ caller, body, query }) => {
      assertRate(caller);
      const { detail = "changes" } = query;
      const request = fromWireRequest(body, query);
      return toWirePlan(await planProject(context, caller, { request, detail, rehearses: true }));
    },
  );
  server.post(
    "/v1/projects/deploy",
    {
      config: { access: "write" },
      bodyLimit: maxProjectBytes,
      schema: {
        tags,
        operationId: "deployProject",
        summary: "Deploy a project",
        description:
          "Creates, changes and deletes resources until they are those of the body, in one " +
          "transaction: all or nothing. Runs in the background; follow it by its events. An " +
          "absent field gets its default. An error names the resource and the field.",
        querystring: DeployQuery,
        body: ProjectBody,
        response: {
          ...answers({ 200: DryRunSchema, 202: DeploymentSchema }, "bodyTooLarge"),
          409: BusySchema,
        },
      },
    },
    async ({ caller, body, query }, reply) => {
      assertRate(caller);
      const request = fromWireRequest(body, query);
      const { scheduleOnDeployScope: scope, planToken = null } = query;
      // Older clients send neither the scope nor a plan token.
      const knowsPlans = scope !== undefined || planToken !== null;
      // Plans before starting the deployment, so that an invalid body is rejected immediately.
      const rehearses = query.dryRun === true;
      const detail = "summary" as const;
      const plan = await planProject(context, caller, { request, detail, rehearses });
      if (query.dryRun) return reply.send(toWirePlan(knowsPlans ? plan : toOldPlan(plan)));
      const runsAfter = query.scheduleOnDeploy
        ? {
            scope: scope ?? "changed",
            threshold: query.scheduleOnDeployThreshold ?? Number.POSITIVE_INFINITY,
            minFrequencyMinutes: query.scheduleOnDeployMinFrequency ?? 0,
          }
        : null;
      const options = { planToken, runsAfter, knowsPlans, deletesProject: false };
      return sendStarted(reply, await runner.start(caller, request, options));
    },
  );
}

function addDeleteRoute({ server, context, runner, assertRate }: Serving): void {
  const plan = async (caller: Caller, request: ProjectRequest) =>
    toOldPlan(await planProject(context, caller, { request, detail: "summary", rehearses: true }));
  server.delete(
    "/v1/projects/:logicalId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteProject",
        summary: "Delete a project and its resources",
        description:
          "A deployment that deletes the resources of the project, or with `preserveResources` " +
          "leaves them without a project. A project that does not exist is an empty difference.",
        params: ProjectParams,
        querystring: DeleteQuery,
        response: {
          ...answers({ 200: DryRunSchema, 202: DeploymentSchema }, "notFound"),
          409: BusySchema,
        },
      },
    },
    async ({ caller, params, query }, reply) => {
      assertRate(caller);
      const deletion = await requestDeletion(context, caller, { ...query, ...params });
      if (deletion === null) return reply.send({ project: null, diff: [] });
      const { request, options } = deletion;
      if (query.dryRun) return reply.send(toWirePlan(await plan(caller, request)));
      const asked: DeploymentOptions = options;
      return sendStarted(reply, await runner.start(caller, request, asked));
    },
  );
}

function addReadRoutes({ server, context, assertExportRate }: Serving): void {
  server.get(
    "/v1/projects",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listProjects",
        summary: "List projects",
        description: "Sorted by logical id.",
        response: answers({ 200: ProjectList }),
      },
    },
    async ({ caller }) =>
      (await listOwnProjects(context, caller)).map((project) => ({
        ...toWireProject(project),
        resourceCount: project.resourceCount,
      })),
  );
  server.get(
    "/v1/projects/resources",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listOwnedResources",
        summary: "List resources that projects own",
        description: "A change of such a resource outside its project shows as drift.",
        querystring: OwnersQuery,
        response: answers({ 200: OwnerList }),
      },
    },
    async ({ caller, query }) =>
      (await listResourceOwners(context, caller, query)).map(toWireOwner),
  );
  server.get(
    "/v1/projects/export",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "exportProject",
        summary: "Export resources as code",
        description:
          "Everything of the account or of one project, without secrets and fields that have " +
          "their default. `vedette export` writes it as a file.",
        querystring: ExportQuery,
        response: answers({ 200: ExportSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, query }) => {
      assertExportRate(caller);
      return toWireExport(await exportResources(context, caller, query));
    },
  );
  server.get(
    "/v1/projects/:logicalId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getProject",
        summary: "Get a project",
        description: "Its resources are at `/v1/projects/resources`.",
        params: ProjectParams,
        response: answers({ 200: ProjectSchema }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      toWireProject(await getProject(context, caller, params.logicalId)),
  );
}

function addDeploymentRoutes({ server, context }: Serving): void {
  const slots = new StreamSlots({ ...streams, servers: context.servers });
  server.addHook("preClose", (done) => {
    slots.close();
    done();
  });
  const path = "/v1/projects/:logicalId/deployments";
  server.get(
    path,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listDeployments",
        summary: "List the last deployments of a project",
        description: `The last ${maxDeployments}, newest first.`,
        params: ProjectParams,
        response: answers({ 200: DeploymentList }),
      },
    },
    async ({ caller, params }) => {
      const query = { ...params, limit: maxDeployments };
      return (await listProjectDeployments(context, caller, query)).map(toWireDeployment);
    },
  );
  server.get(
    `${path}/:id/events`,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "streamDeployment",
        summary: "Follow a deployment",
        description: "Server-sent events by default; NDJSON with `Accept: application/x-ndjson`.",
        params: DeploymentParams,
        response: answers({ 200: DeploymentEvents }, "notFound"),
      },
    },
    async ({ caller, params, headers }, reply) => {
      await awaitKnown(context, caller, params);
      const controller = slots.take(caller.accountId);
      reply.raw.once("close", () => {
        controller.abort("closed");
        slots.release(controller);
      });
      const watched = { ...params, signal: controller.signal };
      return sendEvents(reply, watchDeployment(context, caller, watched), headers.accept);
    },
  );
  server.get(
    `${path}/:id/completion`,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "awaitDeployment",
        summary: "Wait for the end of a deployment",
        description: "Responds when the deployment has ended, or with 408 after the wait.",
        params: DeploymentParams,
        querystring: CompletionQuery,
        response: answers({ 200: DeploymentSchema }, "notFound", "requestTimeout"),
      },
    },
    async ({ caller, params, query }, reply) => {
      const controller = slots.take(caller.accountId);
      reply.raw.once("close", () => controller.abort("closed"));
      const { signal } = controller;
      try {
        return toWireDeployment(
          await awaitDeployment(context, caller, { ...params, ...query, signal }),
        );
      } finally {
        slots.release(controller);
      }
    },
  );
  server.post(
    `${path}/:id/cancel`,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "cancelDeployment",
        summary: "Cancel a deployment",
        description: "A cancelled deployment changes nothing. One that has ended is not affected.",
        params: DeploymentParams,
        response: answers({ 200: DeploymentSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => toWireDeployment(await cancelDeployment(context, caller, params)),
  );
}

/**
 * Throws if the deployment does not exist. Called before the response stream starts, because an
 * error status cannot be sent afterwards.
 */
async function awaitKnown(
  context: ProjectsContext,
  caller: Caller,
  which: { readonly id: string; readonly logicalId: string },
): Promise<void> {
  const watch = { ...which, maxWaitSeconds: 0, signal: AbortSignal.abort() };
  try {
    await awaitDeployment(context, caller, watch);
  } catch (error) {
    if (error instanceof KnownError && error.errorName === "requestTimeout") return;
    throw error;
  }
}

export function addProjectRoutes(server: HttpServer, context: ProjectsContext): void {
  const { clock, servers } = context;
  const limitRate = (limit: number) => {
    const rate = new RateLimit({ limit, windowMs: 60_000, clock, servers });
    return ({ accountId }: Caller) => {
      const { allowed, resetSeconds } = rate.take(accountId);
      if (!allowed) throw new KnownError("tooManyRequests", { retryAfterSeconds: resetSeconds });
    };
  };
  const runner = new DeploymentRunner(context);
  server.addHook("onClose", () => runner.stop());
  const serving = {
    ...{ server, context, runner },
    assertRate: limitRate(perMinute),
    assertExportRate: limitRate(exportsPerMinute),
  };
  addPlanRoutes(serving);
  addDeleteRoute(serving);
  addReadRoutes(serving);
  addDeploymentRoutes(serving);
  addImportRoutes(server, context);
}
