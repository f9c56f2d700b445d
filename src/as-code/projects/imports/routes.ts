import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  answers,
  CreatedAt,
  DateTime,
  Described,
  Guid,
  Name,
  Nothing,
  OneOf,
  OrNull,
  RowId,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { createProject, getProject } from "../actions.ts";
import type { ProjectsContext } from "../context.ts";
import { resourceTypes } from "../resource.ts";
import { LogicalId, ProjectParams, ProjectSchema, toWireProject } from "../schema.ts";
import { toWireId } from "../wire-diff.ts";
import { listProjectImports, type PlannedImport, planImport, stepImport } from "./actions.ts";

const tags = ["Projects"];
const maxFilters = 1_000;

const NewProjectBody = Type.Object(
  {
    name: Described(Name, "Its name.", "Network"),
    logicalId: Described(LogicalId, "Identifies the project in the account.", "network"),
  },
  { title: "NewProject" },
);

const ImportBody = Type.Object(
  {
    filters: Type.Optional(
      Type.Array(
        Type.Object({
          type: Described(OneOf(["include", "exclude"]), "Whether to offer what matches."),
          resource: Described(
            Type.Optional(
              Type.Object({
                type: Type.Optional(
                  Type.String({ maxLength: 64, description: "Only resources of this type." }),
                ),
                physicalId: Described(
                  Type.Optional(Type.Union([Type.String({ maxLength: 200 }), RowId])),
                  "Only the resource with this id.",
                ),
              }),
            ),
            "What it matches; everything if absent.",
          ),
        }),
        { maxItems: maxFilters, description: "The last filter that matches decides." },
      ),
    ),
  },
  { title: "ProjectImportInput" },
);

const ImportSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    createdAt: CreatedAt,
    appliedAt: Described(OrNull(DateTime), "When it was applied; `null` if it was not."),
    committedAt: Described(OrNull(DateTime), "When it was committed; `null` if it was not."),
    changes: Type.Object(
      {
        resources: Type.Array(
          Type.Object({
            type: Described(OneOf([...resourceTypes]), "The type of resource."),
            logicalId: Type.String({ description: "Its name in the code." }),
            physicalId: Described(Type.Union([Type.Integer(), Type.String()]), "Its id."),
            payload: Type.Object(
              {},
              {
                additionalProperties: true,
                description: "The resource, with ids as references and masked secrets.",
              },
            ),
          }),
          { description: "What the project adopts." },
        ),
        friends: Type.Array(Type.Unknown(), { description: "Always empty." }),
        auxiliary: Type.Array(Type.Unknown(), { description: "Always empty." }),
      },
      { description: "What it changes." },
    ),
  },
  { title: "ProjectImport" },
);

const ImportParams = Type.Object({ id: Described(Guid, "The import's id.") });
const PreviewFlag = Type.Object({
  preview: Type.Boolean({ description: "If true, nothing is stored.", default: false }),
});
const ListQuery = Type.Object({
  onlyUnapplied: Type.Boolean({ description: "Only imports not applied yet.", default: false }),
  onlyUncommitted: Type.Boolean({ description: "Only imports not committed yet.", default: false }),
});

function toWireImport(plan: PlannedImport) {
  const { id, resources, createdAt, appliedAt, committedAt } = plan;
  return {
    id,
    createdAt: formatDateTime(createdAt),
    appliedAt: appliedAt && formatDateTime(appliedAt),
    committedAt: committedAt && formatDateTime(committedAt),
    changes: {
      resources: resources.map(({ type, logicalId, physicalId, payload }) => {
        return { type, logicalId, physicalId: toWireId(type, physicalId), payload: { ...payload } };
      }),
      friends: [],
      auxiliary: [],
    },
  };
}

function addProjectRoutes(server: HttpServer, context: ProjectsContext): void {
  server.get(
    "/next/projects/:logicalId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getClientProject",
        summary: "Get a project, for existing clients",
        description: "The same as `GET /v1/projects/{logicalId}`.",
        params: ProjectParams,
        response: answers({ 200: ProjectSchema }, "notFound"),
      },
    },
    async ({ caller, params }) =>
      toWireProject(await getProject(context, caller, params.logicalId)),
  );
  server.post(
    "/next/projects",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createClientProject",
        summary: "Create a project without resources",
        description: "A deployment creates its project by itself; an import needs one first.",
        body: NewProjectBody,
        response: answers({ 201: ProjectSchema }, "conflict"),
      },
    },
    async ({ caller, body: { name, logicalId } }, reply) => {
      const project = await createProject(context, caller, { name, logicalId, repoUrl: null });
      return reply.code(201).send(toWireProject(project));
    },
  );
}

function addStepRoutes(server: HttpServer, context: ProjectsContext): void {
  for (const step of ["apply", "finish"] as const) {
    server.post(
      step === "apply" ? "/next/projects/imports/:id/apply" : "/next/projects/imports/:id/commit",
      {
        config: { access: "write" },
        schema: {
          tags,
          operationId: step === "apply" ? "applyProjectImport" : "commitProjectImport",
          summary: step === "apply" ? "Adopt the resources of an import" : "Commit an import",
          description:
            step === "apply"
              ? "The project owns the resources from now on; cancelling the import releases them."
              : "An applied import is final.",
          params: ImportParams,
          response: answers({ 204: Nothing }, "notFound", "conflict"),
        },
      },
      async ({ caller, params }, reply) => {
        await stepImport(context, caller, { id: params.id, step });
        return reply.code(204).send(null);
      },
    );
  }
  server.delete(
    "/next/projects/imports/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "cancelProjectImport",
        summary: "Cancel an import",
        description: "The project releases what the import adopted.",
        params: ImportParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await stepImport(context, caller, { id: params.id, step: "cancel" });
      return reply.code(204).send(null);
    },
  );
}

/** Adds the routes with which existing clients generate code for the resources of an account. */
export function addImportRoutes(server: HttpServer, context: ProjectsContext): void {
  addProjectRoutes(server, context);
  server.get(
    "/next/projects/:logicalId/imports",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listProjectImports",
        summary: "List imports of a project",
        description: "The last 50, newest first.",
        params: ProjectParams,
        querystring: ListQuery,
        response: answers({ 200: Type.Array(ImportSchema) }, "notFound"),
      },
    },
    async ({ caller, params, query }) =>
      (await listProjectImports(context, caller, { ...params, ...query })).map(toWireImport),
  );
  server.post(
    "/next/projects/:logicalId/imports",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "planProjectImport",
        summary: "Offer resources that a project may adopt",
        description: "Everything that no project owns, restricted by filters.",
        params: ProjectParams,
        querystring: PreviewFlag,
        body: ImportBody,
        response: answers({ 201: ImportSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params, query, body }, reply) => {
      const { filters = [] } = body;
      const request = { ...params, filters, isPreview: query.preview };
      return reply.code(201).send(toWireImport(await planImport(context, caller, request)));
    },
  );
  addStepRoutes(server, context);
}
