/**
 * Stores whether the agent panel is open. This is a separate module, so that reading the state does
 * not load the panel.
 */

let isOpen = false;
const listeners = new Set<() => void>();

function change(next: boolean): void {
  isOpen = next;
  for (const listener of listeners) listener();
}

/**
 * Opens the panel. Listeners are notified even if the panel is already open, so that the question
 * field gets the focus.
 */
export const openAgent = () => change(true);
export const closeAgent = () => change(false);
export const isAgentOpen = () => isOpen;

export function subscribeToAgentVisibility(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
