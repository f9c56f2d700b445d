/** Snoozes or escalates an alert through a link in a message, after a confirmation page. */
import { inTransaction } from "../../../platform/database.ts";
import { conflict, notFound } from "../../../platform/errors.ts";
import { isAlertCurrent } from "../alert-state.ts";
import { describeLinkActor, findAlertPath, type LinkOrigin, readToken } from "./actions.ts";
import { escalate, findNextStage, type ResponsesContext, respond, snooze } from "./responses.ts";
import { lockAlertState } from "./store.ts";

const minutes = 60;

/** Content of the confirmation page that a link opens. */
export interface LinkPage {
  readonly checkName: string;
  readonly alertPath: string;
  /** Whether the alert can be snoozed: it is open and has not been acknowledged. */
  readonly isOpen: boolean;
  /**
   * Next escalation step, which the button *Escalate now* sends; `null` if no step is left or the
   * alert has ended.
   */
  readonly nextStage: { readonly number: number; readonly name: string } | null;
}

/** Reads the token of a link that concerns one alert. */
function readSingleToken(context: ResponsesContext, token: string) {
  const about = readToken(context, token);
  if (about.newestId) throw notFound();
  return about;
}

export function previewLink(context: ResponsesContext, token: string): Promise<LinkPage> {
  const about = readSingleToken(context, token);
  const { checkId, alertNumber } = about;
  return inTransaction(context.db, async (db) => {
    const known = await lockAlertState(db, null, checkId);
    if (known === null) throw notFound();
    const { state, accountId, checkName } = known;
    const isCurrent = isAlertCurrent(state) && state.alertNumber === alertNumber;
    const open = { db, accountId, checkId, state, now: context.clock.now(), by: "" };
    return {
      checkName,
      alertPath: await findAlertPath(db, accountId, about),
      isOpen: isCurrent && state.acknowledgedAtMs === null,
      nextStage: isCurrent ? await findNextStage(context, open) : null,
    };
  });
}

interface Done extends Pick<LinkPage, "checkName" | "alertPath"> {
  readonly summary: string;
}

async function respondByLink(
  context: ResponsesContext,
  token: string,
  origin: LinkOrigin,
  change: Parameters<typeof respond>[3],
): Promise<Done> {
  const about = readSingleToken(context, token);
  const { userId } = about;
  const done = await respond(
    context,
    about,
    (known) => describeLinkActor(context, known, { userId, origin }),
    change,
  );
  const { checkName, accountId, summary } = done;
  return { checkName, summary, alertPath: await findAlertPath(context.db, accountId, about) };
}

/** Snoozes the alert. Has no effect if the alert is already snoozed. */
export function snoozeByLink(
  context: ResponsesContext,
  token: string,
  origin: LinkOrigin,
): Promise<Done> {
  return respondByLink(context, token, origin, async (open) => {
    const { acknowledgedAtMs, snoozedUntilMs = null } = open.state;
    if (snoozedUntilMs !== null) return null;
    if (acknowledgedAtMs !== null) throw conflict("the alert was already acknowledged");
    return snooze(open, minutes);
  });
}

/**
 * Sends the escalation step that the confirmation page showed. Throws if that step was already
 * sent, so that a second press does not send another step.
 */
export function escalateByLink(
  context: ResponsesContext,
  token: string,
  { stage, origin }: { readonly stage: number; readonly origin: LinkOrigin },
): Promise<Done> {
  return respondByLink(context, token, origin, async (open) => {
    const next = await findNextStage(context, open);
    if (next !== null && next.number !== stage) {
      throw conflict("the alert was escalated meanwhile; open the link again");
    }
    return escalate(context, open);
  });
}
