import { lazy, Suspense, useSyncExternalStore } from "react";
import { AskIcon } from "../parts/icons.tsx";
import { isAgentOpen, openAgent, subscribeToAgentVisibility } from "./agent-visibility.ts";

/**
 * UI text of the dock. It is not in `words.ts`, because `words.ts` is loaded only with the agent
 * panel.
 */
const words = { ask: "Ask", askAgent: "Ask the agent" } as const;

const AgentPanel = lazy(() =>
  import("./agent-panel.tsx").then((loaded) => ({ default: loaded.AgentPanel })),
);

export function AgentButton({
  buttonClass,
  onOpen,
}: {
  readonly buttonClass: string | undefined;
  readonly onOpen?: () => void;
}) {
  return (
    <button
      type="button"
      className={buttonClass}
      aria-keyshortcuts="a"
      title={`${words.askAgent} (a)`}
      onClick={() => {
        onOpen?.();
        openAgent();
      }}
    >
      <AskIcon size={20} />
      <span>{words.ask}</span>
    </button>
  );
}

/**
 * Renders the agent panel beside the screen. The panel's code is loaded when the panel is first
 * opened.
 */
export function AgentDock() {
  const isOpen = useSyncExternalStore(subscribeToAgentVisibility, isAgentOpen);
  return <Suspense>{isOpen && <AgentPanel />}</Suspense>;
}
