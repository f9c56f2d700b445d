import { formatCheckUrl, formatRunUrl } from "../../../pages/screens.ts";
import type { AgentContext } from "../context.ts";
import type { Source } from "../tool.ts";

/** Sources link to screens of the web application, which need no API key. */
type Links = Pick<AgentContext, "publicUrl">;

/** Maximum number of sources per answer. */
const maxSources = 50;

export function limitSources(sources: readonly Source[]): Source[] {
  const byId = new Map(sources.map((source) => [source.id, source]));
  return [...byId.values()].slice(0, maxSources);
}

export function checkSource(context: Links, check: { checkId: string; name: string }): Source {
  const { checkId, name } = check;
  return { id: checkId, label: name, url: formatCheckUrl(context.publicUrl(), checkId) };
}

export function resultSource(
  context: Links,
  result: { checkId: string; resultId: string; location: string; startedAt: string },
): Source {
  const { checkId, resultId, location, startedAt } = result;
  return {
    id: resultId,
    label: `run at ${startedAt} from ${location}`,
    url: formatRunUrl(context.publicUrl(), checkId, resultId),
  };
}

export function deliverySource(
  context: Links,
  { id, alertId, title }: { readonly id: string; readonly alertId: string; readonly title: string },
): Source {
  return { id, label: title, url: `${context.publicUrl()}/alerts/${alertId}` };
}

export function windowSource(context: Links, id: number, name: string): Source {
  const url = `${context.publicUrl()}/alerts/maintenance/${id}`;
  return { id: `maintenance-window-${id}`, label: name, url };
}

export function incidentSource(context: Links, id: string, name: string): Source {
  return { id, label: name, url: `${context.publicUrl()}/incidents/${id}` };
}

export function linkSource(
  context: Links,
  { id, label, path }: { readonly id: string; readonly label: string; readonly path: string },
): Source {
  return { id, label, url: `${context.publicUrl()}${path}` };
}
