import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import type { AlertingContext } from "../context.ts";
import { readStory } from "./actions.ts";
import { StoryParams, StorySchema, toWireStory } from "./schema.ts";

export function addStoryRoutes(server: HttpServer, context: AlertingContext): void {
  server.get(
    "/v1/alert-stories/:id",
    {
      config: { access: "read" },
      schema: {
        tags: ["Alerts"],
        operationId: "getAlertStory",
        summary: "Get the whole history of an alert",
        description:
          "From the first alert of a problem to its recovery: every decision with its reason, every " +
          "message with its attempts, the acknowledgement, and the steps that follow.",
        params: StoryParams,
        response: answers({ 200: StorySchema }, "notFound"),
      },
    },
    async ({ caller, params }) => toWireStory(await readStory(context, caller, params.id)),
  );
}
