/** State of a conversation. All functions are pure, and the size of the state is limited. */
import type { AgentEvent, AgentMessage, ProposedAction } from "../api/agent-event.ts";

export type CardState =
  | { readonly name: "waiting" | "sending" | "declined" | "gone" }
  | { readonly name: "done"; readonly message: string; readonly href: string | null }
  | { readonly name: "failed"; readonly message: string; readonly requestId: string | null };

export interface Card {
  readonly action: Omit<ProposedAction, "token">;
  readonly state: CardState;
}

export interface Source {
  readonly url: string;
  readonly title: string;
}

export interface Turn {
  readonly id: string;
  readonly question: string;
  readonly text: string;
  readonly state: "writing" | "done" | "stopped" | "failed";
  readonly sources: readonly Source[];
  readonly cards: readonly Card[];
  readonly failure: { readonly message: string; readonly requestId: string | null } | null;
}

export const maxQuestionLength = 2_000;
const maxTurns = 30;
const maxTextLength = 60_000;
const maxSources = 50;
const maxCards = 24;
const maxStoredLength = 400_000;
/**
 * Maximum number of earlier turns sent with a question, so that the agent understands follow-up
 * questions. Without a model, the agent reads only the last ten messages.
 */
const maxSentTurns = 6;
const maxSentLength = 8_000;

export function startTurn(turns: readonly Turn[], id: string, question: string): Turn[] {
  const turn: Turn = {
    id,
    question: question.slice(0, maxQuestionLength),
    text: "",
    state: "writing",
    sources: [],
    cards: [],
    failure: null,
  };
  return [...turns, turn].slice(-maxTurns);
}

export function changeTurn(
  turns: readonly Turn[],
  id: string,
  change: (turn: Turn) => Turn,
): Turn[] {
  return turns.map((turn) => (turn.id === id ? change(turn) : turn));
}

/** Removes the confirmation token, which must not be stored. */
function toCard({ token: _, ...action }: ProposedAction): Card {
  return { action, state: { name: "waiting" } };
}

export function addEvent(turn: Turn, event: AgentEvent): Turn {
  switch (event.type) {
    case "text":
      return { ...turn, text: (turn.text + event.text).slice(0, maxTextLength) };
    case "source":
      return { ...turn, sources: [...turn.sources, event].slice(0, maxSources) };
    case "action":
      return { ...turn, cards: [...turn.cards, toCard(event.action)].slice(0, maxCards) };
    case "failed":
      return { ...turn, state: "failed", failure: { message: event.message, requestId: null } };
    case "tool":
      return turn;
  }
}

export function changeCard(turn: Turn, actionId: string, state: CardState): Turn {
  return {
    ...turn,
    cards: turn.cards.map((card) => (card.action.id === actionId ? { ...card, state } : card)),
  };
}

export function toMessages(turns: readonly Turn[], question: string): AgentMessage[] {
  const before = turns
    .slice(-maxSentTurns)
    .flatMap((turn): AgentMessage[] => [
      { role: "user", content: turn.question },
      ...(turn.text.trim() === ""
        ? []
        : [{ role: "assistant", content: turn.text.trim().slice(-maxSentLength) } as const]),
    ]);
  return [...before, { role: "user", content: question.slice(0, maxQuestionLength) }];
}

/**
 * Updates a turn that is restored after a reload: an answer in progress is stopped, and open
 * actions can no longer be confirmed, because their tokens are lost.
 */
function settle(turn: Turn): Turn {
  const isOpen = ({ name }: CardState) => name === "waiting" || name === "sending";
  return {
    ...turn,
    state: turn.state === "writing" ? "stopped" : turn.state,
    cards: turn.cards.map((card) =>
      isOpen(card.state) ? { ...card, state: { name: "gone" } } : card,
    ),
  };
}

interface Stored {
  readonly owner: string;
  readonly turns: readonly Turn[];
}

/** Serialises the conversation. Removes the oldest turns until the text fits the storage limit. */
export function writeStored(owner: string, turns: readonly Turn[]): string {
  for (let from = 0; ; from += 1) {
    const text = JSON.stringify({ owner, turns: turns.slice(from) });
    if (text.length <= maxStoredLength || from >= turns.length) return text;
  }
}

/**
 * Parses a stored conversation. Returns an empty list if the conversation is invalid or belongs to
 * another user or account.
 */
export function readStored(text: string | null, owner: string): Turn[] {
  try {
    const stored = JSON.parse(text ?? "null") as Stored | null;
    return stored?.owner === owner ? stored.turns.map(settle) : [];
  } catch {
    return [];
  }
}
