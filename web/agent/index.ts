/**
 * The agent panel beside every screen: questions, answers with sources, and proposed actions.
 * The panel itself is loaded when it is first opened.
 */
export { AgentButton, AgentDock } from "./agent-dock.tsx";
export { openAgent } from "./agent-visibility.ts";
