import { callTool, type Plan } from "../../plan.ts";
import { dayMs } from "../../reading/moment.ts";
import { extendToPeriodEnd } from "../../reading/time-window.ts";
import type { KnownThing } from "../../reading/vocabulary.ts";
import type { ListMaintenanceData } from "../../tools/tool-data.ts";
import { formatTime, quote, writeCount, writeDuration, writeList } from "../../wording.ts";
import { duringWindow, type Situation, spanOf } from "../situation.ts";

type Opening = ListMaintenanceData["windows"][number];

const aheadMs = 30 * dayMs;
const maxListed = 8;

/**
 * Lists the maintenance windows in the requested time. If no time is requested, lists the open
 * windows and the next ones.
 */
export function* planMaintenance(situation: Situation): Plan<void> {
  const { intent, answer, nowMs } = situation;
  const window = intent.window ?? {
    fromMs: nowMs,
    toMs: nowMs + aheadMs,
    label: "the next 30 days",
  };
  const wide = window.toMs === nowMs ? extendToPeriodEnd(window) : window;
  const bounded = { ...wide, toMs: Math.min(wide.toMs, wide.fromMs + 366 * dayMs) };
  const found = yield* callTool("list_maintenance", spanOf(bounded));
  if (found === null) return;
  const windows = keepMeant(situation, found.data.windows);
  const open = windows.filter(
    ({ startsAt, endsAt }) => Date.parse(startsAt) <= nowMs && nowMs < Date.parse(endsAt),
  );
  if (intent.window === null) {
    answer.line(
      open.length === 0
        ? `No maintenance is under way now${describeMeant(situation)}.`
        : `${writeCount(open.length, "maintenance window")} open now${describeMeant(situation)}:`,
    );
    for (const opening of open) writeOpening(situation, opening, answer.cite(found, idOf(opening)));
    // The open windows already answer a question such as "is it in maintenance?".
    const isAnswered = open.length > 0 && /^(?:ALSO )?(?:is|are)\b/.test(intent.canonical);
    if ((intent.isNow || isAnswered) && !intent.wantsNext) return;
    const next = windows.filter(({ startsAt }) => Date.parse(startsAt) > nowMs);
    const isNamed = windowsOf(situation).length > 0;
    if (next.length === 0 && isNamed) return;
    if (next.length === 0) answer.line("None is planned in the next 30 days.");
    else answer.line(`Next, of ${next.length} in the next 30 days:`);
    for (const opening of next.slice(0, intent.wantsNext ? 1 : 3)) {
      writeOpening(situation, opening, answer.cite(found, idOf(opening)));
    }
    return;
  }
  if (windows.length === 0) {
    answer.line(`No maintenance ${duringWindow(bounded)}.`);
    return;
  }
  answer.line(`${writeCount(windows.length, "maintenance window")} ${duringWindow(bounded)}:`);
  for (const opening of windows.slice(0, maxListed)) {
    writeOpening(situation, opening, answer.cite(found, idOf(opening)));
  }
  if (windows.length > maxListed) answer.line(`And ${windows.length - maxListed} more.`);
}

function windowsOf({ intent }: Situation): KnownThing[] {
  return intent.subject.things.filter(({ kind }) => kind === "window");
}

/**
 * Returns the maintenance windows that the question names or that affect the named checks. Returns
 * all windows if it names neither.
 */
function keepMeant(situation: Situation, windows: readonly Opening[]): readonly Opening[] {
  const named = windowsOf(situation);
  if (named.length > 0) {
    return windows.filter(({ windowId }) => named.some(({ id }) => id === `${windowId}`));
  }
  const { checks } = situation.intent.subject;
  if (checks.length === 0) return windows;
  const tags = new Set(checks.flatMap((check) => check.tags));
  return windows.filter(
    (opening) => opening.silencesAllAlerts || opening.tags.some((tag) => tags.has(tag)),
  );
}

function describeMeant(situation: Situation): string {
  const { checks } = situation.intent.subject;
  const [window] = windowsOf(situation);
  const [check] = checks;
  if (window !== undefined || check === undefined) return "";
  return checks.length === 1 ? ` for ${quote(check.name)}` : ` for those ${checks.length} checks`;
}

function idOf({ windowId }: Opening): string {
  return `maintenance-window-${windowId}`;
}

function writeOpening({ answer }: Situation, opening: Opening, cited: string): void {
  const { name, startsAt, endsAt, repeats, tags, silencesAllAlerts } = opening;
  const lasts = writeDuration(Date.parse(endsAt) - Date.parse(startsAt));
  const again = repeats === null ? "" : `, every ${repeats.toLowerCase()}`;
  const over =
    silencesAllAlerts || tags.length === 0
      ? silencesAllAlerts
        ? ", silences all alerts"
        : ""
      : `, for the tags ${writeList(tags.map((tag) => quote(tag)))}`;
  answer.item(
    `${quote(name)}: ${formatTime(startsAt)} to ${formatTime(endsAt)} (${lasts})${again}${over}.${cited}`,
  );
}
