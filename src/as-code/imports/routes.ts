import { answers, Nothing } from "../../platform/http/schema.ts";
import { addScope, type HttpServer } from "../../platform/http/server.ts";
import { getImport, listOwnImports, previewImport, removeImport } from "./actions.ts";
import { addComparisonRoute } from "./comparison/comparison.ts";
import type { ImportsContext } from "./context.ts";
import { runImport } from "./run.ts";
import {
  ImportList,
  ImportParams,
  ImportSchema,
  PreviewQuery,
  RunBody,
  toWireImport,
} from "./schema.ts";
import { UploadBody } from "./upload.ts";

const tags = ["Imports"];

/** Maximum time without response data, in milliseconds. Large imports exceed the default. */
const maxSilenceMs = 600_000;

/** Adds the upload route. It has no body parsers of the API, because it accepts any file. */
function addPreviewRoute(server: HttpServer, context: ImportsContext): void {
  addScope(server, (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    scope.post(
      "/v1/imports/preview",
      {
        config: { access: "write" },
        schema: {
          tags,
          operationId: "previewImport",
          summary: "Read a file of another monitor",
          description:
            "Returns a report of what an import would create, change and leave out. Changes " +
            "nothing else. The body is the file itself (`application/octet-stream`, up to 512 " +
            "MiB), or several text files as JSON (`application/json`, up to 32 MiB): " +
            '`{"files": [{"name": "gatus.yml", "content": "…"}]}`. The translated content is ' +
            "stored encrypted until another file of the same source is read.",
          querystring: PreviewQuery,
          body: UploadBody,
          response: answers({ 201: ImportSchema }, "bodyTooLarge"),
        },
      },
      async ({ caller, query, body, headers, socket }, reply) => {
        socket.setTimeout(maxSilenceMs);
        const isBundle = headers["content-type"]?.startsWith("application/json") ?? false;
        const stream = (body ?? []) as AsyncIterable<Buffer>;
        const length = headers["content-length"];
        const declaredBytes = length === undefined ? null : Number(length);
        const upload = { body: stream, isBundle, fileName: query.fileName, declaredBytes };
        const { source, name = null } = query;
        const made = await previewImport(context, caller, { source, name, upload });
        return reply.code(201).send(toWireImport(made));
      },
    );
  });
}

export function addImportRoutes(server: HttpServer, context: ImportsContext): void {
  addPreviewRoute(server, context);
  addComparisonRoute(server, context);
  server.get(
    "/v1/imports",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listImports",
        summary: "List imports with their reports",
        description: "The latest 50, newest first.",
        response: answers({ 200: ImportList }),
      },
    },
    async ({ caller }) => (await listOwnImports(context, caller)).map(toWireImport),
  );
  server.get(
    "/v1/imports/:id",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getImport",
        summary: "Get one import with its report",
        description: "Without the content of the file, which is never shown.",
        params: ImportParams,
        response: answers({ 200: ImportSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => toWireImport(await getImport(context, caller, params.id)),
  );
  server.post(
    "/v1/imports/:id/run",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "runImport",
        summary: "Import what the report lists",
        description:
          "Writes everything in one transaction, or nothing. Running it again, or running a newer " +
          "file of the same source, changes what differs and creates what is new. It never deletes.",
        params: ImportParams,
        body: RunBody,
        response: answers({ 200: ImportSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params, body, socket }) => {
      socket.setTimeout(maxSilenceMs);
      return toWireImport(await runImport(context, caller, { id: params.id, options: body }));
    },
  );
  server.delete(
    "/v1/imports/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteImport",
        summary: "Delete the record of an import",
        description: "What it created stays. Another import of the same source still finds it.",
        params: ImportParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeImport(context, caller, params.id);
      return reply.code(204).send(null);
    },
  );
}
