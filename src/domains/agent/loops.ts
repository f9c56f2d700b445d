import { type Loop, startLoop, takeEach } from "../../platform/loop.ts";
import type { AgentContext } from "./context.ts";
import { deleteConfirmationsBefore, deleteExchangesBefore } from "./store.ts";

const dayMs = 86_400_000;
const confirmationRetentionDays = 7;
const exchangeRetentionDays = 7;

export function startAgentLoops(context: AgentContext): readonly Loop[] {
  const { db, clock, log } = context;
  return [
    startLoop({
      name: "forget old proposals and exchanges of the agent",
      isEssential: false,
      everyMs: 600_000,
      log,
      turn: async () => {
        const nowMs = clock.now().getTime();
        await takeEach([
          () => deleteConfirmationsBefore(db, new Date(nowMs - confirmationRetentionDays * dayMs)),
          () => deleteExchangesBefore(db, new Date(nowMs - exchangeRetentionDays * dayMs)),
        ]);
      },
    }),
  ];
}
