import { useQueryClient } from "@tanstack/react-query";
import { api, sendFull } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { type Editor, ifMatch, useEditor, type Version } from "../../editing/index.ts";
import { showNotice } from "../../parts/notices.tsx";
import { parseTags } from "../../parts/tags.ts";
import type { Dashboard, DashboardChange } from "../queries.ts";
import { dashboardQuery, fetchDashboard } from "../queries.ts";
import { words } from "../words.ts";

export type DashboardValues = {
  readonly header: string;
  readonly description: string;
  readonly showHeader: boolean;
  /** Logo as a URL or data URL; `null` for no logo. */
  readonly logo: string | null;
  readonly favicon: string | null;
  readonly link: string;
  /** Tags separated by commas, as typed. */
  readonly tags: string;
  readonly useTagsAndOperator: boolean;
  readonly sortByStatus: boolean;
  readonly enableIncidents: boolean;
  readonly showGroupNames: boolean;
  readonly showTags: boolean;
  readonly expandChecks: boolean;
  readonly showCheckRunLinks: boolean;
  readonly showP95: boolean;
  readonly showP99: boolean;
  readonly width: Dashboard["width"];
  readonly layout: Dashboard["layout"];
  readonly paginate: boolean;
  readonly checksPerPage: number;
  readonly paginationRate: Dashboard["paginationRate"];
  readonly refreshRate: Dashboard["refreshRate"];
  readonly customUrl: string;
  readonly customDomain: string;
  readonly isPrivate: boolean;
  readonly customCSS: string;
};

/** Settings that need no conversion between the form and the API. */
const plain = [
  "header",
  "showHeader",
  "useTagsAndOperator",
  "sortByStatus",
  "enableIncidents",
  "showGroupNames",
  "expandChecks",
  "showCheckRunLinks",
  "showP95",
  "showP99",
  "width",
  "layout",
  "paginate",
  "checksPerPage",
  "paginationRate",
  "refreshRate",
  "isPrivate",
  "customCSS",
] as const;

function pickPlain<From extends Pick<DashboardValues, (typeof plain)[number]>>(from: From) {
  return Object.fromEntries(plain.map((name) => [name, from[name]])) as Pick<
    DashboardValues,
    (typeof plain)[number]
  >;
}

function toValues(dashboard: Dashboard): DashboardValues {
  return {
    ...pickPlain(dashboard),
    description: dashboard.description ?? "",
    logo: dashboard.logo,
    favicon: dashboard.favicon,
    link: dashboard.link ?? "",
    tags: dashboard.tags.join(", "),
    showTags: !dashboard.hideTags,
    customUrl: dashboard.customUrl ?? "",
    customDomain: dashboard.customDomain ?? "",
  };
}

/**
 * Builds the request body. Unchanged images are omitted, because the server would fetch them again.
 */
export function toInput(base: DashboardValues, values: DashboardValues): DashboardChange {
  return {
    ...pickPlain(values),
    header: values.header.trim(),
    description: values.description.trim() || null,
    ...(values.logo !== base.logo && { logo: values.logo }),
    ...(values.favicon !== base.favicon && { favicon: values.favicon }),
    link: values.link.trim() || null,
    tags: parseTags(values.tags),
    hideTags: !values.showTags,
    customUrl: values.customUrl.trim() || null,
    customDomain: values.customDomain.trim() || null,
  };
}

export type DashboardEditor = Editor<Dashboard, DashboardValues>;

/**
 * Edits a dashboard. When the dashboard becomes private, `onKey` receives its first access key,
 * which the API returns only once.
 */
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
