import { proposeChecks } from "../proposal/propose-checks.ts";
import type { NeedsConfirmationData } from "../tool.ts";
import type { Found } from "../tool-shapes/tool-data.ts";
import type { Named } from "./names.ts";
import { checkIdsOf, isUnclear, type Situation, thingsOf } from "./situation.ts";
import { isPlainWord } from "./understand.ts";
import { quote, writeCount, writeList } from "./wording.ts";

const maxChanges = 5;

/** Text that marks a proposal in an answer. */
export const proposedMark = "Not done yet, please confirm";

export function reportProposal(
  { answer }: Situation,
  found: Found<NeedsConfirmationData> | null,
): void {
  // The summary contains names that users chose, so it must be quoted.
  answer.line(
    found === null ? "Nothing was done." : `${proposedMark}: ${quote(found.data.summary, 400)}`,
  );
}

/** Asks which object is meant if several of different kinds have the same name. */
function hasTwins({ slots, answer, intent }: Situation): boolean {
  const nouns = { check: "a check", service: "a service", group: "a group", tag: "a tag" } as const;
  for (const { things, isWhole } of slots.names) {
    const [first] = things;
    if (!isWhole || first === undefined || things.length < 2) continue;
    const kinds = [
      ...new Set(things.map(({ kind }) => nouns[kind as keyof typeof nouns] ?? `a ${kind}`)),
    ];
    answer.line(
      `${quote(first.name)} is ${kinds[0]}, and also the name of ${writeList(kinds.slice(1))}. Which one do you mean? Say for example “${intent} the ${first.kind} ${first.name.replaceAll(/[`“”\p{C}]/gu, "")}”.`,
    );
    return true;
  }
  return false;
}

/** Returns the open alerts of the named checks, or all of them; `null` if none is meant clearly. */
async function chooseAlerts(situation: Situation): Promise<readonly string[] | null> {
  const { answer, lookup, slots, allNames } = situation;
  const found = await lookup("list_alerts", {});
  if (found === null) return null;
  const ids = checkIdsOf(situation);
  const isAll = /\ball\b|\beverything\b|\bevery\b/.test(slots.text);
  const own = found.data.alerts.filter(({ checkId }) =>
    ids.length === 0 ? true : ids.includes(checkId),
  );
  if (own.length === 0) {
    const [only] = allNames.filter(({ kind, id }) => kind === "check" && ids.includes(id));
    answer.line(
      ids.length === 1 && only
        ? `${quote(only.name)} has no open alert.`
        : "There is no open alert about that.",
    );
    return null;
  }
  if (ids.length > 0 || own.length === 1 || isAll) return own.map(({ checkId }) => checkId);
  answer.line("Which one? Open alerts:");
  for (const { name, checkId } of own.slice(0, 10))
    answer.item(`${quote(name)}.${answer.cite(found, checkId)}`);
  return null;
}

type ChangeTool =
  | "run_check"
  | "mute_check"
  | "acknowledge_alert"
  | "snooze_alert"
  | "escalate_alert";

/** Proposes a change of each check, up to a limit. */
async function proposeEach(
  situation: Situation,
  tool: ChangeTool,
  ids: readonly string[],
  more: object,
): Promise<void> {
  const { lookup, answer } = situation;
  const shown = ids.slice(0, maxChanges);
  const found = await Promise.all(shown.map((checkId) => lookup(tool, { checkId, ...more })));
  for (const one of found) reportProposal(situation, one);
  if (ids.length > maxChanges) {
    answer.line(`${ids.length - maxChanges} more were meant: ask for them separately.`);
  }
}

/** Runs, mutes or unmutes checks. */
export async function proposeForChecks(situation: Situation): Promise<void> {
  if (isUnclear(situation) || hasTwins(situation)) return;
  const { intent, answer, slots } = situation;
  const ids = checkIdsOf(situation);
  if (ids.length === 0) {
    if (/\bevery|\ball\b/.test(slots.text))
      answer.line(`I ${intent} at most ${maxChanges} checks at a time.`);
    answer.line(`Which check do you mean? Name it, for example “${intent} core-db”.`);
    return;
  }
  const { minutes, periods } = slots;
  if (intent === "mute" && periods.length > 0 && minutes === null) {
    answer.line(
      "This mute has no end time: say for how long, such as “for 2 hours”, or unmute it later.",
    );
  }
  const ofMute = minutes === null ? { muted: true } : { muted: true, minutes };
  const input = { run: {}, mute: ofMute, unmute: { muted: false } }[intent] ?? {};
  await proposeEach(situation, intent === "run" ? "run_check" : "mute_check", ids, input);
}

const snoozeLimits = { min: 15, max: 24 * 60 };

/** Acknowledges, snoozes or escalates open alerts. */
export async function proposeForAlerts(situation: Situation): Promise<void> {
  if (isUnclear(situation) || hasTwins(situation)) return;
  const { intent, answer, slots, lookup } = situation;
  const minutes = slots.minutes ?? 60;
  if (intent === "snooze" && (minutes < snoozeLimits.min || minutes > snoozeLimits.max)) {
    answer.line(
      "An alert can be snoozed for 15 minutes to 24 hours. To send no alerts of a check for longer, mute it.",
    );
    return;
  }
  const ids = await chooseAlerts(situation);
  if (ids === null) return;
  if (intent !== "acknowledge") {
    const input = intent === "snooze" ? { minutes } : {};
    await proposeEach(
      situation,
      intent === "snooze" ? "snooze_alert" : "escalate_alert",
      ids,
      input,
    );
    return;
  }
  const alerts = await lookup("list_alerts", {});
  const acked =
    alerts?.data.alerts.filter((one) => ids.includes(one.checkId) && one.acknowledgedAt !== null) ??
    [];
  for (const { checkId, name, acknowledgedAt } of acked) {
    answer.line(
      `The alert of ${quote(name)}: acknowledged at ${acknowledgedAt?.slice(0, 16).replace("T", " ")} UTC.${alerts ? answer.cite(alerts, checkId) : ""}`,
    );
  }
  const open = ids.filter((id) => !acked.some(({ checkId }) => checkId === id));
  await proposeEach(situation, "acknowledge_alert", open, {});
}

/** Pages a person about an open alert, or gives the alert to them. */
export async function proposeForPerson(situation: Situation): Promise<void> {
  const { intent, answer, slots, lookup } = situation;
  const target = choosePerson(situation);
  if (target === null) return;
  const found = await lookup("list_alerts", {});
  if (found === null) return;
  const ids = checkIdsOf(situation);
  const open = found.data.alerts.filter(({ checkId }) => ids.length === 0 || ids.includes(checkId));
  const [first, ...others] = open;
  if (first === undefined) {
    answer.line("There is no open alert about that. Only an open alert can be paged about.");
    return;
  }
  if (ids.length === 0 && others.length > 0) {
    answer.line(
      `About which check? Open alerts: ${open
        .slice(0, 6)
        .map(({ name }) => quote(name))
        .join(", ")}.`,
    );
    return;
  }
  const id = target.kind === "schedule" ? { scheduleId: target.id } : { memberId: target.id };
  const tool = intent === "page" ? "page_member" : "reassign_alert";
  reportProposal(situation, await lookup(tool, { ...id, checkId: first.checkId }));
  if (others.length > 0)
    answer.line(`${writeCount(others.length, "more alert")} about that: this is the oldest one.`);
  if (slots.unknown.length > 0)
    answer.line(`I ignored ${writeList(slots.unknown.map((one) => quote(one)))}.`);
}

/** Returns the named member or schedule, or the only schedule; asks if it is not clear. */
function choosePerson({ slots, answer, allNames }: Situation): Named | null {
  const [member] = thingsOf(slots, "member");
  const [named] = thingsOf(slots, "schedule");
  const person = member ?? named;
  if (person !== undefined) return person;
  if (!/\bon call\b/.test(slots.text)) {
    const [unknown] = slots.unknown;
    answer.line(
      `I know no member named ${unknown === undefined ? "that" : quote(unknown)}. Name a member, or say “page who is on call”.`,
    );
    return null;
  }
  const schedules = allNames.filter(({ kind }) => kind === "schedule");
  const [only, ...others] = schedules;
  if (only === undefined) answer.line("There is no on-call schedule. Name a member to page.");
  else if (others.length > 0)
    answer.line(
      `Which schedule? ${schedules
        .slice(0, 10)
        .map(({ name }) => quote(name))
        .join(", ")}.`,
    );
  return only !== undefined && others.length === 0 ? only : null;
}

/** Proposes the checks that the messages of the user describe. */
export async function proposeCreation(situation: Situation): Promise<void> {
  const { answer, lookup, messages, showsBodies, allNames } = situation;
  const places = allNames.flatMap(({ kind, id, name }) =>
    kind === "location" ? [{ region: id, name }] : [],
  );
  const { lines, bodies } = proposeChecks(messages, places, isPlainWord);
  for (const line of lines) answer.line(line);
  if (bodies.length === 0) return;
  answer.line(`${writeCount(bodies.length, "check")} to create:`);
  if (showsBodies) for (const body of bodies) answer.block(writeJson(body));
  const found = await Promise.all(bodies.map((body) => lookup("create_check", { body })));
  for (const one of found) reportProposal(situation, one);
}

/** Formats a body as JSON. Escapes characters that could end the code block or hide text. */
function writeJson(body: object): string {
  return JSON.stringify(body, null, 2).replace(
    /[`\p{Cf}\p{Zl}\p{Zp}]/gu,
    (mark) => `\\u${(mark.codePointAt(0) ?? 0).toString(16).padStart(4, "0").slice(-4)}`,
  );
}
