import type { KeyboardEvent, PointerEvent } from "react";
import { IconButton } from "../../parts/buttons.tsx";
import { CloseIcon, GripIcon } from "../../parts/icons.tsx";
import styles from "./cards.module.css";
import { words } from "./words.ts";

/** Button with a cross that removes an item. */
export function CrossButton({ label, onClick }: { readonly label: string; onClick: () => void }) {
  return (
    <IconButton aria-label={label} title={label} onClick={onClick}>
      <CloseIcon size={16} />
    </IconButton>
  );
}

interface HandleProps {
  /** Name of the object that the handle moves. */
  readonly name: string;
  /** Id with which the handle is found again after the object has moved. */
  readonly id: string;
  readonly onStep: (step: -1 | 1) => void;
  readonly onGrab: (event: PointerEvent<HTMLElement>) => void;
}

export const handleHintId = "page-editor-handle-hint";

/** Drag handle of a card or service. Arrow keys also move the object. */
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
