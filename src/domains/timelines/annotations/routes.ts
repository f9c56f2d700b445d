import { parseBounds } from "../../../platform/http/parse-timestamp.ts";
import { answers, Nothing, sendTotal } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import {
  type AnnotationsContext,
  createAnnotation,
  listOwnAnnotations,
  removeAnnotation,
} from "./actions.ts";
import {
  AnnotationBody,
  AnnotationList,
  AnnotationParams,
  AnnotationSchema,
  AnnotationsQuerySchema,
  toWireAnnotation,
} from "./schema.ts";

const tags = ["Annotations"];

export function addAnnotationRoutes(server: HttpServer, context: AnnotationsContext): void {
  server.post(
    "/v1/annotations",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createAnnotation",
        summary: "Add a note or a deployment to the charts of checks",
        description:
          "Call it at the end of a deployment to see its effect on response times. An account " +
          "keeps its latest 20,000 annotations.",
        body: AnnotationBody,
        response: answers({ 201: AnnotationSchema }),
      },
    },
    async ({ caller, body }, reply) =>
      reply.code(201).send(toWireAnnotation(await createAnnotation(context, caller, body))),
  );
  server.get(
    "/v1/annotations",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listAnnotations",
        summary: "List notes and deployments, newest first",
        description: "In pages of `limit`; the total is in `Content-Range`.",
        querystring: AnnotationsQuerySchema,
        answerHeaders: ["Content-Range"],
        response: answers({ 200: AnnotationList }),
      },
    },
    async ({ caller, query }, reply) => {
      const bounds = parseBounds(query);
      const { annotations, total } = await listOwnAnnotations(context, caller, bounds);
      sendTotal(reply, query, total);
      return annotations.map(toWireAnnotation);
    },
  );
  server.delete(
    "/v1/annotations/:id",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteAnnotation",
        summary: "Delete a note or a deployment",
        description: "Charts no longer show it.",
        params: AnnotationParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeAnnotation(context, caller, params.id);
      return reply.code(204).send(null);
    },
  );
}
