import { renderEvents } from "../calendar.ts";
import { renderMarkdownAsText } from "../markdown.ts";
import type { MaintenanceView } from "./page-view.ts";
import { listNames } from "./page-view.ts";

export interface CalendarSource {
  readonly name: string;
  /** Full URL of the page, ending with a slash. */
  readonly url: string;
  readonly maintenance: readonly MaintenanceView[];
}

function describe({ description, services }: MaintenanceView): string {
  const affected = listNames(services);
  const words = [
    description === null ? null : renderMarkdownAsText(description),
    affected === "" ? null : `Affects ${affected}`,
  ];
  return words.filter((part) => part !== null).join("\n\n");
}

/** Renders planned maintenance as a calendar for subscriptions. */
export function renderCalendar({ name, url, maintenance }: CalendarSource): string {
  return renderEvents({
    product: "Status page",
    name: `${name}: maintenance`,
    source: `${url}maintenance.ics`,
    events: maintenance.map((plan) => ({
      id: plan.id,
      sequence: plan.sequence,
      changedAt: plan.changedAt,
      startsAt: plan.startsAt,
      endsAt: plan.endsAt,
      name: plan.name,
      description: describe(plan),
      url,
    })),
  });
}
