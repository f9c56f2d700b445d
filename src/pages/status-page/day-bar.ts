import { formatDuration } from "../../platform/text/duration.ts";
import { html, type Markup } from "../html.ts";
import type { DayView, ServiceView } from "./page-view.ts";
import { formatDay } from "./time.ts";

const step = 5;
const width = 3.4;
const height = 28;
/** Screen readers get this many bad days; the rest is a count. */
const maxSpokenDays = 10;

const isCalm = ({ kind }: DayView) => kind === "ok" || kind === "none";

function describeDay(day: DayView): string {
  const parts = [
    day.failingMs > 0 ? `${formatDuration(day.failingMs, "min")} outage` : null,
    day.degradedMs > 0 ? `${formatDuration(day.degradedMs, "min")} degraded` : null,
  ];
  const words = parts.filter((part) => part !== null).join(", ");
  return `${formatDay(new Date(`${day.date}T00:00:00Z`))}: ${words}`;
}

function describeDays({ days, uptime }: ServiceView): string {
  const bad = days.filter((day) => !isCalm(day)).toReversed();
  const told = bad.slice(0, maxSpokenDays).map(describeDay);
  const more = bad.length > told.length ? [`and ${bad.length - told.length} more days`] : [];
  const trouble = bad.length === 0 ? [] : [...told, ...more];
  return [`Last ${days.length} days: ${uptime}`, ...trouble].join("; ");
}

/** Consecutive days without events, as one element with a pattern. */
function* listRuns(days: readonly DayView[]): Generator<{ from: number; to: number }> {
  let from = 0;
  for (let to = 1; to <= days.length; to += 1) {
    const first = days[from];
    const next = days[to];
    if (first !== undefined && next?.kind === first.kind && isCalm(first)) continue;
    yield { from, to };
    from = to;
  }
}

/** For visitors without a mouse and without the script. */
function renderBadDays({ days }: ServiceView): Markup | null {
  const bad = days.filter((day) => !isCalm(day)).toReversed();
  if (bad.length === 0) return null;
  return html`<details class="bad-days"><summary>${bad.length === 1 ? "1 day" : `${bad.length} days`} with trouble</summary><ul>${bad.map((day) => html`<li>${describeDay(day)}</li>`)}</ul></details>`;
}

/** One SVG for all days of a service; eventful days get elements of their own. */
export function renderDayBar(service: ServiceView): Markup {
  const { days } = service;
  const parts = [...listRuns(days)].map(({ from, to }) => {
    const day = days[from];
    if (day === undefined) return null;
    const x = from * step;
    if (isCalm(day)) {
      return html`<rect x="${x}" width="${(to - from) * step}" height="${height}" fill="url(#d-${day.kind})"/>`;
    }
    return html`<rect x="${x}" width="${width}" height="${height}" rx="1.2" class="${day.kind}"><title>${describeDay(day)}</title></rect>`;
  });
  return html`<svg class="days" viewBox="0 0 ${days.length * step - (step - width)} ${height}" preserveAspectRatio="none" data-from="${days[0]?.date ?? ""}" role="img" aria-label="${describeDays(service)}">${parts}</svg>${renderBadDays(service)}`;
}
