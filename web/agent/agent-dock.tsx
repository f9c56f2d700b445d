import { lazy, Suspense, useSyncExternalStore } from "react";
import { AskIcon } from "../parts/icons.tsx";
import { words } from "../shell/words.ts";
import { isAgentOpen, openAgent, subscribeToAgentVisibility } from "./agent-visibility.ts";

const AgentPanel = lazy(() =>
  import("./agent-panel.tsx").then((loaded) => ({ default: loaded.AgentPanel })),
);

export function AgentButton({
  buttonClass,
  labelClass,
  onOpen,
}: {
  readonly buttonClass: string | undefined;
  readonly labelClass: string | undefined;
  readonly onOpen?: () => void;
}) {
  return (
    <button
      type="button"
      className={buttonClass}
      aria-keyshortcuts="?"
      title={`${words.askAgent} (?)`}
      onClick={() => {
        onOpen?.();
        openAgent();
      }}
    >
      <AskIcon size={20} />
      <span className={labelClass}>{words.ask}</span>
    </button>
  );
}

/** Renders the agent panel beside the screen. Its code is loaded when it is first opened. */
export function AgentDock() {
  const isOpen = useSyncExternalStore(subscribeToAgentVisibility, isAgentOpen);
  return <Suspense>{isOpen && <AgentPanel />}</Suspense>;
}
