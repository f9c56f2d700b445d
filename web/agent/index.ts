/**
 * The agent panel, which opens beside every screen and shows questions, answers with sources, and
 * proposed actions. The panel's code is loaded when the panel is first opened.
 */
export { AgentButton, AgentDock } from "./agent-dock.tsx";
export { openAgent } from "./agent-visibility.ts";
