/** Stores the conversation of this tab, which survives navigation and closing the panel. */

import type { AgentContext } from "../api/agent-event.ts";
import { ApiError, fromThrown } from "../api/api-error.ts";
import { askAgent, confirmAction, declineAction } from "../api/ask-agent.ts";
import { createKey } from "../parts/send-key.ts";
import {
  addEvent,
  type CardState,
  changeCard,
  changeTurn,
  readStored,
  startTurn,
  type Turn,
  toMessages,
  writeStored,
} from "./conversation.ts";

const storageKey = "agent-conversation";

let owner = "";
let turns: readonly Turn[] = [];
let controller: AbortController | null = null;
/** Confirmation tokens by action id, held only in memory and never sent to the agent. */
const tokens = new Map<string, string>();
const listeners = new Set<() => void>();

function change(next: readonly Turn[]): void {
  turns = next;
  for (const listener of listeners) listener();
}

function keep(): void {
  try {
    sessionStorage.setItem(storageKey, writeStored(owner, turns));
  } catch {
    // Storage is unavailable, so the conversation lasts only until the page is reloaded.
  }
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const readTurns = () => turns;

/**
 * Sets the user and account that own the conversation. Restores their stored conversation; another
 * user or account starts with an empty one.
 */
export function claimConversation(userId: string, accountId: string): void {
  const claimed = `${userId} ${accountId}`;
  if (claimed === owner) return;
  controller?.abort();
  tokens.clear();
  owner = claimed;
  change(readStored(sessionStorage.getItem(storageKey), owner));
}

export function clearConversation(): void {
  controller?.abort();
  tokens.clear();
  change([]);
  keep();
}

export function stopAnswer(): void {
  controller?.abort();
}

export interface Asked {
  readonly accountId: string;
  readonly question: string;
  readonly context: AgentContext | null;
}

export async function ask({ accountId, question, context }: Asked): Promise<void> {
  if (controller !== null) return;
  const own = new AbortController();
  controller = own;
  const id = createKey();
  const messages = toMessages(turns, question);
  change(startTurn(turns, id, question));
  const edit = (by: (turn: Turn) => Turn) => change(changeTurn(turns, id, by));
  try {
    const answer = await askAgent({ accountId, messages, context, signal: own.signal });
    for await (const event of answer.events) {
      if (event.type === "action") tokens.set(event.action.id, event.action.token);
      edit((turn) => addEvent(turn, event));
    }
    edit((turn) => (turn.state === "writing" ? { ...turn, state: "done" } : turn));
  } catch (error) {
    if (own.signal.aborted) edit((turn) => ({ ...turn, state: "stopped" }));
    else edit((turn) => ({ ...turn, state: "failed", failure: describe(error) }));
  } finally {
    controller = null;
    keep();
    for (const listener of listeners) listener();
  }
}

function describe(error: unknown) {
  const { message, requestId } = error instanceof ApiError ? error : fromThrown(error);
  return { message, requestId };
}

/**
 * Returns the path of the check that an action created or changed; `null` if the tool does not act
 * on a check.
 */
function findPlace(tool: string, targetId: unknown): string | null {
  const isCheck = ["mute_check", "create_check", "acknowledge_alert"].includes(tool);
  return isCheck && typeof targetId === "string" ? `/checks/${targetId}` : null;
}

function setCard(turnId: string, actionId: string, state: CardState): void {
  change(changeTurn(turns, turnId, (turn) => changeCard(turn, actionId, state)));
  keep();
}

export interface Decision {
  readonly accountId: string;
  readonly turnId: string;
  readonly actionId: string;
}

/** Confirms an action. The action is shown as done only after the server has responded. */
export async function confirm({ accountId, turnId, actionId }: Decision): Promise<void> {
  const token = tokens.get(actionId);
  if (token === undefined) return setCard(turnId, actionId, { name: "gone" });
  setCard(turnId, actionId, { name: "sending" });
  try {
    const { isDone, message, data, tool } = await confirmAction(accountId, token);
    const href = findPlace(tool, data.targetId);
    tokens.delete(actionId);
    if (isDone) setCard(turnId, actionId, { name: "done", message, href });
    else setCard(turnId, actionId, { name: "failed", message, requestId: null });
  } catch (error) {
    setCard(turnId, actionId, { name: "failed", ...describe(error) });
  }
}

export async function decline({ accountId, turnId, actionId }: Decision): Promise<void> {
  tokens.delete(actionId);
  try {
    await declineAction(accountId, actionId);
    setCard(turnId, actionId, { name: "declined" });
  } catch (error) {
    setCard(turnId, actionId, { name: "failed", ...describe(error) });
  }
}
