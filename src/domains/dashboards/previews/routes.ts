import { answers } from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { toWirePreview } from "../../previews/index.ts";
import type { DashboardsContext } from "../context.ts";
import { DashboardViews } from "../view/dashboard-views.ts";
import { previewDashboard } from "./actions.ts";
import { DashboardPreviewBody, DashboardPreviewSchema } from "./schema.ts";

/** Accounts whose editors are open at a time, and the checks on their dashboards. */
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
        summary: "See a dashboard before it is saved",
        description:
          "Takes what creating or updating a dashboard takes, by the same rules, and answers with " +
          "where its first page can be looked at for ten minutes, and what was left out of its " +
          "styles. Nothing is saved. A picture that is named by its address is shown once the " +
          "dashboard is saved and has fetched it.",
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
