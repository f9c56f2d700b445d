import { dayMs, getZone, type Zone } from "./local-time.ts";
import {
  findHandoff,
  findHours,
  findParticipant,
  findTurn,
  floorDay,
  type Layer,
  type Override,
  type Plan,
  readTurns,
  type Shift,
  type Span,
} from "./schedule.ts";

function intersect(one: Span, other: Span): Span {
  return {
    fromMs: Math.max(one.fromMs, other.fromMs),
    toMs: Math.min(one.toMs, other.toMs),
  };
}

const isEmpty = ({ fromMs, toMs }: Span) => fromMs >= toMs;

/** Lists the spans that a layer's restrictions permit, in order and without overlaps. */
function listPermitted(zone: Zone, layer: Layer, span: Span): Span[] {
  if (layer.restrictions.length === 0) return [span];
  const hours: Span[] = [];
  const lastMs = floorDay(zone.toLocal(span.toMs)) + dayMs;
  let midnightMs = floorDay(zone.toLocal(span.fromMs)) - dayMs;
  for (; midnightMs <= lastMs; midnightMs += dayMs) {
    for (const restriction of layer.restrictions) {
      const found = findHours(zone, restriction, midnightMs);
      const inSpan = found === null ? null : intersect(found, span);
      if (inSpan !== null && !isEmpty(inSpan)) hours.push(inSpan);
    }
  }
  return joinSpans(hours);
}

/** Joins spans that overlap or touch. */
export function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const last = joined.at(-1);
    if (last === undefined || last.toMs < span.fromMs) joined.push(span);
    else joined[joined.length - 1] = { ...last, toMs: Math.max(last.toMs, span.toMs) };
  }
  return joined;
}

const byNumber = (one: number, other: number) => one - other;

function splitAt(span: Span, timesMs: readonly number[]): Span[] {
  const cuts = timesMs.filter((atMs) => span.fromMs < atMs && atMs < span.toMs);
  const edges = [...cuts, span.toMs];
  return edges.map((toMs, index) => ({ fromMs: cuts[index - 1] ?? span.fromMs, toMs }));
}

/**
 * Lists the shifts in a span of one turn. There may be several shifts if a participant leaves the
 * account during the span.
 */
function listParts(plan: Plan, index: number, worked: Span & { readonly turn: number }): Shift[] {
  const layer = plan.layers[index];
  if (layer === undefined || isEmpty(worked)) return [];
  const times = plan.departures.size === 0 ? [] : [...plan.departures.values()].sort(byNumber);
  const parts: Shift[] = [];
  for (const { fromMs, toMs } of splitAt(worked, times)) {
    const userId = findParticipant(plan, layer, worked.turn, fromMs);
    const last = parts.at(-1);
    if (last !== undefined && last.userId === userId) parts[parts.length - 1] = { ...last, toMs };
    else parts.push({ fromMs, toMs, userId, layer: index, overrideId: null });
  }
  return parts.filter(({ userId }) => userId !== null);
}

/**
 * Renders the shifts of one layer. Times when the layer has nobody on call are excluded. The number
 * of the first turn in the range is computed from the time, without counting earlier turns. The
 * cost therefore does not depend on the age of the layer.
 */
export function renderLayer(plan: Plan, index: number, range: Span): Shift[] {
  const layer = plan.layers[index];
  if (layer === undefined || layer.participants.length === 0) return [];
  const turns = readTurns(getZone(plan.timeZone), layer);
  const span = intersect(range, turns);
  if (isEmpty(span)) return [];
  const shifts: Shift[] = [];
  let turn = findTurn(turns, span.fromMs);
  let fromMs = span.fromMs;
  let toMs = findHandoff(turns, turn + 1);
  const goOn = () => {
    turn += 1;
    fromMs = toMs;
    toMs = findHandoff(turns, turn + 1);
  };
  for (const permitted of listPermitted(turns.zone, layer, span)) {
    while (toMs <= permitted.fromMs) goOn();
    for (;;) {
      shifts.push(...listParts(plan, index, { ...intersect({ fromMs, toMs }, permitted), turn }));
      if (toMs >= permitted.toMs) break;
      goOn();
    }
  }
  return shifts;
}

/**
 * Combines two lists of shifts: where they overlap, the shifts of `above` replace those of `below`.
 * Each list, and the result, is in order and without overlaps.
 */
