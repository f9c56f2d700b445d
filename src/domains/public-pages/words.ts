/** Shortens texts written by users to fit one document. */
import { prepareMarkdown } from "../../pages/markdown.ts";
import type { IncidentView, UpdateView } from "../../pages/status-page/page-view.ts";
import { clipText } from "../../platform/text/clip.ts";

/** Ten times the length of a long incident. */
const maxWordsLength = 400_000;
const cutLength = 301;

/** Keeps updates in full until the document reaches its limit, then only the start of each. */
export function shortenWords(incidents: readonly IncidentView[]): readonly IncidentView[] {
  let left = maxWordsLength;
  const shorten = (update: UpdateView): UpdateView => {
    left -= update.description.length;
    if (left >= 0 || update.description.length <= cutLength) return update;
    return { ...update, description: clipText(update.description, cutLength), isCut: true };
  };
  return incidents.map((incident) => ({ ...incident, updates: incident.updates.map(shorten) }));
}

export function prepareWords(incidents: readonly IncidentView[]): Promise<void> {
  const updates = incidents.flatMap((incident) => incident.updates);
  return prepareMarkdown(
    updates.filter(({ isCut }) => !isCut).map(({ description }) => description),
  );
}
