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
        summary: "See a status page before it is saved",
        description:
          "Takes what creating or updating a page takes, by the same rules, and answers with " +
          "where the page can be looked at for ten minutes. Nothing is saved. A picture that is " +
          "named by its address is shown once the page is saved and has fetched it.",
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