function cover(below: readonly Shift[], above: readonly Shift[]): readonly Shift[] {
  if (above.length === 0) return below;
  const visible: Shift[] = [];
  let first = 0;
  for (const shift of below) {
    while ((above[first]?.toMs ?? Number.POSITIVE_INFINITY) <= shift.fromMs) first += 1;
    let { fromMs } = shift;
    for (let index = first; index < above.length; index += 1) {
      const upper = above[index];
      if (upper === undefined || upper.fromMs >= shift.toMs) break;
      if (upper.fromMs > fromMs) visible.push({ ...shift, fromMs, toMs: upper.fromMs });
      fromMs = upper.toMs;
    }
    if (fromMs < shift.toMs) visible.push({ ...shift, fromMs });
  }
  return [...visible, ...above].sort((one, other) => one.fromMs - other.fromMs);
}

function renderOverride(plan: Plan, override: Override, range: Span): Shift[] {
  const { id, userId } = override;
  const leftAtMs = userId === null ? undefined : plan.departures.get(userId);
  const span = intersect(range, override);
  const inAccount = intersect(span, { fromMs: span.fromMs, toMs: leftAtMs ?? span.toMs });
  return isEmpty(inAccount) ? [] : [{ ...inAccount, userId, layer: null, overrideId: id }];
}

/**
 * Returns the visible parts of overlapping shifts, in order: at each time, the last shift of the
 * list applies. The cost grows with the number of shifts, not with its square.
 */
function keepNewest(shifts: readonly Shift[]): Shift[] {
  const edges = [...new Set(shifts.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))].sort(byNumber);
  const indexOf = new Map(edges.map((atMs, index) => [atMs, index]));
  // Index of the next interval between two edges that no newer shift covers, for each interval.
  const nextFree = edges.map((_atMs, index) => index);
  const findFree = (start: number) => {
    let index = start;
    for (let next = nextFree[index] ?? index; next !== index; next = nextFree[index] ?? index) {
      nextFree[index] = nextFree[next] ?? next;
      index = next;
    }
    return index;
  };
  const parts: { readonly index: number; readonly shift: Shift }[] = [];
  for (const shift of shifts.toReversed()) {
    const end = indexOf.get(shift.toMs) ?? 0;
    let index = findFree(indexOf.get(shift.fromMs) ?? end);
    for (; index < end; index = findFree(index)) {
      nextFree[index] = index + 1;
      const [fromMs, toMs] = [edges[index] ?? 0, edges[index + 1] ?? 0];
      parts.push({ index, shift: { ...shift, fromMs, toMs } });
    }
  }
  const visible: Shift[] = [];
  for (const { shift } of parts.sort((one, other) => one.index - other.index)) {
    const last = visible.at(-1);
    const continues = last?.toMs === shift.fromMs && last.overrideId === shift.overrideId;
    if (continues) visible[visible.length - 1] = { ...last, toMs: shift.toMs };
    else visible.push(shift);
  }
  return visible;
}

/**
 * Renders the shifts of a time range, in order and without holes. A time when nobody is on call is
 * a shift without a user. At each instant, the user is the one that `onCallAt` returns.
 */
export function renderShifts(plan: Plan, range: Span): Shift[] {
  let shifts: readonly Shift[] = [];
  for (const index of plan.layers.keys()) shifts = cover(shifts, renderLayer(plan, index, range));
  const overrides = plan.overrides.flatMap((one) => renderOverride(plan, one, range));
  return fillGaps(cover(shifts, keepNewest(overrides)), range);
}

function fillGaps(shifts: readonly Shift[], range: Span): Shift[] {
  const nobody = { userId: null, layer: null, overrideId: null };
  const filled: Shift[] = [];
  let atMs = range.fromMs;
  for (const shift of shifts) {
    if (shift.fromMs > atMs) filled.push({ ...nobody, fromMs: atMs, toMs: shift.fromMs });
    filled.push(shift);
    atMs = shift.toMs;
  }
  if (atMs < range.toMs) filled.push({ ...nobody, fromMs: atMs, toMs: range.toMs });
  return filled;
}

/** Lists the gaps in a list of rendered shifts. A gap is a time when nobody is on call. */
export function listGaps(shifts: readonly Shift[]): Span[] {
  return joinSpans(
    shifts.filter(({ userId }) => userId === null).map(({ fromMs, toMs }) => ({ fromMs, toMs })),
  );
}

/** Joins consecutive shifts of a person, so that each boundary between shifts is a handoff. */
export function joinTurns(shifts: readonly Shift[]): Shift[] {
  const joined: Shift[] = [];
  for (const shift of shifts) {
    const last = joined.at(-1);
    if (last === undefined || last.userId !== shift.userId) joined.push(shift);
    else joined[joined.length - 1] = { ...last, toMs: shift.toMs };
  }
  return joined;
}
