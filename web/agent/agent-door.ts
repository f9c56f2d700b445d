/** Whether the agent's panel is open. It is a file of its own, so that the panel is loaded late. */

let isOpen = false;
const listeners = new Set<() => void>();

function change(next: boolean): void {
  isOpen = next;
  for (const listener of listeners) listener();
}

/** Also when it is open already: then the field for the question gets the focus. */
export const openAgent = () => change(true);
export const closeAgent = () => change(false);
export const isAgentOpen = () => isOpen;

export function subscribeToDoor(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
