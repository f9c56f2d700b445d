import { Type } from "typebox";
import { type Caller, writeAuditEntry } from "../../../access/accounts/index.ts";
import { type Database, inTransaction, lockName } from "../../../platform/database.ts";
import { invalid, notFound } from "../../../platform/errors.ts";
import { answers, Described } from "../../../platform/http/schema.ts";
import {
  assertMatch,
  IfMatchHeaders,
  sendTagged,
  tagContent,
} from "../../../platform/http/send.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { isTimeZone } from "../../../platform/text/time.ts";
import type { AlertingContext } from "../context.ts";
import { maxReminderMinutes } from "./shift-mails.ts";
import { defaultPreferences, listPreferences, type Preferences, savePreferences } from "./store.ts";

type PreferencesContext = Pick<AlertingContext, "db" | "clock">;

const PreferencesSchema = Type.Object(
  {
    timezone: Type.Union([Type.String({ minLength: 1, maxLength: 64 }), Type.Null()], {
      description:
        "Your IANA time zone, for times in mails and for nights in the report; `null` for the zone " +
        "of each schedule.",
      examples: ["Europe/Berlin"],
      default: null,
    }),
    handoffMail: Type.Boolean({
      description:
        "Whether you receive a mail when you take over from somebody: open alerts, what fired " +
        "during the shift before yours, and the next handoff.",
      default: true,
      examples: [true],
    }),
    reminderMinutes: Described(
      Type.Union([Type.Integer({ minimum: 1, maximum: maxReminderMinutes }), Type.Null()], {
        default: null,
      }),
      "Minutes before each of your shifts at which you receive a mail; `null` for none.",
      60,
    ),
  },
  { title: "OnCallPreferences" },
);
type WirePreferences = Type.Static<typeof PreferencesSchema>;

const toWire = ({ timeZone, sendsHandoffs, reminderMinutes }: Preferences): WirePreferences => ({
  timezone: timeZone,
  handoffMail: sendsHandoffs,
  reminderMinutes,
});

/** Returns the id of the calling user. Throws for a service key, which has no preferences. */
function findOwner({ userId }: Caller): string {
  if (userId === null) throw notFound();
  return userId;
}

async function findPreferences(db: Database, caller: Caller): Promise<Preferences> {
  const [chosen] = await listPreferences(db, caller.accountId, [findOwner(caller)]);
  return chosen ?? defaultPreferences;
}

const tagPreferences = (preferences: Preferences) => tagContent([toWire(preferences)]);

async function changePreferences(
  { db: pool, clock }: PreferencesContext,
  caller: Caller,
  change: { readonly body: WirePreferences; readonly ifMatch: string | undefined },
): Promise<Preferences> {
  const { timezone, handoffMail, reminderMinutes } = change.body;
  const { accountId } = caller;
  const userId = findOwner(caller);
  if (timezone !== null && !isTimeZone(timezone)) {
    throw invalid("timezone", "must be an IANA time zone such as Europe/Berlin");
  }
  const at = clock.now();
  return inTransaction(pool, async (db) => {
    await lockName(db, `on-call preferences ${accountId} ${userId}`);
    assertMatch(change.ifMatch, tagPreferences(await findPreferences(db, caller)));
    const preferences = { timeZone: timezone, sendsHandoffs: handoffMail, reminderMinutes };
    await savePreferences(db, accountId, { userId, preferences, at });
    const changes = { ...toWire(preferences) };
    const note = { action: "on-call-preferences.updated", targetId: userId, changes, at };
    await writeAuditEntry(db, caller, note);
    return preferences;
  });
}

const path = "/v1/users/me/on-call-preferences";
const tags = ["Contact methods"];

export function addPreferenceRoutes(server: HttpServer, context: PreferencesContext): void {
  server.get(
    path,
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getOnCallPreferences",
        summary: "Get your time zone and the mails about your shifts",
        description: "They belong to your membership of the account.",
        answerHeaders: ["ETag"],
        response: answers({ 200: PreferencesSchema }, "notFound"),
      },
    },
    async ({ caller }, reply) => {
      const preferences = await findPreferences(context.db, caller);
      return sendTagged(reply, tagPreferences(preferences), toWire(preferences));
    },
  );
  server.put(
    path,
    {
      config: { access: "self" },
      schema: {
        tags,
        operationId: "updateOnCallPreferences",
        summary: "Choose your time zone and the mails about your shifts",
        description: "With `If-Match`, fails if they were changed since.",
        headers: IfMatchHeaders,
        body: PreferencesSchema,
        answerHeaders: ["ETag"],
        response: answers({ 200: PreferencesSchema }, "notFound", "preconditionFailed"),
      },
    },
    async ({ caller, body, headers }, reply) => {
      const change = { body, ifMatch: headers["if-match"] };
      const preferences = await changePreferences(context, caller, change);
      return sendTagged(reply, tagPreferences(preferences), toWire(preferences));
    },
  );
}
