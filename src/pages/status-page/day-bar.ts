import { formatDuration } from "../../platform/text/time.ts";
import { html, type Markup } from "../html.ts";
import type { DayView, ServiceView } from "./page-view.ts";
import { formatDay } from "./time.ts";

const step = 5;
const width = 3.4;
const height = 28;
/** Number of bad days read to screen readers; the rest is a count. */
const maxSpokenDays = 10;
/** A narrow screen shows only the last days, wide enough to distinguish and to tap (`page.css`). */
const daysOnPhone = 30;
/** Above this number days are drawn without gaps, which would be narrower than a pixel. */
const maxSeparateDays = 120;

const isCalm = ({ kind }: DayView) => kind === "ok" || kind === "none";
const listBadDays = (days: readonly DayView[]) => days.filter((day) => !isCalm(day)).toReversed();

function describeDay(day: DayView): string {
  const parts = [
    day.failingMs > 0 ? `${formatDuration(day.failingMs, "min")} outage` : null,
    day.degradedMs > 0 ? `${formatDuration(day.degradedMs, "min")} degraded` : null,
  ];
  const words = parts.filter((part) => part !== null).join(", ");
  return `${formatDay(new Date(`${day.date}T00:00:00Z`))}: ${words}`;
}

function describeDays({ days, uptime }: ServiceView): string {
  const bad = listBadDays(days);
  const described = bad.slice(0, maxSpokenDays).map(describeDay);
  const more =
    bad.length > described.length ? [`and ${bad.length - described.length} more days`] : [];
  const trouble = bad.length === 0 ? [] : [...described, ...more];
  return [`Last ${days.length} days: ${uptime}`, ...trouble].join("; ");
}

/** Yields consecutive days without events, each drawn as one element with a pattern. */
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

/** Renders one SVG for all days of a service; days with events have their own elements. */
export function renderDayBar(service: ServiceView): Markup {
  const { days } = service;
  const isDense = days.length > maxSeparateDays;
  const dayWidth = isDense ? step : width;
  const parts = [...listRuns(days)].map(({ from, to }) => {
    const day = days[from];
    if (day === undefined) return null;
    const x = from * step;
    if (isCalm(day)) {
      const span = html`<rect x="${x}" width="${(to - from) * step}" height="${height}"`;
      return isDense
        ? html`${span} class="${day.kind}"/>`
        : html`${span} fill="url(#d-${day.kind})"/>`;
    }
    return html`<rect x="${x}" width="${dayWidth}" height="${height}" rx="${isDense ? 0 : 1.2}" class="${day.kind}"><title>${describeDay(day)}</title></rect>`;
  });
  return html`<div class="bar"><svg class="days d${days.length}" viewBox="0 0 ${days.length * step - (step - dayWidth)} ${height}" preserveAspectRatio="none" data-from="${days[0]?.date ?? ""}" role="img" aria-label="${describeDays(service)}">${parts}</svg></div>`;
}

/** Includes the list of bad days, which needs no mouse, no script and no wide screen. */
export function renderUptime({ days, uptime }: ServiceView): Markup {
  const bad = listBadDays(days);
  if (bad.length === 0) return html`<span class="uptime">${uptime}</span>`;
  const count = bad.length === 1 ? "1 day" : `${bad.length} days`;
  return html`<details class="uptime"><summary>${uptime}<span class="unseen">, ${count} with trouble</span></summary><ul>${bad.map((day) => html`<li>${describeDay(day)}</li>`)}</ul></details>`;
}

/** Rendered below all bars of a card. */
export function renderScale(days: number): Markup {
  const near = Math.min(days, daysOnPhone);
  return html`<p class="scale" aria-hidden="true"><span class="from"><span class="far">${days} days ago</span><span class="near">${near} days ago</span></span><span class="to">Today</span><span class="over"><span class="near">uptime </span>over ${days} days</span></p>`;
}
