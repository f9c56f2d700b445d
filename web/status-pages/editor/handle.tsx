import type { KeyboardEvent, PointerEvent } from "react";
import { GripIcon } from "../../parts/icons.tsx";
import styles from "./cards.module.css";
import { words } from "./words.ts";

interface HandleProps {
  /** What it moves, by name. */
  readonly name: string;
  /** By which it is found again after a move. */
  readonly id: string;
  readonly onStep: (step: -1 | 1) => void;
  readonly onGrab: (event: PointerEvent<HTMLElement>) => void;
}

export const handleHintId = "page-editor-handle-hint";

/** Dragged by a pointer; with the focus on it, the arrow keys move what it belongs to. */
export function Handle({ name, id, onStep, onGrab }: HandleProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    onStep(event.key === "ArrowUp" ? -1 : 1);
  };
  return (
    <button
      type="button"
      className={styles.handle}
      aria-label={words.move(name)}
      aria-describedby={handleHintId}
      title={words.moveHint}
      data-handle={id}
      onKeyDown={onKeyDown}
      onPointerDown={onGrab}
    >
      <GripIcon size={16} />
    </button>
  );
}
