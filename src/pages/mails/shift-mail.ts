/** Mails about on-call shifts: the handoff at the start of a shift, and a reminder before it. */
import type { MailText } from "../../platform/text/mail-text.ts";
import { type MailPart, renderMail } from "./layout.ts";

/** Name of a check, and what happened to it, with the time. */
type ShiftFact = readonly [checkName: string, what: string];

export interface ShiftMailContent {
  readonly scheduleName: string;
  /** Start of the shift, formatted for the reader: "Mon 23 Nov 09:00 (Europe/Berlin)". */
  readonly from: string;
  /** End of the shift; `null` if there is no handoff within 31 days. */
  readonly until: string | null;
  /** Name of the person who is on call next; `null` if nobody is. */
  readonly nextName: string | null;
  readonly scheduleUrl: string;
  readonly alertsUrl: string;
  readonly settingsUrl: string;
}

interface HandoffContent extends ShiftMailContent {
  /**
   * Name of the person who was on call before; `null` if it was the same person, or if nobody was
   * on call in the week before.
   */
  readonly previousName: string | null;
  /** Start of the period that `fired` covers. */
  readonly since: string;
  readonly open: readonly ShiftFact[];
  readonly fired: readonly ShiftFact[];
  /**
   * Number of open alerts as text, such as "More than 20 open alerts" if not all of them are
   * listed.
   */
  readonly openCount: string;
  readonly firedCount: string;
}

const sender = "Vedette";
const why = "You receive this because you are on call.";

function listShift({ from, until, nextName }: ShiftMailContent, previousName: string | null) {
  const then = nextName === null ? "" : `, then ${nextName}`;
  const facts: (readonly [string, string])[] = [
    ["From", from],
    ["Until", until === null ? "no handoff within 31 days" : `${until}${then}`],
  ];
  if (previousName !== null) facts.unshift(["Before you", previousName]);
  return { kind: "facts", facts } as const;
}

function createFooter({ settingsUrl }: ShiftMailContent) {
  return { words: why, links: [{ words: "Change these mails", url: settingsUrl }] };
}

function listSection(title: string, facts: readonly ShiftFact[]): MailPart[] {
  const heading = { kind: "heading", words: title } as const;
  return facts.length === 0 ? [heading] : [heading, { kind: "facts", facts }];
}

export function renderHandoffMail(content: HandoffContent): MailText {
  const { scheduleName, previousName, since, open, fired, openCount, firedCount } = content;
  const isQuiet = open.length === 0;
  return renderMail({
    sender,
    subject: `You are on call: ${scheduleName}`,
    title: `You are on call for ${scheduleName}`,
    preview: `${openCount}, ${firedCount}`,
    state: { tone: isQuiet ? "good" : "bad", words: isQuiet ? "No open alerts" : openCount },
    parts: [
      listShift(content, previousName),
      ...(isQuiet ? [] : listSection(openCount, open)),
      ...listSection(`${firedCount} since ${since}`, fired),
    ],
    action: { words: "View open alerts", url: content.alertsUrl },
    links: [{ words: "View the schedule", url: content.scheduleUrl }],
    footer: createFooter(content),
  });
}

export function renderShiftReminderMail(content: ShiftMailContent): MailText {
  const { scheduleName, from } = content;
  return renderMail({
    sender,
    subject: `Your shift starts ${from}: ${scheduleName}`,
    title: `Your shift for ${scheduleName} starts soon`,
    preview: `It starts ${from}.`,
    parts: [listShift(content, null)],
    action: { words: "View the schedule", url: content.scheduleUrl },
    footer: createFooter(content),
  });
}
