import { answers, Nothing } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { IncidentsContext } from "../context.ts";
import { IncidentParams } from "../schema.ts";
import { readPostMortem, removePostMortem, writePostMortem } from "./actions.ts";
import { PostMortemAnswer, PostMortemBody, PostMortemSchema, toWirePostMortem } from "./schema.ts";

const tags = ["Incidents"];
const path = "/v1/status-pages/incidents/:incidentId/post-mortem";

export function addPostMortemRoutes(server: HttpServer, context: IncidentsContext): void {
  server.get(
    path,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getPostMortem",
        summary: "Get the post-mortem of an incident",
        description: "`postMortem` is `null` if none was written.",
        params: IncidentParams,
        response: answers({ 200: PostMortemAnswer }, "notFound"),
      },
    },
    async ({ caller, params }) => {
      const found = await readPostMortem(context, caller, params.incidentId);
      return { postMortem: found && toWirePostMortem(found) };
    },
  );
  server.put(
    path,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "putPostMortem",
        summary: "Save the post-mortem of an incident",
        description:
          "With `isPublished` it appears on the public page of the incident; otherwise it is a " +
          "draft. Subscribers are not notified.",
        params: IncidentParams,
        body: PostMortemBody,
        response: answers({ 200: PostMortemSchema }, "notFound"),
      },
    },
    async ({ caller, params, body }) => {
      const { incidentId } = params;
      const input = { incidentId, body: body.body, isPublished: body.isPublished };
      return toWirePostMortem(await writePostMortem(context, caller, input));
    },
  );
  server.delete(
    path,
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deletePostMortem",
        summary: "Delete the post-mortem of an incident",
        description: "It is also removed from the public page.",
        params: IncidentParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removePostMortem(context, caller, params.incidentId);
      return reply.code(204).send(null);
    },
  );
}
