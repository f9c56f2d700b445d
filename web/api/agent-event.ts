/** Types and parser of the events in the agent's response stream. */
export interface AgentMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** Object that the current screen shows, sent with a question to the agent. */
export interface AgentContext {
  readonly kind:
    | "check"
    | "group"
    | "incident"
    | "service"
    | "page"
    | "channel"
    | "window"
    | "member"
    | "dashboard";
  readonly id: string;
}

export interface ProposedAction {
  readonly id: string;
  readonly token: string;
  readonly tool: string;
  readonly title: string;
  readonly summary: string;
  readonly changes: readonly {
    readonly what: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
  readonly expiresAt: string;
}

export type AgentEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool"; readonly tool: string }
  | { readonly type: "source"; readonly url: string; readonly title: string }
  | { readonly type: "action"; readonly action: ProposedAction }
  | { readonly type: "failed"; readonly message: string };

interface Chunk {
  readonly type: string;
  readonly delta?: string;
  readonly toolName?: string;
  readonly url?: string;
  readonly title?: string;
  readonly id?: string;
  readonly errorText?: string;
  readonly data?: Omit<ProposedAction, "id">;
}

/**
 * Parses a line of the response stream. Returns `null` if the line contains no event for display.
 */
export function readEvent(line: string): AgentEvent | null {
  if (!line.startsWith("data: {")) return null;
  const chunk = JSON.parse(line.slice(6)) as Chunk;
  switch (chunk.type) {
    // The agent writes text before and after tool calls, and each text is a separate paragraph.
    case "text-start":
      return { type: "text", text: "\n\n" };
    case "text-delta":
      return { type: "text", text: chunk.delta ?? "" };
    case "tool-input-available":
      return { type: "tool", tool: chunk.toolName ?? "" };
    case "source-url":
      return { type: "source", url: chunk.url ?? "", title: chunk.title ?? "" };
    case "data-confirmation":
      if (chunk.data === undefined) return null;
      return { type: "action", action: { ...chunk.data, id: chunk.id ?? "" } };
    case "error":
      return { type: "failed", message: chunk.errorText ?? "" };
    default:
      return null;
  }
}
