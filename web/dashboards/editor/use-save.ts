import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { api, sendFull } from "../../api/client.ts";
import { isNews } from "../../checks/editor/changes.ts";
import type { Conflict } from "../../checks/editor/conflict-panel.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { dashboardQuery, fetchDashboard, type StoredDashboard } from "../queries.ts";
import { words } from "../words.ts";
import { type DashboardValues, toInput, toValues } from "./dashboard-values.ts";
import type { DashboardEditor } from "./use-dashboard-editor.ts";

type State = Pick<DashboardEditor, "base" | "values" | "etag">;

async function saveDashboard(dashboardId: string, state: State): Promise<StoredDashboard> {
  const { base, values, etag } = state;
  const { data, etag: next } = await sendFull(
    api.PUT("/v1/dashboards/{dashboardId}", {
      params: { path: { dashboardId }, ...(etag !== null && { header: { "if-match": etag } }) },
      body: toInput(base, values),
    }),
  );
  return { dashboard: data, etag: next };
}

export interface DashboardConflict extends Conflict {
  readonly base: DashboardValues;
  readonly mine: DashboardValues;
  readonly theirs: DashboardValues;
}

type Outcome =
  | { readonly kind: "saved"; readonly stored: StoredDashboard; readonly sent: DashboardValues }
  | { readonly kind: "met"; readonly conflict: DashboardConflict };

/** What others changed meanwhile is shown; if nobody sees a difference, ours goes on top. */
async function saveOrMeet(dashboardId: string, state: State): Promise<Outcome> {
  const { base, values: mine } = state;
  try {
    return { kind: "saved", stored: await saveDashboard(dashboardId, state), sent: mine };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 412) throw error;
  }
  const { dashboard, etag } = await fetchDashboard(dashboardId);
  const theirs = toValues(dashboard);
  if (isNews(base, mine, theirs)) {
    return { kind: "met", conflict: { base, mine, theirs, etag } };
  }
  const stored = await saveDashboard(dashboardId, { base, values: mine, etag });
  return { kind: "saved", stored, sent: mine };
}

/** `onKey` gets the first key of a dashboard that turned private, which is never shown again. */
export function useSave(
  dashboardId: string,
  editor: DashboardEditor,
  onKey: (rawKey: string) => void,
) {
  const client = useQueryClient();
  const [conflict, setConflict] = useState<DashboardConflict | null>(null);
  const save = useMutation({
    mutationFn: () => saveOrMeet(dashboardId, editor),
    onSuccess: (outcome) => {
      if (outcome.kind === "met") {
        setConflict(outcome.conflict);
        return;
      }
      setConflict(null);
      const { dashboard, etag } = outcome.stored;
      const values = toValues(dashboard);
      const rawKey = dashboard.keys.find((key) => key.rawKey !== undefined)?.rawKey;
      const keys = dashboard.keys.map(({ rawKey: _raw, ...key }) => key);
      const kept = { dashboard: { ...dashboard, keys }, etag };
      client.setQueryData(dashboardQuery(dashboardId).queryKey, kept);
      editor.keepStored({ base: values, values, etag }, outcome.sent);
      void client.invalidateQueries({ queryKey: ["dashboards"] });
      showNotice({ text: words.saved });
      if (rawKey !== undefined) onKey(rawKey);
    },
  });
  return { save, conflict, setConflict };
}
