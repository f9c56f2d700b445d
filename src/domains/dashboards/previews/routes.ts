import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { toWirePreview } from "../../previews/index.ts";
import type { DashboardsContext } from "../context.ts";
import { DashboardViews } from "../view/dashboard-views.ts";
import { previewDashboard } from "./actions.ts";
import { DashboardPreviewBody, DashboardPreviewSchema } from "./schema.ts";

/** Maximum number of accounts with an open editor, and of checks on their dashboards. */
const limits = { dashboards: 20, figures: 5_000 };

export function addDashboardPreviewRoutes(server: HttpServer, context: DashboardsContext): void {
  const previewing = { context, views: new DashboardViews(context, limits) };
  server.post(
    "/v1/dashboards/previews",
    {
      config: { access: "write" },
      schema: {
        tags: ["Dashboards"],
        operationId: "previewDashboard",
        summary: "Preview a dashboard",
        description:
          "Accepts the body of creating or updating a dashboard, with the same validation, and " +
          "returns a URL that shows its first page for ten minutes, with warnings about its CSS. " +
          "Nothing is saved. An image given by URL is shown only after the dashboard is saved " +
          "and the image is fetched.",
        body: DashboardPreviewBody,
        response: answers({ 201: DashboardPreviewSchema }, "notFound"),
      },
    },
    async ({ caller, body }, reply) => {
      const { dashboardId, ...input } = body;
      const preview = await previewDashboard(previewing, caller, { dashboardId, input });
      const { cssWarnings, checkCount } = preview;
      const answer = { ...toWirePreview(preview), cssWarnings: [...cssWarnings], checkCount };
      return reply.code(201).send(answer);
    },
  );
}
