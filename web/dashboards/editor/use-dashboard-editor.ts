import { useQueryClient } from "@tanstack/react-query";
import { api, sendFull } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { type Editor, ifMatch, useEditor, type Version } from "../../editing/index.ts";
import { showNotice } from "../../parts/notices.tsx";
import type { Dashboard } from "../dashboard-types.ts";
import { dashboardQuery, fetchDashboard } from "../queries.ts";
import { words } from "../words.ts";
import { type DashboardValues, toInput, toValues } from "./dashboard-values.ts";

export type DashboardEditor = Editor<Dashboard, DashboardValues>;

/** `onKey` receives the first key of a dashboard that became private. It is never shown again. */
export function useDashboardEditor(
  stored: Version<Dashboard>,
  onKey: (rawKey: string) => void,
): DashboardEditor {
  const client = useQueryClient();
  const { dashboardId } = stored.data;
  return useEditor({
    draftKey: `dashboard.${dashboardId}`,
    stored,
    toValues,
    send: async (values, version) => {
      const { data, etag } = version ?? stored;
      const params = { path: { dashboardId }, header: ifMatch(etag) };
      const body = toInput(toValues(data), values);
      const saved = await sendFull(api.PUT("/v1/dashboards/{dashboardId}", { params, body }));
      const rawKey = saved.data.keys.find((key) => key.rawKey !== undefined)?.rawKey;
      if (rawKey !== undefined) onKey(rawKey);
      const keys = saved.data.keys.map(({ rawKey: _raw, ...key }) => key);
      return { data: { ...saved.data, keys }, etag: saved.etag };
    },
    refetch: () => fetchDashboard(dashboardId),
    onSaved: (saved) => {
      client.setQueryData(dashboardQuery(dashboardId).queryKey, saved);
      void renewQueries(client, ["dashboards"]);
      showNotice({ text: words.saved });
    },
  });
}
