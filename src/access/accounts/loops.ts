import type { Log } from "../../platform/log.ts";
import { type Loop, startLoop, takeEach } from "../../platform/loop.ts";
import { pruneAuditLog } from "./audit/audit-log.ts";
import type { AccountsContext } from "./context.ts";
import { forgetOldRequests } from "./create-once.ts";
import { deleteExpiredChallenges } from "./credential-store.ts";
import { deleteExpiredLogins } from "./device-logins/store.ts";
import { pruneSessions } from "./sessions/actions.ts";
import { deleteExpiredLinks } from "./sessions/store.ts";
import { deleteExpiredEmailChanges } from "./users/store.ts";

interface AccountLoopOptions {
  readonly context: AccountsContext;
  readonly log: Log;
  readonly auditRetentionDays: number;
}

export function startAccountLoops(options: AccountLoopOptions): readonly Loop[] {
  const { context, log, auditRetentionDays } = options;
  return [
    startLoop({
      name: "save last use of keys",
      everyMs: 5_000,
      log,
      turn: () => context.credentials.flushLastUses(),
    }),
    startLoop({
      name: "forget old sessions, links, audit entries and repeated requests",
      isEssential: false,
      everyMs: 600_000,
      log,
      turn: () =>
        takeEach([
          () => pruneSessions(context),
          () => deleteExpiredLinks(context.db, context.clock.now()),
          () => deleteExpiredLogins(context.db, context.clock.now()),
          () => deleteExpiredEmailChanges(context.db, context.clock.now()),
          () => pruneAuditLog(context, auditRetentionDays),
          () => deleteExpiredChallenges(context.db, context.clock.now()),
          () => forgetOldRequests(context.db, context.clock.now()),
        ]),
    }),
  ];
}
