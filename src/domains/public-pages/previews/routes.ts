import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { toWirePreview } from "../../previews/index.ts";
import type { PublicPagesContext } from "../context.ts";
import { previewStatusPage } from "./actions.ts";
import { StatusPagePreviewBody, StatusPagePreviewSchema } from "./schema.ts";

export function addPagePreviewRoutes(server: HttpServer, context: PublicPagesContext): void {
  server.post(
    "/v1/status-pages/previews",
    {
      config: { access: "write" },
      schema: {
        tags: ["Status pages"],
        operationId: "previewStatusPage",
        summary: "Preview a status page",
        description:
          "Accepts the body of creating or updating a page, with the same validation, and " +
          "returns a URL that shows the page for ten minutes. Nothing is saved. An image given " +
          "by URL is shown only after the page is saved and the image is fetched.",
        body: StatusPagePreviewBody,
        response: answers({ 201: StatusPagePreviewSchema }, "notFound"),
      },
    },
    async ({ caller, body }, reply) => {
      const { id, ...input } = body;
      const preview = await previewStatusPage(context, caller, { id, input });
      const { themeColors } = preview;
      const contrastWarnings = [...preview.contrastWarnings];
      const cssWarnings = [...preview.cssWarnings];
      const warnings = { contrastWarnings, cssWarnings };
      return reply.code(201).send({ ...toWirePreview(preview), themeColors, ...warnings });
    },
  );
}
